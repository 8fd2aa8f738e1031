package io.sluice.client.cluster;

import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.RangeDirectory;
import io.sluice.api.node.TableStatus;
import io.sluice.api.wire.ClusterChange;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.NodeUnreachableException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.error.SluiceException;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.kv.KvChecksum;
import io.sluice.model.schema.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Computes the places of tables without some nodes.
 *
 * <p>Each node counts the changes of rows whose first replica it has: imported[n] - published. A table's checksum is
 * published plus the changes of all its nodes. When a node leaves, published must take its changes over:
 *
 * <pre>
 *   next published = checksum of all rows - changes counted by the nodes that stay
 * </pre>
 */
final class Removal {
    /** Times that a table is read again because statements changed it meanwhile. */
    private static final int TRIES = 3;

    private final NodePool pool;
    private final Set<String> leaving;
    private final ToIntFunction<TableStatus> replicas;

    Removal(NodePool pool, Set<String> leaving) {
        this(pool, leaving, table -> table.directory().replicas());
    }

    /**
     * Creates a removal.
     *
     * @param replicas wanted number of replicas of a table, from now on
     */
    Removal(NodePool pool, Set<String> leaving, ToIntFunction<TableStatus> replicas) {
        this.pool = pool;
        this.leaving = leaving;
        this.replicas = replicas;
    }

    /** The tables that a lost node leaves, without a count of its changes. */
    static List<ClusterChange.Moved> leavingOut(List<TableView> tables, String node) {
        List<ClusterChange.Moved> moved = new ArrayList<>();
        for (TableView table : tables) {
            RangeDirectory directory = table.status().directory();
            RangeDirectory next = directory.leavingOut(node, table.holders().keySet());
            if (!next.equals(directory)) {
                moved.add(ClusterChange.Moved.of(
                        table.status().table().id(), next, table.status().published()));
            }
        }
        return moved;
    }

    /** Counts tables after a node was left out, or if they want fewer replicas. */
    List<ClusterChange.Moved> recounted(Supplier<List<TableView>> tables, Consumer<String> failed) {
        List<ClusterChange.Moved> moved = new ArrayList<>();
        for (TableView table : tables.get()) {
            RangeDirectory directory = table.directory();
            if (!directory.uncounted().isEmpty() || directory.replicas() != replicas.applyAsInt(table.status())) {
                try {
                    check(table);
                    moved(table, tables).ifPresent(moved::add);
                } catch (SluiceException e) {
                    failed.accept(String.valueOf(e.getMessage()));
                }
            }
        }
        return moved;
    }

    List<ClusterChange.Moved> moved(Supplier<List<TableView>> tables) {
        List<TableView> affected = tables.get().stream()
                .filter(table -> table.directory().nodes().stream().anyMatch(leaving::contains)
                        || table.directory().uncounted().stream().anyMatch(leaving::contains))
                .toList();
        affected.forEach(this::check);
        List<ClusterChange.Moved> moved = new ArrayList<>();
        for (TableView table : affected) {
            moved(table, tables).ifPresent(moved::add);
        }
        return moved;
    }

    private RangeDirectory after(TableView table) {
        RangeDirectory next = table.directory();
        for (String node : leaving) {
            next = next.without(node);
        }
        return next.counted().atEpoch(table.directory().epoch() + 1).wanting(replicas.applyAsInt(table.status()));
    }

    private void check(TableView table) {
        String name = table.status().table().name();
        if (table.holders().isEmpty()) {
            throw new OperationFailedException(String.valueOf(table.status().incomplete()));
        }
        RangeDirectory after = after(table);
        for (int range = 0; range < after.ranges().size(); range++) {
            if (after.ranges().get(range).nodes().isEmpty()) {
                KeySpan span = after.span(range);
                throw new BadInputException("table " + name + " has keys " + span
                        + " on no other node; nothing was changed. If the node runs, 'sluice cluster drain' moves them"
                        + " first; else start it, or drop the table");
            }
        }
        for (String node : after.nodes()) {
            if (!table.holders().containsKey(node)) {
                String described = table.described(node);
                throw new NodeUnreachableException(
                        node,
                        described,
                        described + ", has rows of table " + name + "; nothing was changed. Start it, or remove it,"
                                + " too",
                        new IllegalStateException("no answer"));
            }
        }
    }

