package io.sluice.engine.cache;

import java.util.ArrayList;
import java.util.List;

/**
 * The row cache of a node: one budget of bytes for the rows of all tables, with eviction of rows that are not read.
 * Usable by several threads.
 *
 * <p>Each row is kept with the sequence numbers between which it is valid: from the latest update before it was read,
 * to the first one after. So it serves current reads and snapshots. An updated row stays for older snapshots until the
 * last of these is released.
 *
 * <p>A write and concurrent reads proceed in these steps:
 *
 * <ol>
 *   <li>the writer announces the write ({@link CacheShard#begin}): the entry's validity ends at the latest write before
 *       this one, and no row of these keys is added;
 *   <li>the write happens; a reader that sees it asks for a number after the entry's end, and misses;
 *   <li>the write ends ({@link Update#close}): from now on the cache refuses rows read at an earlier number, and adds
 *       those read later.
 * </ol>
 *
 * <p>Nothing here waits for a reader, and a reader never waits for the database.
 */
public final class RowCache {
    /** The smallest size that is worth its overhead. */
    public static final long LEAST_BYTES = 1 << 20;

    private static final int MOST_SEGMENTS = 256;
    /** The least size of a segment: some dozens of rows of some kilobytes. */
    private static final long LEAST_SEGMENT_BYTES = 256 << 10;
    /** A row may take at most this fraction (1/n) of a segment, so that it does not evict all others. */
    private static final int LARGEST_ROW_PART = 8;

    private final Segment[] segments;
    private final CacheCounters counters = new CacheCounters();
    private final Sequences sequences;
    private final long bytes;
    private final long largestRowBytes;

    /**
     * Creates an empty cache.
     *
     * @param bytes limit of all rows and their index, at least {@link #LEAST_BYTES}
     */
    public RowCache(long bytes, Sequences sequences) {
        this.bytes = bytes;
        this.sequences = sequences;
        long most = Math.min(MOST_SEGMENTS, Math.max(1, bytes / LEAST_SEGMENT_BYTES));
        int count = (int) Long.highestOneBit(most);
        long segmentBytes = bytes / count;
        largestRowBytes = segmentBytes / LARGEST_ROW_PART;
        segments = new Segment[count];
        for (int i = 0; i < count; i++) {
            segments[i] = new Segment(segmentBytes, counters);
        }
    }

    /** The limit of the rows' memory in bytes. */
    public long bytes() {
        return bytes;
    }

    /** Creates a shard for rows with a key space of their own. */
    public CacheShard newShard() {
        return new CacheShard(this);
    }

    /** Removes rows that were kept for a released snapshot. */
    public void snapshotReleased() {
        if (counters.ended() > 0) {
            long oldest = sequences.oldestSnapshot();
            for (Segment segment : segments) {
                segment.reap(oldest);
            }
        }
    }

    /** The current statistics. */
    public CacheStatistics statistics() {
        return counters.sum();
    }

    /** The used memory, counted entry by entry; fails when the counters are wrong. For tests. */
    long checkedBytes() {
        List<Long> sums = new ArrayList<>();
        for (Segment segment : segments) {
            sums.add(segment.checkedBytes());
        }
        return sums.stream().mapToLong(Long::longValue).sum();
    }

    /** The segment of a hash: its high half chooses the segment, its low half the bucket and the stripe. */
    Segment segment(long hash) {
        return segments[(int) (hash >>> Integer.SIZE) & (segments.length - 1)];
    }

    void clear(CacheShard shard) {
        for (Segment segment : segments) {
            segment.clear(shard);
        }
    }

    boolean tooLarge(byte[] key, byte[] value) {
        return Entry.bytes(key.length, value.length) > largestRowBytes;
    }

    CacheCounters counters() {
        return counters;
    }

    Sequences sequences() {
        return sequences;
    }
}
