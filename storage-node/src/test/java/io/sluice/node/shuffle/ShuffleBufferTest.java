package io.sluice.node.shuffle;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.api.node.ShuffleBatch;
import io.sluice.api.node.SstFile;
import io.sluice.engine.store.SstCursor;
import io.sluice.model.kv.IndexDigest;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.kv.KvChecksum;
import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.Table;
import io.sluice.node.OtherProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the buffer alone: a crash of the process, small memtables, long KVs. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class ShuffleBufferTest {
    /** Small memtables, so that they are flushed often and runs are compacted. */
    static final ShuffleSettings SMALL = new ShuffleSettings(64 << 10, 2, 4, 256 << 10, 1);

    static final KeySpan KEYS = KeySpan.ofPrefix(new byte[] {(byte) 0xa5, (byte) 0x89});

    /** The key span of the test table. */
    static final IndexDigest INDEX = IndexDigest.of(
            Table.bind(Ddl.parse("CREATE TABLE t (a INT PRIMARY KEY)", "test").get(0), 29, name -> null), 0);

    /** A fixed seed, so that another process creates the same KVs. */
    private static final long SEED = 77L;

    private static final int KVS = 100;

    @TempDir
    Path temp;

    /** Batch number n, the same in every process. */
    static ShuffleBatch batch(int n) {
        Random random = new Random(SEED + n);
        ByteBuffer kvs = ByteBuffer.allocate(KVS * 200);
        KvChecksum.Accumulator sum = new KvChecksum.Accumulator(INDEX);
        for (int i = 0; i < KVS; i++) {
            byte[] key = ByteBuffer.allocate(14)
                    .putShort((short) 0xa589)
                    .putLong(random.nextLong())
                    .putInt(n * KVS + i)
                    .array();
            byte[] value = new byte[5 + random.nextInt(100)];
            random.nextBytes(value);
            put(kvs, sum, key, value);
        }
        return new ShuffleBatch(new UUID(1, n), 0, 1, kvs.array(), kvs.position(), sum.sum());
    }

    private static void put(ByteBuffer kvs, KvChecksum.Accumulator sum, byte[] key, byte[] value) {
        CRC32 crc = new CRC32();
        crc.update(key);
        crc.update(value, 4, value.length - 4);
        ByteBuffer.wrap(value).putInt(0, (int) crc.getValue());
        kvs.putInt(key.length).putInt(value.length).put(key).put(value);
        assertTrue(sum.addIntact(key, value));
    }

    static void send(ShuffleBuffer buffer, ShuffleBatch batch) {
        while (!buffer.take(batch, 0, KEYS, INDEX)) {
            Thread.onSpinWait();
        }
    }

    @Test
    void smallMemtablesLoseNothing() throws IOException {
        int batches = 600;
        KvChecksum expected = KvChecksum.EMPTY;
        try (ShuffleBuffer buffer = ShuffleBuffer.open(temp.resolve("buffer"), SMALL)) {
            for (int i = 0; i < batches; i++) {
                send(buffer, batch(i));
                expected = expected.plus(batch(i).sum());
            }
            buffer.sync();
            List<SstFile> ssts = read(buffer, 4);
            assertEquals(expected, sum(ssts), "seed " + SEED);
            assertTrue(ssts.size() > 4, ssts.size() + " SSTs");
            assertTrue(buffer.bytesWritten() > 2 * expected.bytes(), buffer.bytesWritten() + " bytes");
        }
    }

    @Test
    void longKeysAndValuesAreReadBackWhole() throws IOException {
        byte[] key = new byte[70_000];
        Arrays.fill(key, (byte) 0xee);
        key[0] = (byte) 0xa5;
        key[1] = (byte) 0x89;
        byte[] value = new byte[3 << 20];
        new Random(SEED).nextBytes(value);
        ByteBuffer kvs = ByteBuffer.allocate(4 << 20);
        KvChecksum.Accumulator sum = new KvChecksum.Accumulator(INDEX);
        put(kvs, sum, new byte[] {(byte) 0xa5, (byte) 0x89, 1}, new byte[] {1, 2, 3, 4, 5});
        put(kvs, sum, key, value);
        try (ShuffleBuffer buffer = ShuffleBuffer.open(temp.resolve("buffer"), ShuffleSettings.defaults())) {
            send(buffer, new ShuffleBatch(new UUID(1, 1), 0, 1, kvs.array(), kvs.position(), sum.sum()));
            List<SstFile> ssts = read(buffer, 1);
            assertEquals(sum.sum(), sum(ssts));
            assertArrayEquals(key, ssts.get(0).largestKey());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 57, 399})
    void haltedProcessLosesNoTakenBatch(int haltAfter) throws Exception {
        Path directory = temp.resolve("buffer");
        Process process = OtherProcess.start(HaltingBuffer.class, directory.toString(), Integer.toString(haltAfter));
        List<Integer> acknowledged = new ArrayList<>();
        try (BufferedReader lines = process.inputReader()) {
            lines.lines().forEach(line -> acknowledged.add(Integer.valueOf(line)));
        }
        assertEquals(HaltingBuffer.EXIT_CODE, process.waitFor());
        assertEquals(haltAfter, acknowledged.size());
        try (ShuffleBuffer buffer = ShuffleBuffer.open(directory, SMALL)) {
            long least =
                    acknowledged.stream().mapToLong(n -> batch(n).sum().bytes()).sum();
            assertTrue(buffer.bytes() >= least, buffer.bytes() + " bytes of " + least);
            // The sender does not know which batches were taken, and sends all of them again.
            KvChecksum expected = KvChecksum.EMPTY;
            for (int i = 0; i < HaltingBuffer.BATCHES; i++) {
                send(buffer, batch(i));
                expected = expected.plus(batch(i).sum());
            }
            assertEquals(expected.bytes(), buffer.bytes(), "bytes taken");
            buffer.sync();
            assertEquals(expected, sum(read(buffer, 3)));
        }
    }

    private List<SstFile> read(ShuffleBuffer buffer, int parts) throws IOException {
        Path into = Files.createDirectories(temp.resolve("sorted"));
        List<SstFile> all = new ArrayList<>();
        for (KeySpan part : buffer.cut(0, KEYS, parts)) {
            SortedSsts ssts = buffer.newSsts(INDEX, into);
            buffer.read(0, part, ssts);
            all.addAll(ssts.written());
        }
        byte[] reached = {};
        for (SstFile sst : all) {
            assertTrue(Arrays.compareUnsigned(reached, sst.smallestKey()) < 0, "SSTs overlap");
            try (SstCursor cursor = SstCursor.verified(sst.path())) {
                assertEquals(cursor.entries(), sst.sum().count());
                assertArrayEquals(cursor.key(), sst.smallestKey());
                cursor.seekToLast();
                assertArrayEquals(cursor.key(), sst.largestKey());
            }
            reached = sst.largestKey();
        }
        return all;
    }

    private static KvChecksum sum(List<SstFile> ssts) {
        return ssts.stream().map(SstFile::sum).reduce(KvChecksum.EMPTY, KvChecksum::plus);
    }
}
