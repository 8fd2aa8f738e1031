package io.sluice.engine.cache;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.model.kv.KeySpan;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Tests the rules of the cache one by one, with a database of two numbers. */
class RowCacheTest {
    private final Numbers numbers = new Numbers();
    private final RowCache cache = new RowCache(RowCache.LEAST_BYTES, numbers);
    private final CacheShard shard = cache.newShard();

    /** The sequence numbers of the simulated database. */
    private static final class Numbers implements Sequences {
        long latest = 10;
        long oldest = Long.MAX_VALUE;

        @Override
        public long latest() {
            return latest;
        }

        @Override
        public long oldestSnapshot() {
            return oldest;
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private void write(String... keys) {
        try (Update update = shard.begin(
                java.util.Arrays.stream(keys).map(RowCacheTest::bytes).toList(), List.of())) {
            assertNotNull(update);
            numbers.latest++;
        }
    }

    private void deleteSpan(String from, String to) {
        try (Update update = shard.begin(List.of(), List.of(new KeySpan(bytes(from), bytes(to))))) {
            assertNotNull(update);
            numbers.latest++;
        }
    }

    private void holds(String key, String value, long at) {
        assertArrayEquals(bytes(value), shard.find(bytes(key), at));
    }

    private void misses(String key, long at) {
        assertNull(shard.find(bytes(key), at));
    }

    @Test
    void addedRowIsFound() {
        misses("a", CacheShard.NOW);
        shard.fill(bytes("a"), bytes("1"), 10);
        holds("a", "1", CacheShard.NOW);
        holds("a", "1", 10);
        misses("b", CacheShard.NOW);
        CacheStatistics statistics = cache.statistics();
        assertEquals(2, statistics.hits());
        assertEquals(2, statistics.misses());
        assertEquals(1, statistics.content().entries());
        assertEquals(statistics.content().bytes(), cache.checkedBytes());
    }

    @Test
    void rowThatNoSnapshotSeesIsRemoved() {
        shard.fill(bytes("a"), bytes("1"), 10);
        shard.fill(bytes("b"), bytes("1"), 10);
        numbers.oldest = 10;
        write("a", "b");
        assertEquals(2, cache.statistics().content().entries());
        cache.snapshotReleased();
        assertEquals(2, cache.statistics().content().entries(), "the snapshot is still there");
        numbers.oldest = 11;
        cache.snapshotReleased();
        assertEquals(0, cache.statistics().content().entries());
        assertEquals(0, cache.statistics().content().ended());
        assertEquals(0, cache.checkedBytes());
    }

    @Test
    void withoutSnapshotsAnUpdateRemovesAtOnce() {
        shard.fill(bytes("a"), bytes("1"), 10);
        write("a");
        assertEquals(0, cache.statistics().content().entries());
        assertEquals(1, cache.statistics().invalidated());
    }

    @Test
    void olderValueNeverReplacesANewerOne() {
        write("a");
        shard.fill(bytes("a"), bytes("2"), 11);
        shard.fill(bytes("a"), bytes("1"), 10);
        holds("a", "2", CacheShard.NOW);
        misses("a", 10);
        assertEquals(1, cache.statistics().refused());
    }

    @Test
    void newerValueReplacesOneKeptForSnapshots() {
        shard.fill(bytes("a"), bytes("1"), 10);
        numbers.oldest = 10;
        write("a");
        shard.fill(bytes("a"), bytes("2"), 11);
        holds("a", "2", CacheShard.NOW);
        misses("a", 10);
        assertEquals(1, cache.statistics().content().entries());
        assertEquals(0, cache.statistics().content().ended());
    }

    @Test
    void noRowIsAddedDuringADeleteOfItsSpan() {
        try (Update update = shard.begin(List.of(), List.of(new KeySpan(bytes("b"), bytes("d"))))) {
            assertNotNull(update);
            shard.fill(bytes("a"), bytes("1"), 10);
            shard.fill(bytes("b"), bytes("1"), 10);
            numbers.latest = 12;
            shard.fill(bytes("c"), bytes("1"), 11);
        }
        holds("a", "1", CacheShard.NOW);
        misses("b", CacheShard.NOW);
        misses("c", CacheShard.NOW);
    }

    @Test
    void entryUnreadForManySpanUpdatesIsOutdated() {
        shard.fill(bytes("a"), bytes("1"), 10);
        shard.fill(bytes("b"), bytes("1"), 10);
        for (int i = 0; i < SpanLog.MOST; i++) {
            deleteSpan("x", "y");
        }
        holds("a", "1", CacheShard.NOW);
        deleteSpan("x", "y");
        holds("a", "1", CacheShard.NOW);
        misses("b", CacheShard.NOW);
        assertEquals(1, cache.statistics().content().entries());
        shard.fill(bytes("b"), bytes("1"), numbers.latest);
        holds("b", "1", CacheShard.NOW);
    }

    @Test
    void runningSpanUpdateOutlivesTheLog() {
        Update slow = shard.begin(List.of(), List.of(new KeySpan(bytes("a"), bytes("b"))));
        for (int i = 0; i <= SpanLog.MOST; i++) {
            deleteSpan("x", "y");
        }
        shard.fill(bytes("a"), bytes("1"), numbers.latest);
        misses("a", CacheShard.NOW);
        numbers.latest++;
        slow.close();
        shard.fill(bytes("a"), bytes("1"), numbers.latest - 1);
        misses("a", CacheShard.NOW);
        shard.fill(bytes("a"), bytes("2"), numbers.latest);
        holds("a", "2", CacheShard.NOW);
    }

    @Test
    void shardsAreSeparate() {
        CacheShard other = cache.newShard();
        shard.fill(bytes("a"), bytes("1"), 10);
        other.fill(bytes("a"), bytes("2"), 10);
        other.close();
        holds("a", "1", CacheShard.NOW);
        assertNull(other.find(bytes("a"), CacheShard.NOW));
        other.fill(bytes("a"), bytes("2"), 10);
        assertNull(other.find(bytes("a"), CacheShard.NOW));
        assertEquals(1, cache.statistics().content().entries());
    }

    @Test
    void memoryIsBounded() {
        long seed = Long.getLong("sluice.seed", System.nanoTime());
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < 50_000; i++) {
            shard.fill(bytes("key " + random.nextInt(20_000)), new byte[random.nextInt(400)], 10);
            if (i % 1000 == 0) {
                assertTrue(cache.checkedBytes() <= cache.bytes(), "seed " + seed);
            }
            if (i % 5000 == 0) {
                numbers.oldest = 10;
                write("key " + random.nextInt(20_000));
            }
        }
        CacheStatistics statistics = cache.statistics();
        assertTrue(statistics.evicted() > 10_000, statistics.toString());
        assertEquals(statistics.content().bytes(), cache.checkedBytes());
        assertTrue(statistics.content().bytes() > cache.bytes() * 9 / 10, statistics.toString());
        shard.fill(bytes("huge"), new byte[1 << 20], 10);
        misses("huge", CacheShard.NOW);
    }

    @Test
    void readRowsStay() {
        for (int i = 0; i < 100; i++) {
            shard.fill(bytes("hot " + i), new byte[100], 10);
        }
        for (int i = 0; i < 100_000; i++) {
            shard.fill(bytes("cold " + i), new byte[100], 10);
            if (i % 10 == 0) {
                assertNotNull(shard.find(bytes("hot " + i / 10 % 100), CacheShard.NOW), "after " + i);
            }
        }
    }
}
