package io.sluice.importer.decode.avro;

import org.apache.avro.LogicalType;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;

/** Schemas in a few words, for messages. */
final class SchemaText {
    private SchemaText() {}

    static String of(Schema schema) {
        LogicalType logical = schema.getLogicalType();
        if (logical instanceof LogicalTypes.Decimal decimal) {
            return "Avro " + name(schema) + " (decimal(" + decimal.getPrecision() + "," + decimal.getScale() + "))";
        }
        return "Avro " + name(schema) + (logical == null ? "" : " (" + logical.getName() + ")");
    }

    private static String name(Schema schema) {
        return switch (schema.getType()) {
            case FIXED -> "fixed(" + schema.getFixedSize() + ")";
            default -> schema.getType().getName();
        };
    }
}
