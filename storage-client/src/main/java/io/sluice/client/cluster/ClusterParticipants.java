package io.sluice.client.cluster;

import io.sluice.api.node.NodeClient;
import io.sluice.api.node.TableStatus;
import io.sluice.api.transaction.Decision;
import io.sluice.api.transaction.Outcome;
import io.sluice.api.transaction.Participant;
import io.sluice.api.transaction.Participants;
import io.sluice.api.transaction.Placement;
import io.sluice.client.RemoteNode;
import io.sluice.client.RemoteParticipant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Remote nodes as participants of transactions. Owns the clients. */
public final class ClusterParticipants implements Participants {
    private final List<Participant> nodes = new ArrayList<>();
    private final Cluster cluster;
    private final Map<String, String> ids;
    private final @Nullable ClusterLog log;
    /** The nodes of known ids, by id. */
    private final Map<String, RemoteParticipant> byId = new LinkedHashMap<>();

    /**
     * Creates participants from clients by their name in messages, such as the address.
     *
     * @throws io.sluice.model.error.BadInputException when there are none
     */
    public ClusterParticipants(Map<String, RemoteNode> clients) {
        this(clients, Map.of(), null);
    }

    /**
     * Creates participants some of whose ids are known, also while they do not answer.
     *
     * @param ids ids of nodes by their name
     * @param log the replicated log of their cluster; null: they are in none
     */
    public ClusterParticipants(Map<String, RemoteNode> clients, Map<String, String> ids, @Nullable ClusterLog log) {
        this.ids = Map.copyOf(ids);
        this.log = log;
        Map<String, NodeClient> members = new LinkedHashMap<>(clients);
        clients.forEach((name, client) -> {
            String id = ids.get(name);
            if (id == null) {
                nodes.add(client.participant());
            } else {
                byId.put(id, client.participant(id));
                nodes.add(byId.get(id));
            }
        });
        cluster = new Cluster(members, 1, log, 0);
    }

    @Override
    public List<Participant> nodes() {
        return List.copyOf(nodes);
    }

    @Override
    public List<Placement> placements(Set<String> silent) {
        return cluster.placements(names(silent));
    }

    @Override
    public List<TableStatus> tables(Set<String> silent) {
        return cluster.tables(names(silent));
    }

    private Set<String> names(Set<String> known) {
        return ids.entrySet().stream()
                .filter(each -> known.contains(each.getValue()))
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
    }

    @Override
    public boolean survivesLosses() {
        return log != null;
    }

    @Override
    public long seen() {
        return log == null ? 0 : log.seen();
    }

    @Override
    public Outcome decide(Decision decision) {
        return log == null ? Participants.super.decide(decision) : log.decide(decision, byId);
    }

    @Override
    public Set<String> leftOut() {
        return log == null ? Set.of() : log.leftOut();
    }

    @Override
    public boolean leaveOut(String node) {
        return log != null && log.leaveOut(node);
    }

    @Override
    public void close() {
        cluster.close();
    }
}
