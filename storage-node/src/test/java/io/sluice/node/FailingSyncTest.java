package io.sluice.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.node.shuffle.FailingSyncBuffer;
import io.sluice.testing.FailingSync;
import java.io.BufferedReader;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests steps after a sync failed. The kernel drops pages of a log that it could not write, and the next sync succeeds:
 * it must not count as one of the earlier writes.
 */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class FailingSyncTest {
    private static final String LOG = "";
    private static final String MANIFEST = "/MANIFEST-";

    @TempDir
    Path temp;

    @ParameterizedTest
    @ValueSource(strings = {"commit", "log"})
    void storeClaimsNothingDurableAfterAFailedSync(String failing) throws Exception {
        List<String> steps = run(FailingSyncStore.class, LOG, failing);
        assertEquals(4, steps.size(), steps.toString());
        assertTrue(steps.get(0).contains("Input/output error"), steps.get(0));
        for (String step : steps.subList(1, 4)) {
            assertFalse(step.endsWith("done"), step);
        }
    }

    @Test
    void shuffleBufferClaimsNothingDurableAfterAFailedSync() throws Exception {
        List<String> steps = run(FailingSyncBuffer.class, LOG);
        assertEquals(4, steps.size(), steps.toString());
        assertTrue(steps.get(0).contains("Input/output error"), steps.get(0));
        for (String step : steps.subList(1, 4)) {
            assertTrue(step.contains("an earlier sync of its log failed"), step);
        }
    }

    @Test
    void failedDropOfAColumnFamilyIsRepeated() throws Exception {
        assertEquals(List.of("failed", "not found", "t1"), run(FailingSyncDrop.class, MANIFEST, "store"));
    }

    @Test
    void filesOfADroppedTableAreRemovedAfterAFailure() throws Exception {
        assertEquals(List.of("failed", "[t1]", "[]", "[]"), run(FailingSyncDrop.class, MANIFEST, "table"));
    }

    @Test
    void flushedSmallSstsAreDroppedAgainAfterAFailure() throws Exception {
        assertEquals(List.of("failed", "whole", "[t1]"), run(FailingSyncDrop.class, MANIFEST, "flush"));
    }

    /**
     * Runs a process.
     *
     * @param once a part of the path of the file of which one sync fails; empty: those of the log fail
     */
    private List<String> run(Class<?> main, String once, String... arguments) throws Exception {
        FailingSync compiled = FailingSync.compile(temp);
        assumeTrue(compiled != null, "this machine lacks a C compiler, or is not Linux");
        FailingSync failing = Objects.requireNonNull(compiled);
        String[] all = new String[arguments.length + 1];
        all[0] = temp.resolve("db").toString();
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        ProcessBuilder builder = new ProcessBuilder(OtherProcess.command(main, all));
        builder.redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment()
                .putAll(once.isEmpty() ? failing.environment("process") : failing.environmentOnce("process", once));
        Process process = builder.start();
        try (BufferedReader lines = process.inputReader()) {
            List<String> steps = FailingSync.said(lines);
            assertEquals(0, process.waitFor());
            return steps;
        }
    }
}
