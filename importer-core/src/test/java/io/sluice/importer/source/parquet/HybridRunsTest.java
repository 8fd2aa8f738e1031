package io.sluice.importer.source.parquet;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Random;
import org.apache.parquet.bytes.HeapByteBufferAllocator;
import org.apache.parquet.column.values.rle.RunLengthBitPackingHybridEncoder;
import org.junit.jupiter.api.Test;

/** Numbers that the library has encoded as runs, and runs that are none. */
class HybridRunsTest {
    private static final long SEED = Long.getLong("sluice.seed", System.nanoTime());
    private static final int MARGIN = 5;

    @Test
    void numbersAreThoseThatTheLibraryEncoded() throws Exception {
        Random random = new Random(SEED);
        for (int width = 0; width <= 32; width++) {
            for (int round = 0; round < 20; round++) {
                int[] numbers = numbers(random, width);
                byte[] encoded = encoded(numbers, width);
                byte[] around = new byte[encoded.length + 2 * MARGIN];
                Arrays.fill(around, (byte) 0x7f);
                System.arraycopy(encoded, 0, around, MARGIN, encoded.length);
                HybridRuns runs = new HybridRuns();
                runs.reset(around, MARGIN, MARGIN + encoded.length, width);
                int[] read = new int[numbers.length];
                for (int done = 0; done < read.length; ) {
                    done += runs.read(read, done, Math.min(read.length - done, 1 + random.nextInt(100)));
                }
                assertArrayEquals(numbers, read, "seed " + SEED + ", width " + width);
            }
        }
    }

    private static int[] numbers(Random random, int width) {
        int[] numbers = new int[random.nextInt(400)];
        int mask = width == 32 ? -1 : (1 << width) - 1;
        int repeated = 0;
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = repeated-- > 0 ? numbers[i - 1] : random.nextInt() & mask;
            if (repeated < 0 && random.nextInt(10) == 0) {
                repeated = random.nextInt(60);
            }
        }
        return numbers;
    }

    private static byte[] encoded(int[] numbers, int width) throws Exception {
        try (RunLengthBitPackingHybridEncoder encoder =
                new RunLengthBitPackingHybridEncoder(width, 64, 1 << 20, HeapByteBufferAllocator.getInstance())) {
            for (int number : numbers) {
                encoder.writeInt(number);
            }
            var buffer = PageCodecs.onHeap(encoder.toBytes());
            int from = buffer.arrayOffset() + buffer.position();
            return Arrays.copyOfRange(buffer.array(), from, from + buffer.remaining());
        }
    }

    /** Of nine numbers. Packed ones may be filled up, and so may the bytes after the last run. */
    @Test
    void numbersBehindTheLastOneAreFound() {
        byte[][] whole = {{18, 5}, {5, 1, 2, 3, 4, 5, 6}, {33, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0}, {18, 5, 0, 0, 1}};
        byte[][] longer = {{20, 5}, {18, 5, 2, 5}, {5, 1, 2, 3, 4, 5, 6, 3, 0, 0, 0}};
        for (byte[] bytes : whole) {
            assertFalse(afterNine(bytes).hasMore(0), () -> Arrays.toString(bytes));
        }
        for (byte[] bytes : longer) {
            assertTrue(afterNine(bytes).hasMore(0), () -> Arrays.toString(bytes));
        }
    }

    private static HybridRuns afterNine(byte[] bytes) {
        HybridRuns runs = new HybridRuns();
        runs.reset(bytes, 0, bytes.length, 3);
        for (int done = 0; done < 9; ) {
            done += runs.read(new int[9], done, 9 - done);
        }
        return runs;
    }

    @Test
    void runsThatAreCutOffAreRefused() {
        byte[][] broken = {{}, {(byte) 0x80}, {3}, {0, 5}, {4}, {-1, -1, -1, -1, -1, 1}};
        for (byte[] bytes : broken) {
            HybridRuns runs = new HybridRuns();
            runs.reset(bytes, 0, bytes.length, 3);
            assertThrows(IllegalStateException.class, () -> runs.read(new int[8], 0, 8), () -> Arrays.toString(bytes));
        }
        HybridRuns wide = new HybridRuns();
        assertThrows(IllegalStateException.class, () -> wide.reset(new byte[9], 0, 9, 33));
    }
}
