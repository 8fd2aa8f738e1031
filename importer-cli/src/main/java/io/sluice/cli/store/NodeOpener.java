package io.sluice.cli.store;

import io.sluice.api.node.NodeClient;
import java.nio.file.Path;

/** Opens the storage node that keeps a store. */
@FunctionalInterface
public interface NodeOpener {
    /**
     * Opens a store; the caller closes the client.
     *
     * @throws io.sluice.model.error.BadInputException when the directory holds no store or another process has it open
     */
    NodeClient open(Path store);
}
