package io.sluice.node.store;

import io.sluice.api.error.OperationFailedException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDB;
import org.rocksdb.Snapshot;

/**
 * All column families as they were at one moment. Usable by several threads. Closing it closes its views; closing the
 * store closes it, and dropping a column family the view of that one.
 */
public final class StoreView implements AutoCloseable {
    private final RocksStore store;
    private final RocksDB db;
    private final SnapshotCount snapshots;
    private final Snapshot snapshot;
    private final long sequence;
    private final Map<Family, FamilyView> views = new HashMap<>();
    private boolean closed;

    /** The caller is inside the store's gate. */
    StoreView(RocksStore store, RocksDB db, SnapshotCount snapshots) {
        this.store = store;
        this.db = db;
        this.snapshots = snapshots;
        snapshots.opening();
        snapshot = db.getSnapshot();
        sequence = snapshot.getSequenceNumber();
        snapshots.opened(sequence);
    }

    /** One column family as it was; the view is this one's to close. */
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

    /** Waits for calls under way in its views, then releases the snapshot. */
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
