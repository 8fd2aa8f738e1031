package io.sluice.it.support;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.bytes.HeapByteBufferAllocator;
import org.apache.parquet.column.ColumnWriteStore;
import org.apache.parquet.column.ColumnWriter;
import org.apache.parquet.column.ParquetProperties;
import org.apache.parquet.compression.CompressionCodecFactory.BytesInputCompressor;
import org.apache.parquet.hadoop.ColumnChunkPageWriteStore;
import org.apache.parquet.hadoop.ParquetFileWriter;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.io.LocalOutputFile;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.MessageTypeParser;

/** Writes the rows of {@link Stock} as a Parquet file of several row groups, without compression. */
public final class StockParquet {
    private static final MessageType SCHEMA =
            MessageTypeParser.parseMessageType("message stock { required int64 warehouse; required int64 item;"
                    + " required int64 quantity; required binary code (STRING); required binary note (STRING); }");
    private static final int STATISTICS_BYTES = 64;
    private static final int ROW_GROUP_BYTES = 1 << 20;

    private StockParquet() {}

    /**
     * Writes rows in the order of their numbers in the list; returns the file.
     *
     * @param groups number of row groups, which differ in their numbers of rows
     * @param badEvery each row whose number is divisible by this has a quantity that no INT4 takes; 0: no row
     */
    public static Path write(Path file, List<Integer> numbers, int groups, int badEvery) {
        try (ParquetFileWriter out = new ParquetFileWriter(
                new LocalOutputFile(file),
                SCHEMA,
                ParquetFileWriter.Mode.OVERWRITE,
                ROW_GROUP_BYTES,
                0,
                STATISTICS_BYTES,
                STATISTICS_BYTES,
                true)) {
            out.start();
            for (int i = 0; i < groups; i++) {
                group(out, numbers.subList(start(numbers, groups, i), start(numbers, groups, i + 1)), badEvery);
            }
            out.end(Map.of());
            return file;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Later groups are longer: the starts grow with the square of the group's number. */
    private static int start(List<Integer> numbers, int groups, int group) {
        return (int) ((long) numbers.size() * group * group / ((long) groups * groups));
    }

    private static void group(ParquetFileWriter out, List<Integer> numbers, int badEvery) throws IOException {
        ParquetProperties properties = ParquetProperties.builder().build();
        try (ColumnChunkPageWriteStore pages = new ColumnChunkPageWriteStore(
                        new NoCompression(), SCHEMA, HeapByteBufferAllocator.getInstance(), STATISTICS_BYTES, true);
                ColumnWriteStore store = properties.newColumnWriteStore(SCHEMA, pages)) {
            List<ColumnWriter> columns =
                    SCHEMA.getColumns().stream().map(store::getColumnWriter).toList();
            for (int n : numbers) {
                String[] values = Stock.line(n).split(",", 5);
                boolean bad = badEvery > 0 && n % badEvery == 0;
                columns.get(0).write(Long.parseLong(values[0]), 0, 0);
                columns.get(1).write(Long.parseLong(values[1]), 0, 0);
                columns.get(2).write(bad ? Long.MAX_VALUE : Long.parseLong(values[2]), 0, 0);
                columns.get(3).write(Binary.fromString(values[3]), 0, 0);
                columns.get(4).write(Binary.fromString(values[4].substring(1, values[4].length() - 1)), 0, 0);
                store.endRecord();
            }
            out.startBlock(numbers.size());
            store.flush();
            pages.flushToFileWriter(out);
            out.endBlock();
        }
    }

    private static final class NoCompression implements BytesInputCompressor {
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
