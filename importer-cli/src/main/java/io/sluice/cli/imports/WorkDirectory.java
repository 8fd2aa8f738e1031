package io.sluice.cli.imports;

import io.sluice.model.error.BadInputException;
import io.sluice.model.error.Reasons;
import io.sluice.model.file.DurableFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The import's own directory for temporary files; closing deletes it.
 *
 * @param path the directory
 */
record WorkDirectory(Path path) implements AutoCloseable {
    /**
     * Creates the directory.
     *
     * @throws BadInputException if it cannot be created
     */
    static WorkDirectory in(Path parent) {
        try {
            return new WorkDirectory(Files.createTempDirectory(Files.createDirectories(parent), "import-"));
        } catch (IOException e) {
            throw new BadInputException(
                    parent + ": cannot create temporary files: " + Reasons.ofFile(parent, e)
                            + "; name another directory with --tmp",
                    e);
        }
    }

    @Override
    public void close() {
        delete(path);
    }

    /** Deletes a directory and all below it. */
    static void delete(Path directory) {
        try {
            DurableFiles.deleteTree(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
