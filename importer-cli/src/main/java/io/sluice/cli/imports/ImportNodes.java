package io.sluice.cli.imports;

import io.sluice.api.node.NodeClient;
import io.sluice.cli.node.Serving;
import java.nio.file.Path;

/** Opens the storage node that an import goes to, and makes its store when there is none. */
@FunctionalInterface
public interface ImportNodes {
    /**
     * A node to import into; the caller closes the client.
     *
     * @param client the node
     * @param workDirectory where the importer may leave temporary files; on the node's disk, so that SSTs are moved and
     *     not copied
     */
    record ImportNode(NodeClient client, Path workDirectory) {}

    /**
     * Opens a store.
     *
     * @throws io.sluice.api.error.BadInputException when the directory holds something else or another process uses it
     */
    ImportNode openForImport(Path store);

    /**
     * As {@link #openForImport(Path)}, for a process that serves rows as well.
     *
     * @param serving what it may take of the machine, for nodes that can be told
     */
    default ImportNode openForImport(Path store, Serving serving) {
        return openForImport(store);
    }
}
