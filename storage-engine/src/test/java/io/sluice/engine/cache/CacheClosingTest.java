package io.sluice.engine.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.engine.store.Family;
import io.sluice.engine.store.FamilyNames;
import io.sluice.engine.store.FamilyView;
import io.sluice.engine.store.RocksStore;
import io.sluice.engine.store.RowBatch;
import io.sluice.engine.store.WriteSet;
import io.sluice.model.error.OperationFailedException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Closes stores and drops column families while threads read rows through the cache and write them. */
class CacheClosingTest {
    private static final int ROUNDS = 20;
    private static final int KEYS = 200;

    @TempDir
    Path temp = Path.of("");

    @Test
    void lateReadersAndWritersGetAnError() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(3);
        try {
            for (int round = 0; round < ROUNDS; round++) {
                closeUnderReaders(threads, round);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private void closeUnderReaders(ExecutorService threads, int round) throws Exception {
        List<Future<String>> users = new ArrayList<>();
        CountDownLatch atWork = new CountDownLatch(3);
        try (RocksStore store = RocksStore.open(temp.resolve("db" + round), 1 << 20, RowCache.LEAST_BYTES)) {
            Family family = store.createFamily(FamilyNames.ofTable(1));
            for (int i = 0; i < 3; i++) {
                SplittableRandom random = new SplittableRandom(round * 3L + i);
                users.add(threads.submit(() -> use(store, family, random, atWork)));
            }
            atWork.await();
            if (round % 2 == 0) {
                store.dropFamily(family.name());
                assertEquals(0, store.rowCache().content().entries());
                assertThrows(OperationFailedException.class, () -> family.row(key(1)));
            }
        }
        for (Future<String> user : users) {
            String end = user.get();
            assertTrue(end.contains("closed") || end.contains("dropped"), end);
        }
    }

    /** Repeats until an error says that the store or table is gone, and returns the error. */
    private static String use(RocksStore store, Family family, SplittableRandom random, CountDownLatch atWork) {
        long rounds = 0;
        while (true) {
            try (FamilyView view = family.view()) {
                for (int i = 0; i < 20; i++) {
                    view.row(key(random.nextInt(KEYS)));
                    family.row(key(random.nextInt(KEYS)));
                    view.rows(List.of(key(random.nextInt(KEYS)), key(random.nextInt(KEYS))));
                }
                RowBatch batch = new RowBatch();
                batch.set(family, key(random.nextInt(KEYS)), new byte[100]);
                store.write(batch, new WriteSet());
                if (rounds++ == 10) {
                    atWork.countDown();
                }
            } catch (IllegalStateException | OperationFailedException e) {
                return String.valueOf(e.getMessage());
            }
        }
    }

    private static byte[] key(int key) {
        return ByteBuffer.allocate(4).putInt(key).array();
    }
}
