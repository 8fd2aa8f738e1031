package io.sluice.importer.source.parquet;

import io.sluice.importer.source.ColumnBlocks;
import java.nio.ByteBuffer;
import org.apache.parquet.column.Encoding;
import org.jspecify.annotations.Nullable;

/** The definition or repetition levels of the values of a column, decoded a batch at a time. For one thread. */
@SuppressWarnings("deprecation") // files of old encodings are read
final class PageLevels {
    private static final int BATCH = 512;

    private final int max;
    private final int[] batch;
    private final HybridRuns runs = new HybridRuns();
    private int next;
    private int count;
    private int left;
    /** The older form: bits from the highest of a byte on; null for runs. */
    private byte @Nullable [] bits;

    private int bit;

    PageLevels(int max) {
        this.max = max;
        batch = new int[max == 0 ? 0 : BATCH];
    }

    /** Starts a page; returns the position after its levels. */
    int start(byte[] bytes, int from, int to, Encoding encoding, int valueCount) {
        next = 0;
        count = 0;
        left = valueCount;
        bits = null;
        if (max == 0) {
            return from;
        }
        if (encoding == Encoding.BIT_PACKED) {
            bits = bytes;
            bit = from * 8;
            return Math.addExact(from, (int) (((long) valueCount * width() + 7) / 8));
        }
        int length = ColumnBlocks.intAt(bytes, from);
        int start = from + Integer.BYTES;
        if (start > to || length < 0 || length > to - start) {
            throw new IllegalStateException("the levels of a page have " + length + " bytes");
        }
        runs.reset(bytes, start, start + length, width());
        return start + length;
    }

    /** Starts a page whose levels are apart. */
    void start(ByteBuffer bytes, int valueCount) {
        next = 0;
        count = 0;
        left = valueCount;
        bits = null;
        int from = bytes.arrayOffset() + bytes.position();
        runs.reset(bytes.array(), from, from + bytes.remaining(), width());
    }

    private int width() {
        return Integer.SIZE - Integer.numberOfLeadingZeros(max);
    }

    int next() {
        if (max == 0) {
            return 0;
        }
        if (next == count) {
            fill();
        }
        return batch[next++];
    }

    /** Moves over the next values as far as they have the greatest level; returns how many, at most some. */
    int atMax(int most) {
        if (max == 0) {
            return most;
        }
        if (next == count) {
            int run = bits == null ? runs.skip(max, Math.min(most, left)) : 0;
            if (run > 0) {
                left -= run;
                return run;
            }
            fill();
        }
        int from = next;
        int to = Math.min(count, from + most);
        int i = from;
        while (i < to && batch[i] == max) {
            i++;
        }
        next = i;
        return i - from;
    }

    /** Whether the page has more levels than values. */
    boolean hasMore() {
        return max > 0 && bits == null && runs.hasMore(0);
    }

    private void fill() {
        count = Math.min(BATCH, left);
        left -= count;
        next = 0;
        if (bits == null) {
            for (int done = 0; done < count; ) {
                done += runs.read(batch, done, count - done);
            }
        } else {
            unpack(bits);
        }
    }

    private void unpack(byte[] from) {
        for (int i = 0; i < count; i++) {
            int level = 0;
            for (int b = width(); b > 0; b--, bit++) {
                level = (level << 1) | ((from[bit >> 3] >> (7 - (bit & 7))) & 1);
            }
            batch[i] = level;
        }
    }
}
