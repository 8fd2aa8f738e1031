package io.sluice.it;

import io.sluice.api.node.NodeClient;
import io.sluice.importer.cluster.Cluster;
import io.sluice.importer.remote.RemoteNode;
import io.sluice.importer.remote.RemoteSettings;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** The contract, by three nodes at the other ends of connections, two replicas each. */
class ClusterOfServedNodesTest extends NodeClientContract {
    @Override
    NodeClient open(Path directory) {
        Map<String, NodeClient> nodes = new LinkedHashMap<>();
        for (int i = 0; i < 3; i++) {
            ServedNode served = ServedNode.open(directory.resolve("node" + i));
            RemoteSettings settings = RemoteSettings.of(served.url()).withPatience(2_000, 5_000);
            nodes.put(settings.name(), new ClosingWith(new RemoteNode(settings), served));
        }
        return new Cluster(nodes, 2);
    }

    @Override
    boolean dividesByItself() {
        return true;
    }
}
