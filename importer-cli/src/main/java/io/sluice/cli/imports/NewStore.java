package io.sluice.cli.imports;

import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A store that may be made by this import. If it was, and the import fails, closing removes it again: nothing is to be
 * left of an import that did not happen.
 */
final class NewStore implements AutoCloseable {
    private final Path directory;
    private boolean remove;

    private NewStore(Path directory, boolean remove) {
        this.directory = directory;
        this.remove = remove;
    }

    /** Looks whether the store is there; call it before opening. */
    static NewStore at(Path directory) {
        return new NewStore(directory, !Files.exists(directory));
    }

    /** No store of this process. */
    static NewStore none() {
        return new NewStore(Path.of(""), false);
    }

    /** The import succeeded. */
    void keep() {
        remove = false;
    }

    @Override
    public void close() {
        if (remove && Files.exists(directory)) {
            DirectoryTree.delete(directory);
        }
    }
}
