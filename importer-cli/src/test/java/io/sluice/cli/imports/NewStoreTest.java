package io.sluice.cli.imports;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An import that fails removes the store that it has made, and no other. */
class NewStoreTest {
    /** Two imports begin at once with a store that is not there; the one that comes too late fails. */
    @Test
    void aStoreThatAnotherProcessHasMadeStays(@TempDir Path directory) throws IOException {
        Path store = directory.resolve("store");
        NewStore late = NewStore.at(store);
        try (late) {
            make(store);
        }
        assertTrue(Files.exists(store));
    }

    @Test
    void aStoreOfAnImportThatFailsGoes(@TempDir Path directory) throws IOException {
        Path store = directory.resolve("store");
        try (NewStore failed = NewStore.at(store)) {
            make(store);
            failed.opened();
        }
        assertFalse(Files.exists(store));
    }

    @Test
    void aStoreWithATableStays(@TempDir Path directory) throws IOException {
        Path store = directory.resolve("store");
        try (NewStore done = NewStore.at(store)) {
            make(store);
            done.opened();
            done.keep();
        }
        assertTrue(Files.exists(store));
    }

    private static void make(Path store) throws IOException {
        Files.createFile(Files.createDirectory(store).resolve("LOCK"));
    }
}
