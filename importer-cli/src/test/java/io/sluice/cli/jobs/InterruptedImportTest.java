package io.sluice.cli.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.cli.jobs.Commands.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Processes that watch a job and receive SIGINT, as with Ctrl-C. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class InterruptedImportTest {
    private static final long PATIENCE_SECONDS = 60;

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

    /** Runs the program until it says how the job goes, and tells it to end; returns what it said. */
    private String ended(String[] arguments, String... more) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UnlockDiagnosticVMOptions",
                "-XX:-BytecodeVerificationRemote",
                "-Xmx64m",
                "io.sluice.cli.Sluice"));
        command.addAll(List.of(arguments));
        command.addAll(List.of(more));
        Path err = Files.createTempFile(directory, "process", ".err");
        Process process = new ProcessBuilder(command)
                .redirectOutput(directory.resolve("out").toFile())
                .redirectError(err.toFile())
                .start();
        try {
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
            // The first line of progress, after some seconds, comes from the job itself.
            while (!Files.readString(err).contains("import ")) {
                assertTrue(process.isAlive() && System.nanoTime() < end, () -> "it says nothing of an import");
                Thread.sleep(50);
            }
            process.destroy();
            assertTrue(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS), "it does not end");
            return Files.readString(err);
        } finally {
            process.destroyForcibly();
        }
    }
}
