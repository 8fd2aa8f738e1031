package io.sluice.importer.decode.infer;

import java.util.ArrayList;
import java.util.List;
import org.apache.avro.LogicalType;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;
import org.jspecify.annotations.Nullable;

/**
 * Proposes a table for records of an Avro schema, which says all there is to know about types, but nothing about keys.
 */
public final class AvroInference {
    private static final String NANOS_NOTE = "--nanos round rounds digits beyond microseconds";

    /** The largest precision that DDL may declare. */
    private static final int MAX_DECIMAL_PRECISION = 1000;

    private AvroInference() {}

    /** The table whose columns take every value of the schema's fields. */
    public static InferredTable of(Schema schema, String table, String fileName) {
        List<InferredColumn> columns = new ArrayList<>();
        for (Schema.Field field : schema.getFields()) {
            columns.add(column(field));
        }
        List<String> remarks = List.of(
                "from the schema of " + fileName + " (record " + schema.getFullName() + ")",
                "the schema names no keys: without a PRIMARY KEY rows are numbered; declare one if there is one");
        return new InferredTable(table, remarks, columns);
    }

    private static InferredColumn column(Schema.Field field) {
        List<Schema> types = new ArrayList<>();
        boolean nullable = false;
        for (Schema type : field.schema().isUnion() ? field.schema().getTypes() : List.of(field.schema())) {
            if (type.getType() == Schema.Type.NULL) {
                nullable = true;
            } else {
                types.add(type);
            }
        }
        if (types.isEmpty()) {
            return InferredColumn.none(field.name(), "it is always null");
        }
        Mapped mapped = types.size() == 1 ? of(types.get(0)) : ofSeveral(types);
        if (mapped.sql.isEmpty()) {
            return InferredColumn.none(field.name(), mapped.comment);
        }
        return new InferredColumn(field.name(), mapped.sql + (nullable ? "" : " NOT NULL"), mapped.comment);
    }

    /** A column's type; empty when there is none, and the comment says why. */
    private record Mapped(String sql, String comment) {}

    private static Mapped ofSeveral(List<Schema> types) {
        List<String> names =
                types.stream().map(type -> type.getType().getName()).toList();
        boolean whole = types.stream()
                .allMatch(type -> type.getLogicalType() == null
                        && (type.getType() == Schema.Type.INT || type.getType() == Schema.Type.LONG));
        boolean floating = types.stream()
                .allMatch(type -> type.getType() == Schema.Type.FLOAT || type.getType() == Schema.Type.DOUBLE);
        boolean text = types.stream()
                .allMatch(type -> type.getType() == Schema.Type.STRING || type.getType() == Schema.Type.ENUM);
        String comment = "a union of " + String.join(", ", names);
        if (whole) {
            return new Mapped("INT8", comment);
        }
        if (floating) {
            return new Mapped("FLOAT8", comment);
        }
        return text ? new Mapped("STRING", comment) : new Mapped("", comment + ", which no column type takes");
    }

    private static Mapped of(Schema schema) {
        LogicalType logical = schema.getLogicalType();
        if (logical instanceof LogicalTypes.Decimal decimal) {
            if (decimal.getPrecision() > MAX_DECIMAL_PRECISION) {
                return new Mapped(
                        "DECIMAL", "its precision of " + decimal.getPrecision() + " digits is more than a column's");
            }
            return new Mapped("DECIMAL(" + decimal.getPrecision() + "," + decimal.getScale() + ")", "");
        }
        Mapped ofLogical = logical == null ? null : ofLogical(logical);
        if (ofLogical != null) {
            return ofLogical;
        }
        return switch (schema.getType()) {
            case BOOLEAN -> new Mapped("BOOL", "");
            case INT, LONG ->
                logical == null
                        ? new Mapped(schema.getType() == Schema.Type.INT ? "INT4" : "INT8", "")
                        : new Mapped("", "its logical type " + logical.getName() + " is unknown");
            case FLOAT -> new Mapped("FLOAT4", "");
            case DOUBLE -> new Mapped("FLOAT8", "");
            case STRING -> new Mapped("STRING", "");
            case ENUM -> new Mapped("STRING", "an enum: " + String.join(", ", schema.getEnumSymbols()));
            case BYTES -> new Mapped("BYTES", "");
            case FIXED -> new Mapped("BYTES", "always " + schema.getFixedSize() + " bytes");
            case ARRAY -> ofItems(schema.getElementType());
            case MAP -> new Mapped("JSONB", "a map");
            case RECORD ->
                schema.getFields().isEmpty()
                        ? new Mapped("", "it has no data that a column takes; it is skipped")
                        : new Mapped("JSONB", "a record");
            case UNION, NULL ->
                new Mapped(
                        "",
                        "it is of type " + schema.getType().getName()
                                + ", for which there are no columns; it is skipped");
        };
    }

    /** An array of scalars of one type is an array; other arrays are documents. */
    private static Mapped ofItems(Schema items) {
        List<Schema> types = items.isUnion()
                ? items.getTypes().stream()
                        .filter(type -> type.getType() != Schema.Type.NULL)
                        .toList()
                : List.of(items);
        boolean scalars = types.size() == 1
                && switch (types.get(0).getType()) {
                    case ARRAY, MAP, RECORD, UNION, NULL -> false;
                    default -> true;
                };
        Mapped item = scalars ? of(types.get(0)) : new Mapped("", "");
        return item.sql.isEmpty() ? new Mapped("JSONB", "an array") : new Mapped(item.sql + "[]", item.comment);
    }

    private static @Nullable Mapped ofLogical(LogicalType logical) {
        return switch (logical.getName()) {
            case "date" -> new Mapped("DATE", "");
            case "time-millis" -> new Mapped("TIME(3)", "");
            case "time-micros" -> new Mapped("TIME", "");
            case "timestamp-millis" -> new Mapped("TIMESTAMPTZ(3)", "");
            case "timestamp-micros" -> new Mapped("TIMESTAMPTZ", "");
            case "timestamp-nanos" -> new Mapped("TIMESTAMPTZ", NANOS_NOTE);
            case "local-timestamp-millis" -> new Mapped("TIMESTAMP(3)", "");
            case "local-timestamp-micros" -> new Mapped("TIMESTAMP", "");
            case "local-timestamp-nanos" -> new Mapped("TIMESTAMP", NANOS_NOTE);
            case "uuid" -> new Mapped("UUID", "");
            default -> null;
        };
    }
}
