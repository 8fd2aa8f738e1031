package io.sluice.importer.sort;

import java.util.Arrays;

/**
 * Sorts entries of an arena by key: a radix sort on eight bytes of the key at a time, from the first byte in which the
 * keys differ. It keeps its scratch arrays between sorts; one per worker.
 *
 * <p>Within eight bytes it is a least-significant-digit radix sort (Knuth, TAOCP vol. 3, 5.2.5) with bytes as digits
 * that skips every byte in which all keys agree; entries whose eight bytes are equal are sorted by the next eight.
 * Small groups are sorted by insertion. A key counts as followed by zeros; so keys whose bytes all agree, as plain keys
 * may, are sorted by their lengths.
 */
public final class Sorter {
    private static final int RADIX = 256;
    /** Below this many entries, comparing whole keys is faster than counting 256 buckets. */
    private static final int INSERTION_LIMIT = 48;

    private long[] prefixes = new long[0];
    private long[] otherPrefixes = new long[0];
    private int[] otherEntries = new int[0];
    private final int[] counts = new int[RADIX];

    /** Bytes of scratch memory for sorting {@code entries} entries. */
    public static long scratchBytes(int entries) {
        return (long) entries * (2 * Long.BYTES + Integer.BYTES);
    }

    /** Sorts the first {@code count} entries; stable. */
    void sort(byte[] arena, int[] entries, int count) {
        if (prefixes.length < count) {
            prefixes = new long[count];
            otherPrefixes = new long[count];
            otherEntries = new int[count];
        }
        sort(arena, entries, 0, count, 0);
    }

    /**
     * Sorts entries whose keys agree up to {@code depth}. The largest group of equal prefixes takes the next round, and
     * the others a call each: so calls nest only as often as a group can be halved, however long keys are.
     */
    private void sort(byte[] arena, int[] entries, int from, int to, int depth) {
        int start = from;
        int end = to;
        int level = depth;
        while (end - start >= INSERTION_LIMIT) {
            long varying = loadPrefixes(arena, entries, start, end, level);
            while (varying == 0 && anyLonger(arena, entries, start, end, level + Long.BYTES)) {
                level += Long.BYTES;
                varying = loadPrefixes(arena, entries, start, end, level);
            }
            radixSort(entries, start, end, varying);
            level += Long.BYTES;
            long largest = sortTies(arena, entries, start, end, level);
            start = (int) (largest >>> Integer.SIZE);
            end = (int) largest;
        }
        insertionSort(arena, entries, start, end);
    }

    /** Loads the prefixes; returns the bits in which they differ. */
    private long loadPrefixes(byte[] arena, int[] entries, int from, int to, int depth) {
        long all = -1;
        long any = 0;
        for (int i = from; i < to; i++) {
            int entry = entries[i];
            long prefix =
                    Keys.prefix(arena, SortBuffer.keyOffset(arena, entry), SortBuffer.keyLength(arena, entry), depth);
            prefixes[i] = prefix;
            all &= prefix;
            any |= prefix;
        }
        return all ^ any;
    }

    private static boolean anyLonger(byte[] arena, int[] entries, int from, int to, int depth) {
        for (int i = from; i < to; i++) {
            if (SortBuffer.keyLength(arena, entries[i]) > depth) {
                return true;
            }
        }
        return false;
    }

    private void radixSort(int[] entries, int from, int to, long varying) {
        long[] sourcePrefixes = prefixes;
        long[] targetPrefixes = otherPrefixes;
        int[] source = entries;
        int[] target = otherEntries;
        for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
            if (((varying >>> shift) & 0xff) == 0) {
                continue;
            }
            Arrays.fill(counts, 0);
            for (int i = from; i < to; i++) {
                counts[(int) (sourcePrefixes[i] >>> shift) & 0xff]++;
            }
            int position = from;
            for (int digit = 0; digit < RADIX; digit++) {
                int size = counts[digit];
                counts[digit] = position;
                position += size;
            }
            for (int i = from; i < to; i++) {
                long prefix = sourcePrefixes[i];
                int place = counts[(int) (prefix >>> shift) & 0xff]++;
                targetPrefixes[place] = prefix;
                target[place] = source[i];
            }
            long[] swapPrefixes = sourcePrefixes;
            sourcePrefixes = targetPrefixes;
            targetPrefixes = swapPrefixes;
            int[] swap = source;
            source = target;
            target = swap;
        }
        if (source != entries) {
            System.arraycopy(source, from, entries, from, to - from);
            System.arraycopy(sourcePrefixes, from, prefixes, from, to - from);
        }
    }

    /**
     * Sorts the groups of equal prefixes but the largest one, which it returns as {@code start << 32 | end}; an empty
     * one if no group is left.
     */
    private long sortTies(byte[] arena, int[] entries, int from, int to, int depth) {
        int largest = from;
        int largestEnd = from;
        int start = from;
        while (start < to) {
            int end = start + 1;
            while (end < to && prefixes[end] == prefixes[start]) {
                end++;
            }
            if (end - start > 1) {
                if (!anyLonger(arena, entries, start, end, depth)) {
                    radixSort(entries, start, end, loadLengths(arena, entries, start, end));
                } else if (end - start > largestEnd - largest) {
                    sort(arena, entries, largest, largestEnd, depth);
                    largest = start;
                    largestEnd = end;
                } else {
                    sort(arena, entries, start, end, depth);
                }
            }
            start = end;
        }
        return (long) largest << Integer.SIZE | largestEnd;
    }

    /** Loads the lengths of keys in the place of prefixes; returns the bits in which they differ. */
    private long loadLengths(byte[] arena, int[] entries, int from, int to) {
        long all = -1;
        long any = 0;
        for (int i = from; i < to; i++) {
            int length = SortBuffer.keyLength(arena, entries[i]);
            prefixes[i] = length;
            all &= length;
            any |= length;
        }
        return all ^ any;
    }

    private static void insertionSort(byte[] arena, int[] entries, int from, int to) {
        for (int i = from + 1; i < to; i++) {
            int entry = entries[i];
            int j = i - 1;
            while (j >= from && SortBuffer.compare(arena, entries[j], entry) > 0) {
                entries[j + 1] = entries[j];
                j--;
            }
            entries[j + 1] = entry;
        }
    }
}
