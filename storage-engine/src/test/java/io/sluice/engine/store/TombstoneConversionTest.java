package io.sluice.engine.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.model.kv.KeySpan;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests scans that write range tombstones over runs of deleted keys, with concurrent ingestion into those runs,
 * snapshots, flushes and reopening. Readers see the same KVs as without the conversion.
 */
class TombstoneConversionTest {
    private static final int KEYS = 2000;
    private static final int THRESHOLD = 8;
    private static final KeySpan ALL = KeySpan.ofPrefix(new byte[] {'k'});
    private static final String FAMILY = FamilyNames.ofTable(1);

    @TempDir
    Path temp = Path.of("");

    private int files;

    private RocksStore open() {
        return RocksStore.open(temp.resolve("db"), 8 << 20);
    }

    @Test
    void keyIngestedIntoARunIsVisible() {
        try (RocksStore store = open()) {
            Family family = store.createFamily(FAMILY);
            ingest(family, 0, KEYS, 1);
            delete(store, family, 500, 1500);
            family.convertTombstones(THRESHOLD);
            try (FamilyView old = family.view();
                    KvCursor before = old.cursor(ALL, ReadPattern.SCAN)) {
                assertEquals(1000, count(family.latest()));
                assertTrue(store.tombstoneConversions().made() > 0, "nothing was converted");
                ingest(family, 1000, 1001, 2);
                // Both read the run: an iterator from before the ingestion, and a new one on an old snapshot.
                assertEquals(1000, rest(before));
                assertEquals(1000, rest(old.cursor(ALL, ReadPattern.SCAN)));
                assertNull(old.get(key(1000)));
                assertArrayEquals(value(2), family.get(key(1000)));
                assertEquals(1001, count(family.latest()));
                family.flush();
                assertEquals(1000, rest(old.cursor(ALL, ReadPattern.SCAN)));
                assertArrayEquals(value(2), family.get(key(1000)));
            }
            assertEquals(1001, count(family.view()));
        }
        try (RocksStore store = open()) {
            Family family = store.family(FAMILY);
            assertArrayEquals(value(2), family.get(key(1000)));
            assertEquals(1001, count(family.latest()));
        }
    }

    @Test
    void conversionCanBeTurnedOff() {
        try (RocksStore store = open()) {
            Family family = store.createFamily(FAMILY);
            ingest(family, 0, KEYS, 1);
            delete(store, family, 500, 1500);
            assertEquals(1000, count(family.latest()));
            family.convertTombstones(THRESHOLD);
            family.convertTombstones(0);
            assertEquals(1000, count(family.latest()));
            assertEquals(0, store.tombstoneConversions().made());
        }
    }

    /** One thread writes and compares; two scan continuously, and so convert. */
    @Test
    void readsEqualAModelDuringConversions() throws Exception {
        long seed = Long.getLong("sluice.seed", System.nanoTime());
        SplittableRandom random = new SplittableRandom(seed);
        TreeMap<Integer, Integer> model = new TreeMap<>();
        ExecutorService threads = Executors.newFixedThreadPool(2);
        AtomicBoolean over = new AtomicBoolean();
        long made = 0;
        try {
            for (int part = 0; part < 4; part++) {
                try (RocksStore store = open()) {
                    Family family = part == 0 ? store.createFamily(FAMILY) : store.family(FAMILY);
                    assertSame(model, family, seed);
                    family.convertTombstones(THRESHOLD);
                    over.set(false);
                    List<Future<?>> scans = new ArrayList<>();
                    for (int i = 0; i < 2; i++) {
                        scans.add(threads.submit(() -> {
                            while (!over.get()) {
                                count(family.view());
                            }
                        }));
                    }
                    try {
                        steps(store, family, model, random, seed);
                    } finally {
                        over.set(true);
                        for (Future<?> scan : scans) {
                            scan.get();
                        }
                    }
                    made += store.tombstoneConversions().made();
                }
            }
        } finally {
            threads.shutdownNow();
        }
        assertTrue(made > 20, "seed " + seed + ": " + made + " conversions");
    }

    private void steps(
            RocksStore store, Family family, NavigableMap<Integer, Integer> model, SplittableRandom random, long seed) {
        for (int step = 0; step < 50; step++) {
            int from = random.nextInt(KEYS);
            int to = Math.min(KEYS, from + 1 + random.nextInt(random.nextInt(4) == 0 ? 400 : 20));
            switch (random.nextInt(8)) {
                case 0, 1, 2 -> {
                    ingest(family, from, to, step + 1);
                    for (int key = from; key < to; key++) {
                        model.put(key, step + 1);
                    }
                }
                case 3 -> family.flush();
                case 4 -> {
                    RowBatch batch = new RowBatch();
                    batch.set(family, key(from), value(step + 1));
                    store.write(batch, new WriteSet());
                    model.put(from, step + 1);
                }
                default -> {
                    delete(store, family, from, to);
                    model.subMap(from, to).clear();
                }
            }
            assertSame(model, family, seed);
        }
    }

    private static void assertSame(NavigableMap<Integer, Integer> model, Family family, long seed) {
        StringBuilder expected = new StringBuilder();
        model.forEach((key, version) ->
                expected.append(key).append('=').append(version).append('\n'));
        StringBuilder found = new StringBuilder();
        try (FamilyView view = family.view();
                KvCursor cursor = view.cursor(ALL, ReadPattern.SCAN)) {
            for (Kv kv = cursor.next(); kv != null; kv = cursor.next()) {
                int key = (int) ByteBuffer.wrap(kv.key(), 1, Long.BYTES).getLong();
                found.append(key)
                        .append('=')
                        .append(ByteBuffer.wrap(kv.value()).getInt())
                        .append('\n');
                if (key % 7 == 0) {
                    assertArrayEquals(kv.value(), family.get(kv.key()), "seed " + seed + ", key " + key);
                }
            }
        }
        assertEquals(expected.toString(), found.toString(), "seed " + seed);
    }

    private static int count(FamilyView view) {
        try (view) {
            return rest(view.cursor(ALL, ReadPattern.SCAN));
        }
    }

    private static int rest(KvCursor cursor) {
        int count = 0;
        try (cursor) {
            for (int visited = 1; visited > 0; count += visited) {
                visited = cursor.visit(500, (key, value) -> {});
            }
        }
        return count;
    }

    private void ingest(Family family, int from, int to, int version) {
        Path sst = temp.resolve("file-" + files++ + ".sst");
        try (SstWriter writer = new SstWriter(sst)) {
            for (int key = from; key < to; key++) {
                writer.add(key(key), value(version));
            }
            writer.finish();
        }
        family.ingest(List.of(sst));
    }

    private static void delete(RocksStore store, Family family, int from, int to) {
        RowBatch batch = new RowBatch();
        for (int key = from; key < to; key++) {
            batch.set(family, key(key), null);
        }
        store.write(batch, new WriteSet());
    }

    private static byte[] key(int key) {
        return ByteBuffer.allocate(9).put((byte) 'k').putLong(key).array();
    }

    private static byte[] value(int version) {
        return ByteBuffer.allocate(20).putInt(version).array();
    }
}
