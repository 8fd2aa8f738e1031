package io.sluice.it.project;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.it.support.QuickStart;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands of README.md and docs/tutorial/tour.md succeed in the order in which they stand. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class TourIT {
    private static final long PATIENCE_SECONDS = 180;
    private static final String PROGRAM = "    ./sluice ";

    @TempDir
    Path directory;

    @Test
    void readmesCommandImportsAndReadsARow() throws Exception {
        String printed = run(directory, commands("README.md", 1).replace("/tmp/shop", directory.resolve("shop") + ""));
        assertTrue(printed.contains("imported"), printed);
        assertTrue(printed.contains("1020"), printed);
    }

    /** With a hundredth of the rows. */
    @Test
    void toursCommandsSucceedInTheirOrder() throws Exception {
        String printed = run(
                directory,
                commands("docs/tutorial/tour.md", 11).replace("--warehouses 10 ", "--warehouses 10 --scale 0.01 "));
        assertTrue(printed.contains("s_i_id       = 123\n"), printed);
        assertTrue(Files.size(directory.resolve("lsm.html")) > 0);
    }

    private static String commands(String document, int expected) throws Exception {
        List<String> lines = Files.readString(Path.of("..", document))
                .lines()
                .filter(line -> line.startsWith(PROGRAM))
                .map(String::strip)
                .toList();
        assertEquals(expected, lines.size(), lines.toString());
        return String.join("\n", lines) + "\n";
    }

    /** Runs a script with this build's program as {@code ./sluice}, and returns what it prints. */
    static String run(Path directory, String commands) throws Exception {
        Path samples = Path.of("..", "samples").toRealPath();
        Files.createSymbolicLink(directory.resolve("samples"), samples);
        QuickStart.launcher(directory);
        Path out = directory.resolve("out");
        ProcessBuilder builder = new ProcessBuilder("sh", "-euc", commands)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(out.toFile());
        builder.environment().putAll(QuickStart.ENVIRONMENT);
        Process shell = builder.start();
        shell.getOutputStream().close();
        assertTrue(shell.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS), "the commands do not end");
        String printed = Files.readString(out);
        assertEquals(0, shell.exitValue(), printed);
        return printed;
    }
}
