package io.sluice.sql.distributed;

import io.sluice.api.transaction.Participant;
import io.sluice.api.transaction.Participants;
import io.sluice.api.transaction.Placement;
import io.sluice.api.transaction.ReadAnswer;
import io.sluice.api.transaction.ReadRequest;
import io.sluice.grammar.SqlErrorCode;
import io.sluice.grammar.StatementException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.schema.Table;
import io.sluice.sql.transaction.TaskPool;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A cached view of a cluster: its nodes, and the tables they hold. Nodes that do not answer are not in it: they matter
 * only to transactions that need one of their ranges.
 *
 * @param number version of the view; each refresh increments it
 * @param nodes those that answer, by id
 * @param silent those that do not, by id, or by address if their id is not known; with the reason
 * @param versions version of each node's table list, by node id
 * @param tables by name
 */
record ClusterView(
        int number,
        Map<String, Participant> nodes,
        Map<String, String> silent,
        Map<String, String> versions,
        Map<String, Placement> tables) {
    ClusterView {
        nodes = Map.copyOf(nodes);
        silent = Map.copyOf(silent);
        versions = Map.copyOf(versions);
        tables = Map.copyOf(tables);
    }

    /**
     * Builds a view by asking all nodes, at once: silent ones cost the time of one.
     *
     * @throws OperationFailedException if none answers
     */
    static ClusterView of(int number, Participants cluster, PostCommitNotifier notifier, TaskPool tasks) {
        Map<String, Participant> nodes = new ConcurrentHashMap<>();
        Map<String, String> silent = new ConcurrentHashMap<>();
        Map<String, String> versions = new ConcurrentHashMap<>();
        AtomicReference<@Nullable OperationFailedException> last = new AtomicReference<>();
        Set<String> leftOut = cluster.leftOut();
        List<Runnable> work = new ArrayList<>();
        for (Participant node : cluster.nodes()) {
            work.add(() -> {
                String known = node.address();
                try {
                    known = node.id();
                    if (leftOut.contains(known)) {
                        silent.put(
                                known,
                                "node " + node.described() + " does not answer, and the cluster goes on without it");
                        return;
                    }
                    // Read before the tables: a table that is imported in between causes one more refresh at worst.
                    ReadAnswer answer = node.read(ReadRequest.NOTHING);
                    nodes.put(known, node);
                    versions.put(known, answer.version());
                    notifier.release(node, answer.snapshot());
                } catch (OperationFailedException e) {
                    silent.put(known, String.valueOf(e.getMessage()));
                    last.set(e);
                }
            });
        }
        tasks.runAll(work);
        OperationFailedException failure = last.get();
        if (nodes.isEmpty() && failure != null) {
            throw failure;
        }
        Map<String, Placement> tables = new LinkedHashMap<>();
        cluster.placements(silent.keySet())
                .forEach(each -> tables.put(each.table().name(), each));
        return new ClusterView(number, nodes, silent, versions, tables);
    }

    List<Table> all() {
        return tables.values().stream().map(Placement::table).toList();
    }

    /**
     * Returns a table by name, or null.
     *
     * @throws StatementException if another table has the same id, so that their keys cannot be distinguished
     */
    @Nullable
    Placement table(String name) {
        Placement found = tables.get(name);
        if (found != null) {
            for (Placement other : tables.values()) {
                if (other.table().id() == found.table().id()
                        && !other.table().name().equals(name)) {
                    throw new StatementException(
                            SqlErrorCode.UNSUPPORTED,
                            "tables " + name + " and " + other.table().name()
                                    + " were imported to different single nodes, and"
                                    + " have the same id: name only the node of one of them");
                }
            }
        }
        return found;
    }

    /**
     * Id of the node that stores the positions of change logs, if the nodes are no cluster: the lowest node id.
     *
     * @throws StatementException if a node that does not answer may be that node
     */
    String logNode() {
        for (Map.Entry<String, String> each : silent.entrySet()) {
            boolean higher =
                    isId(each.getKey()) && nodes.keySet().stream().anyMatch(id -> id.compareTo(each.getKey()) < 0);
            if (!higher) {
                throw new StatementException(
                        SqlErrorCode.FAILED,
                        "the node that stores the positions of change logs may be one that does not answer: "
                                + each.getValue());
            }
        }
        return Collections.min(nodes.keySet());
    }

    /** Whether a node is known by its id: an address has a scheme. */
    private static boolean isId(String node) {
        return node.indexOf(':') < 0;
    }

    /** The table with an id, or null. */
    @Nullable
    Placement find(int tableId) {
        return tables.values().stream()
                .filter(each -> each.table().id() == tableId)
                .findFirst()
                .orElse(null);
    }

    Placement require(int tableId) {
        Placement found = find(tableId);
        if (found == null) {
            throw new IllegalStateException("no table has id " + tableId);
        }
        return found;
    }

    /**
     * Chooses the node that reads a key.
     *
     * @param holders ids of the nodes with the key, in the order of preference
     * @return the first one that answers, or the first of all if none does
     */
    String reader(List<String> holders) {
        return holders.stream().filter(nodes::containsKey).findFirst().orElse(holders.get(0));
    }

    /**
     * Returns a node by id.
     *
     * @throws StatementException if the user did not name the node, or it does not answer
     */
    Participant node(String id) {
        Participant node = nodes.get(id);
        if (node == null) {
            String reason = silent.get(id);
            throw new StatementException(
                    SqlErrorCode.FAILED,
                    reason != null
                            ? "some of the rows are on a node that cannot be read: " + reason
                            : "node " + id + " holds some of the rows, but is not among the nodes given, or cannot be"
                                    + " reached; name it with --nodes, or start it"
                                    + (silent.isEmpty()
                                            ? ""
                                            : ": " + String.join("; ", new TreeMap<>(silent).values())));
        }
        return node;
    }
}
