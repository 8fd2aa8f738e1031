package io.sluice.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.IngestTiming;
import io.sluice.testing.TestSsts;
import io.sluice.testing.TestTables;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests recovery after a process ended at any durable step, by an exception and by killing a process.
 * {@link RecoveryScriptTest} has the ends that copies of the store simulate.
 */
class RecoveryTest {
    private static final NodeSettings SETTINGS = NodeSettings.defaults().withReadThreads(2);

    @ParameterizedTest
    @ValueSource(strings = {"shipped", "intent", "ingested", "before-publish"})
    void closingTheSessionUndoesAFailedStep(String point, @TempDir Path temp) throws Exception {
        Path ssts = Files.createDirectory(temp.resolve("ssts"));
        NodeSettings faulty = SETTINGS.withFaults(passed -> {
            if (passed.equals(point)) {
                throw new UnsupportedOperationException(point);
            }
        });
        try (StorageNode node = StorageNode.open(temp.resolve("store"), faulty)) {
            try (ImportSession session =
                    node.beginImport(ImportRequest.of(TestTables.accounts("accounts"), IngestTiming.AT_END))) {
                assertThrows(UnsupportedOperationException.class, () -> {
                    List<IndexChecksum> sums = TestSsts.shipAll(session, TestTables.accountRows(20), ssts);
                    session.finalizeIngest();
                    session.publish(sums);
                });
            }
            assertNull(node.table("accounts"));
            assertTrue(filesIn(temp.resolve("store/staging")).isEmpty());
        }
        try (StorageNode node = StorageNode.openExisting(temp.resolve("store"), SETTINGS)) {
            assertEquals(List.of(), node.recovered());
        }
    }

    @ParameterizedTest
    @CsvSource({"intent, false", "ingested, false", "before-publish, false", "published, true"})
    void haltedProcessLeavesAllOrNothing(String point, boolean published, @TempDir Path temp) throws Exception {
        Process importer = OtherProcess.start(HaltingImport.class, temp.toString(), point);
        assertEquals(HaltingImport.EXIT_CODE, importer.waitFor());
        try (StorageNode node = StorageNode.openExisting(temp.resolve("store"), SETTINGS)) {
            assertEquals(published, node.table("accounts") != null);
            assertEquals(published ? 0 : 1, node.recovered().size());
            if (published) {
                assertEquals(HaltingImport.ROWS, node.digest("accounts").rows());
            }
        }
    }

    @Test
    void unknownStagedFilesAndWorkFilesAreRemoved(@TempDir Path temp) throws Exception {
        Path store = temp.resolve("store");
        StorageNode.open(store, SETTINGS).close();
        Files.createDirectories(store.resolve("staging/77/deeper"));
        Files.writeString(store.resolve("staging/77/x.sst"), "x");
        Files.createDirectories(store.resolve("work/runs"));
        Files.writeString(store.resolve("work/runs/1"), "x");
        try (StorageNode node = StorageNode.openExisting(store, SETTINGS)) {
            assertEquals(List.of("removed staged files of an import that is over: 77"), node.recovered());
            assertTrue(filesIn(store.resolve("staging")).isEmpty());
            assertEquals(store.resolve("work"), node.workDirectory());
            assertTrue(filesIn(node.workDirectory()).isEmpty());
        }
    }

    private static List<Path> filesIn(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.toList();
        }
    }
}
