package io.sluice.importer.bundle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.source.ReadSpans;
import io.sluice.model.error.BadInputException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** When a bundle can be created or continued. */
class BundleWriterTest {
    private static final String DDL = "CREATE TABLE t (id INT8 PRIMARY KEY)";
    private static final BundleJob JOB = new BundleJob(UUID.randomUUID(), List.of(), ReadSpans.NONE, 0);

    private static BundleWriter create(Path directory) {
        BundleSettings settings = new BundleSettings(directory, DDL, "test");
        return BundleWriter.create(settings, "direct", "t", InputFormat.DEFAULT, JOB);
    }

    /** A pause interrupts the import's thread, and an interrupted channel closes itself. */
    @Test
    void bundleWhoseCreationWasInterruptedIsCreatedAgain(@TempDir Path directory) {
        Thread.currentThread().interrupt();
        try {
            assertThrows(BadInputException.class, () -> create(directory));
        } finally {
            assertTrue(Thread.interrupted());
        }
        create(directory).close();
        assertEquals(Manifest.State.FAILED, Manifest.read(directory).state());
    }

    @Test
    void bundleIsContinuedByItsImportOnly(@TempDir Path directory) throws Exception {
        create(directory).close();
        create(directory).close();
        Files.delete(directory.resolve(Manifest.FILE));
        BadInputException refusal = assertThrows(BadInputException.class, () -> create(directory));
        assertTrue(String.valueOf(refusal.getMessage()).contains("is not empty; name a new directory"));
    }
}
