package io.sluice.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.sluice.api.node.RowCursor;
import io.sluice.api.node.ScanRequest;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.testing.TestSsts;
import io.sluice.testing.TestTables;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Closes a store, or drops a table, while threads read from it: readers get at most an exception. A bug here crashes
 * the test process.
 */
class CloseUnderLoadTest {
    private static final int ROUNDS = Integer.getInteger("sluice.test.rounds", 16);
    private static final int READERS = 6;
    private static final int ROWS = 800;
    private static final long SEED = Long.getLong("sluice.seed", System.nanoTime());

    private enum End {
        CLOSE,
        DROP
    }

    @Test
    @Timeout(120)
    void readersGetOnlyExceptions(@TempDir Path temp) throws Exception {
        Random random = new Random(SEED);
        ExecutorService pool = Executors.newFixedThreadPool(READERS);
        try {
            for (int round = 0; round < ROUNDS; round++) {
                End end = round % 2 == 0 ? End.CLOSE : End.DROP;
                run(temp.resolve("store"), temp, pool, end, random.nextInt(8));
            }
        } finally {
            pool.shutdownNow();
            assertEquals(true, pool.awaitTermination(1, TimeUnit.MINUTES), "seed " + SEED);
        }
    }

    private static void run(Path store, Path temp, ExecutorService pool, End end, int delayMillis) throws Exception {
        StorageNode node = StorageNode.open(store, NodeSettings.defaults().withReadThreads(2));
        if (node.table("accounts") == null) {
            TestSsts.importTable(node, TestTables.accounts("accounts"), TestTables.accountRows(ROWS), temp);
        }
        CountDownLatch busy = new CountDownLatch(READERS);
        List<Future<Long>> readers = new ArrayList<>();
        for (int i = 0; i < READERS; i++) {
            int kind = i;
            readers.add(pool.submit(untilRefused(busy, () -> read(node, kind))));
        }
        busy.await();
        Thread.sleep(delayMillis);
        if (end == End.DROP) {
            node.drop("accounts");
        }
        node.close();
        for (Future<Long> reader : readers) {
            assertNotNull(reader.get());
        }
    }

    private static Callable<Long> untilRefused(CountDownLatch busy, Runnable reading) {
        return () -> {
            long times = 0;
            try {
                while (true) {
                    reading.run();
                    if (times++ == 0) {
                        busy.countDown();
                    }
                }
            } catch (IllegalStateException | OperationFailedException | BadInputException e) {
                return times;
            }
        };
    }

    private static void read(StorageNode node, int kind) {
        switch (kind % 3) {
            case 0 -> node.digest("accounts");
            case 1 -> {
                for (int id = 1; id < 200; id++) {
                    node.get("accounts", List.of(Integer.toString(id)));
                }
            }
            default -> {
                ScanRequest request = new ScanRequest("accounts", "by_balance", List.of(), List.of(), 300);
                try (RowCursor cursor = node.scan(request)) {
                    while (cursor.next() != null) {
                        // Only the read matters.
                    }
                }
            }
        }
    }
}
