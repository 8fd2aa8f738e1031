package io.sluice.cli;

import io.sluice.api.node.NodeClient;
import io.sluice.cli.output.Console;
import io.sluice.cli.store.NodeOpener;
import io.sluice.node.NodeSettings;
import io.sluice.node.StorageNode;
import java.nio.file.Path;

/** Storage nodes inside this process, over stores that exist. Says what opening one cleaned up. */
record EmbeddedNodes(Console console) implements NodeOpener {
    @Override
    public NodeClient open(Path store) {
        StorageNode node = StorageNode.openExisting(store, NodeSettings.defaults());
        node.recovered().forEach(message -> console.err().println("sluice: " + message));
        return node;
    }
}
