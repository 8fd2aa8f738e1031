package io.sluice.importer.decode.json;

import io.sluice.model.schema.TableDef;

/**
 * The settings of a JSON decoder.
 *
 * @param table the table of the rows
 * @param array whether each file is one array; else each line is one object
 * @param members which members fill which columns
 * @param maxRecordBytes longest allowed record
 */
public record JsonFormat(TableDef table, boolean array, JsonMembers members, int maxRecordBytes) {}
