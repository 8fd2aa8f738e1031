package io.sluice.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.IngestReport;
import io.sluice.api.node.IngestTiming;
import io.sluice.api.node.RowCursor;
import io.sluice.api.node.ScanRequest;
import io.sluice.api.node.SstFile;
import io.sluice.engine.lsm.LsmEvents;
import io.sluice.testing.TestSsts;
import io.sluice.testing.TestTables;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.io.TempDir;

/**
 * Compares random overlapping SSTs with a map: during compactions by two threads, after the final compaction, and after
 * the store was opened again, reads return exactly the newest value of every key.
 */
class ModelTest {
    private static final long SEED = Long.getLong("sluice.seed", System.nanoTime());
    private static final int SSTS = 620;
    private static final int KEYS = 20_000;

    private final TreeMap<Integer, String> model = new TreeMap<>();

    @RepeatedTest(2)
    void readsReturnTheNewestValueOfEveryKey(RepetitionInfo repetition, @TempDir Path temp) throws Exception {
        long seed = SEED + repetition.getCurrentRepetition();
        Random random = new Random(seed);
        String told = "seed " + SEED + ", repetition " + repetition.getCurrentRepetition();
        NodeSettings settings = Shipping.crowded(0);
        try (StorageNode node = StorageNode.open(temp.resolve("store"), settings)) {
            try (ImportSession session =
                    node.beginImport(ImportRequest.of(TestTables.customers(), IngestTiming.ON_ARRIVAL))) {
                for (int i = 0; i < SSTS; i++) {
                    SstFile sst = TestSsts.build(session.table(), rows(random, i), temp)
                            .get(0);
                    Shipping.untilTaken(session, sst);
                    if (i % 100 == 50) {
                        assertEquals(model.size(), session.readBack().rows(), told);
                    }
                }
                IngestReport report = session.finalizeIngest();
                assertEquals(SSTS, report.ssts(), told);
                assertEquals(0, report.l0Files(), told);
                assertTrue(
                        report.maxHeight()
                                <= settings.ingest().compaction().offline().limit(),
                        told + ": " + report);
                assertTrue(report.bytesWritten() > 0, told);
                assertEquals(model.size(), session.present().get(0).sum().count(), told);
                session.publish(session.present());
            }
            assertSame(node, told);
        }
        try (StorageNode node = StorageNode.openExisting(temp.resolve("store"), settings)) {
            assertEquals(List.of(), node.recovered(), told);
            assertSame(node, told);
        }
        String log = Files.readString(temp.resolve("store").resolve(LsmEvents.FILE_NAME));
        assertTrue(log.contains("\"kind\":\"compaction\""), told);
        List<String> refused = log.lines()
                .filter(line -> line.contains("\"kind\":\"failure\"") && !line.contains("put off"))
                .toList();
        assertEquals(List.of(), refused, told + ": RocksDB refused merges");
    }

    /** A span of keys, wide or narrow, dense or sparse. */
    private List<List<@Nullable String>> rows(Random random, int version) {
        int width = random.nextInt(10) == 0 ? KEYS : 1 + random.nextInt(KEYS / 20);
        int from = random.nextInt(KEYS - width + 1);
        int step = 1 + random.nextInt(1 + width / 50);
        List<List<@Nullable String>> rows = new ArrayList<>();
        for (int id = from; id < from + width; id += step) {
            String name = "v" + version + "-" + random.nextInt(1000);
            rows.add(List.of(Integer.toString(id), name));
            model.put(id, name);
        }
        return rows;
    }

    private void assertSame(StorageNode node, String told) {
        List<String> expected = new ArrayList<>();
        model.forEach((id, name) -> expected.add(id + "=" + name));
        List<String> found = new ArrayList<>();
        try (RowCursor cursor = node.scan(new ScanRequest("customers", null, List.of(), List.of(), Long.MAX_VALUE))) {
            for (List<@Nullable String> row = cursor.next(); row != null; row = cursor.next()) {
                found.add(row.get(0) + "=" + row.get(1));
            }
        }
        assertEquals(expected, found, told);
        for (int id = 0; id < KEYS; id += 37) {
            List<@Nullable String> row = node.get("customers", List.of(Integer.toString(id)));
            String name = model.get(id);
            if (name == null) {
                assertNull(row, told);
            } else {
                assertEquals(name, row == null ? null : row.get(1), told);
            }
        }
    }
}
