package io.sluice.importer.job.staged;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.importer.conflict.ConflictPolicy;
import io.sluice.model.error.BadInputException;
import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.TableDef;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class StagedBuildTest {
    private static final int THREADS = 4;
    private static final int ROUNDS = 1_000;

    @TempDir
    Path directory;

    /** The lock's file is deleted when a build ends, while others may have opened it. */
    @Test
    void oneBuildAtATimeHoldsADirectory() throws Exception {
        String ddl = "CREATE TABLE t (a INT8 PRIMARY KEY);";
        List<TableDef> tables = Ddl.parse(ddl, "test");
        StagedManifest.Target target = StagedManifest.Target.ofTable(ddl, tables, tables.get(0));
        AtomicInteger holders = new AtomicInteger();
        AtomicInteger opened = new AtomicInteger();
        Path output = directory.resolve("set");
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        List<Future<?>> builders = IntStream.range(0, THREADS)
                .<Future<?>>mapToObj(each -> threads.submit(() -> {
                    for (int i = 0; i < ROUNDS; i++) {
                        try (StagedBuild build =
                                StagedBuild.open(SetPlace.of(output), target, "csv", ConflictPolicy.ERROR, List.of())) {
                            assertFalse(build.isComplete());
                            assertEquals(1, holders.incrementAndGet(), "two builds hold the directory");
                            opened.incrementAndGet();
                            holders.decrementAndGet();
                        } catch (BadInputException e) {
                            assertTrue(String.valueOf(e.getMessage()).contains("another process builds"), e.toString());
                        }
                    }
                }))
                .toList();
        try {
            for (Future<?> builder : builders) {
                builder.get();
            }
        } finally {
            threads.shutdownNow();
        }
        assertTrue(opened.get() > 0);
        assertFalse(Files.exists(output.resolve("LOCK")), "the lock's file is left");
    }
}
