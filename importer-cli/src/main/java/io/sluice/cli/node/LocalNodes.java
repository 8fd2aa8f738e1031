package io.sluice.cli.node;

import io.sluice.api.node.NodeClient;
import io.sluice.cli.output.Console;
import io.sluice.model.error.BadInputException;
import io.sluice.node.NodeSettings;
import io.sluice.node.StorageNode;
import io.sluice.node.ingest.FaultPoints;
import java.nio.file.Files;
import java.nio.file.Path;

/** Opens storage nodes in this process, and prints what their recovery cleaned up. The caller closes them. */
public class LocalNodes {
    /** Directory of the cluster's log, below the store of a member. */
    static final String CLUSTER = "cluster";

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

    static boolean isOfMember(Path store) {
        return Files.isDirectory(store.resolve(CLUSTER));
    }

    /**
     * Checks that a store can be changed by itself. Of a member of a cluster it cannot: the others would not know.
     *
     * @throws BadInputException if it is of a member
     */
    public static void ensureNoMember(Path store) {
        if (isOfMember(store)) {
            throw new BadInputException(
                    "--store " + store + ": is the store of a member of a cluster, and the others would"
                            + " not know what is changed in it alone; start its node, and name nodes of the cluster by --nodes");
        }
    }

    /**
     * Opens a store that exists, to execute statements on it.
     *
     * @throws BadInputException as {@link #open}, and as {@link #ensureNoMember}
     */
    public StorageNode openForStatements(Path store, long blockCacheBytes) {
        ensureNoMember(store);
        return openForBranches(store, blockCacheBytes);
    }

    /**
     * Opens a store that exists, to list and end branches of transactions, also of a member.
     *
     * @throws BadInputException as {@link #open}
     */
    public StorageNode openForBranches(Path store, long blockCacheBytes) {
        return reported(StorageNode.openExisting(store, NodeSettings.defaults().withBlockCacheBytes(blockCacheBytes)));
    }

    /**
     * Opens a store for an import, and creates it if there is none.
     *
     * @throws BadInputException when the directory holds something else, the store is of a member of a cluster, or
     *     another process has it open
     */
    public ImportNode openForImport(Path store) {
        ensureNoMember(store);
        StorageNode node = openForServing(store, NodeSettings.defaults());
        return new ImportNode(node, node.workDirectory());
    }

    /**
     * Opens a store that exists, to import into its tables.
     *
     * @throws BadInputException as {@link #open}, and as {@link #ensureNoMember}
     */
    public ImportNode openForAppend(Path store) {
        ensureNoMember(store);
        StorageNode node =
                reported(StorageNode.openExisting(store, NodeSettings.defaults().withFaults(faults)));
        return new ImportNode(node, node.workDirectory());
    }

    /**
     * Opens the store that this process serves, and creates it if there is none.
     *
     * @throws BadInputException when the directory holds something else or another process has it open
     */
    public StorageNode openForServing(Path store, NodeSettings settings) {
        return reported(StorageNode.open(store, settings.withFaults(faults)));
    }

    private StorageNode reported(StorageNode node) {
        node.recovered().forEach(console::log);
        return node;
    }
}
