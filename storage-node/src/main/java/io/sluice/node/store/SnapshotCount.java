package io.sluice.node.store;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Tells whether any snapshot of the database was open in a stretch of time. A merge keeps the older of two KVs with the
 * same key as long as some snapshot can see it, whichever table that snapshot was taken for, and files then hold more
 * KVs than readers see.
 */
final class SnapshotCount {
    private final AtomicLong opened = new AtomicLong();
    private final AtomicLong closed = new AtomicLong();

    /** To be called before a snapshot is taken. */
    void opening() {
        opened.incrementAndGet();
    }

    /** To be called after a snapshot was released. */
    void closed() {
        closed.incrementAndGet();
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
