package io.sluice.engine.cache;

import org.jspecify.annotations.Nullable;

/**
 * One row, and the sequence numbers at which it is valid.
 *
 * <p>Invariant: the key had this value at every sequence number from {@link #from} to below {@link #until}, considering
 * the first {@link #spansSeen} updates of spans. {@code from} never changes, {@code until} only falls.
 *
 * <p>Readers take no lock. Writers hold the lock of the segment. Changes of use counts, which are a hint, may be lost.
 */
final class Entry {
    /** The end of a row that is still valid. */
    static final long STILL = Long.MAX_VALUE;

    /**
     * Bytes of heap in addition to those of the key and the value: 72 of this object (header 12, six references 24,
     * three longs 24, an int 4, two bytes, padding), 2 x 16 of the arrays' headers, 8 of their average padding, 8 of
     * the table, which is 50 to 100 % full. With references of 4 bytes.
     */
    static final int OVERHEAD_BYTES = 120;

    /** Sweeps of the clock that an entry survives: one when it is new, two when it was used. */
    static final byte NEW = 1;

    static final byte USED = 2;

    final CacheShard shard;
    final int hash;
    final byte[] key;
    final byte[] value;
    final long from;
    volatile long until = STILL;
    /** The number of updates of spans that are already applied to the entry. */
    volatile long spansSeen;

    volatile byte uses = NEW;
    /** Whether the entry is in the table; readers may see a removed entry for a short time. */
    boolean linked;

    volatile @Nullable Entry next;

    /** Neighbours in the segment's list of outdated entries; null when the entry is valid. */
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

    /** Whether the entry is outdated and no open snapshot can see it: all read at the given number or later. */
    boolean useless(long oldestSnapshot) {
        long end = until;
        return end <= from || (end != STILL && end <= oldestSnapshot);
    }

    /** Marks a use. Writes only on a change, so that hot rows stay in the caches of all cores. */
    void used() {
        if (uses != USED) {
            uses = USED;
        }
    }

    /** Decrements the use count as the clock passes; false when it was zero already. */
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
