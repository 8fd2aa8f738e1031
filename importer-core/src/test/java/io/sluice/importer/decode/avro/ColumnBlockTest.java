package io.sluice.importer.decode.avro;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.importer.decode.Decoding;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.source.ColumnBlocks;
import io.sluice.model.schema.TableDef;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Blocks that have their values by column make the same rows and rejects as blocks of records. {@code -Dsluice.seed=N}
 * repeats a run.
 */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class ColumnBlockTest {
    private static final long SEED = Long.getLong("sluice.seed", System.nanoTime());
    private static final int MOST_BLOCK_BYTES = 1 << 20;
    private static final String SCHEMA = "{'type':'record','name':'r','fields':["
            + "{'name':'id','type':'long'},"
            + "{'name':'small','type':['null','long']},"
            + "{'name':'text','type':['null','string']},"
            + "{'name':'day','type':['null',{'type':'int','logicalType':'date'}]},"
            + "{'name':'amount','type':{'type':'bytes','logicalType':'decimal','precision':18,'scale':2}},"
            + "{'name':'other','type':['null','string']},"
            + "{'name':'items','type':{'type':'array','items':'int'}}]}";
    private static final TableDef TABLE = Decoding.table(
            "id INT8 PRIMARY KEY, small INT2, text STRING(3), day DATE NOT NULL, amount DECIMAL(6,2), items STRING, more INT8 DEFAULT 7");

    /** Widths of the values of the fields. */
    private static final int[] WIDTHS = {
        Long.BYTES, Long.BYTES, ColumnBlocks.LENGTHS, Integer.BYTES, Long.BYTES, ColumnBlocks.LENGTHS, ColumnBlocks.AVRO
    };

    @TempDir
    Path directory;

    private final Random random = new Random(SEED);

    @Test
    void blocksByColumnHaveTheSameRowsAndRejects() throws IOException {
        for (int round = 0; round < 60; round++) {
            AvroBytes records = AvroBytes.header(SCHEMA, "null");
            AvroBytes columns = AvroBytes.header(SCHEMA, ColumnBlocks.CODEC);
            int bad = random.nextInt(3) == 0 ? 0 : 1 + random.nextInt(200);
            for (int block = 0; block < 3; block++) {
                int rows = 1 + random.nextInt(300);
                List<List<@Nullable Object>> fields = new ArrayList<>();
                for (int field = 0; field < WIDTHS.length; field++) {
                    fields.add(values(field, rows, bad));
                }
                columns.block(rows, columns(fields));
                records.block(rows, records(fields, rows));
            }
            AvroRun expected = read(records);
            AvroRun found = read(columns);
            String what = "seed " + SEED + ", round " + round;
            assertEquals(expected.rows(), found.rows(), what);
            assertEquals(expected.positions(), found.positions(), what);
            assertEquals(withoutBytes(expected.log()), withoutBytes(found.log()), what);
        }
    }

    /** Rows in front of one whose number is beyond the dictionary are read. */
    @Test
    void numbersAreThoseOfTheDictionary() throws IOException {
        for (int last : new int[] {1, 2, 255}) {
            byte[] data = new byte[100];
            ByteBuffer block = ByteBuffer.wrap(data).order(ByteOrder.LITTLE_ENDIAN);
            head(block, ColumnBlocks.REQUIRED, ColumnBlocks.DICTIONARY, 2 * Integer.BYTES + 2 * Long.BYTES + 3);
            block.putInt(Long.BYTES).putInt(2 * Long.BYTES).putLong(41).putLong(42);
            block.put(new byte[] {1, 0, (byte) last});
            AvroBytes file = AvroBytes.header(
                            "{'type':'record','name':'r','fields':[{'name':'n','type':'long'}]}", ColumnBlocks.CODEC)
                    .block(3, Arrays.copyOf(data, block.position()));
            Path path = directory.resolve("one.avro");
            Files.write(path, file.toArray());
            AvroRun run =
                    AvroRun.of(path, InputFormat.Avro.containers(false), Decoding.table("n INT8"), MOST_BLOCK_BYTES);
            assertEquals(last == 1 ? List.of("42", "41", "42") : List.of("42", "41"), run.rows());
            assertTrue(last == 1 || run.log().contains("a value has the number " + last + " of 2"), run.log());
        }
    }

    private AvroRun read(AvroBytes file) throws IOException {
        Path path = directory.resolve("rows.avro");
        Files.write(path, file.toArray());
        return AvroRun.of(path, InputFormat.Avro.containers(false), TABLE, MOST_BLOCK_BYTES);
    }

    private static String withoutBytes(String log) {
        return log.replaceAll("byte \\d+", "byte");
    }

    /** Values of a field; about one of so many is not one of its column, none if that is 0. */
    private List<@Nullable Object> values(int field, int rows, int bad) {
        List<@Nullable Object> values = new ArrayList<>();
        boolean nulls = isUnion(field) && random.nextBoolean();
        for (int i = 0; i < rows; i++) {
            boolean good = bad == 0 || random.nextInt(bad) > 0;
            int n = random.nextInt(20);
            boolean absent = field == 3 ? !good && nulls : nulls && random.nextBoolean();
            values.add(
                    absent
                            ? null
                            : switch (field) {
                                case 0 -> random.nextLong();
                                case 1 -> good ? n : 40_000L + n;
                                case 2 -> good ? "t" + n : "too long" + n;
                                case 3 -> good ? n : Integer.MAX_VALUE - n;
                                case 4 -> good ? 100L * n : 1_000_000L + n;
                                case 5 -> "skipped" + n;
                                default ->
                                    new AvroBytes()
                                            .number(2)
                                            .number(n)
                                            .number(i)
                                            .number(0)
                                            .toArray();
                            });
        }
        return values;
    }

    private static byte[] records(List<List<@Nullable Object>> fields, int rows) {
        AvroBytes out = new AvroBytes();
        for (int row = 0; row < rows; row++) {
            for (int field = 0; field < WIDTHS.length; field++) {
                Object value = fields.get(field).get(row);
                if (isUnion(field)) {
                    out.number(value == null ? 0 : 1);
                }
                if (value instanceof String text) {
                    out.string(text);
                } else if (value instanceof byte[] items) {
                    out.raw(items);
                } else if (field == 4) {
                    out.number(Long.BYTES).raw(bytes(field, Objects.requireNonNull(value)));
                } else if (value != null) {
                    out.number(((Number) value).longValue());
                }
            }
        }
        return out.toArray();
    }

    private static boolean isUnion(int field) {
        return field != 0 && field != 4 && field != 6;
    }

    private byte[] columns(List<List<@Nullable Object>> fields) {
        ByteBuffer block = ByteBuffer.allocate(MOST_BLOCK_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        for (int field = 0; field < WIDTHS.length; field++) {
            List<@Nullable Object> values = fields.get(field);
            boolean some = values.contains(null);
            boolean dictionary = field > 0 && field < 6 && random.nextBoolean();
            int head = block.position();
            head(
                    block,
                    some ? ColumnBlocks.SOME : isUnion(field) ? ColumnBlocks.ALL_THERE : ColumnBlocks.REQUIRED,
                    dictionary ? ColumnBlocks.DICTIONARY : WIDTHS[field],
                    0);
            int from = block.position();
            List<@Nullable Object> distinct =
                    values.stream().distinct().filter(Objects::nonNull).toList();
            if (dictionary) {
                block.putInt(WIDTHS[field]);
                int length = block.position();
                block.putInt(0);
                for (Object value : distinct) {
                    block.put(bytes(field, Objects.requireNonNull(value)));
                }
                block.putInt(length, block.position() - length - Integer.BYTES);
            }
            for (Object value : values) {
                if (some) {
                    block.put((byte) (value == null ? 0 : 1));
                }
            }
            for (Object value : values) {
                if (value != null && dictionary) {
                    block.put((byte) distinct.indexOf(value));
                } else if (value != null) {
                    block.put(bytes(field, value));
                }
            }
            block.putInt(head + 1 + Integer.BYTES, block.position() - from);
        }
        return Arrays.copyOf(block.array(), block.position());
    }

    private static void head(ByteBuffer block, byte nulls, int width, int length) {
        block.put(nulls).putInt(width).putInt(length);
    }

    private static byte[] bytes(int field, Object value) {
        if (value instanceof String text) {
            byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
            return ByteBuffer.allocate(Integer.BYTES + utf8.length)
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .putInt(utf8.length)
                    .put(utf8)
                    .array();
        }
        if (value instanceof byte[] items) {
            return items;
        }
        long number = ((Number) value).longValue();
        ByteBuffer out =
                ByteBuffer.allocate(WIDTHS[field]).order(field == 4 ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);
        return (WIDTHS[field] == Integer.BYTES ? out.putInt((int) number) : out.putLong(number)).array();
    }
}
