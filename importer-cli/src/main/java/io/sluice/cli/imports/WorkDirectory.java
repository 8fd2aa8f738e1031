package io.sluice.cli.imports;

import io.sluice.api.error.BadInputException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A directory of this import's own for temporary files; removed when closed.
 *
 * @param path the directory
 */
record WorkDirectory(Path path) implements AutoCloseable {
    /**
     * Makes one.
     *
     * @throws BadInputException when that is not possible in the directory given
     */
    static WorkDirectory in(Path parent) {
        try {
            return new WorkDirectory(Files.createTempDirectory(Files.createDirectories(parent), "import-"));
        } catch (IOException e) {
            throw new BadInputException(
                    parent + ": no temporary files can be made here: " + e.getMessage()
                            + "; name another directory with --tmp",
                    e);
        }
    }

    @Override
    public void close() {
        DirectoryTree.delete(path);
    }
}
