package io.sluice.engine.compact;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.engine.store.Family;
import io.sluice.engine.store.FamilyNames;
import io.sluice.engine.store.Kv;
import io.sluice.engine.store.RocksStore;
import io.sluice.engine.store.TestKvs;
import io.sluice.model.thread.Backoff;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests that a visible table with Puts empties level 0 and keeps stacks low. */
class OnlineTest {
    private static final long SEED = Long.getLong("sluice.seed", System.nanoTime());
    private static final int FLUSHES = 60;
    private static final int KEYS = 3000;

    @Test
    @Timeout(60)
    void level0IsEmptiedAndStacksStayLow(@TempDir Path temp) throws Exception {
        Random random = new Random(SEED);
        TreeMap<Integer, Long> model = new TreeMap<>();
        CompactionSettings settings = CompactionSettings.defaults(2);
        try (RocksStore store = RocksStore.open(temp.resolve("db"), 1 << 20);
                Compactor compactor = new Compactor(settings, new Backoff(100, 30_000, 8), TreeLog.none(), () -> {})) {
            Family family = store.createFamily(FamilyNames.ofTable(9));
            LiveTree tree = compactor.manage(family, CompactionMode.ONLINE, List.of());
            for (int i = 0; i < FLUSHES; i++) {
                List<Kv> kvs = new ArrayList<>();
                for (int n = 0; n < 200; n++) {
                    int key = random.nextInt(KEYS);
                    long value = random.nextLong();
                    kvs.add(new Kv(key(key), value(value)));
                    model.put(key, value);
                }
                TestKvs.put(store, family, kvs);
                family.flush();
                compactor.touched(family.name());
                if (i % 10 == 9) {
                    awaitEmptyLevel0(family);
                }
            }
            awaitEmptyLevel0(family);
            tree.refresh();
            assertEquals("", tree.trouble(), "seed " + SEED);
            assertEquals(0, tree.level0Files(), "seed " + SEED);
            int height = tree.refresh().height();
            assertTrue(height <= settings.online().limit(), "seed " + SEED + ": height " + height);
            for (int key = 0; key < KEYS; key++) {
                Long value = model.get(key);
                assertArrayEquals(value == null ? null : value(value), family.get(key(key)), "seed " + SEED);
            }
        }
    }

    /** Keys that ascend from flush to flush produce files without overlap, which are joined as well. */
    @Test
    @Timeout(60)
    void smallNeighboursAreJoined(@TempDir Path temp) throws Exception {
        int flushes = 200;
        try (RocksStore store = RocksStore.open(temp.resolve("db"), 1 << 20);
                Compactor compactor = new Compactor(
                        CompactionSettings.defaults(2), new Backoff(100, 30_000, 8), TreeLog.none(), () -> {})) {
            Family family = store.createFamily(FamilyNames.ofTable(9));
            LiveTree tree = compactor.manage(family, CompactionMode.ONLINE, List.of());
            for (int i = 0; i < flushes; i++) {
                TestKvs.put(store, family, List.of(new Kv(key(2 * i), value(i)), new Kv(key(2 * i + 1), value(i))));
                family.flush();
                compactor.touched(family.name());
            }
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
            while (family.filesInLevel0() > 0 || tree.refresh().fileCount() > 32) {
                assertTrue(
                        System.nanoTime() - end < 0, "files: " + tree.refresh().fileCount());
                Thread.sleep(5);
            }
            for (int i = 0; i < 2 * flushes; i++) {
                assertArrayEquals(value(i / 2), family.get(key(i)));
            }
            // Files of one flush have 1 KiB, nearly all of it overhead; each is rewritten at most twice.
            assertTrue(tree.bytesMerged() < 2L * flushes * 1_200, "rewritten bytes: " + tree.bytesMerged());
        }
    }

