package io.sluice.importer.job.verify;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.importer.job.output.KeyBorders;
import io.sluice.model.kv.IndexKeys;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.Table;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Every key of an index is in one bucket, whatever the borders. */
class BucketsTest {
    private static final long SEED = Long.getLong("sluice.seed", System.nanoTime());
    private static final Table TABLE = Table.bind(
            Ddl.parse("CREATE TABLE t (a INT8 PRIMARY KEY, b STRING, INDEX by_b (b))", "test")
                    .get(0),
            60,
            name -> null);
    private static final int PRIMARY = TABLE.indexes().get(0).def().id();
    private static final byte[] PREFIX = new IndexKeys(TABLE).span(0).start();

    private static byte[] key(int number) {
        return ByteBuffer.allocate(PREFIX.length + Integer.BYTES)
                .put(PREFIX)
                .putInt(number)
                .array();
    }

    private static int of(Buckets buckets, byte[] key) {
        byte[] buffer = new byte[key.length + 3];
        System.arraycopy(key, 0, buffer, 2, key.length);
        return buckets.of(0, buffer, 2, key.length);
    }

    @Test
    void withoutBordersThereIsOne() {
        Buckets buckets = Buckets.whole(TABLE);
        KeySpan index = new IndexKeys(TABLE).span(0);
        assertEquals(1, buckets.count(0));
        assertEquals(index, buckets.span(0, 0));
        assertEquals(0, of(buckets, index.start()));
    }

    @Test
    void aBorderIsTheFirstKeyOfItsBucket() {
        KeyBorders borders = new KeyBorders();
        borders.add(PRIMARY, List.of(key(10), key(20), key(20), key(30)));
        Buckets buckets = new Buckets(TABLE, borders);
        assertEquals(3, buckets.count(0), "the first key of all divides nothing");
        assertEquals(1, buckets.count(1));
        int[][] expected = {{9, 0}, {10, 0}, {19, 0}, {20, 1}, {21, 1}, {29, 1}, {30, 2}, {31, 2}};
        for (int[] each : expected) {
            assertEquals(each[1], of(buckets, key(each[0])), () -> "key " + each[0]);
            assertTrue(buckets.span(0, each[1]).contains(key(each[0])), () -> "key " + each[0]);
        }
    }

    @Test
    void keysOfOtherIndexesAreNoBorders() {
        KeyBorders borders = new KeyBorders();
        byte[] other = new IndexKeys(TABLE).span(1).start();
        borders.add(PRIMARY, List.of(key(1), PREFIX, other, Arrays.copyOf(other, other.length + 1)));
        Buckets buckets = new Buckets(TABLE, borders);
        KeySpan index = new IndexKeys(TABLE).span(0);
        assertArrayEquals(index.start(), buckets.span(0, 0).start());
        assertArrayEquals(index.end(), buckets.span(0, buckets.count(0) - 1).end());
        assertEquals(2, buckets.count(0));
    }

    @Test
    void ofVeryManyKeysSomeAreKeptThatDivideEvenly() {
        List<Integer> numbers = new ArrayList<>();
        for (int i = 0; i < 100_000; i++) {
            numbers.add(i);
        }
        Collections.shuffle(numbers, new Random(SEED));
        KeyBorders borders = new KeyBorders();
        numbers.forEach(number -> borders.add(PRIMARY, List.of(key(number))));
        Buckets buckets = new Buckets(TABLE, borders);
        assertEquals(KeyBorders.MOST_BUCKETS, buckets.count(0));
        int[] held = new int[buckets.count(0)];
        numbers.forEach(number -> held[of(buckets, key(number))]++);
        int most = Arrays.stream(held).max().orElseThrow();
        assertTrue(most < 3 * numbers.size() / held.length, () -> "seed " + SEED + ": " + Arrays.toString(held));
    }
}
