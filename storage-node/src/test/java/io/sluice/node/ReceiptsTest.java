package io.sluice.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.IngestTiming;
import io.sluice.api.node.ShipAnswer;
import io.sluice.api.node.SstFile;
import io.sluice.node.ingest.IngestSettings;
import io.sluice.testing.TestSsts;
import io.sluice.testing.TestTables;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that an SST is taken once, when it is delivered again or concurrently. */
class ReceiptsTest {
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void repeatedAndConcurrentDeliveriesCountOnce(boolean small, @TempDir Path temp) throws Exception {
        NodeSettings settings =
                NodeSettings.defaults().withIngest(IngestSettings.defaults().withSmallSstBytes(small ? 1 << 20 : 0));
        ExecutorService senders = Executors.newFixedThreadPool(4);
        try (StorageNode node = StorageNode.open(temp.resolve("store"), settings);
                ImportSession session =
                        node.beginImport(ImportRequest.of(TestTables.customers(), IngestTiming.ON_ARRIVAL))) {
            for (int round = 0; round < 20; round++) {
                SstFile sst = TestSsts.build(session.table(), TestTables.customerRows(50 + round), temp)
                        .get(0);
                List<SstFile> copies = new ArrayList<>(List.of(sst));
                for (int copy = 0; copy < 3; copy++) {
                    Path path = Files.copy(sst.path(), temp.resolve(round + "-" + copy));
                    copies.add(new SstFile(
                            sst.id(),
                            path,
                            sst.indexId(),
                            sst.smallestKey(),
                            sst.largestKey(),
                            sst.fileBytes(),
                            sst.sum()));
                }
                List<Future<ShipAnswer>> answers = new ArrayList<>();
                copies.forEach(copy -> answers.add(senders.submit(() -> session.ship(copy))));
                for (Future<ShipAnswer> answer : answers) {
                    assertEquals(new ShipAnswer.Taken(), answer.get());
                }
                assertEquals(new ShipAnswer.Taken(), session.ship(sst), "again, without a file");
                copies.forEach(copy -> assertFalse(Files.exists(copy.path())));
            }
            var report = session.finalizeIngest();
            assertEquals(small ? 0 : 20, report.ssts());
            assertEquals(small ? 20 * 50 + 190 : 0, report.puts());
            assertEquals(69, session.present().get(0).sum().count());
        } finally {
            senders.shutdownNow();
        }
    }
}
