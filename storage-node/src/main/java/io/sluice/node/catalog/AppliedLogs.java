package io.sluice.node.catalog;

import io.sluice.api.transaction.LogPosition;
import io.sluice.engine.store.RocksStore;
import io.sluice.engine.store.WriteSet;
import org.jspecify.annotations.Nullable;

/**
 * The durable positions up to which change logs are applied to a store, by the logs' names. Usable by several threads.
 */
public final class AppliedLogs {
    private final RocksStore store;

    public AppliedLogs(RocksStore store) {
        this.store = store;
    }

    /** The last recorded position of a log, or null. */
    public byte @Nullable [] position(String log) {
        return store.meta().get(Keys.applied(log));
    }

    /** Adds a position to a write, so that it becomes durable together with the rows. */
    public static void record(WriteSet alongside, LogPosition position) {
        alongside.put(Keys.applied(position.log()), position.position());
    }
}
