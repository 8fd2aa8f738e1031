package io.sluice.it.project;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.it.support.QuickStart;
import io.sluice.it.support.SluiceProcess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands of docs/how-to/node.md work: curl alone stages, ingests and reads. */
class NodeByHandIT {
    private static final Pattern BLOCK = Pattern.compile("```sh\n(.*?)```", Pattern.DOTALL);
    private static final long PATIENCE_SECONDS = 120;

    @Test
    void commandsOfTheManualRun(@TempDir Path directory) throws Exception {
        SluiceProcess node = SluiceProcess.start(
                directory,
                List.of(),
                "node",
                "--store",
                directory.resolve("store").toString(),
                "--listen",
                "127.0.0.1:0");
        String url = node.firstLine().substring("ready ".length());
        try {
            String said = run(directory, script(), url);
            assertTrue(said.contains("\"state\":\"staged\"} 201"), said);
            assertTrue(said.contains("\"state\":\"staged\"} 200"), said);
            assertTrue(said.contains("\"state\":\"ingested\""), said);
            assertTrue(said.contains("[\"2\",\"Bruno\"]"), said);
            assertTrue(said.contains("[\"3\",\"Cleo\"]\n"), said);
            assertTrue(said.contains("sluice_ssts_taken_total{state=\"staged\"} 1.0"), said);
        } finally {
            node.terminate();
        }
        SluiceProcess.Result ended = node.await();
        assertEquals(0, ended.exitCode(), ended.toString());
    }

    private static String script() throws IOException {
        Matcher blocks = BLOCK.matcher(Files.readString(Path.of("..", "docs", "how-to", "node.md")));
        return blocks.results().map(block -> block.group(1)).collect(Collectors.joining("\n"));
    }

    /** Runs it as a user would, but with a {@code ./sluice} that runs these classes instead of building others. */
    private static String run(Path directory, String script, String url) throws IOException, InterruptedException {
        QuickStart.launcher(directory);
        Path file = Files.writeString(directory.resolve("by-hand.sh"), "set -eu\n" + script);
        ProcessBuilder builder = new ProcessBuilder("sh", file.toString()).directory(directory.toFile());
        builder.environment().putAll(QuickStart.ENVIRONMENT);
        builder.environment().put("SLUICE_NODE", url);
        builder.environment().put("TMPDIR", directory.toString());
        builder.redirectErrorStream(true);
        Path out = directory.resolve("by-hand.out");
        Process process = builder.redirectOutput(out.toFile()).start();
        assertTrue(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS), "the script does not end");
        String said = Files.readString(out, StandardCharsets.UTF_8);
        assertEquals(0, process.exitValue(), said);
        return said;
    }
}
