package io.sluice.cli.export;

import com.github.luben.zstd.Zstd;
import io.sluice.model.row.Row;
import io.sluice.model.schema.TableDef;
import java.io.IOException;
import java.io.OutputStream;
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
import org.apache.parquet.io.OutputFile;
import org.apache.parquet.io.PositionOutputStream;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.Type;
import org.jspecify.annotations.Nullable;

/** Writes a Parquet file with the column interface of parquet-java. One row group is in memory. */
final class ParquetWriter implements RowWriter {
    /** Eight files at a time take 8 x 16 MiB, beside the page that each column is filling. */
    private static final long GROUP_BYTES = 16 << 20;
    /** The store's memory is summed over all columns, so not for each row. */
    private static final long CHECK_CHARS = 256 << 10;
    /** Characters that a row counts beside its texts. */
    private static final int ROW_CHARS = 64;

    private static final int TRUNCATED_BYTES = 64;
    private static final int ZSTD_LEVEL = 1;

    private final FormatLimits limits;
    private final List<Integer> positions;
    private final List<ParquetColumn> columns;
    private final MessageType schema;
    private final ParquetProperties properties = ParquetProperties.builder()
            .withStatisticsTruncateLength(TRUNCATED_BYTES)
            .build();
    private final BytesInputCompressor compressor = new ZstdPages();
    private final ParquetFileWriter file;
    private @Nullable Group group;

    ParquetWriter(TableDef def, List<Integer> positions, OutputStream out) throws IOException {
        limits = new FormatLimits(def, positions, ExportFormat.PARQUET);
        this.positions = positions;
        columns = positions.stream()
                .map(def.columns()::get)
                .map(ParquetColumn::of)
                .toList();
        schema = new MessageType(
                def.name(), columns.stream().<Type>map(ParquetColumn::type).toList());
        file = new ParquetFileWriter(
                new Output(out),
                schema,
                ParquetFileWriter.Mode.OVERWRITE,
                GROUP_BYTES,
                0,
                TRUNCATED_BYTES,
                TRUNCATED_BYTES,
                true);
        file.start();
    }

    @Override
    public void write(List<@Nullable String> datums, Row row) throws IOException {
        limits.check(row, datums);
        Group into = group;
        if (into == null) {
            into = new Group();
            group = into;
        }
        into.add(row, datums);
        if (into.isFull()) {
            flush(into);
        }
    }

    private void flush(Group full) throws IOException {
        file.startBlock(full.count);
        full.store.flush();
        full.pages.flushToFileWriter(file);
        file.endBlock();
        full.close();
        group = null;
    }

    @Override
    public void finish() throws IOException {
        if (group != null) {
            flush(group);
        }
        file.end(Map.of());
    }

    @Override
    public void close() throws IOException {
        if (group != null) {
            group.close();
        }
        file.close();
    }

    /** A row group in memory. */
    private final class Group {
        private final ColumnChunkPageWriteStore pages = new ColumnChunkPageWriteStore(
                compressor, schema, HeapByteBufferAllocator.getInstance(), TRUNCATED_BYTES, true);
        private final ColumnWriteStore store = properties.newColumnWriteStore(schema, pages);
        private final ColumnWriter[] writers =
                schema.getColumns().stream().map(store::getColumnWriter).toArray(ColumnWriter[]::new);
        private long count;
        private long unchecked;

        void add(Row row, List<@Nullable String> datums) {
            for (int i = 0; i < writers.length; i++) {
                int position = positions.get(i);
                columns.get(i).put(row, position, writers[i]);
                String text = datums.get(position);
                unchecked += text == null ? 0 : text.length();
            }
            store.endRecord();
            unchecked += ROW_CHARS;
            count++;
        }

        boolean isFull() {
            if (unchecked < CHECK_CHARS) {
                return false;
            }
            unchecked = 0;
            return store.getBufferedSize() >= GROUP_BYTES;
        }

        void close() {
            store.close();
            pages.close();
        }
    }

    /** Compresses pages with the library that reads them. */
    private static final class ZstdPages implements BytesInputCompressor {
        @Override
        public BytesInput compress(BytesInput page) throws IOException {
            return BytesInput.from(Zstd.compress(page.toInputStream().readAllBytes(), ZSTD_LEVEL));
        }

        @Override
        public CompressionCodecName getCodecName() {
            return CompressionCodecName.ZSTD;
        }

        @Override
        public void release() {}
    }

    /** The file as the library sees it; closing only flushes. */
    private record Output(OutputStream out) implements OutputFile {
        @Override
        public PositionOutputStream create(long blockSizeHint) {
            return new Positioned(out);
        }

        @Override
        public PositionOutputStream createOrOverwrite(long blockSizeHint) {
            return create(blockSizeHint);
        }

        @Override
        public boolean supportsBlockSize() {
            return false;
        }

        @Override
        public long defaultBlockSize() {
            return 0;
        }
    }

    /** Counts the bytes that were written. */
    private static final class Positioned extends PositionOutputStream {
        private final OutputStream out;
        private long position;

        Positioned(OutputStream out) {
            this.out = out;
        }

        @Override
        public long getPos() {
            return position;
        }

        @Override
        public void write(int b) throws IOException {
            out.write(b);
            position++;
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            out.write(bytes, offset, length);
            position += length;
        }

        @Override
        public void flush() throws IOException {
            out.flush();
        }

        @Override
        public void close() throws IOException {
            flush();
        }
    }
}
