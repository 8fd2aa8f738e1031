package io.sluice.cli.imports;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A store that may be made by this import. If it was, and the import fails, closing removes it again: nothing is to be
 * left of an import that did not happen. A store that another process has made or uses stays as it is.
 */
final class NewStore implements AutoCloseable {
    /** Held by whoever uses a store. */
    private static final String LOCK = "LOCK";

    private final Path directory;
    private final boolean wasMissing;
    private boolean remove;

    private NewStore(Path directory, boolean wasMissing) {
        this.directory = directory;
        this.wasMissing = wasMissing;
    }

    /** Looks whether the store is there; call it before opening. */
    static NewStore at(Path directory) {
        return new NewStore(directory, !Files.exists(directory));
    }

    /** No store of this process. */
    static NewStore none() {
        return new NewStore(Path.of(""), false);
    }

    /** This process has opened the store. */
    void opened() {
        remove = wasMissing;
    }

    /** The import succeeded. */
    void keep() {
        remove = false;
    }

    @Override
    public void close() {
        if (remove && Files.exists(directory) && !isUsed()) {
            DirectoryTree.delete(directory);
        }
    }

    /** Whether a process has opened the store since this one closed it. */
    private boolean isUsed() {
        try (FileChannel file = FileChannel.open(directory.resolve(LOCK), StandardOpenOption.WRITE);
                FileLock lock = file.tryLock()) {
            return lock == null;
        } catch (IOException e) {
            return true;
        }
    }
}
