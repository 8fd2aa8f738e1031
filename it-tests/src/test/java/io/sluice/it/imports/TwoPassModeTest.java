package io.sluice.it.imports;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.api.node.ScanRequest;
import io.sluice.api.node.ScanRequest.Content;
import io.sluice.importer.job.ImportReport;
import io.sluice.it.support.Imports;
import io.sluice.it.support.Imports.How;
import io.sluice.it.support.Seeds;
import io.sluice.it.support.Stock;
import io.sluice.model.error.BadInputException;
import io.sluice.model.schema.TableDef;
import io.sluice.node.NodeSettings;
import io.sluice.node.StorageNode;
import io.sluice.node.ingest.FaultPoints;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Mode two-pass makes the table that mode merge makes, in one layer, whatever order rows come in. */
@SuppressWarnings("NullAway.Init") // made before all tests
class TwoPassModeTest {
    private static final long SEED = Seeds.of(TwoPassModeTest.class);
    private static final int ROWS = 120_000;
    private static final long MIB = 1L << 20;
    private static final String TWO_SECONDARIES = Stock.SQL;
    private static final String ONE_SECONDARY = Stock.SQL.replaceAll(", UNIQUE INDEX.*", ");");

    @TempDir
    static Path inputs;

    private static Path ordered;
    private static Path shuffled;
    /** Digests of the tables of mode merge, by the number of their secondary indexes. */
    private static List<String> merged;

    @TempDir
    Path directory;

    @BeforeAll
    static void write() {
        ordered = Stock.write(inputs.resolve("ordered.csv"), Stock.numbers(ROWS));
        shuffled = Stock.write(inputs.resolve("shuffled.csv"), Stock.shuffled(ROWS, SEED));
        merged = Stream.of(ONE_SECONDARY, TWO_SECONDARIES)
                .map(TwoPassModeTest::merged)
                .toList();
    }

    private static String merged(String sql) {
        TableDef table = Imports.table(sql);
        Path store = inputs.resolve("merged-" + table.secondaries().size());
        return String.valueOf(
                Imports.intoNewStore(store, table, How.USUAL, ordered).digest());
    }

    @ParameterizedTest
    @CsvSource({"true,1,64,2", "true,2,256,1", "false,1,64,4", "false,2,64,2", "false,2,256,2"})
    void theSameTableAsByMerging(boolean inOrder, int secondaries, int memoryMiB, int workers) {
        TableDef table = Imports.table(secondaries == 1 ? ONE_SECONDARY : TWO_SECONDARIES);
        assertEquals(secondaries, table.secondaries().size());
        Path input = inOrder ? ordered : shuffled;
        String digest = merged.get(secondaries - 1);
        Path store = directory.resolve("store");
        How how = How.USUAL.with(memoryMiB * MIB, workers).twoPass();
        ImportReport report = Imports.intoNewStore(store, table, how, input);
        String context = "seed " + SEED + ", " + report;
        assertEquals(digest, report.digest(), context);
        assertEquals("two-pass", report.outcome().mode());
        assertEquals(ROWS, report.rows().read(), context);
        assertEquals(1, report.store().maxHeight(), context);
        assertEquals(0, report.store().l0Files(), context);
        assertEquals(0, report.store().puts(), context);
        assertEquals(0, report.bytes().spilled(), context);
        assertTrue(report.bytes().peakBuffer() > 0, context);
        assertTrue(String.valueOf(report.outcome().sample()).contains("seed"), context);
        assertTrue(report.times().seconds().containsKey("sample"), context);
        assertEquals(List.of(), Imports.leftBehind(store));
        try (StorageNode node = Imports.open(store)) {
            assertEquals(digest, node.digest("stock").digest(), "after a restart");
            assertEquals(
                    List.of("0", "7"),
                    Objects.requireNonNull(node.get("stock", List.of("0", "7"))).subList(0, 2));
            try (var rows =
                    node.scan(new ScanRequest("stock", "by_item", List.of("999"), List.of(), 3, null, Content.KEY))) {
                assertEquals(List.of("0", "999"), rows.next());
            }
        }
    }

