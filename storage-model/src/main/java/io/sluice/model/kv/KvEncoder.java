package io.sluice.model.kv;

import io.sluice.model.row.Row;

/** Encodes rows as the KVs of one index. For one worker. */
public interface KvEncoder {
    /**
     * Upper bound on the bytes that {@link #encode} touches for this row.
     *
     * @throws ArithmeticException if the bound exceeds the maximum array length
     */
    int maxBytes(Row row);

    /**
     * Writes the key and then the value at {@code offset}. The value begins with the CRC of the KV. The caller leaves
     * {@link #maxBytes} bytes of room; the encoder may overwrite all of them, also after the end of the value. The
     * caller keeps the buffer.
     *
     * @return {@code keyLength << 32 | valueLength}
     * @throws IllegalArgumentException if a primary key column is NULL
     */
    long encode(Row row, byte[] buffer, int offset);
}
