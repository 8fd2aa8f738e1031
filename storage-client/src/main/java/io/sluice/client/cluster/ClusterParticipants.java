package io.sluice.client.cluster;

import io.sluice.api.node.NodeClient;
import io.sluice.api.transaction.Participant;
import io.sluice.api.transaction.Participants;
import io.sluice.api.transaction.Placement;
import io.sluice.client.RemoteNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Remote nodes as participants of transactions. Owns the clients. */
public final class ClusterParticipants implements Participants {
    private final List<Participant> nodes = new ArrayList<>();
    private final Cluster cluster;

    /**
     * Creates participants from clients by their name in messages, such as the address.
     *
     * @throws io.sluice.model.error.BadInputException when there are none
     */
    public ClusterParticipants(Map<String, RemoteNode> clients) {
        this(clients, Map.of());
    }

    /**
     * Creates participants some of whose ids are known, also while they do not answer.
     *
     * @param ids ids of nodes by their name
     */
    public ClusterParticipants(Map<String, RemoteNode> clients, Map<String, String> ids) {
        Map<String, NodeClient> members = new LinkedHashMap<>(clients);
        clients.forEach((name, client) -> {
            String id = ids.get(name);
            nodes.add(id == null ? client.participant() : client.participant(id));
        });
        cluster = new Cluster(members, 1);
    }

    @Override
    public List<Participant> nodes() {
        return List.copyOf(nodes);
    }

    @Override
    public List<Placement> placements() {
        return cluster.placements();
    }

    @Override
    public void close() {
        cluster.close();
    }
}
