package io.sluice.it.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class NodeClocksTest {
    @TempDir
    Path directory;

    /** Time by which the clock of a process is ahead, to a second or so. */
    private static Duration ahead(NodeClocks clocks, int node) throws IOException, InterruptedException {
        ProcessBuilder date = new ProcessBuilder("date", "+%s");
        date.environment().putAll(clocks.environment(node));
        Process process = date.start();
        String seconds = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        assertEquals(0, process.waitFor());
        return Duration.between(Instant.now(), Instant.ofEpochSecond(Long.parseLong(seconds)));
    }

    private static void assertAbout(Duration expected, Duration actual) {
        assertTrue(expected.minus(actual).abs().toSeconds() < 10, expected + " and " + actual);
    }

    @Test
    void eachNodeHasAClockThatTheTestSets() throws Exception {
        assumeTrue(NodeClocks.lacks().isEmpty(), NodeClocks.lacks());
        NodeClocks clocks = NodeClocks.make(directory);
        assertAbout(Duration.ZERO, ahead(clocks, 0));
        clocks.set(0, Duration.ofHours(1), 1);
        clocks.set(1, Duration.ofHours(-1), 1);
        assertAbout(Duration.ofHours(1), ahead(clocks, 0));
        assertAbout(Duration.ofHours(-1), ahead(clocks, 1));
        clocks.set(0, Duration.ZERO, 1_000);
        long start = System.nanoTime();
        while (ahead(clocks, 0).toSeconds() < 100) {
            assertTrue(System.nanoTime() - start < Duration.ofMinutes(1).toNanos(), "the clock is not fast");
        }
    }
}
