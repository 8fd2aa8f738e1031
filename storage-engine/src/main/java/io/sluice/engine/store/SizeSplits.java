package io.sluice.engine.store;

import io.sluice.model.kv.KeySpan;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.Range;
import org.rocksdb.RocksDB;
import org.rocksdb.SizeApproximationFlag;
import org.rocksdb.Slice;

/**
 * Cuts a key span into parts of about equal size. The estimates come from the SSTs' index blocks, which know the offset
 * of each data block. Each cut is found by a binary search, byte by byte: the greatest key with at most the wanted size
 * below it. The keys need not exist.
 */
final class SizeSplits {
    /** Bytes of a cut beyond the span's start; more would only tell apart keys of one data block. */
    private static final int MOST_BYTES = 24;

    private final RocksDB db;
    private final ColumnFamilyHandle family;
    private final KeySpan span;

    SizeSplits(RocksDB db, ColumnFamilyHandle family, KeySpan span) {
        this.db = db;
        this.family = family;
        this.span = span;
    }

    /** The cuts, ascending, all inside the span; fewer than {@code parts - 1} if several fall on one place. */
    List<byte[]> keys(int parts) {
        long total = bytesBelow(span.end());
        List<byte[]> cuts = new ArrayList<>();
        byte[] last = span.start();
        long below = 0;
        for (int i = 1; i < parts && total > 0; i++) {
            byte[] cut = greatestWith(total / parts * i);
            long size = bytesBelow(cut);
            if (size > below && size < total && Arrays.compareUnsigned(cut, last) > 0) {
                cuts.add(cut);
                last = cut;
                below = size;
            }
        }
        return cuts;
    }

    /** Estimated bytes of the span. */
    long bytes() {
        return bytesBelow(span.end());
    }

    /** The greatest key, of limited length, with at most {@code bytes} below it. */
    private byte[] greatestWith(long bytes) {
        int shared = Math.max(0, Arrays.mismatch(span.start(), span.end()));
        byte[] key = Arrays.copyOf(span.start(), shared);
        while (key.length < shared + MOST_BYTES) {
            byte[] longer = Arrays.copyOf(key, key.length + 1);
            int low = 0;
            for (int high = 0xff; low < high; ) {
                int middle = (low + high + 1) / 2;
                longer[key.length] = (byte) middle;
                if (bytesBelow(longer) <= bytes) {
                    low = middle;
                } else {
                    high = middle - 1;
                }
            }
            longer[key.length] = (byte) low;
            key = longer;
        }
        return key;
    }

    /** Estimated bytes between the span's start and a key. */
    private long bytesBelow(byte[] key) {
        if (Arrays.compareUnsigned(key, span.start()) <= 0) {
            return 0;
        }
        byte[] end = Arrays.compareUnsigned(key, span.end()) < 0 ? key : span.end();
        try (Slice from = new Slice(span.start());
                Slice to = new Slice(end)) {
            return db.getApproximateSizes(
                            family,
                            List.of(new Range(from, to)),
                            SizeApproximationFlag.INCLUDE_FILES,
                            SizeApproximationFlag.INCLUDE_MEMTABLES)[0];
        }
    }
}
