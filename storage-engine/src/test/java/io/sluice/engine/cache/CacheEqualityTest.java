package io.sluice.engine.cache;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.engine.store.Family;
import io.sluice.engine.store.FamilyNames;
import io.sluice.engine.store.FamilyView;
import io.sluice.engine.store.RocksStore;
import io.sluice.engine.store.RowBatch;
import io.sluice.engine.store.SstWriter;
import io.sluice.engine.store.WriteSet;
import io.sluice.model.kv.KeySpan;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Compares reads through the cache with reads from RocksDB under concurrent writes. Two threads put, delete, delete
 * ranges and ingest; two others read, at random snapshots and without one. Each value has a number; numbers of one key
 * ascend.
 *
 * <p>{@code -Dsluice.seed=N} repeats a run as far as threads let it; {@code -Dsluice.test.operations=N} makes it
 * longer.
 */
class CacheEqualityTest {
    private static final int OPERATIONS = Integer.getInteger("sluice.test.operations", 100_000);
    private static final int WRITERS = 2;
    private static final int READERS = 2;
    private static final int KEYS_PER_WRITER = 1500;
    private static final int KEYS = WRITERS * KEYS_PER_WRITER;
    private static final int MOST_VIEWS = 6;
    /** The size of about 3000 rows of 300 bytes, so that some are evicted. */
    private static final long CACHE_BYTES = 1 << 20;

    private final long seed = Long.getLong("sluice.seed", System.nanoTime());
    private final String told = "seed " + seed;
    private final AtomicLong operations = new AtomicLong();
    private final AtomicBoolean failed = new AtomicBoolean();

    /** Largest number of a completed put or delete of a key. */
    private final AtomicLongArray done = new AtomicLongArray(KEYS);
    /** Largest number of a begun delete of a key. */
    private final AtomicLongArray deleted = new AtomicLongArray(KEYS);

    @TempDir
    Path temp = Path.of("");