    /** Three files over all keys, more than 32 MiB together, become one file for each of two threads. */
    @Test
    @Timeout(60)
    void lastCompactionOfWideFilesUsesAllThreads(@TempDir Path temp) throws Exception {
        Random random = new Random(SEED);
        int kvs = 12_000;
        byte[] bytes = new byte[1_000];
        try (RocksStore store = RocksStore.open(temp.resolve("db"), 1 << 20);
                Compactor compactor = new Compactor(
                        CompactionSettings.defaults(2), new Backoff(100, 30_000, 8), TreeLog.none(), () -> {})) {
            Family family = store.createFamily(FamilyNames.ofTable(9));
            LiveTree tree = compactor.manage(family, CompactionMode.OFFLINE, List.of());
            for (int flush = 0; flush < 3; flush++) {
                List<Kv> batch = new ArrayList<>();
                for (int i = 0; i < kvs; i++) {
                    random.nextBytes(bytes);
                    batch.add(new Kv(key(3 * i + flush), bytes.clone()));
                }
                TestKvs.put(store, family, batch);
                family.flush();
            }
            compactor.mergeAll(tree);
            assertEquals(2, tree.refresh().fileCount(), "seed " + SEED);
        }
    }

    /** The machine has no thread for the first compactions, as under a limit of processes. */
    @Test
    @Timeout(60)
    void compactionsBeginWhenThereAreThreadsAgain(@TempDir Path temp) throws Exception {
        AtomicInteger starts = new AtomicInteger();
        ExecutorService workers = Executors.newFixedThreadPool(2, work -> {
            if (starts.incrementAndGet() <= 3) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            Thread thread = new Thread(work);
            thread.setDaemon(true);
            return thread;
        });
        Planner planner = new Planner(CompactionSettings.defaults(2), new Backoff(1, 10, 8), workers, () -> {});
        Thread thread = new Thread(planner);
        try (RocksStore store = RocksStore.open(temp.resolve("db"), 1 << 20)) {
            Family family = store.createFamily(FamilyNames.ofTable(9));
            for (int i = 0; i < 20; i++) {
                TestKvs.put(store, family, List.of(new Kv(key(i % 3), value(i)), new Kv(key(100), value(i))));
                family.flush();
            }
            planner.add(new ManagedTree(new LiveTree(family, TreeLog.none()), CompactionMode.ONLINE, List.of()));
            thread.start();
            awaitEmptyLevel0(family);
            assertTrue(starts.get() > 3, starts.get() + " threads");
        } finally {
            planner.send(planner::stop);
            thread.join();
            workers.shutdownNow();
        }
    }

    /** Two imports into one hierarchy of tables pause it; the end of one does not end the pause of the other. */
    @Test
    @Timeout(60)
    void pauseLastsUntilEachHasEnded(@TempDir Path temp) throws Exception {
        AtomicInteger merges = new AtomicInteger();
        Runnable fails = () -> {
            if (merges.incrementAndGet() == 1) {
                throw new AssertionError("the first merge fails with an error, which must not keep its place");
            }
        };
        try (RocksStore store = RocksStore.open(temp.resolve("db"), 1 << 20);
                Compactor compactor =
                        new Compactor(CompactionSettings.defaults(2), new Backoff(1, 10, 8), TreeLog.none(), fails)) {
            Family family = store.createFamily(FamilyNames.ofTable(9));
            LiveTree unused = compactor.manage(family, CompactionMode.ONLINE, List.of());
            compactor.pause(family.name(), 1);
            compactor.pause(family.name(), 2);
            compactor.pause(family.name(), 2);
            compactor.resume(family.name(), 2);
            for (int i = 0; i < 20; i++) {
                TestKvs.put(store, family, List.of(new Kv(key(i % 3), value(i))));
                family.flush();
                compactor.touched(family.name());
            }
            Thread.sleep(1_500);
            assertEquals(0, merges.get(), "merges during the pause");
            compactor.resume(family.name(), 1);
            awaitEmptyLevel0(family);
            compactor.pause(family.name(), 1);
            assertTrue(merges.get() > 1, "merges: " + merges);
        }
    }

    /** The planner checks level 0 once a second, so it also finds memtable flushes without a notification. */
    private static void awaitEmptyLevel0(Family family) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (family.filesInLevel0() > 0) {
            assertTrue(System.nanoTime() - end < 0, "level 0 keeps its files; seed " + SEED);
            Thread.sleep(5);
        }
    }

    private static byte[] key(int key) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(key).array();
    }

    private static byte[] value(long value) {
        return ByteBuffer.allocate(Long.BYTES).putLong(value).array();
    }
}
