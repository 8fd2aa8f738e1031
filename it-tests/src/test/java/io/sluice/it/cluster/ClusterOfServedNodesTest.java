package io.sluice.it.cluster;

import io.sluice.api.node.NodeClient;
import io.sluice.client.RemoteNode;
import io.sluice.client.RemoteSettings;
import io.sluice.client.cluster.Cluster;
import io.sluice.it.support.ClosingWith;
import io.sluice.it.support.ServedNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The contract, by three nodes at the other ends of connections, two replicas each. */
class ClusterOfServedNodesTest extends NodeClientContract {
    @Override
    NodeClient open(Path directory) {
        Map<String, NodeClient> nodes = new LinkedHashMap<>();
        List<ServedNode> all = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            ServedNode served = ServedNode.open(directory.resolve("node" + i));
            RemoteSettings settings = RemoteSettings.of(served.url()).withPatience(2_000, 5_000);
            nodes.put(settings.name(), new RemoteNode(settings));
            all.add(served);
        }
        return new ClosingWith(new Cluster(nodes, 2), all);
    }

    @Override
    boolean assignsRangesItself() {
        return true;
    }
}
