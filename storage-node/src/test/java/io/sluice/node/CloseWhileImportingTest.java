package io.sluice.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.IngestTiming;
import io.sluice.api.node.ShipAnswer;
import io.sluice.api.node.SstFile;
import io.sluice.model.error.OperationFailedException;
import io.sluice.testing.TestSsts;
import io.sluice.testing.TestTables;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Closes a store repeatedly while SSTs arrive as files or as Puts, compactions and flushes run, tables are read and an
 * import is finalized. A bug here crashes the test process. A published table stays whole; the interrupted import is
 * undone.
 */
class CloseWhileImportingTest {
    private static final int ROUNDS = Integer.getInteger("sluice.test.rounds", 20);
    private static final int WAIT_SECONDS = 120;
    private static final long SEED = Long.getLong("sluice.seed", System.nanoTime());

    @Test
    @Timeout(240)
    void nothingCrashesAndNothingAcknowledgedIsLost(@TempDir Path temp) throws Exception {
        Random random = new Random(SEED);
        NodeSettings settings = Shipping.crowded(0);
        NodeSettings allSmall = Shipping.crowded(64 << 10);
        ExecutorService pool = Executors.newCachedThreadPool();
        List<IndexChecksum> published;
        try (StorageNode node = StorageNode.open(temp.resolve("store"), settings)) {
            try (ImportSession session =
                    node.beginImport(ImportRequest.of(TestTables.customers(), IngestTiming.ON_ARRIVAL))) {
                published = TestSsts.shipAll(session, TestTables.customerRows(3000), temp);
                session.finalizeIngest();
                session.publish(published);
            }
        }
        try {
            for (int round = 0; round < ROUNDS; round++) {
                StorageNode node =
                        StorageNode.openExisting(temp.resolve("store"), round % 2 == 0 ? settings : allSmall);
                assertEquals(round == 0 ? 0 : 1, node.recovered().size(), "seed " + SEED);
                assertEquals(published, node.digest("customers").indexes(), "seed " + SEED + ", round " + round);
                ImportSession session =
                        node.beginImport(ImportRequest.of(TestTables.accounts("accounts"), IngestTiming.ON_ARRIVAL));
                List<Future<?>> busy = new ArrayList<>();
                CountDownLatch first = new CountDownLatch(10);
                for (int shipper = 0; shipper < 2; shipper++) {
                    int from = shipper * 1000;
                    busy.add(pool.submit(untilRefused(() -> {
                        for (SstFile sst :
                                TestSsts.build(session.table(), TestTables.accountRows(60 + from % 7), temp)) {
                            if (session.ship(sst) instanceof ShipAnswer.Taken) {
                                first.countDown();
                            }
                        }
                    })));
                }
                busy.add(pool.submit(untilRefused(() -> node.digest("customers"))));
                busy.add(pool.submit(untilRefused(session::readBack)));
                if (round % 3 == 0) {
                    busy.add(pool.submit(untilRefused(session::finalizeIngest)));
                }
                assertTrue(first.await(WAIT_SECONDS, TimeUnit.SECONDS), "seed " + SEED + ", round " + round);
                Thread.sleep(random.nextInt(25));
                node.close();
                for (Future<?> thread : busy) {
                    thread.get();
                }
            }
        } finally {
            pool.shutdownNow();
        }
    }

    private interface Step {
        void run() throws Exception;
    }

    private static Runnable untilRefused(Step step) {
        return () -> {
            try {
                while (true) {
                    step.run();
                }
            } catch (IllegalStateException | OperationFailedException e) {
                // Expected: the store is closed.
            } catch (Exception e) {
                throw new AssertionError("seed " + SEED, e);
            }
        };
    }
}
