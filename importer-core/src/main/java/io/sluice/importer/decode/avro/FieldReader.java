package io.sluice.importer.decode.avro;

import io.sluice.api.row.Row;

/**
 * Reads one field of a record: past it, and into a row's slot if a column wants it. Immutable, usable by many threads;
 * makes no object for good data.
 */
@FunctionalInterface
interface FieldReader {
    /**
     * Reads a value that begins at the input's position and moves behind it, whether the column can hold it or not.
     *
     * @param row byte slots will point into the input's buffer
     * @param problems told why when the column cannot hold the value
     * @throws MalformedDatum when the bytes are no value of the field's schema; the input's position is then anywhere
     */
    void read(AvroInput in, Row row, RowProblem problems) throws MalformedDatum;
}
