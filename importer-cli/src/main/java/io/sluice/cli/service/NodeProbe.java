package io.sluice.cli.service;

import io.sluice.api.node.NodeStatus;
import io.sluice.api.wire.ClusterBody;
import io.sluice.cli.remote.RemoteOptions;
import io.sluice.client.RemoteNode;
import io.sluice.client.RemoteSettings;
import io.sluice.model.error.SluiceException;
import io.sluice.node.StorageNode;
import io.sluice.service.run.ServedNode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Asks the nodes that a service imports into how they are. */
final class NodeProbe {
    /** A node that runs answers at once. */
    private static final long PROBE_MILLIS = 2_000;

    private NodeProbe() {}

    /** The store of this process. */
    static List<ServedNode> embedded(StorageNode node, String store) {
        return List.of(new ServedNode(store, null, "embedded", node.status(), null));
    }

    /** Nodes on a network, asked in parallel. */
    static List<ServedNode> remote(RemoteOptions remote, List<RemoteSettings> nodes) {
        Map<String, ClusterBody.Member> members = new LinkedHashMap<>();
        ClusterBody cluster = remote.named().cluster() == null ? null : remote.askAgain();
        if (cluster != null) {
            cluster.members()
                    .forEach(member -> members.put(remote.settings(member.url()).name(), member));
        }
        return nodes.parallelStream()
                .map(each -> {
                    ClusterBody.Member member = members.get(each.name());
                    return cluster == null || member == null
                            ? probe(each, each.name(), "alone")
                            : probe(each, member.name(), cluster.role(member));
                })
                .toList();
    }

    private static ServedNode probe(RemoteSettings settings, String name, String role) {
        try (RemoteNode node = new RemoteNode(settings.withPatience(PROBE_MILLIS, PROBE_MILLIS))) {
            NodeStatus status = node.status();
            return new ServedNode(name, settings.name(), role, status, null);
        } catch (SluiceException e) {
            return new ServedNode(name, settings.name(), role, null, e.getMessage());
        }
    }
}
