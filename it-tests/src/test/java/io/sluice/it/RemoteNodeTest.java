package io.sluice.it;

import io.sluice.api.node.NodeClient;
import io.sluice.importer.remote.RemoteNode;
import io.sluice.importer.remote.RemoteSettings;
import java.nio.file.Path;
import java.util.List;

/** The contract, by a node at the other end of a connection. */
class RemoteNodeTest extends NodeClientContract {
    @Override
    NodeClient open(Path directory) {
        ServedNode served = ServedNode.open(directory);
        RemoteSettings settings = RemoteSettings.of(served.url()).withPatience(2_000, 5_000);
        return new ClosingWith(new RemoteNode(settings), List.of(served));
    }
}
