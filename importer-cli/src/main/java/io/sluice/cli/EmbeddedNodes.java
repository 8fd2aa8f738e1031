package io.sluice.cli;

import io.sluice.api.node.NodeClient;
import io.sluice.cli.imports.ImportNodes;
import io.sluice.cli.node.Serving;
import io.sluice.cli.node.StoreNodes;
import io.sluice.cli.output.Console;
import io.sluice.cli.sql.SqlStores;
import io.sluice.cli.store.NodeOpener;
import io.sluice.node.NodeSettings;
import io.sluice.node.StorageNode;
import io.sluice.node.ingest.FaultPoints;
import java.nio.file.Path;

/** Opens storage nodes in this process, and prints what their recovery cleaned up. */
record EmbeddedNodes(Console console, FaultPoints faults) implements NodeOpener, ImportNodes, StoreNodes, SqlStores {
    @Override
    public NodeClient open(Path store) {
        return reportRecovery(StorageNode.openExisting(store, NodeSettings.defaults()));
    }

    @Override
    public ImportNode openForImport(Path store) {
        StorageNode node = reportRecovery(StorageNode.open(store, settings()));
        return new ImportNode(node, node.workDirectory());
    }

    @Override
    public ImportNode openForImport(Path store, Serving serving) {
        StorageNode node = openForServing(store, serving);
        return new ImportNode(node, node.workDirectory());
    }

    @Override
    public StorageNode openForServing(Path store, Serving serving) {
        return reportRecovery(StorageNode.open(store, serving.applyTo(settings())));
    }

    @Override
    public StorageNode openForStatements(Path store, long blockCacheBytes) {
        return reportRecovery(
                StorageNode.openExisting(store, NodeSettings.defaults().withBlockCacheBytes(blockCacheBytes)));
    }

    private NodeSettings settings() {
        return NodeSettings.defaults().withFaults(faults);
    }

    private StorageNode reportRecovery(StorageNode node) {
        node.recovered().forEach(message -> console.err().println("sluice: " + message));
        return node;
    }
}
