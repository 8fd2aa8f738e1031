package io.sluice.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.IngestTiming;
import io.sluice.api.node.ShipAnswer;
import io.sluice.api.node.SstFile;
import io.sluice.engine.lsm.LsmEvents;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.thread.Backoff;
import io.sluice.node.ingest.FaultPoints;
import io.sluice.testing.TestSsts;
import io.sluice.testing.TestTables;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests the buffer of small SSTs, which is flushed in the background. */
@Timeout(60)
class SmallSstBufferTest {
    private static final List<List<@Nullable String>> ROWS = TestTables.accountRows(150);

    private static NodeSettings settings(FaultPoints faults) {
        NodeSettings crowded = Shipping.crowded(64 << 10);
        return crowded.withIngest(crowded.ingest().withBackoff(new Backoff(1, 20, 3)))
                .withFaults(faults);
    }

    private static List<SstFile> ssts(ImportSession session, int times, Path temp) throws Exception {
        List<SstFile> ssts = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            ssts.addAll(TestSsts.build(session.table(), ROWS, temp));
        }
        return ssts;
    }

    private static long kvs(List<IndexChecksum> present) {
        return present.stream().mapToLong(index -> index.sum().count()).sum();
    }

    @Test
    void sendersWaitOnlyWhileBothFamiliesAreFull(@TempDir Path temp) throws Exception {
        CountDownLatch drainMayEnd = new CountDownLatch(1);
        FaultPoints slow = point -> {
            if (point.equals(FaultPoints.FLUSHED)) {
                await(drainMayEnd);
            }
        };
        try (StorageNode node = StorageNode.open(temp.resolve("store"), settings(slow));
                ImportSession session =
                        node.beginImport(ImportRequest.of(TestTables.accounts("accounts"), IngestTiming.ON_ARRIVAL))) {
            Deque<SstFile> left = new ArrayDeque<>(ssts(session, 60, temp));
            ShipAnswer answer = new ShipAnswer.Taken();
            int taken = -1;
            while (answer instanceof ShipAnswer.Taken) {
                taken++;
                answer = session.ship(left.getFirst());
                if (answer instanceof ShipAnswer.Taken) {
                    left.removeFirst();
                }
            }
            assertEquals(
                    "small_sst_buffer",
                    ((ShipAnswer.Deferred) answer).limiter(),
                    "while a flush runs, " + taken + " landed");
            assertTrue(Files.exists(left.getFirst().path()), "what is deferred is the sender's");
            drainMayEnd.countDown();
            for (SstFile sst : left) {
                Shipping.untilTaken(session, sst);
            }
            session.finalizeIngest();
            assertEquals(3 * 150, kvs(session.present()), "two indexes and the primary one");
            assertEquals(3 * 150, kvs(session.readBack().indexes()));
        }
    }

    @Test
    void failedFlushIsRetriedAndLogged(@TempDir Path temp) throws Exception {
        AtomicInteger failures = new AtomicInteger(2);
        FaultPoints faults = point -> {
            if (point.equals(FaultPoints.FLUSHED) && failures.getAndDecrement() > 0) {
                throw new OperationFailedException("injected at flushed");
            }
        };
        try (StorageNode node = StorageNode.open(temp.resolve("store"), settings(faults));
                ImportSession session =
                        node.beginImport(ImportRequest.of(TestTables.accounts("accounts"), IngestTiming.ON_ARRIVAL))) {
            List<IndexChecksum> sums = TestSsts.shipAll(session, ROWS, temp);
            assertEquals(3 * 150, session.finalizeIngest().puts());
            assertEquals(sums, session.present());
            assertEquals(sums, session.readBack().indexes());
        }
        String log = Files.readString(temp.resolve("store").resolve(LsmEvents.FILE_NAME));
        assertTrue(log.contains("injected at flushed; tried again in 2 ms"), log);
    }

    @Test
    void repeatedlyFailingFlushIsReportedAndLosesNothing(@TempDir Path temp) throws Exception {
        AtomicInteger failing = new AtomicInteger(1);
        FaultPoints faults = point -> {
            if (point.equals(FaultPoints.FLUSHED) && failing.get() > 0) {
                throw new OperationFailedException("injected at flushed");
            }
        };
        try (StorageNode node = StorageNode.open(temp.resolve("store"), settings(faults));
                ImportSession session =
                        node.beginImport(ImportRequest.of(TestTables.accounts("accounts"), IngestTiming.ON_ARRIVAL))) {
            Deque<SstFile> left = new ArrayDeque<>(ssts(session, 60, temp));
            // First the node defers, because the flush is retried; then it reports the failure.
            OperationFailedException told = assertThrows(OperationFailedException.class, () -> {
                while (true) {
                    Shipping.untilTaken(session, left.getFirst());
                    left.removeFirst();
                }
            });
            assertEquals("injected at flushed", told.getMessage());
            assertTrue(Files.exists(left.getFirst().path()), "it was not taken, so it is the sender's");
            assertEquals(
                    "injected at flushed",
                    assertThrows(OperationFailedException.class, session::finalizeIngest)
                            .getMessage());
            failing.set(0);
            for (SstFile sst : left) {
                untilTakenInTheEnd(session, sst);
            }
            session.finalizeIngest();
            assertEquals(3 * 150, kvs(session.present()));
        }
    }

    /** Ships until the failed flush is retried, which takes some milliseconds. */
    private static void untilTakenInTheEnd(ImportSession session, SstFile sst) throws InterruptedException {
        while (true) {
            try {
                Shipping.untilTaken(session, sst);
                return;
            } catch (OperationFailedException e) {
                Thread.sleep(5);
            }
        }
    }

    @Test
    void closingTheStoreEndsAFlushAndReopeningCleansUp(@TempDir Path temp) throws Exception {
        CountDownLatch draining = new CountDownLatch(1);
        FaultPoints told = point -> {
            if (point.equals(FaultPoints.FLUSHED)) {
                draining.countDown();
            }
        };
        for (int round = 0; round < 5; round++) {
            StorageNode node = StorageNode.open(temp.resolve("store"), settings(told));
            assertEquals(round == 0 ? 0 : 1, node.recovered().size());
            ImportSession session =
                    node.beginImport(ImportRequest.of(TestTables.accounts("accounts"), IngestTiming.ON_ARRIVAL));
            for (SstFile sst : ssts(session, 10, temp)) {
                Shipping.untilTaken(session, sst);
            }
            draining.await();
            node.close();
        }
    }

    @Test
    void undoingAnImportEndsItsFlush(@TempDir Path temp) throws Exception {
        FaultPoints failing = point -> {
            if (point.equals(FaultPoints.FLUSHED)) {
                throw new OperationFailedException("injected at flushed");
            }
        };
        try (StorageNode node = StorageNode.open(temp.resolve("store"), settings(failing))) {
            try (ImportSession session =
                    node.beginImport(ImportRequest.of(TestTables.accounts("accounts"), IngestTiming.ON_ARRIVAL))) {
                for (SstFile sst : ssts(session, 5, temp)) {
                    Shipping.untilTaken(session, sst);
                }
            }
            assertEquals(List.of(), node.tables());
        }
        try (StorageNode node = StorageNode.openExisting(temp.resolve("store"), NodeSettings.defaults())) {
            assertEquals(List.of(), node.recovered(), "nothing was left behind");
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
