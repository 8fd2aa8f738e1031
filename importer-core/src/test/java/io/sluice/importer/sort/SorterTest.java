package io.sluice.importer.sort;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.importer.sort.Kvs.Collector;
import io.sluice.importer.sort.Kvs.Kv;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A sorted buffer holds what a plain, stable sort of the same KVs gives. */
class SorterTest {
    private static final long SEED = Long.getLong("sluice.seed", System.nanoTime());

    @ParameterizedTest
    @EnumSource(Kvs.Keys.class)
    void sortsLikeAPlainStableSort(Kvs.Keys keys) throws IOException {
        // Around the size below which entries are inserted, and far above it.
        for (int count : List.of(0, 1, 2, 47, 48, 49, 300, 5000)) {
            long seed = SEED + count;
            List<Kv> kvs = Kvs.random(keys, count, new Random(seed));
            assertSorts(kvs, "seed " + seed + ", " + count + " KVs");
        }
    }

    @Test
    void oneSorterServesBuffersOfAnySize() throws IOException {
        Sorter sorter = new Sorter();
        Random random = new Random(SEED);
        for (int count : List.of(1000, 10, 3000, 200)) {
            List<Kv> kvs = Kvs.random(Kvs.Keys.TEXTS, count, random);
            SortBuffer buffer = new SortBuffer(1 << 16, 1 << 16, sorter);
            kvs.forEach(kv -> Kvs.add(buffer, kv));
            buffer.sort();
            assertEquals(Kvs.texts(Kvs.sorted(kvs)), drain(buffer), "seed " + SEED + ", " + count + " KVs");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0xfffe, 0xffff, 0x10000, 200_000})
    void entriesThatAreWiderThanTheirHeaderAreKeptWhole(int length) throws IOException {
        Random random = new Random(SEED);
        List<Kv> kvs = new ArrayList<>(Kvs.random(Kvs.Keys.NUMBERS, 60, random));
        byte[] long1 = new byte[length];
        random.nextBytes(long1);
        long1[0] = 1;
        byte[] long2 = long1.clone();
        long2[length - 1] ^= 1;
        byte[] wide = new byte[length];
        random.nextBytes(wide);
        kvs.add(10, new Kv(long1, new byte[4]));
        kvs.add(20, new Kv(long2, new byte[5]));
        kvs.add(30, new Kv(new byte[] {2, 2}, wide));
        kvs.add(40, new Kv(Arrays.copyOf(wide, length - 1), wide));
        assertSorts(kvs, "seed " + SEED + ", lengths of " + length);
    }

    /** Each key has eight bytes in common with the next more than with the one before: as many levels as keys. */
    @Test
    void levelsOfKeysAreNotNestedCalls() throws IOException {
        List<Kv> kvs = new ArrayList<>();
        for (int i = 1; i <= 4000; i++) {
            byte[] key = new byte[Long.BYTES * i + 1];
            Arrays.fill(key, (byte) 'x');
            key[key.length - 1] = 1;
            kvs.add(new Kv(key, new byte[4]));
        }
        Collections.shuffle(kvs, new Random(SEED));
        SortBuffer buffer = new SortBuffer(80 << 20, kvs.size(), new Sorter());
        kvs.forEach(kv -> Kvs.add(buffer, kv));
        buffer.sort();
        List<Integer> lengths = new ArrayList<>();
        buffer.drainTo((arena, keyOffset, keyLength, valueLength) -> lengths.add(keyLength));
        assertEquals(Kvs.sorted(kvs).stream().map(kv -> kv.key().length).toList(), lengths, "seed " + SEED);
    }

    @Test
    void aBufferKnowsWhetherItsKeysCameInOrder() {
        List<Kv> kvs = new ArrayList<>(Kvs.sorted(Kvs.random(Kvs.Keys.FEW, 100, new Random(SEED))));
        assertTrue(Kvs.buffer(kvs).cameInOrder(), "equal keys are in order");
        kvs.add(kvs.get(0));
        SortBuffer buffer = Kvs.buffer(kvs);
        assertFalse(buffer.cameInOrder());
        buffer.clear();
        assertTrue(buffer.cameInOrder());
        assertTrue(buffer.isEmpty());
    }

    @Test
    void aBufferIsFullByBytesAndByEntries() {
        Kv kv = new Kv(new byte[100], new byte[100]);
        SortBuffer byBytes = new SortBuffer(64 << 10, 1000, new Sorter());
        while (!byBytes.isFull()) {
            Kvs.add(byBytes, kv);
        }
        assertTrue(byBytes.bytes() <= 64 << 10, "grew to " + byBytes.bytes());
        assertEquals(64 << 10, byBytes.arena().length);
        SortBuffer byEntries = new SortBuffer(1 << 20, 10, new Sorter());
        while (!byEntries.isFull()) {
            Kvs.add(byEntries, kv);
        }
        assertEquals(10, byEntries.count());
    }

    private static void assertSorts(List<Kv> kvs, String context) throws IOException {
        SortBuffer buffer = Kvs.buffer(kvs);
        assertEquals(kvs.size(), buffer.count(), context);
        buffer.sort();
        assertEquals(Kvs.texts(Kvs.sorted(kvs)), drain(buffer), context);
        assertTrue(buffer.cameInOrder(), context);
    }

    private static List<String> drain(SortBuffer buffer) throws IOException {
        Collector collector = new Collector();
        buffer.drainTo(collector);
        return collector.texts();
    }
}
