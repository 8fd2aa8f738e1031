package io.sluice.model.kv;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.model.row.Row;
import io.sluice.model.schema.Column;
import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.Table;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

/** Tables with several column families: their KVs, and the KVs of one entry joined and split. */
final class FamiliesTest {
    private static final long SEED = Long.getLong("sluice.seed", System.nanoTime());

    private static final int ROWS = 100;

    /** Random tables of random families and rows of INT, STRING and BOOL, against the oracle below. */
    @RepeatedTest(40)
    void kvsAreThoseOfTheOracle(RepetitionInfo repetition) {
        long seed = SEED + repetition.getCurrentRepetition();
        System.out.println("seed " + seed);
        SplittableRandom random = new SplittableRandom(seed);
        int columns = 3 + random.nextInt(6);
        int[] families = new int[columns];
        for (int i = 1; i < columns; i++) {
            families[i] = random.nextInt(4);
        }
        Table table = table(families, random);
        List<IndexEncoder> encoders = IndexEncoder.ofAll(table);
        Row row = new Row(columns);
        for (int i = 0; i < ROWS; i++) {
            @Nullable Object[] values = new Object[columns];
            for (int c = 0; c < columns; c++) {
                values[c] = c > 0 && random.nextInt(3) == 0 ? null : value(c, random);
                set(row, c, values[c]);
            }
            Map<String, String> expected = new TreeMap<>();
            Oracle oracle = new Oracle(table, values);
            Map<String, String> actual = new TreeMap<>();
            for (IndexEncoder encoder : encoders) {
                oracle.entry(encoder.ordinal(), expected);
                for (EncodedKv kv : EncodedKv.all(encoder, row)) {
                    assertNull(actual.put(kv.keyHex(), kv.valueHex()));
                }
            }
            assertEquals(expected, actual, "seed " + seed + ", row " + i + ": " + Arrays.toString(values));
        }
    }

    /** Column 0 is the key, an INT; the others are STRING, BOOL and INT by turns. Index 2 is unique, 3 is not. */
    private static Table table(int[] families, SplittableRandom random) {
        StringBuilder ddl = new StringBuilder("CREATE TABLE t (c0 INT PRIMARY KEY");
        for (int i = 1; i < families.length; i++) {
            ddl.append(", c").append(i).append(i % 3 == 1 ? " STRING" : i % 3 == 2 ? " BOOL" : " INT");
        }
        String rest = "";
        for (int i = 2; i < families.length; i++) {
            rest += random.nextBoolean() ? (rest.isEmpty() ? "c" : ", c") + i : "";
        }
        String storing = rest.isEmpty() ? ")" : ") STORING (" + rest + ")";
        ddl.append(", UNIQUE INDEX i2 (c1")
                .append(storing)
                .append(", INDEX i3 (c1")
                .append(storing);
        for (int family = 0; family < 4; family++) {
            String names = family == 0 ? "c0" : "";
            for (int i = 1; i < families.length; i++) {
                names += families[i] == family ? (names.isEmpty() ? "c" : ", c") + i : "";
            }
            ddl.append(names.isEmpty() ? "" : ", FAMILY (" + names + ")");
        }
        return Table.bind(Ddl.parse(ddl + ")", "test").get(0), 1 + random.nextInt(1000), name -> null);
    }

    private static Object value(int column, SplittableRandom random) {
        return switch (column % 3) {
            case 1 -> "x".repeat(random.nextInt(3)) + random.nextInt(5);
            case 2 -> random.nextBoolean();
            default -> random.nextLong() >> random.nextInt(64);
        };
    }

    private static void set(Row row, int column, @Nullable Object value) {
        if (value == null) {
            row.setNull(column);
        } else if (value instanceof String text) {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            row.setBytes(column, bytes, 0, bytes.length);
        } else {
            row.setLong(column, value instanceof Boolean bool ? bool ? 1 : 0 : (Long) value);
        }
    }

