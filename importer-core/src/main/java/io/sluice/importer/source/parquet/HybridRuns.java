package io.sluice.importer.source.parquet;

import io.sluice.importer.source.ColumnBlocks;
import java.util.Arrays;

/**
 * Numbers of at most 32 bits in Parquet's hybrid of run lengths and packed bits, such as levels and dictionary ids. For
 * one thread.
 *
 * <p>A run begins with a header in base 128. If its lowest bit is 0, the rest counts how often the value that follows
 * is repeated; the value has as many whole bytes as its width needs. Otherwise the rest counts groups of eight values,
 * packed from the lowest bit on.
 */
final class HybridRuns {
    private static final int GROUP = 8;
    private static final int MAX_WIDTH = 32;

    private byte[] bytes = {};
    private int at;
    private int end;
    private int width;

    /** Values left in the run. */
    private int left;

    private boolean packed;
    private int repeated;
    /** Position of the next packed value, in bits from the start of the bytes. */
    private long bit;

    /** Starts at a range of bytes. */
    void reset(byte[] source, int from, int to, int bitWidth) {
        if (bitWidth < 0 || bitWidth > MAX_WIDTH) {
            throw new IllegalStateException("numbers have " + bitWidth + " bits");
        }
        bytes = source;
        at = from;
        end = to;
        width = bitWidth;
        left = 0;
        packed = false;
    }

    /**
     * Reads the next numbers, those of one run at most.
     *
     * @return how many: at least 1, at most {@code most}
     * @throws IllegalStateException if there are no more
     */
    int read(int[] out, int from, int most) {
        if (left == 0) {
            next();
        }
        int count = Math.min(left, most);
        if (packed) {
            unpack(out, from, count);
        } else {
            Arrays.fill(out, from, from + count, repeated);
        }
        left -= count;
        return count;
    }

    /**
     * Moves over the next numbers if they are a run of this one; returns how many, at most some, or 0 if they are not.
     */
    int skip(int number, int most) {
        if (left == 0) {
            next();
        }
        int count = !packed && repeated == number ? Math.min(left, most) : 0;
        left -= count;
        return count;
    }

    /**
     * Whether there are more numbers than those that were read and used. A run of packed numbers may be filled up: to
     * eight as the format says, and DuckDB fills it up to 256.
     *
     * @param unused numbers of the last run that were read, but not used
     */
    boolean hasMore(int unused) {
        if (!packed && unused + left > 0) {
            return true;
        }
        while (at < end) {
            int header = header();
            if (header >>> 1 != 0) {
                return true;
            }
            // An empty run, or bytes behind the last one.
            at = (header & 1) != 0 ? at : Math.min(end, at + (width + 7) / 8);
        }
        return false;
    }

    private void next() {
        int header = header();
        int count = header >>> 1;
        packed = (header & 1) != 0;
        if (packed) {
            // The last group may be cut off after its last value.
            long values = Math.min((long) count * GROUP, width == 0 ? Integer.MAX_VALUE : (end - at) * 8L / width);
            bit = at * 8L;
            at = (int) Math.min(end, at + (long) count * width);
            left = (int) values;
        } else {
            int valueBytes = (width + 7) / 8;
            repeated = 0;
            for (int i = 0; i < valueBytes; i++) {
                repeated |= (readByte() & 0xff) << (8 * i);
            }
            left = count;
        }
        if (left == 0) {
            throw new IllegalStateException("a run is empty or cut off");
        }
    }

    private int header() {
        int value = 0;
        for (int shift = 0; shift < Integer.SIZE; shift += 7) {
            byte next = readByte();
            value |= (next & 0x7f) << shift;
            if (next >= 0) {
                return value;
            }
        }
        throw new IllegalStateException("a run's header is too long");
    }

    private byte readByte() {
        if (at >= end) {
            throw new IllegalStateException("a page ends within its numbers");
        }
        return bytes[at++];
    }

    private void unpack(int[] out, int from, int count) {
        long mask = (1L << width) - 1;
        long position = bit;
        int i = from;
        int to = from + count;
        // Eight bytes hold a value of 32 bits that begins at any bit of the first one.
        long lastWhole = 8L * (bytes.length - Long.BYTES);
        for (; i < to && position <= lastWhole; i++) {
            out[i] = (int) ((ColumnBlocks.longAt(bytes, (int) (position >>> 3)) >>> (position & 7)) & mask);
            position += width;
        }
        for (; i < to; i++) {
            long value = 0;
            for (int b = 0; b < width; b++, position++) {
                value |= (long) ((bytes[(int) (position >>> 3)] >> (position & 7)) & 1) << b;
            }
            out[i] = (int) value;
        }
        bit = position;
    }
}
