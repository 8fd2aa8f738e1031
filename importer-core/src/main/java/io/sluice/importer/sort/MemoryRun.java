package io.sluice.importer.sort;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A run in memory: the arena in which its KVs were encoded, and its entries in order. */
public final class MemoryRun implements Run {
    private static final int SAMPLES = 512;

    private final byte[] arena;
    private final int[] entries;
    private final int bytes;

    MemoryRun(byte[] arena, int[] entries, int bytes) {
        this.arena = arena;
        this.entries = entries;
        this.bytes = bytes;
    }

    @Override
    public long bytes() {
        return bytes;
    }

    @Override
    public byte[] smallestKey() {
        return key(0);
    }

    @Override
    public byte[] largestKey() {
        return key(entries.length - 1);
    }

    private byte[] key(int place) {
        int entry = entries[place];
        int offset = SortBuffer.keyOffset(arena, entry);
        return Arrays.copyOfRange(arena, offset, offset + SortBuffer.keyLength(arena, entry));
    }

    @Override
    public void sample(KeySample sample) {
        int step = Math.max(1, entries.length / SAMPLES);
        long share = (long) bytes * step / entries.length;
        for (int i = step - 1; i < entries.length; i += step) {
            sample.key(key(i), share);
        }
    }

    @Override
    public RunCursor cursor(byte @Nullable [] from, byte @Nullable [] to) {
        int first = from == null ? 0 : lowerBound(from);
        int end = to == null ? entries.length : lowerBound(to);
        return new Cursor(first, end);
    }

    /** Position of the first entry with a key at or after a bound. */
    private int lowerBound(byte[] bound) {
        int low = 0;
        int high = entries.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            int entry = entries[middle];
            int key = SortBuffer.keyOffset(arena, entry);
            int end = key + SortBuffer.keyLength(arena, entry);
            if (Arrays.compareUnsigned(arena, key, end, bound, 0, bound.length) < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    @Override
    public void close() {}

    private final class Cursor extends RunCursor {
        private int next;
        private final int end;
        /** Sum of the results of {@link SortBuffer#readAhead}. */
        @SuppressWarnings("UnusedVariable")
        private int readAhead;

        Cursor(int first, int end) {
            next = first;
            this.end = end;
        }

        @Override
        public boolean advance() {
            if (next >= end) {
                return false;
            }
            if (next % SortBuffer.AHEAD == 0) {
                readAhead += SortBuffer.readAhead(arena, entries, next, end, bytes / entries.length);
            }
            int entry = entries[next++];
            set(
                    arena,
                    SortBuffer.keyOffset(arena, entry),
                    SortBuffer.keyLength(arena, entry),
                    SortBuffer.valueLength(arena, entry));
            return true;
        }
    }
}
