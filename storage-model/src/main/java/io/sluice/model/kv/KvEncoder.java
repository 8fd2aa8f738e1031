package io.sluice.model.kv;

import io.sluice.model.row.Row;
import java.util.List;

/** Encodes rows as the KVs of one index. For one worker. */
public interface KvEncoder {
    /**
     * The encoders of the other KVs that an entry of the same index may have, in the order of their keys: one for each
     * further column family. Empty for most tables.
     */
    default List<? extends KvEncoder> families() {
        return List.of();
    }

    /** Number of the column family of the KVs. */
    default int family() {
        return 0;
    }

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
     * @return {@code keyLength << 32 | valueLength}; 0, from one of the {@link #families}: the row has no such KV
     * @throws IllegalArgumentException if a primary key column is NULL
     */
    long encode(Row row, byte[] buffer, int offset);
}