    @Test
    void cachedReadsEqualUncachedReads() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(WRITERS + READERS);
        try (RocksStore store = RocksStore.open(temp.resolve("db"), 8 << 20, CACHE_BYTES)) {
            Family family = store.createFamily(FamilyNames.ofTable(1));
            List<Callable<Boolean>> work = new ArrayList<>();
            for (int i = 0; i < WRITERS; i++) {
                int writer = i;
                work.add(() -> write(store, family, writer));
            }
            for (int i = 0; i < READERS; i++) {
                int reader = i;
                work.add(() -> read(store, family, new SplittableRandom(seed + 100 + reader)));
            }
            for (Future<Boolean> each : threads.invokeAll(work)) {
                each.get();
            }
            for (int key = 0; key < KEYS; key++) {
                assertArrayEquals(family.get(key(key)), family.row(key(key)), told);
                assertArrayEquals(family.get(key(key)), family.row(key(key)), told);
            }
            CacheStatistics statistics = store.rowCache();
            assertTrue(statistics.hits() > OPERATIONS / 20, told + ": " + statistics);
            assertTrue(statistics.invalidated() > 0 && statistics.refused() > 0, told + ": " + statistics);
            assertEquals(
                    0, statistics.content().ended(), told + ": no snapshot is left, but rows that were kept for one");
        } finally {
            threads.shutdownNow();
        }
    }

    private boolean running() {
        return !failed.get() && operations.incrementAndGet() < OPERATIONS;
    }

    private boolean write(RocksStore store, Family family, int writer) {
        SplittableRandom random = new SplittableRandom(seed + writer);
        try {
            for (long number = 1; running(); number++) {
                int from = writer * KEYS_PER_WRITER + random.nextInt(KEYS_PER_WRITER);
                int most = (writer + 1) * KEYS_PER_WRITER;
                int kind = random.nextInt(1000);
                if (kind < 700) {
                    put(store, family, random, from, Math.min(most, from + 1 + random.nextInt(4)), number);
                } else if (kind < 960) {
                    delete(store, family, from, number);
                } else if (kind < 997) {
                    deleteRange(store, family, from, Math.min(most, from + 1 + random.nextInt(40)), number);
                } else {
                    ingest(family, writer, random, from, Math.min(most, from + 1 + random.nextInt(100)), number);
                }
            }
            return true;
        } catch (RuntimeException | Error e) {
            failed.set(true);
            throw new AssertionError(told, e);
        }
    }

    private void put(RocksStore store, Family family, SplittableRandom random, int from, int to, long number) {
        RowBatch batch = new RowBatch();
        for (int key = from; key < to; key++) {
            batch.set(family, key(key), value(number, random));
        }
        store.write(batch, new WriteSet());
        finished(from, to, number);
    }

    private void delete(RocksStore store, Family family, int key, long number) {
        deleted.set(key, number);
        RowBatch batch = new RowBatch();
        batch.set(family, key(key), null);
        store.write(batch, new WriteSet());
        finished(key, key + 1, number);
    }

    private void deleteRange(RocksStore store, Family family, int from, int to, long number) {
        for (int key = from; key < to; key++) {
            deleted.set(key, number);
        }
        RowBatch batch = new RowBatch();
        batch.delete(family, new KeySpan(key(from), key(to)));
        store.write(batch, new WriteSet());
        finished(from, to, number);
    }

    private void ingest(Family family, int writer, SplittableRandom random, int from, int to, long number) {
        Path sst = temp.resolve("writer-" + writer + "-" + number + ".sst");
        boolean deletes = random.nextInt(4) == 0;
        try (SstWriter out = new SstWriter(sst)) {
            for (int key = from; key < to; key++) {
                if (deletes && key % 3 == 0) {
                    deleted.set(key, number);
                    out.delete(key(key));
                } else {
                    out.add(key(key), value(number, random));
                }
            }
            out.finish();
        }
        family.ingest(List.of(sst));
        finished(from, to, number);
    }

    private void finished(int from, int to, long number) {
        for (int key = from; key < to; key++) {
            done.set(key, number);
        }
    }

    private boolean read(RocksStore store, Family family, SplittableRandom random) {
        List<FamilyView> views = new ArrayList<>();
        try {
            while (running()) {
                if (random.nextInt(50) == 0) {
                    if (views.size() == MOST_VIEWS) {
                        views.remove(random.nextInt(MOST_VIEWS)).close();
                    }
                    views.add(family.view());
                }
                if (views.isEmpty() || random.nextInt(3) == 0) {
                    readNow(family, random.nextInt(KEYS));
                } else {
                    readThen(views.get(random.nextInt(views.size())), random);
                }
                if (random.nextInt(500) == 0) {
                    assertTrue(store.rowCache().content().bytes() <= CACHE_BYTES, told);
                }
            }
            return true;
        } catch (RuntimeException | Error e) {
            failed.set(true);
            throw new AssertionError(told, e);
        } finally {
            views.forEach(FamilyView::close);
        }
    }

    /** Checks that a read is not older than earlier completed writes. */
    private void readNow(Family family, int key) {
        long atLeast = done.get(key);
        byte[] value = family.row(key(key));
        long number = value == null ? deleted.get(key) : number(value);
        assertTrue(number >= atLeast, told + ": key " + key + " has " + number + ", but had " + atLeast + " before");
    }

    /** Checks that a snapshot never changes. */
    private void readThen(FamilyView view, SplittableRandom random) {
        List<byte[]> keys = new ArrayList<>();
        int first = random.nextInt(KEYS);
        for (int i = 0; i < 1 + random.nextInt(5); i++) {
            keys.add(key((first + i * 7) % KEYS));
        }
        List<byte @Nullable []> values = view.rows(keys);
        for (int i = 0; i < keys.size(); i++) {
            assertArrayEquals(view.get(keys.get(i)), values.get(i), told);
        }
        assertArrayEquals(values.get(0), view.row(keys.get(0)), told);
    }

    private static byte[] key(int key) {
        return ByteBuffer.allocate(9).put((byte) 'k').putLong(key).array();
    }

    private static byte[] value(long number, SplittableRandom random) {
        byte[] value = new byte[100 + random.nextInt(400)];
        ByteBuffer.wrap(value).putLong(number);
        return value;
    }

    private static long number(byte[] value) {
        return ByteBuffer.wrap(value).getLong();
    }
}
