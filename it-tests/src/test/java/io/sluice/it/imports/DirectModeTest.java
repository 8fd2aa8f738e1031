package io.sluice.it.imports;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.api.node.NodeClient;
import io.sluice.client.RemoteNode;
import io.sluice.client.RemoteSettings;
import io.sluice.client.cluster.Cluster;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.job.ImportReport;
import io.sluice.it.support.Imports;
import io.sluice.it.support.Imports.How;
import io.sluice.it.support.Seeds;
import io.sluice.it.support.ServedNode;
import io.sluice.it.support.Stock;
import io.sluice.it.support.StockParquet;
import io.sluice.model.error.BadInputException;
import io.sluice.model.schema.TableDef;
import io.sluice.node.StorageNode;
import io.sluice.testing.SomeTests;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Mode direct makes the table that mode merge makes, and leaves every key with one file above it. */
@SuppressWarnings("NullAway.Init") // made before all tests
@SomeTests(2)
class DirectModeTest {
    private static final long SEED = Seeds.of(DirectModeTest.class);
    private static final TableDef TABLE = Imports.table(Stock.SQL);
    private static final int ROWS = 200_000;
    private static final long MIB = 1L << 20;

    @TempDir
    static Path inputs;

    private static Path ordered;
    private static Path shuffled;
    private static String digest;

    @TempDir
    Path directory;

    @BeforeAll
    static void importByMerging() {
        ordered = Stock.write(inputs.resolve("ordered.csv"), Stock.numbers(ROWS));
        shuffled = Stock.write(inputs.resolve("shuffled.csv"), Stock.shuffled(ROWS, SEED));
        digest = String.valueOf(Imports.intoNewStore(inputs.resolve("store"), TABLE, How.USUAL, ordered)
                .digest());
    }

    /** SSTs on their way to a node are in memory, however little there is. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void importIntoARemoteNodeWritesNoFile(boolean inOrder) throws IOException {
        Path work = Files.createDirectory(directory.resolve("work"));
        FileTime before = FileTime.fromMillis(0);
        Files.setLastModifiedTime(work, before);
        try (ServedNode served = ServedNode.open(directory.resolve("store"));
                NodeClient node = new RemoteNode(RemoteSettings.of(served.url()))) {
            How how = How.USUAL.with(64 * MIB, 2).direct();
            ImportReport report = Imports.run(node, work, TABLE, how, inOrder ? ordered : shuffled);
            assertEquals(digest, report.digest(), "seed " + SEED + ", " + report);
        }
        // Each file that is made or removed changes the directory's time.
        assertEquals(before, Files.getLastModifiedTime(work));
    }

    /** Every KV of an index is on one of the nodes. */
    @ParameterizedTest
    @ValueSource(strings = {"ordered.csv", "shuffled.csv", "ordered.parquet"})
    void severalNodesGetEvenShares(String name) throws IOException {
        int rows = 2 * ROWS;
        List<Integer> numbers = name.startsWith("ordered") ? Stock.numbers(rows) : Stock.shuffled(rows, SEED);
        Path file = directory.resolve(name);
        boolean parquet = name.endsWith(".parquet");
        Path input = parquet ? StockParquet.write(file, numbers, 40, 0) : Stock.write(file, numbers);
        Path work = Files.createDirectory(directory.resolve("work"));
        Map<String, StorageNode> nodes = new LinkedHashMap<>();
        for (int i = 0; i < 3; i++) {
            nodes.put("node" + i, Imports.open(directory.resolve("node" + i)));
        }
        try (NodeClient cluster = new Cluster(new LinkedHashMap<>(nodes), 1)) {
            How how = How.USUAL.with(64 * MIB, 2).direct();
            InputFormat avro = InputFormat.Avro.containers(false);
            Imports.run(cluster, work, TABLE, parquet ? how.of(avro) : how, input);
            for (int index = 0; index < TABLE.secondaries().size() + 1; index++) {
                List<Long> shares = new ArrayList<>();
                for (StorageNode node : nodes.values()) {
                    shares.add(node.digest("stock").indexes().get(index).sum().count());
                }
                String context = "index " + index + ": " + shares + ", seed " + SEED;
                assertEquals(rows, shares.stream().mapToLong(Long::longValue).sum(), context);
                // A third of the rows, and the rows between two of the sample's 64 places, or 16 row groups, on both
                // sides.
                double most = parquet ? 0.12 : 0.06;
                for (long share : shares) {
                    assertTrue(share > rows * (0.33 - most) && share < rows * (0.34 + most), context);
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"true,64,1", "true,64,4", "false,64,1", "false,64,2", "false,64,4", "false,256,2"})
    void theSameTableAsByMerging(boolean inOrder, int memoryMiB, int workers) {
        Path store = directory.resolve("store");
        How how = How.USUAL.with(memoryMiB * MIB, workers).direct();
        ImportReport report = Imports.intoNewStore(store, TABLE, how, inOrder ? ordered : shuffled);
        String context = "seed " + SEED + ", " + report;
        assertEquals(digest, report.digest(), context);
        assertEquals("direct", report.outcome().mode());
        assertEquals(0, report.store().l0Files(), context);
        // Buffers below the size of a small SST become Puts, which are logged, flushed and drained: three writes, and a
        // merge.
        assertTrue(report.store().writeAmplification() <= (report.store().puts() > ROWS ? 4 : 2.5), context);
        assertEquals(List.of(), Imports.leftBehind(store));
        try (StorageNode node = Imports.open(store)) {
            assertEquals(digest, node.digest("stock").digest(), "after a restart");
        }
    }

    @Test
    void orderedInputIsWrittenOnce() {
        TableDef primaryOnly = Imports.table(Stock.SQL.replaceAll(", INDEX.*", ")"));
        ImportReport report =
                Imports.intoNewStore(directory.resolve("store"), primaryOnly, How.USUAL.direct(), ordered);
        assertTrue(report.store().writeAmplification() < 1.1, report.toString());
    }

    @Test
    void rowsThatComeTwiceAreCountedOnce() {
        List<Integer> numbers = new ArrayList<>(Stock.shuffled(ROWS, SEED));
        List<Integer> again = Stock.shuffled(ROWS, SEED + 1).subList(0, 500);
        numbers.addAll(again);
        Path input = Stock.write(directory.resolve("again.csv"), numbers);
        ImportReport report = Imports.intoNewStore(
                directory.resolve("store"), TABLE, How.USUAL.with(64 * MIB, 2).direct(), input);
        assertEquals(digest, report.digest(), report.toString());
        assertEquals(again.size(), report.rows().duplicates(), report.toString());
    }

    @Test
    void aConflictBetweenBuffersIsFoundAndNothingIsLeft() throws IOException {
        Path input = directory.resolve("conflict.csv");
        Files.copy(shuffled, input);
        Files.writeString(input, "3,7,99,another,other note\n", StandardOpenOption.APPEND);
        Path store = directory.resolve("store");
        How how = How.USUAL.with(64 * MIB, 2).direct();
        BadInputException refused =
                assertThrows(BadInputException.class, () -> Imports.intoNewStore(store, TABLE, how, input));
        String message = String.valueOf(refused.getMessage());
        assertTrue(message.contains("another"), message);
        assertTrue(message.contains("warehouse = 3, item = 7"), message);
        try (StorageNode node = Imports.open(store)) {
            assertEquals(List.of(), node.tables());
        }
        assertEquals(List.of(), Imports.leftBehind(store));
    }
}
