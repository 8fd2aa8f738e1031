package io.sluice.cli.imports;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Deletes directories recursively. */
final class DirectoryTree {
    private DirectoryTree() {}

    static void delete(Path directory) {
        try (Stream<Path> files = Files.walk(directory)) {
            List<Path> childrenFirst = files.sorted(Comparator.reverseOrder()).toList();
            for (Path file : childrenFirst) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
