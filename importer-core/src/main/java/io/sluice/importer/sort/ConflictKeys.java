package io.sluice.importer.sort;

import java.util.Arrays;

/**
 * A set of keys of bounded size, which keeps 64-bit hashes. It may contain a key that was not added (one of 2^64), but
 * never misses one that was. Adding is not thread-safe; {@link #contains} is, once nothing is added any more.
 */
public final class ConflictKeys {
    private static final int LEAST_SLOTS = 64;
    private static final long PRIME = 0x9e3779b97f4a7c15L;

    private final long most;
    private long[] slots = new long[LEAST_SLOTS];
    private int size;
    private boolean overflowed;

    /**
     * Creates an empty set.
     *
     * @param mostBytes most memory of the set; a key takes between 16 and 32 bytes
     */
    public ConflictKeys(long mostBytes) {
        most = Math.min(1 << 28, Math.max(LEAST_SLOTS, mostBytes / (4 * Long.BYTES)));
    }

    /** Adds a key if there is room. */
    public void add(byte[] buffer, int offset, int length) {
        add(hash(buffer, offset, length));
    }

    private void add(long hash) {
        int slot = slotOf(hash);
        if (slots[slot] == hash) {
            return;
        }
        if (size >= most) {
            overflowed = true;
            return;
        }
        slots[slot] = hash;
        size++;
        if (size * 2 > slots.length) {
            long[] old = slots;
            slots = new long[old.length * 2];
            for (long each : old) {
                if (each != 0) {
                    slots[slotOf(each)] = each;
                }
            }
        }
    }

    /** Whether a key is in the set. */
    public boolean contains(byte[] buffer, int offset, int length) {
        long hash = hash(buffer, offset, length);
        return slots[slotOf(hash)] == hash;
    }

    /** The slot of a hash, or the free slot for it. */
    private int slotOf(long hash) {
        int mask = slots.length - 1;
        int slot = (int) (hash ^ (hash >>> 32)) & mask;
        while (slots[slot] != 0 && slots[slot] != hash) {
            slot = (slot + 1) & mask;
        }
        return slot;
    }

    /** Number of keys. */
    public long size() {
        return size;
    }

    /** Most keys. */
    public long most() {
        return most;
    }

    /** Whether keys were left out because there was no room. */
    public boolean overflowed() {
        return overflowed;
    }

    /** Removes all keys. */
    public void clear() {
        Arrays.fill(slots, 0);
        size = 0;
        overflowed = false;
    }

    /**
     * Hashes eight bytes at a time, multiplied and mixed as in the finalizer of splitmix64; never 0, which marks a free
     * slot.
     */
    private static long hash(byte[] buffer, int offset, int length) {
        long hash = length * PRIME;
        for (int depth = 0; depth < length; depth += Long.BYTES) {
            hash = mix((hash ^ Keys.prefix(buffer, offset, length, depth)) + PRIME);
        }
        return hash == 0 ? 1 : hash;
    }

    private static long mix(long word) {
        long z = (word ^ (word >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return z ^ (z >>> 31);
    }
}
