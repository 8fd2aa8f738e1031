package io.sluice.importer.source.parquet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.bytes.HeapByteBufferAllocator;
import org.apache.parquet.column.ColumnWriteStore;
import org.apache.parquet.column.ColumnWriter;
import org.apache.parquet.column.ParquetProperties;
import org.apache.parquet.column.ParquetProperties.WriterVersion;
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
        assertEquals(4, read.blocks().get(0).size(), "a block has 128 KiB and the row that goes beyond it");
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
