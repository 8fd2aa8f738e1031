package io.sluice.cli.imports;

import io.sluice.model.error.BadInputException;
import io.sluice.model.error.Reasons;
import io.sluice.model.file.DurableFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The import's own directory for temporary files; closing deletes it.
 *
 * @param path the directory
 * @param parents directories that were created for it, the deepest first; closing deletes them if they are empty
 */
record WorkDirectory(Path path, List<Path> parents) implements AutoCloseable {
    WorkDirectory {
        parents = List.copyOf(parents);
    }

    /**
     * Creates the directory.
     *
     * @throws BadInputException if it cannot be created
     */
    static WorkDirectory in(Path parent) {
        List<Path> missing = new ArrayList<>();
        for (Path each = parent.toAbsolutePath(); each != null && Files.notExists(each); each = each.getParent()) {
            missing.add(each);
        }
        try {
            return new WorkDirectory(Files.createTempDirectory(Files.createDirectories(parent), "import-"), missing);
        } catch (IOException e) {
            throw Reasons.ofPlace(
                    parent + ": cannot create temporary files: " + Reasons.ofFile(parent, e)
                            + "; name another directory with --tmp",
                    e);
        }
    }

    @Override
    public void close() {
        delete(path);
        try {
            for (Path each : parents) {
                Files.deleteIfExists(each);
            }
        } catch (DirectoryNotEmptyException e) {
            // Another import has files there.
            return;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
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
