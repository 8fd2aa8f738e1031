package io.sluice.node.ingest;

import io.sluice.engine.store.Family;
import io.sluice.engine.store.FamilyView;
import io.sluice.engine.store.Kv;
import io.sluice.engine.store.KvCursor;
import io.sluice.engine.store.ReadPattern;
import io.sluice.model.kv.EntryKeys;
import io.sluice.model.kv.IndexKeys;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.schema.Table;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Keys that cut a range of a table into parts of about equal size. A small range is read: estimates know no place
 * inside a data block. A cut is as short as it can be, since each entry that moves a range has all cuts of the table.
 */
final class RangeCuts {
    /** A range up to this size, as stored, is read: that takes half a second. */
    private static final long SMALL_BYTES = 64L << 20;

    /** A longer cut is left out; keys with a shorter one follow, unless all of the range begin with the same bytes. */
    private static final int MOST_KEY_BYTES = 64;

    private RangeCuts() {}

    /** The cuts, ascending, all inside the span; fewer than {@code parts - 1} if it has few KVs. */
    static List<byte[]> of(Table table, Family family, KeySpan span, int parts) {
        if (family.estimatedBytes(span) > SMALL_BYTES) {
            return borders(table, family.splitKeys(span, parts)).stream()
                    .filter(cut -> cut.length <= MOST_KEY_BYTES)
                    .toList();
        }
        try (FamilyView view = family.latest()) {
            long total = read(table, view, span, Long.MAX_VALUE, new ArrayList<>());
            List<byte[]> cuts = new ArrayList<>();
            long unused = read(table, view, span, Math.max(1, (total + parts - 1) / parts), cuts);
            return cuts;
        }
    }

    /** The cuts moved to borders between entries; the index that a cut divides is not known. */
    private static List<byte[]> borders(Table table, List<byte[]> cuts) {
        IndexKeys keys = new IndexKeys(table);
        List<byte[]> moved = cuts;
        for (int i = 0; i < table.indexes().size(); i++) {
            moved = keys.borders(i, moved);
        }
        return moved;
    }

    /** Adds a cut before the first KV of each part but the first one; returns the bytes of the span. */
    private static long read(Table table, FamilyView view, KeySpan span, long partBytes, List<byte[]> cuts) {
        TableKvs kvs = new TableKvs(table);
        byte[] last = null;
        long below = 0;
        long next = partBytes;
        try (KvCursor cursor = view.cursor(span, ReadPattern.SCAN)) {
            for (Kv kv = cursor.next(); kv != null; kv = cursor.next()) {
                if (kvs.ordinal(kv.key()) < 0) {
                    continue;
                }
                if (last != null
                        && EntryKeys.first(kv.key())
                        && below >= next
                        && Arrays.mismatch(last, kv.key()) < MOST_KEY_BYTES) {
                    cuts.add(shortest(last, kv.key()));
                    next = (below / partBytes + 1) * partBytes;
                }
                below += kv.key().length + (long) kv.value().length;
                last = kv.key();
            }
        }
        return below;
    }

    /** The shortest key that is greater than one key and not greater than the next one. */
    private static byte[] shortest(byte[] below, byte[] key) {
        return Arrays.copyOf(key, Arrays.mismatch(below, key) + 1);
    }
}