    /** Encodes the KVs of one row as the description of the format says, without the plans of the encoder. */
    @SuppressWarnings("ArrayRecordComponent")
    private record Oracle(Table table, @Nullable Object[] values) {
        void entry(int ordinal, Map<String, String> kvs) {
            List<Column> columns = table.def().columns();
            List<Integer> stored =
                    new ArrayList<>(table.def().indexes().get(ordinal).storing());
            for (int c = 1; ordinal == 0 && c < columns.size(); c++) {
                stored.add(c);
            }
            for (int family = 0; family < table.def().families(); family++) {
                int number = family;
                List<Integer> own = stored.stream()
                        .filter(c -> columns.get(c).family() == number)
                        .sorted()
                        .toList();
                boolean single =
                        columns.stream().filter(c -> c.family() == number).count() == 1;
                if (family > 0 && own.stream().allMatch(c -> values[c] == null)) {
                    continue;
                }
                ByteArrayOutputStream key = new ByteArrayOutputStream();
                integer(table.id(), key);
                integer(1 + ordinal, key);
                if (ordinal > 0) {
                    datum(values[1], key);
                }
                if (ordinal != 1 || values[1] == null) {
                    datum(values[0], key);
                }
                key.write(0x88 + family);
                if (family > 0) {
                    key.write(0x89);
                }
                ByteArrayOutputStream body = new ByteArrayOutputStream();
                if (family > 0 && ordinal == 0 && single) {
                    single(Objects.requireNonNull(values[own.get(0)]), body);
                } else {
                    body.write(ordinal == 0 || family > 0 ? 10 : 3);
                    if (ordinal == 1 && family == 0) {
                        datum(values[0], body);
                    }
                    tuple(own, body);
                }
                CRC32 crc = new CRC32();
                crc.update(key.toByteArray());
                crc.update(body.toByteArray());
                byte[] sum = ByteBuffer.allocate(4).putInt((int) crc.getValue()).array();
                kvs.put(
                        HexFormat.of().formatHex(key.toByteArray()),
                        HexFormat.of().formatHex(sum) + HexFormat.of().formatHex(body.toByteArray()));
            }
        }

        private void tuple(List<Integer> own, ByteArrayOutputStream out) {
            int last = 0;
            for (int c : own) {
                Object value = values[c];
                if (value != null) {
                    int delta = c + 1 - last;
                    last = c + 1;
                    if (value instanceof String text) {
                        tag(delta, 6, out);
                        out.write(text.length());
                        out.writeBytes(text.getBytes(StandardCharsets.UTF_8));
                    } else if (value instanceof Boolean bool) {
                        tag(delta, bool ? 10 : 11, out);
                    } else {
                        tag(delta, 3, out);
                        zigzag((Long) value, out);
                    }
                }
            }
        }

        private static void tag(int delta, int type, ByteArrayOutputStream out) {
            int tag = (delta << 4) | type;
            if (tag >= 128) {
                out.write(0x80 | (tag >> 7));
            }
            out.write(tag & 0x7f);
        }

        private static void single(Object value, ByteArrayOutputStream out) {
            if (value instanceof String text) {
                out.write(3);
                out.writeBytes(text.getBytes(StandardCharsets.UTF_8));
            } else {
                out.write(1);
                zigzag(value instanceof Boolean bool ? bool ? 1 : 0 : (Long) value, out);
            }
        }

        private static void zigzag(long value, ByteArrayOutputStream out) {
            long rest = (value << 1) ^ (value >> 63);
            for (; Long.compareUnsigned(rest, 128) >= 0; rest >>>= 7) {
                out.write((int) (0x80 | (rest & 0x7f)));
            }
            out.write((int) rest);
        }

        private static void datum(@Nullable Object value, ByteArrayOutputStream out) {
            if (value == null) {
                out.write(0);
            } else if (value instanceof String text) {
                out.write(0x12);
                out.writeBytes(text.getBytes(StandardCharsets.UTF_8));
                out.write(0);
                out.write(1);
            } else {
                integer((Long) value, out);
            }
        }

        private static void integer(long value, ByteArrayOutputStream out) {
            byte[] bytes = ByteBuffer.allocate(8).putLong(value).array();
            if (value >= 0 && value < 110) {
                out.write((int) (0x88 + value));
            } else if (value >= 0) {
                int count = 8 - Long.numberOfLeadingZeros(value) / 8;
                out.write(0xf5 + count);
                out.write(bytes, 8 - count, count);
            } else {
                int count = 1;
                while (count < 8 && (value == Long.MIN_VALUE || -value > (1L << (8 * count)) - 1)) {
                    count++;
                }
                out.write(0x88 - count);
                out.write(bytes, 8 - count, count);
            }
        }
    }

