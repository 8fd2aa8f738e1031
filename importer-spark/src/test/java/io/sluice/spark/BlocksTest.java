package io.sluice.spark;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.importer.encode.KvTarget;
import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.Table;
import io.sluice.model.schema.TableDef;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.spark.serializer.DeserializationStream;
import org.apache.spark.serializer.SerializationStream;
import org.apache.spark.serializer.SerializerInstance;
import org.junit.jupiter.api.Test;
import scala.Tuple2;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/** The blocks of the shuffle, from the KVs of rows to the sorted KVs of a range. */
class BlocksTest {
    private static final ClassTag<byte[]> BYTES = ClassTag$.MODULE$.apply(byte[].class);
    private static final int KVS = 150_000;

    private final Random random = new Random(5);

    private static Table table() {
        TableDef def = Ddl.parse("CREATE TABLE t (a INT8 PRIMARY KEY, b INT8, INDEX i (b))", "test")
                .get(0);
        return Table.inNewStore(List.of(def), def);
    }

    /** A key of an index: half of them are in few values, and some KVs are longer than a block or than 16 bits. */
    private Tuple2<byte[], byte[]> kv(int index, int number) {
        byte[] key = new byte[number % 50_000 == 7 ? 70_000 : 9];
        key[0] = (byte) index;
        long value = number % 2 == 0 ? random.nextInt(100) : random.nextLong();
        for (int i = 0; i < Long.BYTES; i++) {
            key[i + 1] = (byte) (value >>> (56 - 8 * i));
        }
        byte[] bytes = new byte[number % 40_000 == 11 ? 200_000 : random.nextInt(300)];
        random.nextBytes(bytes);
        return new Tuple2<>(key, bytes);
    }

    private static void put(KvTarget target, Tuple2<byte[], byte[]> kv) {
        int keyLength = kv._1().length;
        int valueLength = kv._2().length;
        byte[] room = target.room(keyLength + valueLength);
        System.arraycopy(kv._1(), 0, room, target.position(), keyLength);
        System.arraycopy(kv._2(), 0, room, target.position() + keyLength, valueLength);
        target.added((long) keyLength << 32 | valueLength);
    }

    @Test
    void rangesGetTheirKvsInOrder() throws IOException {
        List<Tuple2<byte[], byte[]>> kvs = new ArrayList<>();
        List<Tuple2<byte[], Long>> sample = new ArrayList<>();
        for (int i = 0; i < KVS; i++) {
            kvs.add(kv(i % 2, i));
            if (i % 100 < 2) {
                sample.add(new Tuple2<>(kvs.get(i)._1(), 1L));
            }
        }
        KeyRanges ranges = KeyRanges.of(sample, 7, 201);
        assertEquals(201, ranges.numPartitions());
        assertEquals(7, ranges.ofInput());
        BlockWriter writer = new BlockWriter(table(), ranges);
        Map<Integer, List<Tuple2<byte[], byte[]>>> shuffled = new HashMap<>();
        for (int i = 0; i < KVS; i++) {
            put(writer.targets().get(i % 2), kvs.get(i));
            drain(writer, ranges, shuffled);
        }
        assertTrue(shuffled.values().stream().mapToInt(List::size).sum() > 100, "full buffers are cut");
        writer.flush();
        drain(writer, ranges, shuffled);

        Map<String, Integer> missing = new HashMap<>();
        kvs.forEach(kv -> missing.merge(name(kv._1(), kv._2()), 1, Integer::sum));
        byte[][] last = {new byte[0]};
        for (int range = 0; range < ranges.ofInput(); range++) {
            int of = range;
            List<Tuple2<byte[], byte[]>> blocks = shuffled.getOrDefault(range, new ArrayList<>());
            blocks.sort(Comparator.comparing(Tuple2::_1, Arrays::compareUnsigned));
            new BlockMerge(blocks.iterator(), report -> {
                        throw new AssertionError("no report was written");
                    })
                    .into((buffer, keyOffset, keyLength, valueLength) -> {
                        byte[] key = Arrays.copyOfRange(buffer, keyOffset, keyOffset + keyLength);
                        byte[] value =
                                Arrays.copyOfRange(buffer, keyOffset + keyLength, keyOffset + keyLength + valueLength);
                        assertTrue(Arrays.compareUnsigned(last[0], key) <= 0);
                        assertEquals(of, ranges.getPartition(key));
                        last[0] = key;
                        missing.merge(name(key, value), -1, (a, b) -> a + b == 0 ? null : a + b);
                    });
        }
        assertEquals(Map.of(), missing);
    }

