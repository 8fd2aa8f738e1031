package io.sluice.node.cache;

import org.jspecify.annotations.Nullable;

/**
 * One row, and when it was what it says.
 *
 * <p>Invariant: the key had this value at every sequence number from {@link #from} to below {@link #until}, as far as
 * the updates of spans that the entry was held against go. {@code from} never changes, {@code until} only falls.
 *
 * <p>Readers look at it without a lock. Whoever changes it holds the lock of its segment; of use counts, which are a
 * hint, a change may be lost.
 */
final class Entry {
    /** The end of what still holds. */
    static final long STILL = Long.MAX_VALUE;

    /**
     * Bytes of heap besides those of the key and the value: 72 of this object (header 12, six references 24, three
     * longs 24, an int 4, two bytes, padding), 2 x 16 of the arrays' headers, 8 that their padding costs on average, 8
     * of the table, which is filled to between a half and the whole. With references of 4 bytes.
     */
    static final int OVERHEAD_BYTES = 120;

    /** Sweeps of the clock that an entry survives: one when it is new, two when it was of use. */
    static final byte NEW = 1;

    static final byte USED = 2;

    final CacheShard shard;
    final int hash;
    final byte[] key;
    final byte[] value;
    final long from;
    volatile long until = STILL;
    /** How many updates of spans it was held against. */
    volatile long spansSeen;

    volatile byte uses = NEW;
    /** Whether it is in the table; a reader may meet it a moment longer. */
    boolean linked;

    volatile @Nullable Entry next;

    /** Neighbours among the segment's entries that no longer hold; null when it still does. */
    @Nullable
    Entry previousEnded;

    @Nullable
    Entry nextEnded;

    Entry(CacheShard shard, int hash, byte[] key, byte[] value, long from, long spansSeen) {
        this.shard = shard;
        this.hash = hash;
        this.key = key;
        this.value = value;
        this.from = from;
        this.spansSeen = spansSeen;
    }

    boolean holdsAt(long sequence) {
        return from <= sequence && sequence < until;
    }

    /** Whether it no longer holds, and no snapshot there is can see it: they read at the given number or later. */
    boolean useless(long oldestSnapshot) {
        long end = until;
        return end <= from || (end != STILL && end <= oldestSnapshot);
    }

    /** Writes only when it makes a difference: rows that everybody reads stay in all cores' caches. */
    void used() {
        if (uses != USED) {
            uses = USED;
        }
    }

    /** Whether it is still of use as the clock passes it, and is a little less so from now on. */
    boolean survivesTurn() {
        byte left = uses;
        if (left == 0) {
            return false;
        }
        uses = (byte) (left - 1);
        return true;
    }

    static long bytes(int keyLength, int valueLength) {
        return (long) keyLength + valueLength + OVERHEAD_BYTES;
    }

    long bytes() {
        return bytes(key.length, value.length);
    }
}
