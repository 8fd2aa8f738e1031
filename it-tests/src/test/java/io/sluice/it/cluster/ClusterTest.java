package io.sluice.it.cluster;

import io.sluice.api.node.NodeClient;
import io.sluice.client.cluster.Cluster;
import io.sluice.node.NodeSettings;
import io.sluice.node.StorageNode;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** The contract, by three nodes in this process. */
class ClusterTest extends NodeClientContract {
    @Override
    NodeClient open(Path directory) {
        Map<String, NodeClient> nodes = new LinkedHashMap<>();
        for (int i = 0; i < 3; i++) {
            nodes.put("node" + i, StorageNode.open(directory.resolve("node" + i), NodeSettings.defaults()));
        }
        return new Cluster(nodes, 1);
    }

    @Override
    boolean assignsRangesItself() {
        return true;
    }
}
