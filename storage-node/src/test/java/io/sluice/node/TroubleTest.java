package io.sluice.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.IngestTiming;
import io.sluice.api.node.ShipAnswer;
import io.sluice.api.node.SstFile;
import io.sluice.engine.admit.AdmissionSettings;
import io.sluice.engine.lsm.LsmEvents;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.thread.Backoff;
import io.sluice.node.ingest.FaultPoints;
import io.sluice.node.ingest.IngestSettings;
import io.sluice.testing.MovableClock;
import io.sluice.testing.TestSsts;
import io.sluice.testing.TestTables;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests failing compactions and flushes, and a full disk: no data is lost, and the node continues. */
class TroubleTest {
    private static final IngestSettings QUICK =
            IngestSettings.defaults().withSmallSstBytes(0).withBackoff(new Backoff(1, 20, 5));

    /** Throws at a point a given number of times. */
    private record Failing(String point, AtomicInteger times) implements FaultPoints {
        @Override
        public void reached(String passed) {
            if (passed.equals(point) && times.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                throw new OperationFailedException("injected at " + point);
            }
        }
    }

    @Test
    void failedCompactionIsRetriedAndLogged(@TempDir Path temp) throws Exception {
        Failing faults = new Failing(FaultPoints.MERGE, new AtomicInteger(3));
        NodeSettings settings = NodeSettings.defaults().withIngest(QUICK).withFaults(faults);
        try (StorageNode node = StorageNode.open(temp.resolve("store"), settings);
                ImportSession session =
                        node.beginImport(ImportRequest.of(TestTables.customers(), IngestTiming.ON_ARRIVAL))) {
            List<IndexChecksum> sums = TestSsts.shipAll(session, TestTables.customerRows(100), temp);
            session.finalizeIngest();
            assertEquals(sums, session.present());
            assertEquals(0, faults.times().get());
        }
        String log = Files.readString(temp.resolve("store").resolve(LsmEvents.FILE_NAME));
        assertTrue(log.contains("injected at merge; tried again in 4 ms"), log);
    }

    @Test
    void repeatedlyFailingCompactionIsReported(@TempDir Path temp) throws Exception {
        Failing faults = new Failing(FaultPoints.MERGE, new AtomicInteger(Integer.MAX_VALUE));
        NodeSettings settings = NodeSettings.defaults().withIngest(QUICK).withFaults(faults);
        try (StorageNode node = StorageNode.open(temp.resolve("store"), settings);
                ImportSession session =
                        node.beginImport(ImportRequest.of(TestTables.customers(), IngestTiming.ON_ARRIVAL))) {
            List<IndexChecksum> sums = TestSsts.shipAll(session, TestTables.customerRows(100), temp);
            OperationFailedException e = assertThrows(OperationFailedException.class, session::finalizeIngest);
            assertEquals("injected at merge", e.getMessage());
            assertEquals(sums, session.readBack().indexes(), "what was shipped is there, only not flat");
            assertThrows(OperationFailedException.class, () -> session.publish(sums));
            faults.times().set(0);
            session.finalizeIngest();
            session.publish(session.present());
            assertEquals(sums, node.digest("customers").indexes());
        }
    }

    @Test
    void compactionOfADamagedFileIsReportedAndOtherTablesAreServed(@TempDir Path temp) throws Exception {
        Path store = temp.resolve("store");
        NodeSettings settings = NodeSettings.defaults().withIngest(QUICK);
        List<IndexChecksum> before;
        try (StorageNode node = StorageNode.open(store, settings)) {
            before = TestSsts.importTable(node, TestTables.accounts("accounts"), TestTables.accountRows(50), temp);
        }
        try (StorageNode node = StorageNode.openExisting(store, settings)) {
            Set<Path> others = ssts(store);
            ImportSession session = node.beginImport(ImportRequest.of(TestTables.customers(), IngestTiming.ON_ARRIVAL));
            TestSsts.shipAll(session, TestTables.customerRows(20_000), temp);
            Set<Path> arrived = ssts(store);
            arrived.removeAll(others);
            Path damaged = arrived.stream()
                    .max(Comparator.comparingLong(file -> file.toFile().length()))
                    .orElseThrow();
            damage(damaged);
            OperationFailedException e = assertThrows(OperationFailedException.class, session::finalizeIngest);
            assertTrue(String.valueOf(e.getMessage()).contains("damaged"), e.getMessage());
            assertEquals(before, node.digest("accounts").indexes(), "others are served");
            assertTrue(Files.exists(damaged), "a merge that failed leaves its inputs in place");
            // RocksDB takes no writes after it found damage, so the import can be undone only after the store is opened
            // again.
            OperationFailedException stuck = assertThrows(OperationFailedException.class, session::close);
            assertTrue(String.valueOf(stuck.getMessage()).contains("open the store again"), stuck.getMessage());
        }
        try (StorageNode node = StorageNode.openExisting(store, settings)) {
            assertEquals(
                    List.of("removed what an unfinished import of table customers had left; import it again"),
                    node.recovered());
            assertEquals(before, node.digest("accounts").indexes());
            TestSsts.importTable(node, TestTables.customers(), TestTables.customerRows(50), temp);
            assertEquals(50, node.digest("customers").indexes().get(0).sum().count());
        }
    }

