package io.sluice.sql.distributed;

import io.sluice.api.node.RangeDirectory;
import io.sluice.api.transaction.Placement;
import io.sluice.api.transaction.ReadAnswer.Page;
import io.sluice.engine.store.Kv;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.schema.Index.Ancestor;
import io.sluice.model.schema.Table;
import io.sluice.sql.transaction.KvSource;
import io.sluice.sql.transaction.SnapshotTable;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One distributed table in a {@link DistributedSnapshot}. */
record DistributedTable(DistributedSnapshot snapshot, Placement placement) implements SnapshotTable {
    @Override
    public Table table() {
        return placement.table();
    }

    /** Derived from the root table's id, because the keys of a hierarchy are interleaved. */
    @Override
    public String tree() {
        List<Ancestor> above = table().primary().ancestors();
        return "t" + (above.isEmpty() ? table().id() : above.get(0).tableId());
    }

    @Override
    public byte @Nullable [] row(byte[] primaryKey) {
        return snapshot.value(placement, primaryKey);
    }

    @Override
    public byte @Nullable [] value(byte[] key) {
        return snapshot.value(placement, key);
    }

    @Override
    public KvSource scan(KeySpan span) {
        RangeDirectory directory = placement.directory();
        KeySpan first = directory.span(directory.rangeOf(span.start()));
        if (Arrays.compareUnsigned(first.end(), span.end()) < 0) {
            snapshot.takeTogether(placement);
        }
        return new DistributedScan(this, span);
    }

    /** The first part of a span that lies in one range. */
    KeySpan inOneRange(KeySpan span) {
        RangeDirectory directory = placement.directory();
        int range = directory.rangeOf(span.start());
        return range + 1 < directory.ranges().size() ? span.common(directory.span(range)) : span;
    }

    /** Reads the first page of a span that lies in one range. */
    Page page(KeySpan span) {
        return snapshot.page(placement, span);
    }

    /** Scans a span over all nodes that hold parts of it, range by range and page by page. */
    private static final class DistributedScan implements KvSource {
        private static final Page NOTHING = new Page(List.of(), List.of(), false);

        private final DistributedTable table;
        private final byte[] end;
        private byte[] from;
        private Page page = NOTHING;
        private int next;

        DistributedScan(DistributedTable table, KeySpan span) {
            this.table = table;
            from = span.start();
            end = span.end();
        }

        @Override
        public @Nullable Kv next() {
            while (next == page.keys().size()) {
                if (Arrays.compareUnsigned(from, end) >= 0) {
                    return null;
                }
                readPage();
            }
            Kv kv = new Kv(page.keys().get(next), page.values().get(next));
            next++;
            return kv;
        }

        private void readPage() {
            KeySpan part = table.inOneRange(new KeySpan(from, end));
            page = table.page(part);
            next = 0;
            from = page.readTo(part.end());
            if (page.more()) {
                // Rows on other nodes may belong to the keys of a long span, although it lies in one range.
                table.snapshot().takeTogether(table.placement());
            }
        }

        @Override
        public void seek(byte[] key) {
            while (next < page.keys().size()
                    && Arrays.compareUnsigned(page.keys().get(next), key) < 0) {
                next++;
            }
            if (next == page.keys().size() && Arrays.compareUnsigned(from, key) < 0) {
                from = key;
            }
        }

        @Override
        public void close() {
            page = NOTHING;
            next = 0;
            from = end;
        }
    }
}
