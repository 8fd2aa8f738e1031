package io.sluice.it;

import io.sluice.api.node.NodeClient;
import io.sluice.importer.remote.RemoteNode;
import io.sluice.importer.remote.RemoteSettings;
import java.nio.file.Path;

/** The contract, by a node at the other end of a connection. */
class RemoteNodeTest extends NodeClientContract {
    @Override
    NodeClient open(Path directory) {
        ServedNode served = ServedNode.open(directory);
        return new ClosingWith(new RemoteNode(RemoteSettings.of(served.url()).withPatience(2_000, 5_000)), served);
    }
}
