package io.sluice.cli.sql;

import io.sluice.node.StorageNode;
import java.nio.file.Path;

/** Opens the storage node that keeps a store, to execute statements on it. */
@FunctionalInterface
public interface SqlStores {
    /**
     * Opens a store that exists; the caller closes it.
     *
     * @param blockCacheBytes memory for blocks that are read again
     * @throws io.sluice.model.error.BadInputException when the directory holds no store or another process has it open
     */
    StorageNode openForStatements(Path store, long blockCacheBytes);
}
