package io.sluice.model.plain;

import io.sluice.model.row.Row;

/** Writes some columns of a row as bytes: a plain key or a plain value. Immutable. */
public interface RowBytes {
    /** Upper bound on the bytes that {@link #put} writes for this row. */
    long maxBytes(Row row);

    /** Writes at {@code at}; returns the position after the last byte. */
    int put(Row row, byte[] buffer, int at);
}
