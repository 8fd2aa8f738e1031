package io.sluice.it.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.it.support.SluiceProcess.Result;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs before the integration tests, which need the archive then: it is made while others have work to do. */
class QuickStartTest {
    @Test
    void processesLoadTheProgramFromTheArchive(@TempDir Path directory) throws Exception {
        Path loaded = directory.resolve("loaded");
        Result version = SluiceProcess.run(directory, List.of("-Xlog:class+load:file=" + loaded), "--version");
        assertEquals(0, version.exitCode(), version.toString());
        List<String> classes = Files.readAllLines(loaded);
        assertTrue(
                classes.stream().anyMatch(line -> line.endsWith(" io.sluice.cli.Sluice source: shared objects file")),
                classes.toString());
    }
}
