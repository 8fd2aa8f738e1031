package io.sluice.node.catalog;

import io.sluice.engine.store.FamilyNames;
import io.sluice.engine.store.RocksStore;
import io.sluice.engine.store.WriteSet;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The remains of dropped tables: column families until their files are removed, and KVs in shared column families.
 * {@link Catalog} decides which tables may be dropped. Usable by several threads.
 */
public final class Drops {
    private final RocksStore store;
    private final Map<String, PendingDrop> pending;
    private final Map<Integer, OrphanedTable> orphans;
    private final Object lock;

    /**
     * Takes over the records of a store.
     *
     * @param lock the catalog's lock
     */
    Drops(RocksStore store, Map<String, PendingDrop> pending, Map<Integer, OrphanedTable> orphans, Object lock) {
        this.store = store;
        this.pending = pending;
        this.orphans = orphans;
        this.lock = lock;
    }

    /** The drops whose column families are not removed yet. */
    public List<PendingDrop> pending() {
        synchronized (lock) {
            return List.copyOf(pending.values());
        }
    }

    /** Dropped tables whose KVs remain in a shared column family. */
    public List<OrphanedTable> orphans() {
        synchronized (lock) {
            return List.copyOf(orphans.values());
        }
    }

    /** Whether a column family remains to be removed. */
    boolean isPending(String family) {
        return pending.containsKey(family);
    }

    /** Whether KVs of a table may be left from before it was dropped. */
    boolean remains(int tableId) {
        return orphans.containsKey(tableId) || isPending(FamilyNames.ofTable(tableId));
    }

    /**
     * Removes a table's record; the caller holds the lock.
     *
     * @return the column family to drop before {@link #finish}, or null when it is shared and an orphaned table id
     *     remains
     */
    @Nullable
    PendingDrop record(TableRecord table) {
        int id = table.table().id();
        String name = table.table().name();
        WriteSet writes =
                new WriteSet().delete(Keys.table(name)).delete(Keys.sums(id)).deletePrefix(Keys.checkpoints(id));
        if (!table.family().equals(FamilyNames.ofTable(id))) {
            OrphanedTable orphan = new OrphanedTable(id, name, table.family());
            store.commit(writes.put(Keys.orphan(id), RecordJson.write(orphan)));
            add(orphan);
            return null;
        }
        PendingDrop drop = new PendingDrop(table.family(), name);
        List<OrphanedTable> freed = orphans.values().stream()
                .filter(orphan -> orphan.family().equals(table.family()))
                .toList();
        writes.put(Keys.drop(drop.family()), RecordJson.write(drop));
        freed.forEach(orphan -> writes.delete(Keys.orphan(orphan.tableId())));
        store.commit(writes);
        freed.forEach(orphan -> orphans.remove(orphan.tableId()));
        pending.put(drop.family(), drop);
        return drop;
    }

    /** Adds an orphaned table id that the caller has recorded; it holds the lock. */
    void add(OrphanedTable orphan) {
        orphans.put(orphan.tableId(), orphan);
    }

    /** Removes the record of a drop after its column family was dropped. */
    public void finish(PendingDrop drop) {
        synchronized (lock) {
            store.commit(new WriteSet().delete(Keys.drop(drop.family())));
            pending.remove(drop.family());
        }
    }
}
