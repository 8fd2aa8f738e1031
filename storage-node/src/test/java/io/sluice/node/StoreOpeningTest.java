package io.sluice.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.engine.store.RocksStore;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.testing.TestSsts;
import io.sluice.testing.TestTables;
import java.io.BufferedReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests which directories are opened as stores, and the errors for others. */
class StoreOpeningTest {
    private static final NodeSettings SETTINGS = NodeSettings.defaults();

    private static String refusal(Path path, boolean create) {
        BadInputException e = assertThrows(BadInputException.class, () -> {
            StorageNode node = create ? StorageNode.open(path, SETTINGS) : StorageNode.openExisting(path, SETTINGS);
            node.close();
        });
        return String.valueOf(e.getMessage());
    }

    @Test
    void readingDoesNotCreateAStore(@TempDir Path temp) throws Exception {
        Path missing = temp.resolve("missing");
        assertTrue(refusal(missing, false).startsWith("there is no store at " + missing));
        assertFalse(Files.exists(missing));
        assertTrue(refusal(temp, false).contains("it is empty"));
        try (var files = Files.list(temp)) {
            assertEquals(0, files.count());
        }
    }

    @Test
    void otherDirectoriesStayUnchanged(@TempDir Path temp) throws Exception {
        Path photo = Files.writeString(temp.resolve("photo.jpg"), "x");
        assertTrue(refusal(temp, true).contains("is not a Sluice store and not empty (it holds photo.jpg)"));
        assertTrue(refusal(temp, false).contains("is not a Sluice store"));
        assertTrue(refusal(photo, true).contains("is a file, not a Sluice store"));
        try (var files = Files.list(temp)) {
            assertEquals(1, files.count());
        }
    }

    @Test
    void interruptedCreationIsContinued(@TempDir Path temp) throws Exception {
        StorageNode.open(temp, SETTINGS).close();
        Files.delete(temp.resolve("sluice-store.json"));
        String id;
        try (StorageNode made = StorageNode.open(temp, SETTINGS)) {
            id = made.status().id();
            assertEquals(List.of(), made.tables());
        }
        assertTrue(Files.exists(temp.resolve("sluice-store.json")), "it was not marked as a store");
        try (StorageNode again = StorageNode.openExisting(temp, SETTINGS)) {
            assertEquals(id, again.status().id(), "it is another store");
        }
    }

    @Test
    void unusableMarkerIsRefused(@TempDir Path temp) throws Exception {
        StorageNode.open(temp, SETTINGS).close();
        Path marker = temp.resolve("sluice-store.json");
        Files.writeString(marker, "{\"format\":\"sluice-store\",\"version\":4}");
        assertTrue(refusal(temp, true).contains("format version 4, this Sluice knows up to 3; use a newer one"));
        Files.writeString(marker, "{\"format\":\"other\",\"version\":1}");
        assertTrue(refusal(temp, true).contains("says other"));
        Files.writeString(marker, "{");
        assertTrue(refusal(temp, true).contains("is damaged"));
        Files.writeString(marker, "{\"format\":\"sluice-store\",\"version\":1,\"later\":true}");
        StorageNode.openExisting(temp, SETTINGS).close();
    }

    @Test
    void failedOpeningLeavesNoThread(@TempDir Path temp) throws Exception {
        try (StorageNode node = StorageNode.open(temp.resolve("store"), SETTINGS)) {
            var unused = TestSsts.importTable(node, TestTables.accounts("accounts"), TestTables.accountRows(3), temp);
        }
        try (RocksStore damaged = RocksStore.open(temp.resolve("store/db"), 1 << 20)) {
            damaged.dropFamily("t1");
        }
        long before = planners();
        for (int i = 0; i < 2; i++) {
            IllegalStateException failure = assertThrows(
                    IllegalStateException.class, () -> StorageNode.openExisting(temp.resolve("store"), SETTINGS));
            assertEquals("there is no column family t1", failure.getMessage());
        }
        assertEquals(before, planners());
    }

    private static long planners() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("sluice-planner"))
                .count();
    }

    @Test
    void storeIsOpenedOnceAtATime(@TempDir Path temp) {
        long own = ProcessHandle.current().pid();
        try (StorageNode node = StorageNode.open(temp, SETTINGS)) {
            assertTrue(refusal(temp, true).contains("is in use by process " + own));
            assertTrue(refusal(temp, false).contains("is in use by process " + own));
            assertEquals(0, node.tables().size());
        }
        StorageNode.openExisting(temp, SETTINGS).close();
    }

    @Test
    void storeOfAnotherProcessIsRefusedUntilThatEnds(@TempDir Path temp) throws Exception {
        Process other = OtherProcess.start(StoreHolder.class, temp.toString());
        try (BufferedReader said = other.inputReader(StandardCharsets.UTF_8)) {
            assertEquals(StoreHolder.OPEN, said.readLine());
            assertTrue(refusal(temp, true).contains("is in use by process " + other.pid()));
        } finally {
            other.destroyForcibly();
            other.waitFor();
        }
        StorageNode.openExisting(temp, SETTINGS).close();
    }

    @Test
    void failedCreationHasAReason(@TempDir Path temp) throws Exception {
        Path file = Files.writeString(temp.resolve("file"), "x");
        OperationFailedException e = assertThrows(OperationFailedException.class, () -> {
            StorageNode node = StorageNode.open(file.resolve("below"), SETTINGS);
            node.close();
        });
        assertTrue(String.valueOf(e.getMessage()).startsWith("could not open the store " + file), e.getMessage());
    }

    @Test
    void invalidSettingsAreReportedTogether() {
        BadInputException e = assertThrows(
                BadInputException.class, () -> SETTINGS.withBlockCacheBytes(1).withReadThreads(0));
        assertTrue(String.valueOf(e.getMessage()).contains("read threads: 0"), e.getMessage());
        BadInputException both = assertThrows(
                BadInputException.class,
                () -> new NodeSettings(-1, 0, SETTINGS.ingest(), 0, SETTINGS.clock(), SETTINGS.faults(), 1));
        assertTrue(String.valueOf(both.getMessage()).contains("block cache: -1"), both.getMessage());
        assertTrue(String.valueOf(both.getMessage()).contains("read threads: 0"), both.getMessage());
    }
}
