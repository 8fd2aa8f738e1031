package io.sluice.engine.cache;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** Counters of a cache's events and content. */
final class CacheCounters {
    private final LongAdder hits = new LongAdder();
    private final LongAdder misses = new LongAdder();
    private final LongAdder fills = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final LongAdder evicted = new LongAdder();
    private final LongAdder invalidated = new LongAdder();
    private final LongAdder bytes = new LongAdder();
    private final LongAdder entries = new LongAdder();
    private final AtomicLong ended = new AtomicLong();

    void hit() {
        hits.increment();
    }

    void missed() {
        misses.increment();
    }

    void filled(boolean kept) {
        (kept ? fills : refused).increment();
    }

    void evicted() {
        evicted.increment();
    }

    void invalidated() {
        invalidated.increment();
    }

    void added(long entryBytes) {
        bytes.add(entryBytes);
        entries.increment();
    }

    void removed(long entryBytes) {
        bytes.add(-entryBytes);
        entries.decrement();
    }

    void ended(int more) {
        ended.addAndGet(more);
    }

    /** The number of entries that are kept only for snapshots. */
    long ended() {
        return ended.get();
    }

    CacheStatistics sum() {
        return new CacheStatistics(
                hits.sum(),
                misses.sum(),
                fills.sum(),
                refused.sum(),
                evicted.sum(),
                invalidated.sum(),
                new CacheStatistics.Content(entries.sum(), bytes.sum(), ended.get()));
    }
}
