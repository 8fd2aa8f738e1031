package io.sluice.importer.decode;

import io.sluice.model.schema.TableDef;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a CSV decoder.
 *
 * @param table the table of the rows
 * @param dialect syntax of the files
 * @param columns column names in the order of the fields; null: those of the header, or else all in order
 * @param maxRecordBytes longest allowed record
 */
public record CsvFormat(
        TableDef table, CsvDialect dialect, @Nullable List<String> columns, int maxRecordBytes) {}
