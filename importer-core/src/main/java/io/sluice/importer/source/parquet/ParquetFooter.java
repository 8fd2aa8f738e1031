package io.sluice.importer.source.parquet;

import io.sluice.importer.source.codec.CorruptInputException;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.SluiceException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SeekableByteChannel;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.parquet.ParquetReadOptions;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.Encoding;
import org.apache.parquet.conf.PlainParquetConfiguration;
import org.apache.parquet.crypto.ParquetCryptoRuntimeException;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.hadoop.metadata.ColumnPath;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.hadoop.metadata.ParquetMetadata;
import org.apache.parquet.io.SeekableInputStream;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.Type;

/**
 * The footer of a Parquet file: its fields and its row groups. All readers of the file's parts share it, and the
 * buffers for their bytes. Thread-safe.
 *
 * <p>A part is a run of row groups that one thread converts, usually one row group. The footer alone decides where
 * parts begin, so every attempt of an import finds the same ones.
 */
public final class ParquetFooter {
    /**
     * Most parts of a file: 64, as many as a large machine has workers. Each reads the footer again, because the
     * library has no other way to open a part. Files of more row groups have several in a part.
     */
    private static final int MAX_PARTS = 64;

    /** The compressed columns that are in memory have at most a quarter of the heap. */
    private static final int HEAP_SHARE = 4;

    private final String name;
    private final long fileBytes;
    private final ParquetMetadata metadata;
    private final List<ColumnEncoding> fields;
    private final List<ColumnEncoding> read = new ArrayList<>();
    private final MessageType columnsRead;
    private final PageBuffers buffers;

    /**
     * Reads the footer of a file.
     *
     * @param file stays open
     * @param name the file's name in messages
     * @throws CorruptInputException when it cannot be read as Parquet
     * @throws BadInputException when it is encrypted, or has two fields of one name
     */
    public ParquetFooter(SeekableByteChannel file, String name) throws IOException {
        this.name = name;
        fileBytes = file.size();
        ParquetInput input = new ParquetInput(file, name);
        try (SeekableInputStream bytes = input.newStream()) {
            metadata = ParquetFileReader.readFooter(input, options(new PageBuffers(0)), bytes);
            MessageType schema = metadata.getFileMetaData().getSchema();
            fields = ColumnEncoding.of(schema);
            List<Type> wanted = new ArrayList<>();
            for (ColumnEncoding field : fields) {
                if (!field.leaves().isEmpty()) {
                    read.add(field);
                    wanted.add(schema.getType(field.name()));
                }
            }
            columnsRead = new MessageType(schema.getName(), wanted);
            buffers = new PageBuffers(mostBytes());
        } catch (BadInputException e) {
            throw named(e);
        } catch (IOException | RuntimeException e) {
            try {
                throw damaged("its footer", e);
            } catch (BadInputException refused) {
                throw named(refused);
            }
        }
    }

    private static ParquetReadOptions options(PageBuffers buffers) {
        return ParquetReadOptions.builder(new PlainParquetConfiguration())
                .withAllocator(buffers)
                .withCodecFactory(new PageCodecs(buffers))
                .usePageChecksumVerification()
                .build();
    }

    /** A refusal that begins with the file's name; those of the file's origin do already. */
    BadInputException named(BadInputException e) {
        return String.valueOf(e.getMessage()).startsWith(name)
                ? e
                : new BadInputException(name + ": " + e.getMessage(), e);
    }

