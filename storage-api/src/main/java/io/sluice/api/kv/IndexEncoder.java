package io.sluice.api.kv;

import io.sluice.api.row.Row;

/**
 * Encodes the KV of one index of one table. Made by {@link RowEncoder}; one per worker, not safe for several threads.
 */
public interface IndexEncoder {
    /** Position of the index in {@code Table.indexes()}. */
    int ordinal();

    /**
     * At least as many bytes as {@link #encode} touches for this row.
     *
     * @throws ArithmeticException when that is beyond what an array can hold
     */
    int maxBytes(Row row);

    /**
     * Writes key and value, one behind the other, at {@code offset}. The caller left {@link #maxBytes} bytes of room,
     * all of which may be overwritten, also behind the end of the value. The buffer stays the caller's.
     *
     * @return {@code keyLength << 32 | valueLength}
     * @throws IllegalArgumentException when a primary key column is NULL
     */
    long encode(Row row, byte[] buffer, int offset);
}