    /** The places and counts of a table; none if it is dropped meanwhile. */
    private Optional<ClusterChange.Moved> moved(TableView seen, Supplier<List<TableView>> tables) {
        TableView table = seen;
        int id = table.status().table().id();
        for (int tries = 0; tries < TRIES; tries++) {
            table = atOneEpoch(table, tables);
            List<IndexChecksum> all = List.of();
            SluiceException failure = null;
            try {
                all = counted(table);
            } catch (SluiceException e) {
                failure = e;
            }
            TableView now = find(id, tables);
            if (now == null && isDropped(table)) {
                return Optional.empty();
            }
            if (failure != null) {
                throw failure;
            }
            if (now == null) {
                break;
            }
            if (statuses(now).equals(statuses(table))) {
                return Optional.of(ClusterChange.Moved.of(id, after(table), published(table, all)));
            }
            check(now);
            table = now;
        }
        throw new OperationFailedException("table " + seen.status().table().name()
                + " was changed while its rows were counted; nothing was changed. Stop its writers, and try again");
    }

    private static @Nullable TableView find(int id, Supplier<List<TableView>> tables) {
        return tables.get().stream()
                .filter(one -> one.status().table().id() == id)
                .findFirst()
                .orElse(null);
    }

    /**
     * The table when all nodes that stay have its latest directory: before that, changes that a node has counted may be
     * in the checksums of the others, too.
     *
     * @throws OperationFailedException if one of them does not apply the cluster's log in some seconds
     */
    private TableView atOneEpoch(TableView seen, Supplier<List<TableView>> tables) {
        TableView table = seen;
        long end = System.nanoTime() + Replicas.FOLLOW_NANOS;
        while (!TableView.areAt(table.directory().epoch(), statuses(table).values())) {
            if (System.nanoTime() - end > 0) {
                throw new OperationFailedException("a node has not applied the last change of table "
                        + table.status().table().name() + "; nothing was changed. Try again when all nodes answer");
            }
            TableFreeze.pause();
            TableView now = find(table.status().table().id(), tables);
            if (now == null) {
                return table;
            }
            check(now);
            table = now;
        }
        return table;
    }

    /**
     * Whether the nodes that stay have a table no more.
     *
     * @throws NodeUnreachableException if one of them does not tell
     */
    private boolean isDropped(TableView table) {
        Table of = table.status().table();
        return table.holders().entrySet().stream()
                .filter(holder -> !leaving.contains(holder.getKey()))
                .map(holder -> holder.getValue().client().table(of.name()))
                .allMatch(there -> there == null || there.table().id() != of.id());
    }

    /** The checksums of all rows, as the nodes have counted them or by reading the table. */
    private List<IndexChecksum> counted(TableView table) {
        return table.status().counted()
                ? table.status().imported()
                : new ClusterDigest(pool, table.at(after(table)))
                        .of(List.of(KeySpan.ALL))
                        .indexes();
    }

    /** The answers of the nodes that stay. */
    private Map<String, TableStatus> statuses(TableView table) {
        Map<String, TableStatus> statuses = new TreeMap<>(table.answers());
        statuses.keySet().removeAll(leaving);
        return statuses;
    }

    private List<IndexChecksum> published(TableView table, List<IndexChecksum> all) {
        List<IndexChecksum> published = new ArrayList<>();
        for (int i = 0; i < all.size(); i++) {
            KvChecksum sum = all.get(i).sum();
            for (TableStatus status : statuses(table).values()) {
                sum = sum.minus(status.imported().get(i).sum())
                        .plus(status.published().get(i).sum());
            }
            published.add(new IndexChecksum(all.get(i).index(), sum));
        }
        return published;
    }
}
