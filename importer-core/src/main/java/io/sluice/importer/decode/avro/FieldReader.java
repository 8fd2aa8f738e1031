package io.sluice.importer.decode.avro;

import io.sluice.model.row.Row;

/** Reads one field of a record, into a row's slot if a column takes it. Immutable; makes no object for good data. */
@FunctionalInterface
interface FieldReader {
    /**
     * Reads the value at the input's position and moves past it, whether the column can hold it or not. If it cannot,
     * {@link AvroInput#refuse} gets the reason.
     *
     * @param row byte slots will point into the input's buffer
     * @throws MalformedDatum when the bytes are not a value of the field's schema; the input's position is then
     *     undefined
     */
    void read(AvroInput in, Row row) throws MalformedDatum;

    /**
     * Reads the values of several rows, one after the other; slots must not point into memory of the reader. Readers of
     * the usual types have the loop in a method of their own, where the compiler knows which reader it is.
     */
    default void readAll(AvroInput in, Row[] rows, int count) throws MalformedDatum {
        for (int i = 0; i < count; i++) {
            read(in, rows[i]);
        }
    }
}
