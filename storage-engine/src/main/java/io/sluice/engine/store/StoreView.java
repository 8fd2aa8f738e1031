package io.sluice.engine.store;

import io.sluice.model.error.OperationFailedException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDB;
import org.rocksdb.Snapshot;

/**
 * A consistent view of all column families at one snapshot. Usable by several threads. Closing it closes its views.
 * Closing the store closes it; dropping a column family closes that family's view.
 */
public final class StoreView implements AutoCloseable {
    private final RocksStore store;
    private final RocksDB db;
    private final SnapshotCount snapshots;
    private final Snapshot snapshot;
    private final long sequence;
    private final Map<Family, FamilyView> views = new HashMap<>();
    private boolean closed;

    /** Takes a snapshot. The caller has entered the store's gate. */
    StoreView(RocksStore store, RocksDB db, SnapshotCount snapshots) {
        this.store = store;
        this.db = db;
        this.snapshots = snapshots;
        snapshots.opening();
        snapshot = db.getSnapshot();
        sequence = snapshot.getSequenceNumber();
        snapshots.opened(sequence);
    }

    /** The view of one column family. This store view closes it. */
    public synchronized FamilyView of(Family family) {
        if (closed) {
            throw new OperationFailedException("the snapshot was released; begin again");
        }
        FamilyView known = views.get(family);
        if (known == null) {
            known = family.viewAt(snapshot);
            views.put(family, known);
        }
        return known;
    }

    /** Waits for calls in progress in its views, then releases the snapshot. */
    @Override
    public void close() {
        close(store);
    }

    synchronized void close(@Nullable RocksStore registered) {
        if (closed) {
            return;
        }
        closed = true;
        views.values().forEach(FamilyView::close);
        views.clear();
        db.releaseSnapshot(snapshot);
        snapshot.close();
        snapshots.closed(sequence);
        if (registered != null) {
            registered.forget(this);
        }
    }
}
