package io.sluice.sql.transaction;

import io.sluice.engine.store.Kv;
import io.sluice.engine.store.KvHead;
import io.sluice.grammar.SqlErrorCode;
import io.sluice.grammar.StatementException;
import io.sluice.model.kv.CorruptKvException;
import io.sluice.model.kv.EntryKvs;
import io.sluice.model.kv.IndexDigest;
import io.sluice.model.kv.IndexEncoder;
import io.sluice.model.kv.IndexKeys;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.kv.KvChecksum;
import io.sluice.model.kv.RowDecoder;
import io.sluice.model.row.Row;
import io.sluice.model.schema.Table;
import io.sluice.node.read.JoinedEntries;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One table within one transaction: reads see the transaction's own changes. Not thread-safe.
 *
 * <p>Of a table with several column families, all KVs that this class takes and returns are joined: each stands for the
 * KVs of one entry. A write of an entry writes all of them, so every write of a row is one of its first key, too, and
 * two transactions that change one row are in conflict whatever columns they change.
 */
public final class TableAccess {
    private static final int ROWS_AT_ONCE = 128;

    private final Transaction transaction;
    private final SnapshotTable stored;
    private final Table table;
    private final String tree;
    private final IndexKeys keys;
    private final RowDecoder decoder;
    /** Decodes entries, whose KVs are joined if the table has several column families. */
    private final RowDecoder entryDecoder;
    /** Null: each entry is one KV. */
    private final @Nullable EntryKvs codec;

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
        codec = EntryKvs.of(table);
        entryDecoder = codec == null ? decoder : new RowDecoder(codec.joined());
        encoders = IndexEncoder.ofAll(codec == null ? table : codec.joined());
        digests = IndexDigest.ofAll(table);
    }

    /** The table, with the ids in its keys. */
    public Table table() {
        return table;
    }

    /** Builds keys and key spans of its indexes. */
    public IndexKeys keys() {
        return keys;
    }

    /** Checksum function of one of its indexes. */
    public IndexDigest digest(int ordinal) {
        return digests.get(ordinal);
    }

    /** The table in the snapshot, without the transaction's changes. */
    SnapshotTable stored() {
        return stored;
    }

    /** Name of the tree that contains its KVs; tables of one hierarchy share a tree. */
    public String tree() {
        return tree;
    }

    /** Scans the KVs of all tables in a span. The caller closes the scan. */
    MergedScan scan(KeySpan span) {
        return new MergedScan(stored, transaction.overlay(), span);
    }

    /**
     * Visits the KVs of all tables in a span until the visitor returns false. The visitor must not change the
     * transaction.
     */
    public void heads(KeySpan span, Predicate<KvHead> visitor) {
        if (transaction.overlay().touches(tree, span)) {
            try (MergedScan scan = scan(span)) {
                Kv kv = scan.next();
                while (kv != null && visitor.test(KvHead.of(kv))) {
                    kv = scan.next();
                }
            }
            return;
        }
        stored.heads(span, visitor);
    }

    public Transaction transaction() {
        return transaction;
    }

    /** Returns an empty row with room for the table's columns. */
    public Row newRow() {
        return new Row(table.def().columns().size());
    }

    /** Decodes a KV of the primary index. The row refers to the bytes of the KV. */
    public Row decoded(Kv kv) {
        Row row = newRow();
        entryDecoder.decodePrimary(kv.key(), kv.value(), row);
        return row;
    }

    /** Encodes a row as one KV per index, primary first. */
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

    /** Returns the value of a primary key, or null. */
    public byte @Nullable [] row(byte[] primaryKey) {
        return codec == null
                ? ownValue(primaryKey)
                : JoinedEntries.value(codec, 0, primaryKey, found -> {
                    List<byte @Nullable []> values = new ArrayList<>();
                    found.forEach(key -> values.add(ownValue(key)));
                    return values;
                });
    }

    private byte @Nullable [] ownValue(byte[] primaryKey) {
        Overlay.Change change = transaction.overlay().get(tree, primaryKey);
        return change == null ? stored.row(primaryKey) : change.now();
    }

    /** Fetches the values of keys that the transaction will read soon. */
    public void prefetch(List<byte[]> keysToCome) {
        KeyPrefetch expected = new KeyPrefetch(transaction);
        expected.add(this, keysToCome);
        expected.fetch();
    }

    /** Whether a key of any index exists. */
    public boolean has(byte[] key) {
        Overlay.Change change = transaction.overlay().get(tree, key);
        return (change == null ? stored.value(key) : change.now()) != null;
    }

    /**
     * Visits the rows whose keys in an index lie in a span, in the order of that index, as KVs of the primary index.
     *
     * @param visitor returns false to stop
     * @return false if the visitor stopped
     */
    public boolean rows(int ordinal, KeySpan span, Predicate<Kv> visitor) {
        return (ordinal > 0 && transaction.remote())
                ? remoteRows(ordinal, span, visitor)
                : entries(ordinal, span, entry -> visitor.test(ordinal == 0 ? entry : rowOf(ordinal, entry)));
    }

    /** Visits rows of a remote table, fetching {@value #ROWS_AT_ONCE} at a time. */
    private boolean remoteRows(int ordinal, KeySpan span, Predicate<Kv> visitor) {
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
        prefetch(now);
        for (byte[] key : now) {
            if (!visitor.test(existing(key))) {
                return false;
            }
        }
        return true;
    }

    /** Visits the KVs of an index in a span, skipping KVs of other tables; returns false if the visitor stopped. */
    public boolean entries(int ordinal, KeySpan span, Predicate<Kv> visitor) {
        try (MergedScan scan = scan(span)) {
            JoinedEntries joined = codec == null ? null : new JoinedEntries(codec, ordinal, () -> owned(scan, ordinal));
            for (Kv kv = next(scan, joined, ordinal); kv != null; kv = next(scan, joined, ordinal)) {
                if (!visitor.test(kv)) {
                    return false;
                }
            }
            return true;
        }
    }

    private @Nullable Kv next(MergedScan scan, @Nullable JoinedEntries joined, int ordinal) {
        return joined == null ? owned(scan, ordinal) : joined.next();
    }

    private @Nullable Kv owned(MergedScan scan, int ordinal) {
        Kv kv = scan.next();
        while (kv != null && !decoder.owns(ordinal, kv.key())) {
            kv = scan.next();
        }
        return kv;
    }

    /** The keys that reading a key of any index reads: several, if it is of a row with several column families. */
    List<byte[]> readWith(byte[] key) {
        return codec != null && keys.span(0).contains(key) ? JoinedEntries.keys(codec, 0, key) : List.of(key);
    }

    private Kv rowOf(int ordinal, Kv entry) {
        return existing(primaryKey(ordinal, entry));
    }

    private byte[] primaryKey(int ordinal, Kv entry) {
        Row row = newRow();
        entryDecoder.decodeSecondary(ordinal, entry.key(), entry.value(), row);
        return keys.primaryKey(row);
    }

    private Kv existing(byte[] primaryKey) {
        byte[] value = row(primaryKey);
        if (value == null && transaction.remote()) {
            // Nodes are not read at one instant.
            throw new StatementException(
                    SqlErrorCode.CONFLICT,
                    "a row of table " + table.name() + " was deleted between the read of its index entry and that of"
                            + " the row; run all of it again. If that repeats, 'sluice cluster verify' tells whether"
                            + " the replicas are damaged");
        }
        if (value == null) {
            throw new CorruptKvException("an index has an entry for it, but there is no such row", primaryKey);
        }
        return new Kv(primaryKey, value);
    }

    /** Inserts a KV into an index; its key must not exist. */
    public void insert(int ordinal, Kv kv) {
        Overlay.IndexId index = new Overlay.IndexId(table.id(), ordinal);
        split(ordinal, kv, each -> transaction.insert(tree, index, each, sum(ordinal, each)));
    }

    /** Deletes a KV of an index; it must exist. */
    public void remove(int ordinal, Kv kv) {
        Overlay.IndexId index = new Overlay.IndexId(table.id(), ordinal);
        split(ordinal, kv, each -> transaction.remove(tree, index, each, sum(ordinal, each)));
    }

    /** Passes on the KVs of an entry. */
    private void split(int ordinal, Kv kv, Consumer<Kv> receiver) {
        if (codec == null) {
            receiver.accept(kv);
        } else {
            codec.split(ordinal, kv.key(), kv.value(), (key, value) -> receiver.accept(new Kv(key, value)));
        }
    }

    private KvChecksum sum(int ordinal, Kv kv) {
        KvChecksum.Accumulator sum = new KvChecksum.Accumulator(digests.get(ordinal));
        sum.add(kv.key(), kv.value());
        return sum.sum();
    }

    /** Deletes a row from all indexes. */
    public void removeRow(Row row) {
        List<Kv> kvs = encoded(row);
        for (int i = 0; i < kvs.size(); i++) {
            remove(i, kvs.get(i));
        }
    }
}
