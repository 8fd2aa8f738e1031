package io.sluice.node.catalog;

import io.sluice.engine.store.RocksStore;
import io.sluice.engine.store.WriteSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The tables whose rows no statement may change, while another node copies their last changes. The cluster's log
 * decides which; the store keeps them, so that a node that starts does not accept a write before it has read the log.
 * Guarded by the catalog's lock.
 */
final class FrozenTables {
    private final RocksStore store;
    private Stored stored;

    /**
     * The stored form.
     *
     * @param index index of the log's entry that set it; an earlier entry, which is applied again, changes nothing
     * @param owners owner of the freeze by table id
     */
    record Stored(long index, Map<Integer, String> owners) {
        static final Stored NONE = new Stored(-1, Map.of());

        Stored {
            owners = Map.copyOf(owners);
        }
    }

    FrozenTables(RocksStore store, Stored stored) {
        this.store = store;
        this.stored = stored;
    }

    /** Sets which tables are frozen. */
    void set(long index, Map<Integer, String> owners) {
        if (index > stored.index()) {
            Stored next = new Stored(index, owners);
            if (!next.owners().equals(stored.owners())) {
                store.commit(new WriteSet().put(Keys.FROZEN, RecordJson.write(next)));
            }
            stored = next;
        }
    }

    /** The tables whose owner would be another one: those to freeze, to thaw, and to give to another owner. */
    Set<Integer> changedBy(Map<Integer, String> owners) {
        return Stream.of(owners, stored.owners())
                .flatMap(each -> each.keySet().stream())
                .filter(table -> !Objects.equals(owners.get(table), owner(table)))
                .collect(Collectors.toSet());
    }

    boolean isEmpty() {
        return stored.owners().isEmpty();
    }

    /** The owner of a table's freeze; null if the table is not frozen. */
    @Nullable
    String owner(int tableId) {
        return stored.owners().get(tableId);
    }
}
