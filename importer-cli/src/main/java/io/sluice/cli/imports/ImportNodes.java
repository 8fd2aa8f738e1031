package io.sluice.cli.imports;

import io.sluice.api.node.NodeClient;
import io.sluice.cli.node.Serving;
import java.nio.file.Path;

/** Opens the storage node of an import, and creates its store if there is none. */
@FunctionalInterface
public interface ImportNodes {
    /**
     * The node to import into. The caller closes the client.
     *
     * @param client the node
     * @param workDirectory directory for the importer's temporary files; on the node's disk, so that SSTs are moved and
     *     not copied
     */
    record ImportNode(NodeClient client, Path workDirectory) {}

    /**
     * Opens a store.
     *
     * @throws io.sluice.model.error.BadInputException if the directory is not a store or another process uses it
     */
    ImportNode openForImport(Path store);

    /**
     * Opens a store as {@link #openForImport(Path)} does, for a process that also serves rows.
     *
     * @param serving memory and disk limits of the node
     */
    default ImportNode openForImport(Path store, Serving serving) {
        return openForImport(store);
    }
}
