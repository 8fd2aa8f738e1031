package io.sluice.node.catalog;

import io.sluice.node.store.RocksStore;
import io.sluice.node.store.WriteSet;
import org.jspecify.annotations.Nullable;

/** How far change logs have been applied to the tables of a store, by the logs' names. Usable by several threads. */
public final class AppliedLogs {
    private final RocksStore store;

    public AppliedLogs(RocksStore store) {
        this.store = store;
    }

    /** What was recorded last, or null. */
    public byte @Nullable [] position(String log) {
        return store.meta().get(Keys.applied(log));
    }

    /** Adds a position to a write: it becomes durable with what it tells of. */
    public static void record(WriteSet alongside, String log, byte[] position) {
        alongside.put(Keys.applied(log), position);
    }

    /** Adds to a write that a log is to be forgotten. */
    public static void forget(WriteSet alongside, String log) {
        alongside.delete(Keys.applied(log));
    }
}