    private static Set<Path> ssts(Path store) throws IOException {
        try (Stream<Path> files = Files.list(store.resolve("db"))) {
            return files.filter(file -> file.toString().endsWith(".sst"))
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    /** Flips bytes in the middle of a file's data. */
    private static void damage(Path file) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        for (int i = bytes.length / 4; i < bytes.length / 4 + 100; i++) {
            bytes[i] ^= 0x55;
        }
        Files.write(file, bytes);
    }

    @Test
    void sstThatIsNotIngestedIsMovedBack(@TempDir Path temp) throws Exception {
        Failing faults = new Failing(FaultPoints.SHIPPED, new AtomicInteger(1));
        NodeSettings settings = NodeSettings.defaults().withIngest(QUICK).withFaults(faults);
        try (StorageNode node = StorageNode.open(temp.resolve("store"), settings);
                ImportSession session =
                        node.beginImport(ImportRequest.of(TestTables.customers(), IngestTiming.ON_ARRIVAL))) {
            SstFile sst = TestSsts.build(session.table(), TestTables.customerRows(10), temp)
                    .get(0);
            assertThrows(OperationFailedException.class, () -> session.ship(sst));
            assertTrue(Files.exists(sst.path()), "it was not taken, so it is the sender's");
            assertEquals(new ShipAnswer.Taken(), session.ship(sst));
            session.finalizeIngest();
            assertEquals(10, session.present().get(0).sum().count());
        }
    }

    @Test
    void smallSstBufferIsRemovedWithAnUnfinishedImport(@TempDir Path temp) throws Exception {
        Path store = temp.resolve("store");
        try (StorageNode node = StorageNode.open(store, NodeSettings.defaults())) {
            ImportSession session = node.beginImport(ImportRequest.of(TestTables.customers(), IngestTiming.ON_ARRIVAL));
            TestSsts.shipAll(session, TestTables.customerRows(100), temp);
        }
        try (StorageNode node = StorageNode.openExisting(store, NodeSettings.defaults())) {
            assertEquals(
                    List.of("removed what an unfinished import of table customers had left; import it again"),
                    node.recovered());
        }
        try (StorageNode node = StorageNode.openExisting(store, NodeSettings.defaults())) {
            assertEquals(List.of(), node.recovered());
        }
    }

    @Test
    void fullDiskDefersThenRefusesAndReadsContinue(@TempDir Path temp) throws Exception {
        long tooMuch = Long.MAX_VALUE / 2;
        AdmissionSettings gate = AdmissionSettings.defaults();
        AdmissionSettings full = gate.withDisk(new AdmissionSettings.Disk(tooMuch, tooMuch));
        MovableClock clock = new MovableClock();
        NodeSettings settings = NodeSettings.defaults()
                .withIngest(QUICK.withAdmission(full).withDiskPatienceMillis(10_000))
                .withClock(clock);
        try (StorageNode node = StorageNode.open(temp.resolve("store"), settings)) {
            List<IndexChecksum> before =
                    TestSsts.importTable(node, TestTables.customers(), TestTables.customerRows(50), temp);
            try (ImportSession session =
                    node.beginImport(ImportRequest.of(TestTables.accounts("accounts"), IngestTiming.ON_ARRIVAL))) {
                SstFile sst = TestSsts.build(session.table(), TestTables.accountRows(50), temp)
                        .get(0);
                assertEquals(new ShipAnswer.Deferred(gate.waits().maxMillis(), "disk"), session.ship(sst));
                clock.move(Duration.ofMillis(9_999));
                assertInstanceOf(ShipAnswer.Deferred.class, session.ship(sst));
                clock.move(Duration.ofMillis(1));
                ShipAnswer.Refused refused = assertInstanceOf(ShipAnswer.Refused.class, session.ship(sst));
                assertEquals("disk", refused.limiter());
                assertTrue(refused.reason().contains("make room"), refused.reason());
                assertTrue(Files.exists(sst.path()), "the file is the sender's still");
                assertEquals(before, node.digest("customers").indexes());
            }
        }
    }

    @Test
    void tallStackDefersUntilCompacted(@TempDir Path temp) throws Exception {
        AdmissionSettings gate = AdmissionSettings.defaults();
        NodeSettings crowded = Shipping.crowded(0);
        AdmissionSettings low = new AdmissionSettings(
                24,
                gate.files(),
                gate.compactionBytes(),
                gate.stagedBytes(),
                gate.disk(),
                gate.decay(),
                new AdmissionSettings.Waits(5, 10));
        AtomicInteger blocked = new AtomicInteger(1);
        FaultPoints slow = point -> {
            if (point.equals(FaultPoints.MERGE) && blocked.get() > 0) {
                throw new OperationFailedException("not yet");
            }
        };
        NodeSettings settings = crowded.withIngest(
                        crowded.ingest().withAdmission(low).withBackoff(new Backoff(1, 10, 5)))
                .withFaults(slow);
        try (StorageNode node = StorageNode.open(temp.resolve("store"), settings);
                ImportSession session =
                        node.beginImport(ImportRequest.of(TestTables.customers(), IngestTiming.ON_ARRIVAL))) {
            List<List<@Nullable String>> rows = TestTables.customerRows(20);
            List<SstFile> ssts = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                ssts.addAll(TestSsts.build(session.table(), rows, temp));
            }
            for (int i = 0; i < 24; i++) {
                // An SST that has just arrived counts twice until the next refresh of the tree.
                Shipping.untilTaken(session, ssts.get(i));
            }
            ShipAnswer.Deferred later = assertInstanceOf(ShipAnswer.Deferred.class, session.ship(ssts.get(24)));
            assertEquals("sublevels", later.limiter());
            // Heights are sampled when the tree is refreshed: wait for that before a compaction makes it lower.
            assertTimeoutPreemptively(Duration.ofSeconds(30), () -> {
                while (node.status().load().height() < 24) {
                    Thread.onSpinWait();
                }
            });
            blocked.set(0);
            for (SstFile sst : ssts.subList(24, 40)) {
                Shipping.untilTaken(session, sst);
            }
            var report = session.finalizeIngest();
            assertEquals(24, report.maxHeight(), report.toString());
            assertEquals(20, session.present().get(0).sum().count());
        }
    }
}
