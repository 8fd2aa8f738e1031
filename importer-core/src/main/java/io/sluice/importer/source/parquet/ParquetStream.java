package io.sluice.importer.source.parquet;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.importer.source.OcfHeader;
import io.sluice.importer.source.codec.BlockStream;
import io.sluice.importer.source.codec.CorruptInputException;
import io.sluice.model.error.BadInputException;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.parquet.ParquetReadOptions;
import org.apache.parquet.column.ColumnReader;
import org.apache.parquet.column.impl.ColumnReadStoreImpl;
import org.apache.parquet.column.page.PageReadStore;
import org.apache.parquet.conf.PlainParquetConfiguration;
import org.apache.parquet.crypto.ParquetCryptoRuntimeException;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.io.DelegatingSeekableInputStream;
import org.apache.parquet.io.InputFile;
import org.apache.parquet.io.SeekableInputStream;
import org.apache.parquet.io.api.Converter;
import org.apache.parquet.io.api.GroupConverter;
import org.apache.parquet.io.api.PrimitiveConverter;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.Type;

/**
 * The rows of a Parquet file as the bytes of an Avro container file. The same file always gives the same bytes, so an
 * import can resume in them. Blocks have 64 KiB and more, and no block has rows of two row groups.
 *
 * <p>The compressed columns of one row group are in memory, at most a quarter of the heap, and one page of each column
 * decompressed. Nested columns are not read. For one thread; other threads may call {@link #storedBytes}.
 */
public final class ParquetStream extends BlockStream {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String MAGIC = "PAR1";
    private static final String ENCRYPTED_MAGIC = "PARE";
    private static final int BLOCK_BYTES = 64 << 10;
    private static final int HEAP_SHARE = 4;
    private static final byte[] SYNC = "sluice's parquet".getBytes(StandardCharsets.US_ASCII);

    private final SeekableByteChannel file;
    private final String name;
    private final long fileBytes;
    private final ParquetFileReader reader;
    /** The columns that are read: those of fields that are not nested. */
    private final MessageType columnsRead;

    private final List<ColumnEncoding> fields;
    private final List<ColumnEncoding> flat = new ArrayList<>();
    private final String createdBy;

    private final AvroBlock rows = new AvroBlock();
    private final AvroBlock ready = new AvroBlock();
    private int given;
    private int group = -1;
    private long rowsInGroup;
    private long rowInGroup;
    private ColumnReader[] columns = new ColumnReader[0];
    private boolean[] optional = new boolean[0];
    private boolean ended;
    private volatile long storedBytes;

    /**
     * Opens a file and reads its footer.
     *
     * @param file closed with this stream; also if this fails
     * @param name the file's name in messages
     * @throws CorruptInputException when it cannot be read as Parquet
     */
    public ParquetStream(SeekableByteChannel file, String name) throws IOException {
        this.file = file;
        this.name = name;
        fileBytes = file.size();
        try {
            reader = footer(file);
            MessageType schema = reader.getFileMetaData().getSchema();
            createdBy = Objects.requireNonNullElse(reader.getFileMetaData().getCreatedBy(), "");
            fields = ColumnEncoding.of(schema);
            List<Type> wanted = new ArrayList<>();
            for (ColumnEncoding field : fields) {
                if (field.leaf() != null) {
                    flat.add(field);
                    wanted.add(schema.getType(field.name()));
                }
            }
            columnsRead = new MessageType(schema.getName(), wanted);
            reader.setRequestedSchema(columnsRead);
            putHeader();
        } catch (BadInputException e) {
            file.close();
            throw named(e);
        } catch (IOException | RuntimeException e) {
            file.close();
            throw e;
        }
    }

    /** Whether the bytes are the start of a Parquet file. */
    public static boolean isMagic(byte[] head, int length) {
        String start = new String(head, 0, Math.min(length, MAGIC.length()), StandardCharsets.US_ASCII);
        return start.equals(MAGIC) || start.equals(ENCRYPTED_MAGIC);
    }

    private ParquetFileReader footer(SeekableByteChannel file) throws IOException {
        ParquetReadOptions options = ParquetReadOptions.builder(new PlainParquetConfiguration())
                .withCodecFactory(new PageCodecs())
                .usePageChecksumVerification()
                .build();
        try {
            return new ParquetFileReader(new Input(file, name), options);
        } catch (IOException | RuntimeException e) {
            throw damaged("its footer", e);
        }
    }

    private BadInputException named(BadInputException e) {
        return new BadInputException(name + ": " + e.getMessage(), e);
    }

    private static IOException damaged(String what, Exception e) {
        if (e instanceof BadInputException known) {
            throw known;
        }
        if (e instanceof ParquetCryptoRuntimeException
                || String.valueOf(e.getMessage()).contains("encrypted")) {
            throw new BadInputException("the Parquet data is encrypted, which is not supported; decrypt it first");
        }
        String reason = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
        return new CorruptInputException(
                "the Parquet data is damaged or cut off: " + what + " cannot be read (" + reason
                        + "); get the file anew",
                e);
    }

