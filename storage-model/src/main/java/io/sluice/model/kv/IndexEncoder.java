package io.sluice.model.kv;

import io.sluice.model.row.Row;

/** Encodes the KV of one index of one table. Created by {@link RowEncoder}, one per worker; not thread-safe. */
public interface IndexEncoder {
    /** Position of the index in {@code Table.indexes()}. */
    int ordinal();

    /**
     * Upper bound on the bytes that {@link #encode} touches for this row.
     *
     * @throws ArithmeticException if the bound exceeds the maximum array length
     */
    int maxBytes(Row row);

    /**
     * Writes the key and then the value at {@code offset}. The caller leaves {@link #maxBytes} bytes of room; the
     * encoder may overwrite all of them, also after the end of the value. The caller keeps the buffer.
     *
     * @return {@code keyLength << 32 | valueLength}
     * @throws IllegalArgumentException if a primary key column is NULL
     */
    long encode(Row row, byte[] buffer, int offset);
}