    /** Every type in families of one and more columns, with interleaved and composite keys. */
    @RepeatedTest(60)
    void joinedKvsAreThoseOfOneFamily(RepetitionInfo repetition) {
        long seed = SEED + repetition.getCurrentRepetition();
        System.out.println("seed " + seed);
        SplittableRandom random = new SplittableRandom(seed);
        Table table = RandomTables.inFamilies(RandomTables.table(random), random);
        EntryKvs codec = EntryKvs.of(table);
        if (table.def().families() == 1) {
            assertNull(codec);
            return;
        }
        assertNotNull(codec);
        RowDecoder decoder = new RowDecoder(table);
        IndexKeys keys = new IndexKeys(table);
        List<IndexEncoder> encoders = IndexEncoder.ofAll(table);
        List<IndexEncoder> joined = IndexEncoder.ofAll(codec.joined());
        Row row = new Row(table.def().columns().size());
        Row decoded = new Row(table.def().columns().size());
        for (int i = 0; i < ROWS; i++) {
            RandomDatums.fill(table, row, random);
            for (int ordinal = 0; ordinal < encoders.size(); ordinal++) {
                String what = "seed " + seed + ", row " + i + ", index " + ordinal;
                List<EncodedKv> kvs = EncodedKv.all(encoders.get(ordinal), row);
                byte[] first = kvs.get(0).key();
                List<byte[]> possible = codec.otherKeys(ordinal, first);
                for (int each = 0; each < kvs.size(); each++) {
                    EncodedKv kv = kvs.get(each);
                    assertTrue(KvCrc.matches(kv.key(), kv.value()), what);
                    assertTrue(decoder.owns(ordinal, kv.key()), what);
                    assertArrayEquals(first, EntryKeys.start(kv.key()), what);
                    assertTrue(EntryKeys.same(first, kv.key()), what);
                    assertTrue(Arrays.compareUnsigned(kv.key(), EntryKeys.end(first)) < 0, what);
                    assertEquals(each == 0, EntryKeys.first(kv.key()), what);
                    assertTrue(each == 0 || possible.stream().anyMatch(key -> Arrays.equals(key, kv.key())), what);
                    int family = decoder.decodeFamily(ordinal, kv.key(), kv.value(), decoded);
                    KvEncoder again = family == 0
                            ? encoders.get(ordinal)
                            : encoders.get(ordinal).families().get(family - 1);
                    assertEquals(kv.hex(), EncodedKv.of(again, decoded).hex(), what);
                }
                checkBorders(ordinal, keys, kvs, random, what);
                EncodedKv whole = EncodedKv.of(joined.get(ordinal), row);
                assertArrayEquals(whole.key(), first, what);
                byte[] value = codec.join(
                        ordinal,
                        kvs.stream().map(EncodedKv::key).toList(),
                        kvs.stream().map(EncodedKv::value).toList());
                assertArrayEquals(whole.value(), value, what);
                List<String> split = new ArrayList<>();
                codec.split(ordinal, first, value, (key, part) -> split.add(new EncodedKv(key, part).hex()));
                assertEquals(kvs.stream().map(EncodedKv::hex).toList(), split, what);
            }
        }
    }

    /** Wherever in or beside a key a cut falls, its border has all KVs of the entry on one side. */
    private static void checkBorders(
            int ordinal, IndexKeys keys, List<EncodedKv> kvs, SplittableRandom random, String what) {
        for (EncodedKv kv : kvs) {
            byte[] cut = Arrays.copyOf(kv.key(), 1 + random.nextInt(kv.key().length + 1));
            if (random.nextBoolean()) {
                cut[cut.length - 1]++;
            }
            byte[] border = keys.border(ordinal, cut);
            String where = what + ", cut " + HexFormat.of().formatHex(cut);
            assertTrue(Arrays.compareUnsigned(border, cut) <= 0, where);
            long below = kvs.stream()
                    .filter(each -> Arrays.compareUnsigned(each.key(), border) < 0)
                    .count();
            assertTrue(below == 0 || below == kvs.size(), where);
        }
    }

    @Test
    void checksumCountsEntriesAndNotKvs() {
        Table table = Table.bind(
                Ddl.parse("CREATE TABLE t (a INT PRIMARY KEY, b INT, FAMILY (a), FAMILY (b))", "test")
                        .get(0),
                1,
                name -> null);
        IndexEncoder encoder = IndexEncoder.ofAll(table).get(0);
        KvChecksum.Accumulator sum = new KvChecksum.Accumulator(IndexDigest.of(table, 0));
        long bytes = 0;
        Row row = new Row(2);
        for (int a = 1; a <= 3; a++) {
            row.setLong(0, a);
            if (a == 3) {
                row.setNull(1);
            } else {
                row.setLong(1, a);
            }
            for (EncodedKv kv : EncodedKv.all(encoder, row)) {
                sum.add(kv.key(), kv.value());
                bytes += kv.key().length + kv.value().length;
            }
        }
        assertEquals(3, sum.count());
        assertEquals(bytes, sum.bytes());
    }

    @Test
    void keyOfAnUnknownFamilyIsCorrupt() {
        Table table = Table.bind(
                Ddl.parse("CREATE TABLE t (a INT PRIMARY KEY, b INT, FAMILY (a), FAMILY (b))", "test")
                        .get(0),
                1,
                name -> null);
        RowDecoder decoder = new RowDecoder(table);
        assertTrue(decoder.owns(0, HexFormat.of().parseHex("89898a8989")));
        assertThrows(
                CorruptKvException.class, () -> decoder.owns(0, HexFormat.of().parseHex("89898a8a89")));
    }
}
