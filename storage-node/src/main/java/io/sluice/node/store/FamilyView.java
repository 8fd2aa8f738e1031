package io.sluice.node.store;

import io.sluice.api.kv.KeySpan;
import io.sluice.node.cache.CacheShard;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.Snapshot;

/**
 * A column family as it was at one moment: point reads and cursors that all see the same KVs. Usable by several
 * threads. Closing it closes its cursors; closing the store or dropping the family closes it.
 */
public final class FamilyView implements AutoCloseable {
    private final Family family;
    private final RocksDB db;
    private final ColumnFamilyHandle handle;
    private final @Nullable SnapshotCount snapshots;
    private final @Nullable Snapshot snapshot;
    /** What the snapshot reads at; without one, the present. */
    private final long sequence;

    private final ReadOptions points;
    private final UseCount uses = new UseCount();
    private final Set<KvCursor> cursors = ConcurrentHashMap.newKeySet();
    private boolean freed;

    /** The caller is inside the family's gate. Without a count there is no snapshot. */
    FamilyView(Family family, RocksDB db, ColumnFamilyHandle handle, @Nullable SnapshotCount snapshots) {
        this.snapshots = snapshots;
        this.family = family;
        this.db = db;
        this.handle = handle;
        points = new ReadOptions();
        if (snapshots == null) {
            snapshot = null;
            sequence = CacheShard.NOW;
        } else {
            snapshots.opening();
            snapshot = db.getSnapshot();
            points.setSnapshot(snapshot);
            sequence = snapshot.getSequenceNumber();
            snapshots.opened(sequence);
        }
    }

    /** A view by somebody else's snapshot, who releases it after this is closed. */
    FamilyView(Family family, RocksDB db, ColumnFamilyHandle handle, Snapshot borrowed) {
        snapshots = null;
        this.family = family;
        this.db = db;
        this.handle = handle;
        snapshot = borrowed;
        points = new ReadOptions().setSnapshot(borrowed);
        sequence = borrowed.getSequenceNumber();
    }

    Family family() {
        return family;
    }

    /** The store's sequence number that it shows, when it has a snapshot. */
    public long sequence() {
        return sequence;
    }

    /** The value of a key, or null. */
    public byte @Nullable [] get(byte[] key) {
        enter();
        try {
            return db.get(handle, points, key);
        } catch (RocksDBException e) {
            throw StoreErrors.failed("read from column family " + family.name(), e);
        } finally {
            exit();
        }
    }

    /**
     * The value of a key, or null, for somebody who may want it again: from the row cache when it is there, and kept
     * there when it is not. Do not change it.
     */
    public byte @Nullable [] row(byte[] key) {
        CacheShard rows = family.rows();
        if (rows == null) {
            return get(key);
        }
        enter();
        try {
            byte[] known = rows.find(key, sequence);
            return known == null ? fetch(rows, key) : known;
        } catch (RocksDBException e) {
            throw StoreErrors.failed("read from column family " + family.name(), e);
        } finally {
            exit();
        }
    }

    private byte @Nullable [] fetch(CacheShard rows, byte[] key) throws RocksDBException {
        long at = readsAt();
        byte[] value = db.get(handle, points, key);
        if (value != null) {
            rows.fill(key, value, at);
        }
        return value;
    }

    /**
     * The values of keys, each as {@link #row} has it, in the order of the keys; null where there is none.
     *
     * @param keys some hundreds at most: the view cannot be closed meanwhile
     */
    public List<byte @Nullable []> rows(List<byte[]> keys) {
        CacheShard rows = family.rows();
        enter();
        try {
            List<byte @Nullable []> values = new ArrayList<>(Collections.nCopies(keys.size(), null));
            List<byte[]> missing = new ArrayList<>();
            List<Integer> places = new ArrayList<>();
            for (int i = 0; i < keys.size(); i++) {
                byte[] known = rows == null ? null : rows.find(keys.get(i), sequence);
                if (known == null) {
                    missing.add(keys.get(i));
                    places.add(i);
                } else {
                    values.set(i, known);
                }
            }
            fetch(rows, missing, places, values);
            return values;
        } catch (RocksDBException e) {
            throw StoreErrors.failed("read from column family " + family.name(), e);
        } finally {
            exit();
        }
    }

    private void fetch(@Nullable CacheShard rows, List<byte[]> keys, List<Integer> places, List<byte @Nullable []> into)
            throws RocksDBException {
        if (keys.isEmpty()) {
            return;
        }
        long at = rows == null ? 0 : readsAt();
        List<byte[]> found = db.multiGetAsList(points, Collections.nCopies(keys.size(), handle), keys);
        for (int i = 0; i < keys.size(); i++) {
            byte[] value = found.get(i);
            into.set(places.get(i), value);
            if (value != null && rows != null) {
                rows.fill(keys.get(i), value, at);
            }
        }
    }

    /** A sequence number that a read from now on is not behind. */
    private long readsAt() {
        return snapshot == null ? db.getLatestSequenceNumber() : sequence;
    }

    /** The KVs of a span in order. Close the cursor. */
    public KvCursor cursor(KeySpan span, ReadPattern pattern) {
        enter();
        try {
            KvCursor cursor = new KvCursor(this, db, handle, snapshot, span, pattern);
            cursors.add(cursor);
            return cursor;
        } finally {
            exit();
        }
    }

    /** Passes the gate or throws. Pair with {@link #exit}. */
    void enter() {
        if (!uses.enter()) {
            throw family.refusal("the view is closed");
        }
    }

    void exit() {
        uses.exit();
    }

    void close(KvCursor cursor) {
        // When the gate is closed, whoever closed it frees the cursor.
        if (uses.enter()) {
            try {
                if (cursors.remove(cursor)) {
                    cursor.free();
                }
            } finally {
                uses.exit();
            }
        }
    }

    /** Waits for calls under way, then frees the cursors and the snapshot. */
    @Override
    public void close() {
        uses.closeAndAwait();
        free();
        family.forget(this);
    }

    /** Whoever comes second waits here, so that the database is not closed under the first. */
    private synchronized void free() {
        if (freed) {
            return;
        }
        freed = true;
        for (KvCursor cursor : cursors) {
            cursor.free();
        }
        cursors.clear();
        points.close();
        Snapshot taken = snapshot;
        if (taken != null && snapshots != null) {
            db.releaseSnapshot(taken);
            taken.close();
            snapshots.closed(sequence);
        }
    }
}
