package io.sluice.it.cluster;

import io.sluice.api.node.NodeClient;
import io.sluice.node.NodeSettings;
import io.sluice.node.StorageNode;
import java.nio.file.Path;

/** The contract, by a node in this process. */
class EmbeddedNodeTest extends NodeClientContract {
    @Override
    NodeClient open(Path directory) {
        return StorageNode.open(directory, NodeSettings.defaults());
    }
}
