package io.sluice.node.store;

import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The open snapshots of the database: whether there was any in a stretch of time, and which is the oldest. A merge
 * keeps the older of two KVs with the same key as long as some snapshot can see it, whichever table that snapshot was
 * taken for, and files then hold more KVs than readers see.
 */
final class SnapshotCount {
    private final AtomicLong opened = new AtomicLong();
    private final AtomicLong closed = new AtomicLong();
    /** How many snapshots there are of each sequence number. */
    private final ConcurrentSkipListMap<Long, Integer> sequences = new ConcurrentSkipListMap<>();

    private volatile Runnable released = () -> {};

    /** Has something run whenever a snapshot was released. */
    void afterRelease(Runnable done) {
        released = done;
    }

    /** To be called before a snapshot is taken. */
    void opening() {
        opened.incrementAndGet();
    }

    /** To be called when it is taken. */
    void opened(long sequence) {
        sequences.merge(sequence, 1, Integer::sum);
    }

    /** To be called after a snapshot was released. */
    void closed(long sequence) {
        sequences.computeIfPresent(sequence, (number, count) -> count == 1 ? null : count - 1);
        closed.incrementAndGet();
        released.run();
    }

    /** The least sequence number that an open snapshot has; {@link Long#MAX_VALUE} when none is open. */
    long oldest() {
        var first = sequences.firstEntry();
        return first == null ? Long.MAX_VALUE : first.getKey();
    }

    /** A mark of now, for {@link #noneSince}. */
    long mark() {
        return closed.get();
    }

    /** Whether no snapshot was open at the mark nor at any time since. */
    boolean noneSince(long mark) {
        return opened.get() == mark;
    }
}
