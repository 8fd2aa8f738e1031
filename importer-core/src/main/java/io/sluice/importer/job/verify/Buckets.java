package io.sluice.importer.job.verify;

import io.sluice.importer.job.output.KeyBorders;
import io.sluice.model.kv.EntryKeys;
import io.sluice.model.kv.IndexKeys;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.schema.Table;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Splits the key span of each index into buckets that do not overlap and leave no gap. Immutable. */
final class Buckets {
    private final List<KeySpan> indexes = new ArrayList<>();
    private final List<List<byte[]>> borders = new ArrayList<>();
    private final boolean severalFamilies;

    /** Uses the known borders; an index without borders is one bucket. */
    Buckets(Table table, KeyBorders known) {
        severalFamilies = table.def().families() > 1;
        IndexKeys keys = new IndexKeys(table);
        for (int i = 0; i < table.indexes().size(); i++) {
            KeySpan span = keys.span(i);
            indexes.add(span);
            borders.add(known.of(table.indexes().get(i).def().id()).stream()
                    .filter(key -> Arrays.compareUnsigned(span.start(), key) < 0 && span.contains(key))
                    .toList());
        }
    }

    /** One bucket for each index. */
    static Buckets whole(Table table) {
        return new Buckets(table, new KeyBorders());
    }

    /** Number of buckets of an index, at least one. */
    int count(int ordinal) {
        return borders.get(ordinal).size() + 1;
    }

    KeySpan span(int ordinal, int bucket) {
        KeySpan index = indexes.get(ordinal);
        List<byte[]> inside = borders.get(ordinal);
        return new KeySpan(
                bucket == 0 ? index.start() : inside.get(bucket - 1),
                bucket == inside.size() ? index.end() : inside.get(bucket));
    }

    /** Whether a KV counts as an entry: not if it is of a column family other than 0. */
    boolean isEntry(byte[] buffer, int keyOffset, int keyLength) {
        return !severalFamilies || EntryKeys.first(buffer, keyOffset, keyLength);
    }

    /** The number of the bucket that holds a key. */
    int of(int ordinal, byte[] buffer, int keyOffset, int keyLength) {
        List<byte[]> inside = borders.get(ordinal);
        int low = 0;
        int high = inside.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            byte[] border = inside.get(middle);
            boolean below =
                    Arrays.compareUnsigned(buffer, keyOffset, keyOffset + keyLength, border, 0, border.length) < 0;
            if (below) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }
}
