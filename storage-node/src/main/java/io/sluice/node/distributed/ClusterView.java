package io.sluice.node.distributed;

import io.sluice.api.schema.Table;
import io.sluice.api.sql.SqlErrorCode;
import io.sluice.api.sql.StatementException;
import io.sluice.api.transaction.Participant;
import io.sluice.api.transaction.Participants;
import io.sluice.api.transaction.Placement;
import io.sluice.api.transaction.ReadAnswer;
import io.sluice.api.transaction.ReadRequest;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The tables that several nodes hold, as they were when they were asked.
 *
 * @param number goes up each time they are asked
 * @param nodes by id
 * @param versions what each node said of its tables, by the node's id
 * @param tables by name
 */
record ClusterView(
        int number, Map<String, Participant> nodes, Map<String, String> versions, Map<String, Placement> tables) {
    ClusterView {
        nodes = Map.copyOf(nodes);
        versions = Map.copyOf(versions);
        tables = Map.copyOf(tables);
    }

    /** Asks all nodes. */
    static ClusterView of(int number, Participants cluster, PostCommitNotifier aftermath) {
        Map<String, Participant> nodes = new LinkedHashMap<>();
        Map<String, String> versions = new LinkedHashMap<>();
        for (Participant node : cluster.nodes()) {
            // Before the tables: one that comes in between is then taken for news later, at worst.
            ReadAnswer answer = node.read(ReadRequest.NOTHING);
            nodes.put(node.id(), node);
            versions.put(node.id(), answer.version());
            aftermath.release(node, answer.snapshot());
        }
        Map<String, Placement> tables = new LinkedHashMap<>();
        cluster.placements().forEach(each -> tables.put(each.table().name(), each));
        return new ClusterView(number, nodes, versions, tables);
    }

    List<Table> all() {
        return tables.values().stream().map(Placement::table).toList();
    }

    /**
     * A table by its name, or null.
     *
     * @throws StatementException when its keys cannot be told from another's
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
                                    + " were imported to different nodes alone, and"
                                    + " have the same id: name only the node of one of them");
                }
            }
        }
        return found;
    }

    /** Id of the node that keeps how far logs are applied. */
    String keeper() {
        return Collections.min(nodes.keySet());
    }

    Placement require(int tableId) {
        return tables.values().stream()
                .filter(each -> each.table().id() == tableId)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no table has id " + tableId));
    }

    /**
     * A node by its id.
     *
     * @throws StatementException when it is none of those that were named, or does not answer
     */
    Participant node(String id) {
        Participant node = nodes.get(id);
        if (node == null) {
            throw new StatementException(
                    SqlErrorCode.FAILED,
                    "node " + id
                            + " holds some of the rows, and is none of the nodes given, or cannot be reached; name it"
                            + " with --nodes, or start it");
        }
        return node;
    }
}