    /** Puts Avro's header. Names of fields need not be names of Avro, so the schema is written here. */
    private void putHeader() throws IOException {
        ObjectNode record =
                JsonNodeFactory.instance.objectNode().put("type", "record").put("name", "row");
        ArrayNode named = record.putArray("fields");
        for (ColumnEncoding field : fields) {
            named.addObject()
                    .put("name", field.name())
                    .set("type", JSON.readTree(field.schema().toString()));
        }
        ready.putFixed(ByteBuffer.wrap(OcfHeader.magic()));
        ready.putLong(3);
        ready.putText("avro.schema");
        ready.putText(record.toString());
        ready.putText("avro.codec");
        ready.putText("null");
        ready.putText(OcfHeader.CONVERTED);
        ready.putText("Parquet");
        ready.putLong(0);
        ready.putFixed(ByteBuffer.wrap(SYNC));
    }

    /** Stored bytes that were read, as far as rows tell. */
    public long storedBytes() {
        return storedBytes;
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        while (given == ready.length()) {
            if (ended) {
                return -1;
            }
            given = 0;
            ready.clear();
            try {
                fill();
            } catch (BadInputException e) {
                throw named(e);
            }
        }
        int count = Math.min(length, ready.length() - given);
        System.arraycopy(ready.bytes(), given, buffer, offset, count);
        given += count;
        return count;
    }

    /** Encodes the next block, or opens the next row group. */
    private void fill() throws IOException {
        if (rowInGroup == rowsInGroup) {
            nextGroup();
            return;
        }
        rows.clear();
        long first = rowInGroup;
        try {
            while (rowInGroup < rowsInGroup && rows.length() < BLOCK_BYTES) {
                row();
                rowInGroup++;
            }
        } catch (RuntimeException e) {
            throw damaged("row " + (rowInGroup + 1) + " of row group " + (group + 1), e);
        }
        ready.putLong(rowInGroup - first);
        ready.putBytes(ByteBuffer.wrap(rows.bytes(), 0, rows.length()));
        ready.putFixed(ByteBuffer.wrap(SYNC));
        storedBytes = Math.max(
                storedBytes, (long) ((double) fileBytes * (group + (double) rowInGroup / rowsInGroup) / groups()));
    }

    private int groups() {
        return Math.max(1, reader.getRowGroups().size());
    }

    private void row() {
        for (int i = 0; i < columns.length; i++) {
            flat.get(i).put(columns[i], rows, optional[i]);
        }
    }

    private void nextGroup() throws IOException {
        group++;
        rowInGroup = 0;
        rowsInGroup = 0;
        if (group == reader.getRowGroups().size()) {
            ended = true;
            storedBytes = fileBytes;
            return;
        }
        checkSize(reader.getRowGroups().get(group));
        try {
            PageReadStore pages = reader.readNextRowGroup();
            ColumnReadStoreImpl store = new ColumnReadStoreImpl(pages, new NoConverter(), columnsRead, createdBy);
            columns = new ColumnReader[flat.size()];
            optional = new boolean[flat.size()];
            for (int i = 0; i < columns.length; i++) {
                ColumnEncoding field = flat.get(i);
                columns[i] = store.getColumnReader(Objects.requireNonNull(field.leaf()));
                optional[i] = Objects.requireNonNull(field.leaf()).getMaxDefinitionLevel() > 0;
            }
            rowsInGroup = pages.getRowCount();
        } catch (IOException | RuntimeException e) {
            throw damaged("row group " + (group + 1), e);
        }
    }

    private void checkSize(BlockMetaData block) {
        long bytes = block.getColumns().stream()
                .filter(column -> flat.stream()
                        .anyMatch(field -> field.name().equals(column.getPath().toDotString())))
                .mapToLong(column -> column.getTotalSize())
                .sum();
        long most = Runtime.getRuntime().maxMemory() / HEAP_SHARE;
        if (bytes > most) {
            throw new BadInputException("row group " + (group + 1) + " of the Parquet data has " + bytes
                    + " bytes, and the memory takes row groups of " + most
                    + "; write smaller ones, or set SLUICE_JAVA_OPTS=-Xmx… to more than four times that");
        }
    }

    @Override
    public void close() throws IOException {
        try {
            reader.close();
        } finally {
            file.close();
        }
    }

    /** A file for the Parquet library. The stream leaves the channel open. */
    private record Input(SeekableByteChannel file, String name) implements InputFile {
        @Override
        public String toString() {
            return name;
        }

        @Override
        public long getLength() throws IOException {
            return file.size();
        }

        @Override
        public SeekableInputStream newStream() {
            return new DelegatingSeekableInputStream(Channels.newInputStream(file)) {
                @Override
                public long getPos() throws IOException {
                    return file.position();
                }

                @Override
                public void seek(long position) throws IOException {
                    if (position < 0 || position > file.size()) {
                        throw new EOFException("byte " + position + " is not in the file");
                    }
                    file.position(position);
                }
            };
        }
    }

    /** The library wants a converter, and calls none of its methods while single values are read. */
    private static final class NoConverter extends GroupConverter {
        private static final PrimitiveConverter NONE = new PrimitiveConverter() {};

        @Override
        public Converter getConverter(int field) {
            return NONE;
        }

        @Override
        public void start() {}

        @Override
        public void end() {}
    }
}
