package io.sluice.node.cache;

import java.util.ArrayList;
import java.util.List;

/**
 * The rows that one node keeps in memory: one budget of bytes for the rows of all tables, of which those that are not
 * read leave first. Usable by several threads.
 *
 * <p>Each row is kept with the sequence numbers between which it was known to be what it says: from the latest update
 * before it was read, to the first one after. So it serves the present as well as snapshots, and what was updated stays
 * for the snapshots that are older than that, until the last of these is gone.
 *
 * <p>How a write and the reads around it get along, in the order of the steps:
 *
 * <ol>
 *   <li>whoever is about to write says so ({@link CacheShard#begin}): the entry's end becomes the number of the latest
 *       write before this one, and nothing is kept of the keys concerned;
 *   <li>the write happens; who sees it asks for a later number than the entry's end, and misses;
 *   <li>the write is over ({@link Update#close}): rows that were read at an earlier number are not kept from now on,
 *       those read later are.
 * </ol>
 *
 * <p>Nothing here waits for a reader, and a reader never waits for the database.
 */
public final class RowCache {
    /** Less is not worth its own bookkeeping. */
    public static final long LEAST_BYTES = 1 << 20;

    private static final int MOST_SEGMENTS = 256;
    /** A segment holds at least some dozens of rows of some kilobytes. */
    private static final long LEAST_SEGMENT_BYTES = 256 << 10;
    /** Of a segment's bytes, the part that one row may take: not to push out all others. */
    private static final int LARGEST_ROW_PART = 8;

    private final Segment[] segments;
    private final CacheCounters counters = new CacheCounters();
    private final Sequences sequences;
    private final long bytes;
    private final long largestRowBytes;

    /**
     * An empty cache.
     *
     * @param bytes what all rows and what is needed to find them may take, at least {@link #LEAST_BYTES}
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

    /** What the rows may take. */
    public long bytes() {
        return bytes;
    }

    /** A part for a set of rows of their own, with keys of their own. */
    public CacheShard newShard() {
        return new CacheShard(this);
    }

    /** A snapshot was released: rows that were kept for it go. */
    public void snapshotReleased() {
        if (counters.ended() > 0) {
            long oldest = sequences.oldestSnapshot();
            for (Segment segment : segments) {
                segment.reap(oldest);
            }
        }
    }

    /** What it has done and what it holds. */
    public CacheStatistics statistics() {
        return counters.sum();
    }

    /** The memory taken, counted entry by entry; fails when the books are wrong. For tests. */
    long checkedBytes() {
        List<Long> sums = new ArrayList<>();
        for (Segment segment : segments) {
            sums.add(segment.checkedBytes());
        }
        return sums.stream().mapToLong(Long::longValue).sum();
    }

    /** The high half of a hash chooses the segment, the low one all else. */
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
