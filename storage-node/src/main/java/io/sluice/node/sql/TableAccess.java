package io.sluice.node.sql;

import io.sluice.api.kv.CorruptKvException;
import io.sluice.api.kv.IndexEncoder;
import io.sluice.api.kv.IndexKeys;
import io.sluice.api.kv.KeySpan;
import io.sluice.api.kv.RowDecoder;
import io.sluice.api.kv.RowEncoder;
import io.sluice.api.row.Row;
import io.sluice.api.schema.Table;
import io.sluice.node.store.Family;
import io.sluice.node.store.FamilyView;
import io.sluice.node.store.Kv;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** One table as one transaction sees and changes it. For one thread at a time. */
final class TableAccess {
    private final Transaction transaction;
    private final Table table;
    private final Family family;
    private final FamilyView view;
    private final RowFetch rows;
    private final IndexKeys keys;
    private final RowDecoder decoder;
    private final List<IndexEncoder> encoders;
    private byte[] buffer = new byte[1 << 10];

    TableAccess(Transaction transaction, Table table, Family family, FamilyView view, RowFetch rows) {
        this.transaction = transaction;
        this.table = table;
        this.family = family;
        this.view = view;
        this.rows = rows;
        keys = new IndexKeys(table);
        decoder = new RowDecoder(table);
        encoders = new RowEncoder(table).indexes();
    }

    Table table() {
        return table;
    }

    IndexKeys keys() {
        return keys;
    }

    Transaction transaction() {
        return transaction;
    }

    Row newRow() {
        return new Row(table.def().columns().size());
    }

    /** The row that a KV of the primary index is. Its bytes are views of the KV. */
    Row decoded(Kv kv) {
        Row row = newRow();
        decoder.decodePrimary(kv.key(), kv.value(), row);
        return row;
    }

    /** The KVs of a row by index, primary first. */
    List<Kv> encoded(Row row) {
        List<Kv> kvs = new ArrayList<>(encoders.size());
        for (IndexEncoder encoder : encoders) {
            int most = encoder.maxBytes(row);
            if (buffer.length < most) {
                buffer = new byte[most];
            }
            long lengths = encoder.encode(row, buffer, 0);
            int keyLength = (int) (lengths >>> 32);
            kvs.add(new Kv(
                    Arrays.copyOf(buffer, keyLength),
                    Arrays.copyOfRange(buffer, keyLength, keyLength + (int) lengths)));
        }
        return kvs;
    }

    /** The value of a key of the primary index, or null. */
    byte @Nullable [] row(byte[] primaryKey) {
        Overlay.Change change = transaction.overlay().get(family, primaryKey);
        return change == null ? rows.value(view, primaryKey) : change.now();
    }

    /** Whether a key of any index has a value. */
    boolean has(byte[] key) {
        Overlay.Change change = transaction.overlay().get(family, key);
        return (change == null ? view.get(key) : change.now()) != null;
    }

    /**
     * The rows whose keys in an index lie in a span, as KVs of the primary index and in the order of that index.
     *
     * @param visitor says whether it wants more
     * @return whether it still does
     */
    boolean rows(int ordinal, KeySpan span, Predicate<Kv> visitor) {
        return entries(ordinal, span, entry -> visitor.test(ordinal == 0 ? entry : rowOf(ordinal, entry)));
    }

    /** The KVs of an index whose keys lie in a span; those of other tables in between are passed over. */
    boolean entries(int ordinal, KeySpan span, Predicate<Kv> visitor) {
        try (MergedScan scan = new MergedScan(view, transaction.overlay(), family, span)) {
            for (Kv kv = scan.next(); kv != null; kv = scan.next()) {
                if (decoder.owns(ordinal, kv.key()) && !visitor.test(kv)) {
                    return false;
                }
            }
            return true;
        }
    }

    private Kv rowOf(int ordinal, Kv entry) {
        Row row = newRow();
        decoder.decodeSecondary(ordinal, entry.key(), entry.value(), row);
        byte[] key = keys.primaryKey(row);
        byte[] value = row(key);
        if (value == null) {
            throw new CorruptKvException("there is no row that it is of", entry.key());
        }
        return new Kv(key, value);
    }

    /** Puts a KV of an index, whose key has no value. */
    void insert(int ordinal, Kv kv) {
        transaction.insert(family, new Overlay.Place(table.id(), ordinal), kv.key(), kv.value());
    }

    /** Removes a KV of an index, which is there. */
    void remove(int ordinal, Kv kv) {
        transaction.remove(family, new Overlay.Place(table.id(), ordinal), kv.key(), kv.value());
    }

    /** Removes a row from all indexes. */
    void removeRow(Row row) {
        List<Kv> kvs = encoded(row);
        for (int i = 0; i < kvs.size(); i++) {
            remove(i, kvs.get(i));
        }
    }
}
