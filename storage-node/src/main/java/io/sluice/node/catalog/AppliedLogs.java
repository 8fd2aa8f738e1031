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

    /**
     * How far a log has been applied. The array is not copied.
     *
     * @param log name of the log
     * @param position what {@link #position} is to answer
     */
    @SuppressWarnings("ArrayRecordComponent")
    public record Mark(String log, byte[] position) {}

    /** Adds a position to a write: it becomes durable with what it tells of. */
    public static void record(WriteSet alongside, Mark mark) {
        alongside.put(Keys.applied(mark.log()), mark.position());
    }

    /** Adds to a write that a log is to be forgotten. */
    public static void forget(WriteSet alongside, String log) {
        alongside.delete(Keys.applied(log));
    }
}
