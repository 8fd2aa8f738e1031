package io.sluice.cli.node;

import io.sluice.node.StorageNode;
import java.nio.file.Path;

/** Opens the storage node that a process serves, and makes its store when there is none. */
@FunctionalInterface
public interface StoreNodes {
    /**
     * Opens a store; the caller closes the node.
     *
     * @param serving what it may take of the machine
     * @throws io.sluice.model.error.BadInputException when the directory holds something else or another process uses
     *     it
     */
    StorageNode openForServing(Path store, Serving serving);
}