    /** The sample passes through the driver, however long keys are. */
    @Test
    void longKeysAreSampledByTheirStart() {
        SampledKeys keys = new SampledKeys();
        byte[] key = new byte[1 << 20];
        for (int i = 0; i < 100; i++) {
            key[0] = (byte) i;
            keys.add(key, key.length);
        }
        byte[] packed = keys.packed();
        assertTrue(packed.length < 200_000, packed.length + " bytes of keys");
        List<Tuple2<byte[], Long>> sample = new ArrayList<>();
        SampledKeys.unpack(packed, sample);
        assertEquals(100L << 20, sample.stream().mapToLong(Tuple2::_2).sum());
        KeyRanges ranges = KeyRanges.of(sample, 10, 1);
        key[0] = 55;
        assertEquals(5, ranges.getPartition(key));
    }

    private static void drain(
            BlockWriter writer, KeyRanges ranges, Map<Integer, List<Tuple2<byte[], byte[]>>> shuffled) {
        while (!writer.isEmpty()) {
            Tuple2<byte[], byte[]> block = writer.next();
            shuffled.computeIfAbsent(ranges.getPartition(block._1()), range -> new ArrayList<>())
                    .add(block);
        }
    }

    private static String name(byte[] key, byte[] value) {
        return HexFormat.of().formatHex(key, 0, 9)
                + '/'
                + key.length
                + '/'
                + value.length
                + '/'
                + Arrays.hashCode(value);
    }

    @Test
    void reportsComeWithoutKvs() throws IOException {
        List<byte[]> reports = new ArrayList<>();
        byte[] report = {1, 2};
        new BlockMerge(List.of(new Tuple2<>(new byte[0], report)).iterator(), reports::add).into((b, k, l, v) -> {
            throw new AssertionError("a report is no KV");
        });
        assertEquals(List.of(report), reports);
    }

    @Test
    void recordsPassTheSerializer() throws IOException {
        SerializerInstance serializer = new BlockSerializer().newInstance();
        byte[] large = new byte[70_000];
        random.nextBytes(large);
        List<byte[]> records = List.of(new byte[0], large, new byte[] {5});
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        SerializationStream stream = serializer.serializeStream(out);
        records.forEach(record -> stream.writeValue(record, BYTES));
        stream.close();
        DeserializationStream in = serializer.deserializeStream(new ByteArrayInputStream(out.toByteArray()));
        for (byte[] record : records) {
            assertArrayEquals(record, in.readValue(BYTES));
        }
        assertThrows(EOFException.class, () -> in.readValue(BYTES));
    }

    @Test
    void lengthBelowZeroIsDamage() {
        DeserializationStream in = new BlockSerializer()
                .newInstance()
                .deserializeStream(new ByteArrayInputStream(new byte[] {(byte) 0x80, 0, 0, 0, 1}));
        IOException failure = assertThrows(IOException.class, () -> in.readValue(BYTES));
        assertTrue(failure.toString().contains("damaged"), failure.toString());
    }

    /** Spark takes the end of a stream for the end of the records: one that is cut off is an error. */
    @Test
    void truncatedRecordIsNoEnd() {
        SerializerInstance serializer = new BlockSerializer().newInstance();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        SerializationStream stream = serializer.serializeStream(out);
        stream.writeValue(new byte[] {5, 6}, BYTES);
        stream.close();
        for (int length = 1; length < out.size(); length++) {
            DeserializationStream in =
                    serializer.deserializeStream(new ByteArrayInputStream(Arrays.copyOf(out.toByteArray(), length)));
            IOException failure = assertThrows(IOException.class, () -> in.readValue(BYTES));
            assertTrue(failure.toString().contains("ends too early"), failure.toString());
        }
    }
}