    @Test
    void anEmptyInputIsAnEmptyTable() {
        Path empty = Stock.write(directory.resolve("empty.csv"), List.of());
        ImportReport report = Imports.intoNewStore(
                directory.resolve("store"), Imports.table(TWO_SECONDARIES), How.USUAL.twoPass(), empty);
        assertEquals(0, report.rows().imported());
    }

    @Test
    void rowsThatComeTwiceAreCountedOnce() {
        TableDef table = Imports.table(TWO_SECONDARIES);
        List<Integer> numbers = new ArrayList<>(Stock.shuffled(ROWS, SEED));
        List<Integer> again = Stock.shuffled(ROWS, SEED + 1).subList(0, 500);
        numbers.addAll(again);
        Path input = Stock.write(directory.resolve("again.csv"), numbers);
        String digest = merged.get(1);
        ImportReport report = Imports.intoNewStore(
                directory.resolve("store"), table, How.USUAL.with(64 * MIB, 2).twoPass(), input);
        assertEquals(digest, report.digest(), report.toString());
        assertEquals(again.size(), report.rows().duplicates(), report.toString());
    }

    @Test
    void aConflictBetweenBuffersIsFoundAndNothingIsLeft() throws IOException {
        Path input = directory.resolve("conflict.csv");
        Files.copy(shuffled, input);
        Files.writeString(input, "3,7,99,another,other note\n", StandardOpenOption.APPEND);
        Path store = directory.resolve("store");
        How how = How.USUAL.with(64 * MIB, 2).twoPass();
        BadInputException refused = assertThrows(
                BadInputException.class, () -> Imports.intoNewStore(store, Imports.table(TWO_SECONDARIES), how, input));
        String message = String.valueOf(refused.getMessage());
        assertTrue(message.contains("another"), message);
        assertTrue(message.contains("warehouse = 3, item = 7"), message);
        try (StorageNode node = Imports.open(store)) {
            assertEquals(List.of(), node.tables());
        }
        assertEquals(List.of(), Imports.leftBehind(store));
    }

    /** An error such as a lack of memory in a thread that sends must not look like a batch that was taken. */
    @Test
    void errorOfASendingThreadEndsTheImport() throws IOException {
        AtomicInteger sent = new AtomicInteger();
        NodeSettings settings = NodeSettings.defaults().withFaults(point -> {
            if (point.equals(FaultPoints.BUFFERED) && sent.incrementAndGet() == 2) {
                throw new OutOfMemoryError("injected");
            }
        });
        Path store = directory.resolve("store");
        try (StorageNode node = StorageNode.open(store, settings)) {
            IllegalStateException e = assertThrows(
                    IllegalStateException.class,
                    () -> Imports.run(node, Imports.table(ONE_SECONDARY), How.USUAL.twoPass(), shuffled));
            assertTrue(String.valueOf(e.getMessage()).contains("injected"), e.toString());
            assertEquals(List.of(), node.tables());
        }
        assertEquals(List.of(), Imports.leftBehind(store));
    }

    @Test
    void badRowsEndItBeforeAnythingIsSent() throws IOException {
        Path input = directory.resolve("bad.csv");
        Files.copy(ordered, input);
        Files.writeString(input, "3,no number,99,another,other note\n", StandardOpenOption.APPEND);
        Path store = directory.resolve("store");
        BadInputException refused = assertThrows(
                BadInputException.class,
                () -> Imports.intoNewStore(store, Imports.table(TWO_SECONDARIES), How.USUAL.twoPass(), input));
        assertTrue(String.valueOf(refused.getMessage()).contains("line " + (ROWS + 1)), refused.getMessage());
        assertEquals(List.of(), Imports.leftBehind(store));
    }

    @Test
    @EnabledOnOs({OS.LINUX, OS.MAC})
    void aPipeCannotBeReadTwice() throws Exception {
        Path pipe = directory.resolve("pipe");
        assertEquals(0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor(), "mkfifo");
        BadInputException refused = assertThrows(
                BadInputException.class,
                () -> Imports.intoNewStore(
                        directory.resolve("store"), Imports.table(ONE_SECONDARY), How.USUAL.twoPass(), pipe));
        assertFalse(String.valueOf(refused.getMessage()).isEmpty());
        assertTrue(String.valueOf(refused.getMessage()).contains("--mode merge"), refused.getMessage());
    }
}
