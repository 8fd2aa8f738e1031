package io.sluice.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.IngestReport;
import io.sluice.api.node.IngestTiming;
import io.sluice.api.node.ShipAnswer;
import io.sluice.api.node.SstFile;
import io.sluice.testing.TestSsts;
import io.sluice.testing.TestTables;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests SSTs that enter the tree on arrival, in any order. */
class OnArrivalTest {
    private static final long SEED = Long.getLong("sluice.seed", System.nanoTime());
    private static final NodeSettings ALL_FILES =
            NodeSettings.defaults().withIngest(NodeSettings.defaults().ingest().withSmallSstBytes(0));

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shippedKvsArePresentOnceAtHeightOne(boolean small, @TempDir Path temp) throws Exception {
        NodeSettings settings = small ? NodeSettings.defaults() : ALL_FILES;
        List<List<@Nullable String>> rows = TestTables.accountRows(2000);
        Collections.shuffle(rows, new Random(SEED));
        List<IndexChecksum> sums;
        try (StorageNode node = StorageNode.open(temp.resolve("store"), settings)) {
            try (ImportSession session =
                    node.beginImport(ImportRequest.of(TestTables.accounts("accounts"), IngestTiming.ON_ARRIVAL))) {
                List<SstFile> ssts = new ArrayList<>();
                for (int from = 0; from < rows.size(); from += 200) {
                    ssts.addAll(TestSsts.build(session.table(), rows.subList(from, from + 200), temp));
                }
                for (SstFile sst : ssts) {
                    assertEquals(new ShipAnswer.Taken(), session.ship(sst));
                }
                IngestReport report = session.finalizeIngest();
                sums = TestSsts.sums(session.table(), ssts);
                assertEquals(sums, session.present());
                assertEquals(sums, session.readBack().indexes());
                assertEquals(small ? 0 : 30, report.ssts());
                assertEquals(small ? 6000 : 0, report.puts());
                assertEquals(0, report.l0Files());
                assertTrue(report.bytesWritten() > 0);
                assertEquals(small ? 1 : 10, report.maxHeight());
                session.publish(sums);
            }
            assertEquals(sums, node.digest("accounts").indexes());
        }
        try (StorageNode node = StorageNode.open(temp.resolve("store"), settings)) {
            assertEquals(List.of(), node.recovered());
            assertEquals(sums, node.digest("accounts").indexes());
        }
    }

    @Test
    void secondFinalizeTakesLaterSsts(@TempDir Path temp) throws Exception {
        try (StorageNode node = StorageNode.open(temp.resolve("store"), ALL_FILES);
                ImportSession session =
                        node.beginImport(ImportRequest.of(TestTables.customers(), IngestTiming.ON_ARRIVAL))) {
            List<List<@Nullable String>> rows = TestTables.customerRows(100);
            List<SstFile> ssts = new ArrayList<>(TestSsts.build(session.table(), rows.subList(0, 60), temp));
            ssts.forEach(session::ship);
            session.finalizeIngest();
            assertEquals(60, session.present().get(0).sum().count());
            SstFile more =
                    TestSsts.build(session.table(), rows.subList(40, 100), temp).get(0);
            session.ship(more);
            session.finalizeIngest();
            assertEquals(100, session.present().get(0).sum().count(), "rows that came twice count once");
        }
    }
}
