package io.sluice.it.project;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.it.support.QuickStart;
import io.sluice.testing.FreePorts;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands of README.md and of the tutorials succeed in the order in which they stand. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class TourIT {
    private static final long PATIENCE_SECONDS = 180;
    private static final Pattern BLOCK = Pattern.compile("```sh\n(.*?)```", Pattern.DOTALL);
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

    /**
     * All but the first block, which makes the jar and the environment of Python. Set {@code sluice.it.python} to the
     * interpreter of an environment with {@code pyspark}; {@code .ci/nightly spark-python} does.
     */
    @Test
    void sparksCommandsSucceedInTheirOrder() throws Exception {
        Path python = Path.of(System.getProperty("sluice.it.python", ""));
        Path spark = python.resolveSibling("spark-submit");
        assumeTrue(
                Files.exists(spark),
                "this machine lacks a Python with the package pyspark; name one with -Dsluice.it.python");
        Files.createSymbolicLink(
                directory.resolve("importer-spark"),
                Path.of("..", "importer-spark").toRealPath());
        List<String> blocks = BLOCK.matcher(Files.readString(Path.of("..", "docs/tutorial/spark.md")))
                .results()
                .map(block -> block.group(1))
                .toList();
        String commands = String.join("\n", blocks.subList(1, blocks.size()));
        for (String port : List.of("7001", "7011", "7021")) {
            commands = commands.replace(":" + port, ":" + FreePorts.next());
        }
        String printed = run(
                directory,
                "export PATH='" + spark.getParent() + "':\"$PATH\"\nnodes=\ntrap 'kill $nodes; wait' EXIT\n"
                        + commands.replace(" &\n", " &\nnodes=\"$nodes $!\"\n"));
        assertTrue(printed.contains("visitor = visitor 3456\n"), printed);
        assertTrue(printed.contains("all replicas are equal"), printed);
        String digest = "1000000 rows, digest ";
        int first = printed.indexOf(digest);
        int last = printed.lastIndexOf(digest);
        assertTrue(first >= 0 && first < last, printed);
        assertEquals(
                printed.substring(first).lines().findFirst(),
                printed.substring(last).lines().findFirst());
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
