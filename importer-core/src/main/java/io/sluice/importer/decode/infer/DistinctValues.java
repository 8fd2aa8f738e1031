package io.sluice.importer.decode.infer;

import java.util.Arrays;

/** Whether values repeat, by their 64-bit hashes: two values with one hash count as a repetition. */
final class DistinctValues {
    /** 2 MiB of hashes. */
    private static final int MOST_VALUES = 1 << 17;

    /** FNV-1a (Fowler, Noll, Vo), 64 bits. */
    private static final long OFFSET_BASIS = 0xcbf29ce484222325L;

    private static final long PRIME = 0x100000001b3L;

    /** Open addressing; 0 is a free slot. */
    private long[] slots = new long[64];

    private int size;

    /** Adds a value; false if it repeats one, or if there are more than 131,072. */
    boolean add(byte[] text, int from, int to) {
        if (size == MOST_VALUES) {
            return false;
        }
        if (2 * size >= slots.length) {
            long[] old = slots;
            slots = new long[2 * old.length];
            Arrays.stream(old).filter(hash -> hash != 0).forEach(hash -> slots[slot(hash)] = hash);
        }
        long hash = OFFSET_BASIS;
        for (int i = from; i < to; i++) {
            hash = (hash ^ (text[i] & 0xff)) * PRIME;
        }
        hash = hash == 0 ? 1 : hash;
        int slot = slot(hash);
        if (slots[slot] != 0) {
            return false;
        }
        slots[slot] = hash;
        size++;
        return true;
    }

    /** The slot of a hash, or the free one where it belongs. */
    private int slot(long hash) {
        int slot = (int) (hash ^ (hash >>> 32)) & (slots.length - 1);
        while (slots[slot] != 0 && slots[slot] != hash) {
            slot = (slot + 1) & (slots.length - 1);
        }
        return slot;
    }
}
