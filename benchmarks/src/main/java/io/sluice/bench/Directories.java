package io.sluice.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Removing what a benchmark wrote. */
final class Directories {
    private Directories() {}

    static void delete(Path directory) {
        try (Stream<Path> paths = Files.walk(directory)) {
            List<Path> childrenFirst = paths.sorted(Comparator.reverseOrder()).toList();
            for (Path path : childrenFirst) {
                Files.delete(path);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
