package io.sluice.node.transaction;

import io.sluice.node.store.Kv;
import org.jspecify.annotations.Nullable;

/** The KVs of a key span in order, as a snapshot has them. For one thread at a time; close it. */
public interface KvSource extends AutoCloseable {
    /** The next KV, or null behind the last. */
    @Nullable
    Kv next();

    /** Goes on at the first KV whose key is not below one; never backwards. */
    void seek(byte[] key);

    @Override
    void close();
}
