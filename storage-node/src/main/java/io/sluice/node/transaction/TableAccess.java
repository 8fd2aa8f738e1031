package io.sluice.node.transaction;

import io.sluice.api.kv.CorruptKvException;
import io.sluice.api.kv.IndexDigest;
import io.sluice.api.kv.IndexEncoder;
import io.sluice.api.kv.IndexKeys;
import io.sluice.api.kv.KeySpan;
import io.sluice.api.kv.KvChecksum;
import io.sluice.api.kv.RowDecoder;
import io.sluice.api.kv.RowEncoder;
import io.sluice.api.row.Row;
import io.sluice.api.schema.Table;
import io.sluice.node.store.HeadVisitor;
import io.sluice.node.store.Kv;
import io.sluice.node.store.KvHead;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** One table as one transaction sees and changes it. For one thread at a time. */
public final class TableAccess {
    private static final int ROWS_AT_ONCE = 128;

    private final Transaction transaction;
    private final SnapshotTable stored;
    private final Table table;
    private final String tree;
    private final IndexKeys keys;
    private final RowDecoder decoder;
    private final List<IndexEncoder> encoders;
    private final List<IndexDigest> digests;
    private byte[] buffer = new byte[1 << 10];

    TableAccess(Transaction transaction, SnapshotTable stored) {
        this.transaction = transaction;
        this.stored = stored;
        table = stored.table();
        tree = stored.tree();
        keys = new IndexKeys(table);
        decoder = new RowDecoder(table);
        encoders = new RowEncoder(table).indexes();
        digests = IndexDigest.ofAll(table);
    }

    /** The table, with the ids its keys carry. */
    public Table table() {
        return table;
    }

    /** Keys and key spans of its indexes. */
    public IndexKeys keys() {
        return keys;
    }

    /** How the KVs of one of its indexes add up. */
    public IndexDigest digest(int ordinal) {
        return digests.get(ordinal);
    }

    /** The table without the transaction's changes. */
    SnapshotTable stored() {
        return stored;
    }

    /** Name of the sorted map that its KVs are in, which tables of one hierarchy share. */
    public String tree() {
        return tree;
    }

    /** All KVs of a span, whatever tables they are of. Close it. */
    MergedScan scan(KeySpan span) {
        return new MergedScan(stored, transaction.overlay(), span);
    }

    /**
     * Visits all KVs of a span, whatever tables they are of, until the visitor has enough. It must not change the
     * transaction.
     */
    public void heads(KeySpan span, HeadVisitor visitor) {
        if (transaction.overlay().touches(tree, span)) {
            try (MergedScan scan = scan(span)) {
                Kv kv = scan.next();
                while (kv != null && visitor.visit(KvHead.of(kv))) {
                    kv = scan.next();
                }
            }
            return;
        }
        stored.heads(span, visitor);
    }

    /** The transaction that sees and changes it. */
    public Transaction transaction() {
        return transaction;
    }

    /** A row with room for the table's columns, none of which is set. */
    public Row newRow() {
        return new Row(table.def().columns().size());
    }

    /** The row that a KV of the primary index is. Its bytes are views of the KV. */
    public Row decoded(Kv kv) {
        Row row = newRow();
        decoder.decodePrimary(kv.key(), kv.value(), row);
        return row;
    }

    /** The KVs of a row by index, primary first. */
    public List<Kv> encoded(Row row) {
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
    public byte @Nullable [] row(byte[] primaryKey) {
        Overlay.Change change = transaction.overlay().get(tree, primaryKey);
        return change == null ? stored.row(primaryKey) : change.now();
    }

    /** Tells keys that will soon be asked for. */
    public void expect(List<byte[]> keysToCome) {
        KeyPrefetch expected = new KeyPrefetch(transaction);
        expected.add(this, keysToCome);
        expected.fetch();
    }

    /** Whether a key of any index has a value. */
    public boolean has(byte[] key) {
        Overlay.Change change = transaction.overlay().get(tree, key);
        return (change == null ? stored.value(key) : change.now()) != null;
    }

    /**
     * The rows whose keys in an index lie in a span, as KVs of the primary index and in the order of that index.
     *
     * @param visitor says whether it wants more
     * @return whether it still does
     */
    public boolean rows(int ordinal, KeySpan span, Predicate<Kv> visitor) {
        return (ordinal > 0 && transaction.far())
                ? farRows(ordinal, span, visitor)
                : entries(ordinal, span, entry -> visitor.test(ordinal == 0 ? entry : rowOf(ordinal, entry)));
    }

    /** Many rows are fetched at once. */
    private boolean farRows(int ordinal, KeySpan span, Predicate<Kv> visitor) {
        List<byte[]> waiting = new ArrayList<>();
        boolean more = entries(ordinal, span, entry -> {
            waiting.add(primaryKey(ordinal, entry));
            return waiting.size() < ROWS_AT_ONCE || visitRows(waiting, visitor);
        });
        return more && visitRows(waiting, visitor);
    }

    private boolean visitRows(List<byte[]> primaryKeys, Predicate<Kv> visitor) {
        List<byte[]> now = List.copyOf(primaryKeys);
        primaryKeys.clear();
        expect(now);
        for (byte[] key : now) {
            if (!visitor.test(existing(key))) {
                return false;
            }
        }
        return true;
    }

    /** The KVs of an index whose keys lie in a span; those of other tables in between are passed over. */
    public boolean entries(int ordinal, KeySpan span, Predicate<Kv> visitor) {
        try (MergedScan scan = scan(span)) {
            for (Kv kv = scan.next(); kv != null; kv = scan.next()) {
                if (decoder.owns(ordinal, kv.key()) && !visitor.test(kv)) {
                    return false;
                }
            }
            return true;
        }
    }

    private Kv rowOf(int ordinal, Kv entry) {
        return existing(primaryKey(ordinal, entry));
    }

    private byte[] primaryKey(int ordinal, Kv entry) {
        Row row = newRow();
        decoder.decodeSecondary(ordinal, entry.key(), entry.value(), row);
        return keys.primaryKey(row);
    }

    private Kv existing(byte[] primaryKey) {
        byte[] value = row(primaryKey);
        if (value == null) {
            throw new CorruptKvException("an index has an entry for it, but there is no such row", primaryKey);
        }
        return new Kv(primaryKey, value);
    }

    /** Puts a KV of an index, whose key has no value. */
    public void insert(int ordinal, Kv kv) {
        transaction.insert(tree, new Overlay.Place(table.id(), ordinal), kv, sum(ordinal, kv));
    }

    /** Removes a KV of an index, which is there. */
    public void remove(int ordinal, Kv kv) {
        transaction.remove(tree, new Overlay.Place(table.id(), ordinal), kv, sum(ordinal, kv));
    }

    private KvChecksum sum(int ordinal, Kv kv) {
        KvChecksum.Accumulator sum = new KvChecksum.Accumulator(digests.get(ordinal));
        sum.add(kv.key(), kv.value());
        return sum.sum();
    }

    /** Removes a row from all indexes. */
    public void removeRow(Row row) {
        List<Kv> kvs = encoded(row);
        for (int i = 0; i < kvs.size(); i++) {
            remove(i, kvs.get(i));
        }
    }
}
