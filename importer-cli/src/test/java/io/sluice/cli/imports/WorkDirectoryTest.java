package io.sluice.cli.imports;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An import leaves no directories of {@code --tmp} that were not there before. */
class WorkDirectoryTest {
    @Test
    void directoriesThatWereMissingGo(@TempDir Path directory) throws IOException {
        Path shared = directory.resolve("a");
        try (WorkDirectory work = WorkDirectory.in(shared.resolve("b"))) {
            assertTrue(Files.isDirectory(work.path()));
            try (WorkDirectory other = WorkDirectory.in(shared.resolve("c"))) {
                assertTrue(Files.isDirectory(other.path()));
            }
            assertFalse(Files.exists(shared.resolve("c")));
        }
        assertFalse(Files.exists(shared));
        assertTrue(Files.exists(directory));
    }
}
