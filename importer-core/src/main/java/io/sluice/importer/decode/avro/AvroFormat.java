package io.sluice.importer.decode.avro;

import io.sluice.model.schema.TableDef;
import java.util.List;
import org.apache.avro.Schema;
import org.jspecify.annotations.Nullable;

/**
 * The settings of an Avro decoder.
 *
 * @param table the table of the rows
 * @param schema schema of the records; for container files, which have their own, the reader's schema or null
 * @param strict whether every field must have a column and every column a field
 * @param roundNanos whether a timestamp with digits beyond microseconds is rounded, not refused
 * @param where source of the schema, for messages
 * @param given names of the columns that the file's directories fill, so that strict records need no field for them
 */
public record AvroFormat(
        TableDef table, @Nullable Schema schema, boolean strict, boolean roundNanos, String where, List<String> given) {
    public AvroFormat {
        given = List.copyOf(given);
    }

    /** The plan for records without a file header. */
    AvroLayout layout() {
        return AvroLayout.of(this, required(), null, where);
    }

    /** The schema of records without a file header. */
    Schema required() {
        if (schema == null) {
            throw new IllegalStateException("records without a header need a schema");
        }
        return schema;
    }
}
