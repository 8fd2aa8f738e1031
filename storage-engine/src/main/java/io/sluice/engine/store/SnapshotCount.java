package io.sluice.engine.store;

import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts the open snapshots of the database: whether any was open in a period of time, and which is the oldest. A
 * compaction keeps the older of two KVs with the same key as long as a snapshot of any table sees it. Files then hold
 * more KVs than readers see.
 */
final class SnapshotCount {
    private final AtomicLong opened = new AtomicLong();
    private final AtomicLong closed = new AtomicLong();
    /** The number of open snapshots by sequence number. */
    private final ConcurrentSkipListMap<Long, Integer> sequences = new ConcurrentSkipListMap<>();

    private volatile Runnable released = () -> {};

    /** Registers the callback that runs after each release of a snapshot. */
    void afterRelease(Runnable done) {
        released = done;
    }

    /** Called before a snapshot is taken. */
    void opening() {
        opened.incrementAndGet();
    }

    /** Called after a snapshot was taken. */
    void opened(long sequence) {
        sequences.merge(sequence, 1, Integer::sum);
    }

    /** Called after a snapshot was released. */
    void closed(long sequence) {
        sequences.computeIfPresent(sequence, (number, count) -> count == 1 ? null : count - 1);
        closed.incrementAndGet();
        released.run();
    }

    /** The least sequence number of an open snapshot; {@link Long#MAX_VALUE} when none is open. */
    long oldest() {
        var first = sequences.firstEntry();
        return first == null ? Long.MAX_VALUE : first.getKey();
    }

    /** The current time mark, for {@link #noneSince}. */
    long mark() {
        return closed.get();
    }

    /** Whether no snapshot was open at the mark or at any time since. */
    boolean noneSince(long mark) {
        return opened.get() == mark;
    }
}
