package io.sluice.cli.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.cli.jobs.Commands.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Processes that import, or watch a job, and receive SIGTERM, as with Ctrl-C. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class InterruptedImportTest {
    private static final long PATIENCE_SECONDS = 60;
    /** Time that an interrupted command has to undo its import. */
    private static final long UNDO_SECONDS = 10;

    @TempDir
    Path directory;

    @Test
    void theJobGoesOnOrIsCancelledAsWasAsked() throws Exception {
        String rows = "1,a\n".repeat(50_000);
        Path input = Files.writeString(directory.resolve("rows.csv"), rows);
        Path schema = Files.writeString(directory.resolve("t.sql"), "CREATE TABLE t (a INT8, b STRING);");
        try (RunningService service = new RunningService(directory, null)) {
            String[] slow = {
                "import",
                "--server",
                service.url(),
                "--schema",
                schema.toString(),
                "--mode",
                "direct",
                "--max-rate",
                "1k",
                input.toString()
            };
            String left = ended(slow, "--job-id", "left");
            assertTrue(left.contains("job left goes on; watch it with: sluice jobs watch left --server"), left);
            Result listed = Commands.run("jobs", "list", "--server", service.url(), "--state", "running", "--json");
            assertTrue(listed.out().contains("\"jobId\":\"left\""), listed.toString());
            Result cancelled = Commands.run("jobs", "cancel", "left", "--wait", "--server", service.url());
            assertEquals(0, cancelled.exitCode(), cancelled.toString());

            String undone = ended(slow, "--job-id", "undone", "--on-interrupt", "cancel");
            assertTrue(undone.contains("job undone is cancel"), undone);
            Result watched = Commands.run("jobs", "watch", "undone", "--server", service.url());
            assertEquals(1, watched.exitCode(), watched.toString());
            assertTrue(watched.err().contains("job undone was cancelled"), watched.err());
        }
    }

    /** A process that ends by a signal must not wait for itself. */
    @Test
    void theProcessEndsOnceItsImportIsUndone() throws Exception {
        Path input = Files.writeString(directory.resolve("rows.csv"), "1,a\n".repeat(50_000));
        Path schema = Files.writeString(directory.resolve("t.sql"), "CREATE TABLE t (a INT8, b STRING);");
        Path store = directory.resolve("store");
        String[] slow = {
            "import",
            "--store",
            store.toString(),
            "--memory",
            "64m",
            "--schema",
            schema.toString(),
            "--max-rate",
            "1k",
            input.toString()
        };
        Path err = Files.createTempFile(directory, "process", ".err");
        Process process = started(err, slow);
        try {
            // From here on the import is to be undone.
            await(process, "begin", () -> Files.exists(store.resolve("staging/1")));
            process.destroy();
            awaitText(process, err, "the import was interrupted and undone");
            assertTrue(process.waitFor(UNDO_SECONDS - 2, TimeUnit.SECONDS), "it waits for its own end");
        } finally {
            process.destroyForcibly();
        }
        assertFalse(Files.exists(store.resolve("LOCK")));
    }

    /** Runs the program until it says how the job goes, and tells it to end; returns what it said. */
    private String ended(String[] arguments, String... more) throws Exception {
        Path err = Files.createTempFile(directory, "process", ".err");
        Process process =
                started(err, Stream.of(arguments, more).flatMap(Stream::of).toArray(String[]::new));
        try {
            // The first line of progress, after some seconds, comes from the job itself.
            awaitText(process, err, "import ");
            process.destroy();
            assertTrue(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS), "it does not end");
            return Files.readString(err);
        } finally {
            process.destroyForcibly();
        }
    }

    private Process started(Path err, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UnlockDiagnosticVMOptions",
                "-XX:-BytecodeVerificationRemote",
                "-Xmx320m",
                "io.sluice.cli.Sluice"));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command)
                .redirectOutput(directory.resolve("out").toFile())
                .redirectError(err.toFile())
                .start();
    }

    private static void awaitText(Process process, Path err, String text) throws Exception {
        await(process, "say: " + text, () -> Files.readString(err).contains(text));
    }

    private static void await(Process process, String what, Callable<Boolean> done) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        for (boolean lives = true; !done.call(); lives = process.isAlive()) {
            assertTrue(lives && System.nanoTime() < end, () -> "it does not " + what);
            Thread.sleep(50);
        }
    }
}
