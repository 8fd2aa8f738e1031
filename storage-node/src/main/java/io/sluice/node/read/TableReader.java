package io.sluice.node.read;

import io.sluice.api.node.KeyTexts;
import io.sluice.api.node.RowCursor;
import io.sluice.api.node.ScanRequest;
import io.sluice.engine.store.Family;
import io.sluice.engine.store.FamilyView;
import io.sluice.engine.store.Kv;
import io.sluice.engine.store.ReadPattern;
import io.sluice.model.kv.CorruptKvException;
import io.sluice.model.kv.EntryKvs;
import io.sluice.model.kv.IndexKeys;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.kv.RowDecoder;
import io.sluice.model.row.Row;
import io.sluice.model.schema.Table;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Reads rows of one table. Usable by several threads. */
public final class TableReader {
    private final Family family;
    private final Table table;
    private final IndexKeys keys;
    private final RowDecoder decoder;
    /** Decodes rows, whose KVs are joined if the table has several column families. */
    private final RowDecoder rowDecoder;

    /**
     * Creates a reader.
     *
     * @param family column family of the table's KVs, possibly shared
     */
    public TableReader(Family family, Table table) {
        this.family = family;
        this.table = table;
        keys = new IndexKeys(table);
        decoder = new RowDecoder(table);
        rowDecoder = table.def().families() == 1 ? decoder : new RowDecoder(table.inOneFamily());
    }

    /**
     * Reads the row with that primary key; null when there is none.
     *
     * @param texts one datum per primary key column
     * @return one text per column of the table, null for NULL
     */
    public @Nullable List<@Nullable String> get(List<String> texts) {
        byte[] key = keys.primaryKey(KeyTexts.primaryKey(table, texts));
        Row row = new Row(table.def().columns().size());
        try {
            byte[] value = value(key);
            if (value == null) {
                return null;
            }
            rowDecoder.decodePrimary(key, value, row);
        } catch (CorruptKvException e) {
            throw Damage.failure(table, 0, key, "cannot be decoded (" + e.getMessage() + ")", family.files());
        }
        return RowTexts.of(table, row);
    }

    /** The value of a row's KV, joined if the table has several column families; null when there is no such row. */
    private byte @Nullable [] value(byte[] key) {
        EntryKvs codec = EntryKvs.of(table);
        if (codec == null) {
            return family.row(key);
        }
        try (FamilyView view = family.view()) {
            return JoinedEntries.value(codec, 0, key, view::rows);
        }
    }

    /**
     * Returns primary keys, ascending, that cut the rows into parts of about equal size.
     *
     * @param parts wanted number of parts; a small table has fewer
     */
    public List<byte[]> splitKeys(int parts) {
        return keys.borders(0, family.splitKeys(keys.span(0), parts));
    }

    /** Opens a cursor over the current rows in the order of an index. The caller closes it. */
    public RowCursor scan(ScanRequest request) {
        FamilyView view = family.view();
        try {
            return new RowScan(table, keys, decoder, new ViewState(view), request);
        } catch (RuntimeException e) {
            view.close();
            throw e;
        }
    }

    private record ViewState(FamilyView view) implements RowScan.State {
        @Override
        public Supplier<@Nullable Kv> kvs(KeySpan span) {
            return view.cursor(span, ReadPattern.SCAN)::next;
        }

        @Override
        public List<byte @Nullable []> values(List<byte[]> keys) {
            return view.rows(keys);
        }

        @Override
        public void close() {
            view.close();
        }
    }
}