    /**
     * The exception for data that cannot be read.
     *
     * @throws SluiceException instead, when the data is encrypted, was refused, or did not arrive
     */
    static IOException damaged(String what, Exception e) {
        if (e instanceof SluiceException known) {
            throw known;
        }
        if (e instanceof InterruptedIOException || e instanceof ClosedChannelException) {
            return (IOException) e;
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

    /** Opens the row groups of a file; closing the reader leaves the channel open. */
    ParquetFileReader reader(SeekableByteChannel file) throws IOException {
        ParquetFileReader reader = new ParquetFileReader(new ParquetInput(file, name), options(buffers));
        reader.setRequestedSchema(columnsRead);
        return reader;
    }

    /** The fields of the rows, in their order. */
    List<ColumnEncoding> fields() {
        return fields;
    }

    /** The fields that are read: those that have a form. */
    List<ColumnEncoding> read() {
        return read;
    }

    /** The columns that are read. */
    MessageType columnsRead() {
        return columnsRead;
    }

    /** The program that wrote the file; empty if the footer does not tell. */
    String createdBy() {
        return Objects.requireNonNullElse(metadata.getFileMetaData().getCreatedBy(), "");
    }

    private List<BlockMetaData> groups() {
        return metadata.getBlocks();
    }

    /** The encodings of a column in a row group, as the footer names them; all if it does not. */
    Collection<Encoding> encodings(int group, ColumnDescriptor column) {
        return chunk(group, column)
                .<Collection<Encoding>>map(chunk -> chunk.getEncodings())
                .orElseGet(() -> List.of(Encoding.values()));
    }

    /** The arrays of all readers of the file. */
    PageBuffers buffers() {
        return buffers;
    }

    /** Whether the pages of a column in a row group are compressed. */
    boolean compressed(int group, ColumnDescriptor column) {
        return chunk(group, column)
                .map(chunk -> chunk.getCodec() != CompressionCodecName.UNCOMPRESSED)
                .orElse(false);
    }

    private Optional<ColumnChunkMetaData> chunk(int group, ColumnDescriptor column) {
        ColumnPath path = ColumnPath.get(column.getPath());
        return groups().get(group).getColumns().stream()
                .filter(chunk -> chunk.getPath().equals(path))
                .findFirst();
    }

    /** Number of rows of a row group. */
    long rows(int group) {
        return groups().get(group).getRowCount();
    }

    /** Number of rows of each row group, with commas between them. */
    String groupRows() {
        return groups().stream()
                .map(group -> Long.toString(group.getRowCount()))
                .collect(Collectors.joining(","));
    }

    /** Number of row groups. */
    int groupCount() {
        return groups().size();
    }

    /** Number of parts: at least 1, also for a file without rows. */
    public int parts() {
        return Math.max(1, Math.min(MAX_PARTS, groupCount()));
    }

    /** The first row group of a part, counted from 0; for the part after the last one, the number of row groups. */
    int firstGroup(int part) {
        return (int) ((long) groupCount() * part / parts());
    }

    /** Number of rows before a part. */
    public long firstRow(int part) {
        return groups().subList(0, firstGroup(part)).stream()
                .mapToLong(BlockMetaData::getRowCount)
                .sum();
    }

    /** Stored bytes before a place in the file, as far as rows tell; all parts together have the file's length. */
    long storedBytes(double groupsBefore) {
        return groupCount() == 0 ? fileBytes : (long) (fileBytes * (groupsBefore / groupCount()));
    }

    /** Stored bytes of a part, as far as rows tell. */
    public long partBytes(int part) {
        return storedBytes(firstGroup(part + 1)) - storedBytes(firstGroup(part));
    }

    /** Bytes of the columns of a row group that are read, compressed. */
    private long columnBytes(BlockMetaData block) {
        return block.getColumns().stream()
                .filter(column -> columnsRead.containsField(column.getPath().toArray()[0]))
                .mapToLong(column -> column.getTotalSize())
                .sum();
    }

    private static long mostBytes() {
        return Runtime.getRuntime().maxMemory() / HEAP_SHARE;
    }

    /** Number of parts that may be open at the same time: their row groups fit in a quarter of the heap. */
    public int mostOpen() {
        long largest = groups().stream().mapToLong(this::columnBytes).max().orElse(0);
        return (int) Math.max(1, Math.min(parts(), mostBytes() / Math.max(1, largest)));
    }

    /**
     * Checks that the memory takes a row group.
     *
     * @throws BadInputException when it is too large
     */
    void checkSize(int group) {
        long bytes = columnBytes(groups().get(group));
        if (bytes > mostBytes()) {
            throw new BadInputException("row group " + (group + 1) + " of the Parquet data has " + bytes
                    + " bytes, and the memory takes row groups of " + mostBytes()
                    + "; write smaller ones, or set SLUICE_JAVA_OPTS=-Xmx… to more than four times that");
        }
    }
}
