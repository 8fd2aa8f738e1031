package io.sluice.sql.transaction;

import io.sluice.engine.store.Kv;
import org.jspecify.annotations.Nullable;

/** Iterates over the KVs of a key span in a snapshot, in key order. Not thread-safe; the caller closes it. */
public interface KvSource extends AutoCloseable {
    /** Returns the next KV, or null after the last. */
    @Nullable
    Kv next();

    /** Skips forward to the first KV whose key is not below {@code key}. Never moves backwards. */
    void seek(byte[] key);

    @Override
    void close();
}
