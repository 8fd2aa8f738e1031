package io.sluice.sql.distributed;

import io.sluice.api.transaction.Participant;
import io.sluice.api.transaction.Participants;
import io.sluice.api.transaction.Placement;
import io.sluice.api.transaction.ReadAnswer;
import io.sluice.api.transaction.ReadRequest;
import io.sluice.grammar.SqlErrorCode;
import io.sluice.grammar.StatementException;
import io.sluice.model.schema.Table;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A cached view of a cluster: its nodes, and the tables they hold.
 *
 * @param number version of the view; each refresh increments it
 * @param nodes by id
 * @param versions version of each node's table list, by node id
 * @param tables by name
 */
record ClusterView(
        int number, Map<String, Participant> nodes, Map<String, String> versions, Map<String, Placement> tables) {
    ClusterView {
        nodes = Map.copyOf(nodes);
        versions = Map.copyOf(versions);
        tables = Map.copyOf(tables);
    }

    /** Builds a view by asking all nodes. */
    static ClusterView of(int number, Participants cluster, PostCommitNotifier notifier) {
        Map<String, Participant> nodes = new LinkedHashMap<>();
        Map<String, String> versions = new LinkedHashMap<>();
        for (Participant node : cluster.nodes()) {
            // Read before the tables: a table that is imported in between causes one more refresh at worst.
            ReadAnswer answer = node.read(ReadRequest.NOTHING);
            nodes.put(node.id(), node);
            versions.put(node.id(), answer.version());
            notifier.release(node, answer.snapshot());
        }
        Map<String, Placement> tables = new LinkedHashMap<>();
        cluster.placements().forEach(each -> tables.put(each.table().name(), each));
        return new ClusterView(number, nodes, versions, tables);
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

    /** Id of the node that stores the positions of change logs: the lowest node id. */
    String logNode() {
        return Collections.min(nodes.keySet());
    }

    Placement require(int tableId) {
        return tables.values().stream()
                .filter(each -> each.table().id() == tableId)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no table has id " + tableId));
    }

    /**
     * Returns a node by id.
     *
     * @throws StatementException if the user did not name the node, or it does not answer
     */
    Participant node(String id) {
        Participant node = nodes.get(id);
        if (node == null) {
            throw new StatementException(
                    SqlErrorCode.FAILED,
                    "node " + id
                            + " holds some of the rows, but is not among the nodes given, or cannot be reached; name it"
                            + " with --nodes, or start it");
        }
        return node;
    }
}
