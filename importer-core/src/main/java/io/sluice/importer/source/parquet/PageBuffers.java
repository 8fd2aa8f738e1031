package io.sluice.importer.source.parquet;

import java.lang.ref.SoftReference;
import java.util.ArrayList;
import java.util.List;

/**
 * Arrays for windows of the file and for decompressed pages, used again. With a large heap, new arrays are memory that
 * the process has never touched, and the system spends more time on clearing it than pages take to decode. Shared by
 * all readers. Thread-safe.
 */
final class PageBuffers {
    /** Lengths are multiples of 64 KiB, so that pages of about the same length share arrays. */
    private static final int STEP_BYTES = 64 << 10;

    private static final int MOST_BYTES = Integer.MAX_VALUE / STEP_BYTES * STEP_BYTES;

    private final long mostBytes;
    /** Arrays for later use, unless the memory gets short. */
    private final List<SoftReference<byte[]>> free = new ArrayList<>();

    /**
     * Creates buffers without arrays.
     *
     * @param mostBytes bound of the arrays that are kept for later, together
     */
    PageBuffers(long mostBytes) {
        this.mostBytes = mostBytes;
    }

    /** Bound of the arrays that are kept for later, together. */
    long mostBytes() {
        return mostBytes;
    }

    /** Returns an array of at least that length, and of at most about twice of it. Its bytes may be any. */
    synchronized byte[] take(int length) {
        byte[] best = null;
        int bestAt = -1;
        for (int i = 0; i < free.size(); i++) {
            byte[] each = free.get(i).get();
            if (each != null
                    && each.length >= length
                    && each.length - STEP_BYTES <= 2L * length
                    && (best == null || each.length < best.length)) {
                best = each;
                bestAt = i;
            }
        }
        if (best == null) {
            return new byte[length > MOST_BYTES - STEP_BYTES ? length : (length / STEP_BYTES + 1) * STEP_BYTES];
        }
        free.remove(bestAt);
        return best;
    }

    /** Takes back an array, which its user must not use any more. */
    synchronized void give(byte[] array) {
        long bytes = array.length;
        for (int i = free.size() - 1; i >= 0; i--) {
            byte[] each = free.get(i).get();
            if (each == array) {
                throw new IllegalStateException("an array was given back twice");
            }
            if (each == null) {
                free.remove(i);
            } else {
                bytes += each.length;
            }
        }
        if (bytes <= mostBytes) {
            free.add(new SoftReference<>(array));
        }
    }
}
