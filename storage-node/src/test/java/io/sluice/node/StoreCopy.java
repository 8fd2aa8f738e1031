package io.sluice.node;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A copy of a store in use, as a process that ends now would leave it. RocksDB removes files in the background once its
 * MANIFEST no longer names them. So a copy is valid only if no MANIFEST changed meanwhile; otherwise it mixes two
 * states, as no crash does.
 */
final class StoreCopy {
    private static final int TRIES = 50;

    private StoreCopy() {}

    static void take(Path store, Path copy) {
        try {
            for (int tries = 0; tries < TRIES; tries++) {
                Map<Path, Long> before = manifests(store);
                if (copied(store, copy) && before.equals(manifests(store))) {
                    return;
                }
                remove(copy);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        throw new IllegalStateException("the store never stood still for as long as a copy takes");
    }

    private static boolean copied(Path store, Path copy) throws IOException {
        try (Stream<Path> walk = Files.walk(store)) {
            for (Path path : walk.toList()) {
                Files.copy(path, copy.resolve(store.relativize(path).toString()));
            }
            return true;
        } catch (NoSuchFileException | UncheckedIOException e) {
            return false;
        }
    }

    /** The MANIFEST files with their sizes; each change of the tree extends one or begins another. */
    private static Map<Path, Long> manifests(Path store) throws IOException {
        Map<Path, Long> sizes = new HashMap<>();
        try (Stream<Path> files = Files.list(store.resolve("db"))) {
            for (Path file : files.toList()) {
                if (file.getFileName().toString().startsWith("MANIFEST-")) {
                    sizes.put(file, Files.size(file));
                }
            }
        }
        return sizes;
    }

    private static void remove(Path copy) throws IOException {
        try (Stream<Path> walk = Files.walk(copy)) {
            for (Path path : walk.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }
}
