package io.sluice.api.kv;

import io.sluice.api.row.Row;

/** Encodes the KV of one index of one table. Made by {@link RowEncoder}; immutable, usable by many threads. */
public interface IndexEncoder {
    /** Position of the index in {@code Table.indexes()}. */
    int ordinal();

    /** At least as many bytes as {@link #encode} writes for this row. */
    int maxBytes(Row row);

    /**
     * Writes key and value, one behind the other, at {@code offset}. The caller left {@link #maxBytes} bytes of room.
     *
     * @return {@code keyLength << 32 | valueLength}
     */
    long encode(Row row, byte[] buffer, int offset);
}
