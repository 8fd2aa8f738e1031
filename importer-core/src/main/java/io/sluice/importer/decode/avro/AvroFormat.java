package io.sluice.importer.decode.avro;

import io.sluice.api.schema.TableDef;
import org.apache.avro.Schema;
import org.jspecify.annotations.Nullable;

/**
 * What an Avro decoder needs to know.
 *
 * @param table the table whose rows the records are
 * @param schema of the records; for container files, which bring their own, that of the reader, or null
 * @param strict whether every field must have a column and every column a field
 * @param where what the schema was read from, for messages
 */
public record AvroFormat(TableDef table, @Nullable Schema schema, boolean strict, String where) {
    /** The plan for records without a file header. */
    AvroLayout layout() {
        return AvroLayout.of(table, required(), null, strict, where);
    }

    /** The schema of records that do not bring one. */
    Schema required() {
        if (schema == null) {
            throw new IllegalStateException("records without a header need a schema");
        }
        return schema;
    }
}
