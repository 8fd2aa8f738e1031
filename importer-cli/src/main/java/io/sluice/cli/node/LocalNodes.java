package io.sluice.cli.node;

import io.sluice.api.node.NodeClient;
import io.sluice.cli.output.Console;
import io.sluice.node.NodeSettings;
import io.sluice.node.StorageNode;
import io.sluice.node.ingest.FaultPoints;
import java.nio.file.Path;

/** Opens storage nodes in this process, and prints what their recovery cleaned up. The caller closes them. */
public class LocalNodes {
    private final Console console;
    private final FaultPoints faults;

    /** @param faults receives the durable steps of imports and nodes */
    public LocalNodes(Console console, FaultPoints faults) {
        this.console = console;
        this.faults = faults;
    }

    /**
     * The node to import into.
     *
     * @param client the node
     * @param workDirectory directory for the importer's temporary files; on the node's disk, so that SSTs are moved and
     *     not copied
     */
    public record ImportNode(NodeClient client, Path workDirectory) {}

    public FaultPoints faults() {
        return faults;
    }

    /**
     * Opens a store that exists.
     *
     * @throws BadInputException when the directory holds no store or another process has it open
     */
    public NodeClient open(Path store) {
        return reported(StorageNode.openExisting(store, NodeSettings.defaults()));
    }

    /**
     * Opens a store that exists, to execute statements on it.
     *
     * @throws BadInputException as {@link #open}
     */
    public StorageNode openForStatements(Path store, long blockCacheBytes) {
        return reported(StorageNode.openExisting(store, NodeSettings.defaults().withBlockCacheBytes(blockCacheBytes)));
    }

    /**
     * Opens a store for an import, and creates it if there is none.
     *
     * @throws BadInputException when the directory holds something else or another process has it open
     */
    public ImportNode openForImport(Path store) {
        StorageNode node = openForServing(store, NodeSettings.defaults());
        return new ImportNode(node, node.workDirectory());
    }

    /**
     * Opens a store that exists, to import into its tables.
     *
     * @throws BadInputException as {@link #open}
     */
    public ImportNode openForAppend(Path store) {
        StorageNode node =
                reported(StorageNode.openExisting(store, NodeSettings.defaults().withFaults(faults)));
        return new ImportNode(node, node.workDirectory());
    }

    /**
     * Opens the store that this process serves, and creates it if there is none.
     *
     * @throws BadInputException as {@link #openForImport}
     */
    public StorageNode openForServing(Path store, NodeSettings settings) {
        return reported(StorageNode.open(store, settings.withFaults(faults)));
    }

    private StorageNode reported(StorageNode node) {
        node.recovered().forEach(message -> console.err().println("sluice: " + message));
        return node;
    }
}
