package io.sluice.importer.decode;

import io.sluice.api.schema.TableDef;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a CSV decoder needs to know.
 *
 * @param table the table whose rows the records are
 * @param dialect how the file is written
 * @param columns names of the columns in the order of the fields, or null: the header's, or else all in order
 * @param maxRecordBytes longest record that is let through
 */
public record CsvFormat(
        TableDef table, CsvDialect dialect, @Nullable List<String> columns, int maxRecordBytes) {}
