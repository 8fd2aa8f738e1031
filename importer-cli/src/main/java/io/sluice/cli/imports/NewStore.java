package io.sluice.cli.imports;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Deletes the store again if this import created it and failed, so that a failed import leaves nothing. A store with a
 * paused import stays, and one that another process created or uses.
 */
final class NewStore implements AutoCloseable {
    /** Lock file of the process that uses a store. */
    private static final String LOCK = "LOCK";

    private final Path directory;
    private final boolean wasMissing;
    private boolean remove;

    private NewStore(Path directory, boolean wasMissing) {
        this.directory = directory;
        this.wasMissing = wasMissing;
    }

    /** Records whether the store exists; call it before opening. */
    static NewStore at(Path directory) {
        return new NewStore(directory, !Files.exists(directory));
    }

    /** Returns an instance without a store in this process. */
    static NewStore none() {
        return new NewStore(Path.of(""), false);
    }

    /** Records that this process has opened the store. */
    void opened() {
        remove = wasMissing;
    }

    /** Keeps the store: the import succeeded, or is paused and what it did is to stay. */
    void keep() {
        remove = false;
    }

    @Override
    public void close() {
        if (remove && Files.exists(directory) && !isUsed()) {
            WorkDirectory.delete(directory);
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
