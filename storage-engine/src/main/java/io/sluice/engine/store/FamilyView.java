package io.sluice.engine.store;

import io.sluice.engine.cache.CacheShard;
import io.sluice.model.kv.KeySpan;
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
 * A consistent view of a column family: all its point reads and cursors see the same KVs. Usable by several threads.
 * Closing it closes its cursors; closing the store or dropping the family closes it.
 */
public final class FamilyView implements AutoCloseable {
    private final Family family;
    private final RocksDB db;
    private final ColumnFamilyHandle handle;
    private final @Nullable SnapshotCount snapshots;
    private final @Nullable Snapshot snapshot;
    /** The snapshot's sequence number; {@link CacheShard#NOW} without a snapshot. */
    private final long sequence;

    private final ReadOptions points;
    private final UseCount uses = new UseCount();
    private final Set<KvCursor> cursors = ConcurrentHashMap.newKeySet();
    private boolean freed;

    /** Opens a view. The caller has entered the family's gate. Takes no snapshot when {@code snapshots} is null. */
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

    /** Opens a view of a borrowed snapshot, which its owner releases after this view is closed. */
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

    /** The store's sequence number that the view shows, when it has a snapshot. */
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
     * The value of a key, or null, read through the row cache: a value that the cache lacks is added to it. The caller
     * must not change the array.
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
     * The values of keys in the order of the keys, each read as {@link #row} does; null for a missing key.
     *
     * @param keys some hundreds at most: closing the view waits for this call
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
            if (value == null) {
                // RocksJava's batch has no errors: a key in a damaged block looks like a missing one.
                value = db.get(handle, points, keys.get(i));
            }
            into.set(places.get(i), value);
            if (value != null && rows != null) {
                rows.fill(keys.get(i), value, at);
            }
        }
    }

    /** A lower bound on the sequence number of a read that starts now. */
    private long readsAt() {
        return snapshot == null ? db.getLatestSequenceNumber() : sequence;
    }

    /** Opens a cursor on the KVs of a span. The caller closes it. */
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
        // When the gate is closed, the thread that closed it frees the cursor.
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

    /** Waits for calls in progress, then frees the cursors and the snapshot. */
    @Override
    public void close() {
        uses.closeAndAwait();
        free();
        family.forget(this);
    }

    /** Frees the handles once. A second caller waits, so that it does not close the database under the first. */
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
