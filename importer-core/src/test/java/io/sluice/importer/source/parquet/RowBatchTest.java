package io.sluice.importer.source.parquet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.bytes.HeapByteBufferAllocator;
import org.apache.parquet.column.ColumnWriteStore;
import org.apache.parquet.column.ColumnWriter;
import org.apache.parquet.column.Encoding;
import org.apache.parquet.column.ParquetProperties;
import org.apache.parquet.column.ParquetProperties.WriterVersion;
import org.apache.parquet.column.page.DictionaryPage;
import org.apache.parquet.column.page.PageWriter;
import org.apache.parquet.column.statistics.Statistics;
import org.apache.parquet.compression.CompressionCodecFactory.BytesInputCompressor;
import org.apache.parquet.hadoop.ColumnChunkPageWriteStore;
import org.apache.parquet.hadoop.ParquetFileWriter;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.io.LocalOutputFile;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.MessageTypeParser;
import org.apache.parquet.schema.Type;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;

/**
 * Rows that a Parquet file was made of are those that a plain reader finds in the stream, however pages and batches
 * divide them. Pages of each column have other lengths, so that most batches end at one of them; the second version of
 * pages has encodings that only the library reads. {@code -Dsluice.seed=N} repeats a run.
 */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class RowBatchTest {
    private static final long SEED = Long.getLong("sluice.seed", System.nanoTime());
    private static final int ROUNDS = 12;
    private static final int MOST_ROWS = 3_000;
    private static final int ROW_GROUP_BYTES = 1 << 20;
    private static final int STATISTICS_BYTES = 64;
    private static final MessageType SCHEMA = MessageTypeParser.parseMessageType("""
            message row {
              required int32 whole;
              optional int64 large;
              required binary text (STRING);
              optional binary bytes;
              optional double real;
              required float small;
              optional fixed_len_byte_array(5) fixed;
              optional fixed_len_byte_array(3) decimal (DECIMAL(5,2));
              optional boolean flag;
              repeated int32 items;
            }""");

    static {
        // The library describes every page.
        ((Logger) LoggerFactory.getLogger("org.apache.parquet")).setLevel(Level.WARN);
    }

    @TempDir
    Path directory;

    private final SplittableRandom random = new SplittableRandom(SEED);

    @Test
    void streamHasTheRowsOfTheFile() throws IOException {
        for (int round = 0; round < ROUNDS; round++) {
            List<List<@Nullable Object>> rows = rows(random, 1 + random.nextInt(MOST_ROWS));
            ParquetProperties properties = ParquetProperties.builder()
                    .withPageSize(64 << random.nextInt(9))
                    .withMinRowCountForPageSizeCheck(1 + random.nextInt(200))
                    .withPageRowCountLimit(1 + random.nextInt(MOST_ROWS))
                    .withDictionaryEncoding(random.nextBoolean())
                    .withWriterVersion(random.nextBoolean() ? WriterVersion.PARQUET_1_0 : WriterVersion.PARQUET_2_0)
                    .build();
            Path file = directory.resolve("rows.parquet");
            write(file, rows, properties);
            List<List<@Nullable Object>> read = read(file).rows();
            String what = "seed " + SEED + ", round " + round + ", row ";
            assertEquals(rows.size(), read.size(), what + "count");
            for (int i = 0; i < rows.size(); i++) {
                assertEquals(rows.get(i), read.get(i), what + i);
            }
        }
    }

    @Test
    void longValuesEndABlock() throws IOException {
        int longBytes = 40 << 10;
        List<List<@Nullable Object>> rows = rows(random, 100);
        for (List<@Nullable Object> row : rows) {
            row.set(2, "x".repeat(longBytes));
        }
        Path file = directory.resolve("long.parquet");
        write(
                file,
                rows,
                ParquetProperties.builder().withDictionaryEncoding(false).build());
        ConvertedBlocks read = read(file);
        assertEquals(rows, read.rows());
        assertEquals(13, read.blocks().get(0).size(), "a block has 512 KiB and the row that goes beyond it");
    }

    /** Values of a small dictionary stay its numbers, unless they are whole numbers themselves. */
    @ParameterizedTest
    @CsvSource({"256, text", "257, ''"})
    void smallDictionariesStay(int values, String dictionaries) throws IOException {
        List<List<@Nullable Object>> rows = rows(random, 3_000);
        for (int i = 0; i < rows.size(); i++) {
            List<@Nullable Object> row = rows.get(i);
            row.set(0, i % values);
            row.set(2, Integer.toString(i % values));
            // Together they are too long, though there are few.
            row.set(3, ByteBuffer.wrap(new byte[60 + i % 50]));
        }
        Path file = directory.resolve("dictionaries.parquet");
        write(file, rows, ParquetProperties.builder().build());
        ConvertedBlocks read = read(file);
        assertEquals(rows, read.rows());
        assertEquals(dictionaries, String.join(",", read.dictionaries()));
    }

    /** A reader would give NULL for values that are missing, and drop those beyond the rows. */
    @ParameterizedTest
    @CsvSource({"large, 9", "large, 11", "flag, 0", "text, 9", "text, 11", "items, 0"})
    void columnHasAValueForEachRow(String column, int values) throws IOException {
        List<List<@Nullable Object>> rows = rows(random, 10);
        Path file = directory.resolve("uneven.parquet");
        try (ParquetFileWriter out = writer(file, SCHEMA)) {
            out.start();
            out.startBlock(rows.size());
            for (int i = 0; i < SCHEMA.getFieldCount(); i++) {
                MessageType one = new MessageType("row", SCHEMA.getType(i));
                int count = one.containsField(column) ? values : rows.size();
                List<List<@Nullable Object>> cells = new ArrayList<>();
                for (int row = 0; row < count; row++) {
                    cells.add(Arrays.asList(rows.get(row % rows.size()).get(i)));
                }
                writeColumns(out, one, cells, ParquetProperties.builder().build());
            }
            out.endBlock();
            out.end(Map.of());
        }
        String failure =
                String.valueOf(assertThrows(IOException.class, () -> read(file)).getMessage());
        assertTrue(failure.contains("row group 1 cannot be read (the column " + column + " has "), failure);
    }

    /**
     * One row group of a column of repeated numbers, whose page does not have what its levels say. The levels are bits
     * of a byte, from the lowest on.
     */
    @ParameterizedTest
    @CsvSource({
        // repetitions, definitions, values of the header, numbers, rows: as they must be
        "6, 7, 3, 3, 1, ''",
        "2, 3, 3, 2, 2, ''",
        // a number too many, or too few
        "6, 7, 3, 4, 1, 'a page of the column items has more or fewer values than its levels say'",
        "6, 7, 3, 2, 1, 'a page ends within its values'",
        "6, 3, 3, 2, 1, 'the column items repeats a value that is not there'",
        "6, 0, 3, 0, 1, 'the column items repeats a value that is not there'",
        "2, 3, 3, 3, 2, 'a page of the column items has more or fewer values than its levels say'",
        // a row too many, or too few
        "2, 7, 3, 3, 1, 'the column items has more rows than its row group'",
        "2, 3, 3, 2, 1, 'the column items has more rows than its row group'",
        "2, 7, 3, 3, 3, 'the column items has fewer rows than its row group'",
        "0, 0, 3, 0, 3, ''",
    })
    void pageHasWhatItsLevelsSay(int repetitions, int definitions, int values, int numbers, int rows, String refusal)
            throws IOException {
        MessageType schema = MessageTypeParser.parseMessageType("message row { repeated int32 items; }");
        for (boolean ids : List.of(false, true)) {
            ByteBuffer page = ByteBuffer.allocate(100).order(ByteOrder.LITTLE_ENDIAN);
            page.putInt(2).put((byte) 3).put((byte) repetitions);
            page.putInt(2).put((byte) 3).put((byte) definitions);
            if (ids) {
                page.put((byte) 1).put((byte) (numbers << 1)).put((byte) 1);
            }
            for (int i = 0; i < numbers && !ids; i++) {
                page.putInt(10 + i);
            }
            // Some writers fill pages up.
            page.put(new byte[numbers < values ? 0 : 8]);
            Path file = writePage(
                    schema,
                    rows,
                    values,
                    ids ? new DictionaryPage(BytesInput.from(new byte[8]), 2, Encoding.PLAIN) : null,
                    BytesInput.from(page.array(), 0, page.position()));
            if (refusal.isEmpty()) {
                assertEquals(rows, read(file).rows().size());
                continue;
            }
            String failure = String.valueOf(
                    assertThrows(IOException.class, () -> read(file)).getMessage());
            boolean missing = ids && numbers < Integer.bitCount(definitions);
            assertTrue(failure.contains(missing ? "a page ends within its numbers" : refusal), ids + ": " + failure);
            assertTrue(failure.contains("row group 1 from row 1 on"), failure);
        }
    }

    /** Writes one row group of a column, with one page. */
    private Path writePage(
            MessageType schema, int rows, int values, @Nullable DictionaryPage dictionary, BytesInput page)
            throws IOException {
        Path file = directory.resolve("page.parquet");
        try (ParquetFileWriter out = writer(file, schema);
                ColumnChunkPageWriteStore pages = new ColumnChunkPageWriteStore(
                        new AsTheyAre(), schema, HeapByteBufferAllocator.getInstance(), STATISTICS_BYTES, true)) {
            out.start();
            out.startBlock(rows);
            PageWriter column = pages.getPageWriter(schema.getColumns().get(0));
            if (dictionary != null) {
                column.writeDictionaryPage(dictionary);
            }
            column.writePage(
                    page,
                    values,
                    rows,
                    Statistics.getBuilderForReading(schema.getColumns().get(0).getPrimitiveType())
                            .build(),
                    Encoding.RLE,
                    Encoding.RLE,
                    dictionary == null ? Encoding.PLAIN : Encoding.RLE_DICTIONARY);
            pages.flushToFileWriter(out);
            out.endBlock();
            out.end(Map.of());
        }
        return file;
    }

    /** A dictionary is checked to its end, although no row has its last value. */
    @ParameterizedTest
    @CsvSource({"1, ''", "2, 'a value is cut off'"})
    void dictionaryHasAllItsValues(int bytesOfLast, String refusal) throws IOException {
        MessageType schema = MessageTypeParser.parseMessageType("message row { required binary text; }");
        byte[] dictionary = {1, 0, 0, 0, 'a', (byte) bytesOfLast, 0, 0, 0, 'b'};
        byte[] threeTimesTheFirst = {1, 3 << 1, 0};
        Path file = writePage(
                schema,
                3,
                3,
                new DictionaryPage(BytesInput.from(dictionary), 2, Encoding.PLAIN),
                BytesInput.from(threeTimesTheFirst));
        if (refusal.isEmpty()) {
            assertEquals(3, read(file).rows().size());
            return;
        }
        String failure =
                String.valueOf(assertThrows(IOException.class, () -> read(file)).getMessage());
        assertTrue(failure.contains(refusal), failure);
    }

    /** The fields of an element have as many values, also where the library reads them. */
    @ParameterizedTest
    @CsvSource({"PARQUET_1_0", "PARQUET_2_0"})
    void columnsOfAnElementHaveAsManyValues(WriterVersion version) throws IOException {
        MessageType schema = MessageTypeParser.parseMessageType(
                "message row { repeated group items { required int32 a; required int32 b; } }");
        ParquetProperties properties = ParquetProperties.builder()
                .withDictionaryEncoding(false)
                .withWriterVersion(version)
                .build();
        // The items of each row: as many; in one column fewer; shifted between rows; in one column a row more.
        List<int[][]> cases = List.of(
                new int[][] {{2, 0, 1}, {2, 0, 1}},
                new int[][] {{2, 0, 2}, {2, 0, 1}},
                new int[][] {{2, 1, 1}, {1, 2, 1}},
                new int[][] {{0, 1, 1}, {1, 0, 1}},
                new int[][] {{1, 1, 0}, {1, 1, 0, 0}},
                new int[][] {{1, 1, 0, 0}, {1, 1, 0}});
        for (int[][] items : cases) {
            Path file = directory.resolve("items.parquet");
            try (ParquetFileWriter out = writer(file, schema)) {
                out.start();
                out.startBlock(3);
                for (int leaf = 0; leaf < 2; leaf++) {
                    MessageType one = MessageTypeParser.parseMessageType(
                            "message row { repeated group items { required int32 " + (leaf == 0 ? "a" : "b") + "; } }");
                    List<List<@Nullable Object>> cells = new ArrayList<>();
                    for (int count : items[leaf]) {
                        cells.add(Arrays.asList(Collections.nCopies(count, 7)));
                    }
                    writeColumns(out, one, cells, properties);
                }
                out.endBlock();
                out.end(Map.of());
            }
            if (Arrays.equals(items[0], items[1])) {
                assertEquals(3, read(file).rows().size());
                continue;
            }
            String failure = String.valueOf(
                    assertThrows(IOException.class, () -> read(file)).getMessage());
            assertTrue(
                    failure.contains("items.a and items.b have different numbers of values")
                            || failure.contains("has more rows than its row group"),
                    failure);
        }
    }

    static List<List<@Nullable Object>> rows(SplittableRandom random, int count) {
        // Values that come again make dictionaries, and NULLs come in runs.
        int kinds = random.nextBoolean() ? 20 : Integer.MAX_VALUE;
        int nulls = 1 + random.nextInt(100);
        List<List<@Nullable Object>> rows = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            boolean there = i / nulls % 2 == 0;
            long n = random.nextInt(kinds);
            byte[] bytes = new byte[(int) (n % 40)];
            Arrays.fill(bytes, (byte) n);
            List<Integer> items = new ArrayList<>();
            for (int item = random.nextInt(4); item > 0; item--) {
                items.add(random.nextInt());
            }
            rows.add(Arrays.asList(
                    (int) (n * 31),
                    there ? n * Integer.MAX_VALUE : null,
                    "v" + n,
                    random.nextBoolean() ? ByteBuffer.wrap(bytes) : null,
                    there ? null : n / 8.0,
                    n / 4.0f,
                    there ? ByteBuffer.wrap(Arrays.copyOf(bytes, 5)) : null,
                    there ? null : ByteBuffer.wrap(Arrays.copyOf(bytes, 3)),
                    there ? n % 2 == 0 : null,
                    items));
        }
        return rows;
    }

    static void write(Path path, List<List<@Nullable Object>> rows, ParquetProperties properties) throws IOException {
        try (ParquetFileWriter out = writer(path, SCHEMA)) {
            out.start();
            int half = rows.size() / 2;
            for (List<List<@Nullable Object>> group : List.of(rows.subList(0, half), rows.subList(half, rows.size()))) {
                if (!group.isEmpty()) {
                    out.startBlock(group.size());
                    writeColumns(out, SCHEMA, group, properties);
                    out.endBlock();
                }
            }
            out.end(Map.of());
        }
    }

    static ParquetFileWriter writer(Path path, MessageType schema) throws IOException {
        return new ParquetFileWriter(
                new LocalOutputFile(path),
                schema,
                ParquetFileWriter.Mode.OVERWRITE,
                ROW_GROUP_BYTES,
                0,
                STATISTICS_BYTES,
                STATISTICS_BYTES,
                true);
    }

    static void writeColumns(
            ParquetFileWriter out, MessageType schema, List<List<@Nullable Object>> rows, ParquetProperties properties)
            throws IOException {
        try (ColumnChunkPageWriteStore pages = new ColumnChunkPageWriteStore(
                        new AsTheyAre(), schema, HeapByteBufferAllocator.getInstance(), STATISTICS_BYTES, true);
                ColumnWriteStore store = properties.newColumnWriteStore(schema, pages)) {
            List<ColumnWriter> columns =
                    schema.getColumns().stream().map(store::getColumnWriter).toList();
            for (List<@Nullable Object> row : rows) {
                for (int i = 0; i < columns.size(); i++) {
                    write(columns.get(i), row.get(i), schema.getType(i).isRepetition(Type.Repetition.REQUIRED) ? 0 : 1);
                }
                store.endRecord();
            }
            store.flush();
            pages.flushToFileWriter(out);
        }
    }

    private static void write(ColumnWriter column, @Nullable Object value, int level) {
        if (value == null) {
            column.writeNull(0, 0);
        } else if (value instanceof Integer number) {
            column.write(number, 0, level);
        } else if (value instanceof Long number) {
            column.write(number, 0, level);
        } else if (value instanceof Double number) {
            column.write(number, 0, level);
        } else if (value instanceof Float number) {
            column.write(number, 0, level);
        } else if (value instanceof Boolean flag) {
            column.write(flag, 0, level);
        } else if (value instanceof String text) {
            column.write(Binary.fromString(text), 0, level);
        } else if (value instanceof ByteBuffer bytes) {
            column.write(Binary.fromConstantByteBuffer(bytes), 0, level);
        } else {
            List<?> items = (List<?>) value;
            if (items.isEmpty()) {
                column.writeNull(0, 0);
            }
            for (int i = 0; i < items.size(); i++) {
                column.write((int) items.get(i), i == 0 ? 0 : 1, level);
            }
        }
    }

    private static ConvertedBlocks read(Path path) throws IOException {
        SeekableByteChannel file = Files.newByteChannel(path);
        try (ParquetStream stream = ParquetStream.ofAll(file, new ParquetFooter(file, "rows.parquet"))) {
            return new ConvertedBlocks(stream.readAllBytes());
        }
    }

    private static final class AsTheyAre implements BytesInputCompressor {
        @Override
        public BytesInput compress(BytesInput page) {
            return page;
        }

        @Override
        public CompressionCodecName getCodecName() {
            return CompressionCodecName.UNCOMPRESSED;
        }

        @Override
        public void release() {}
    }
}
