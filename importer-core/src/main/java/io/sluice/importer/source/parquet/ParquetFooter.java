package io.sluice.importer.source.parquet;

import io.sluice.importer.source.codec.CorruptInputException;
import io.sluice.importer.source.origin.Origin;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.SluiceException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.lang.ref.SoftReference;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SeekableByteChannel;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.WeakHashMap;
import java.util.stream.Collectors;
import org.apache.parquet.ParquetReadOptions;
import org.apache.parquet.conf.PlainParquetConfiguration;
import org.apache.parquet.crypto.ParquetCryptoRuntimeException;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.hadoop.metadata.ColumnPath;
import org.apache.parquet.hadoop.metadata.ParquetMetadata;
import org.apache.parquet.io.SeekableInputStream;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.Type;

/**
 * The footer of a Parquet file: its fields and its row groups. All readers of the file's parts share it. Thread-safe.
 *
 * <p>A part is a run of row groups that one thread converts, usually one row group. The footer alone decides where
 * parts begin, so every attempt of an import finds the same ones.
 */
public final class ParquetFooter {
    /**
     * Most parts of a file: 64, as many as a large machine has workers. Files of more row groups have several in a
     * part.
     */
    private static final int MAX_PARTS = 64;

    /**
     * A quarter of the heap is the bound of the bytes that are read at once, and of the arrays that are kept for later.
     */
    private static final int HEAP_SHARE = 4;

    /** The arrays of all readers: the next file uses those of the one before. */
    private static final PageBuffers BUFFERS = new PageBuffers(mostBytes());

    /** Footers of inputs in use. An origin is of one version of a file. */
    private static final Map<Origin, SoftReference<ParquetFooter>> KNOWN =
            Collections.synchronizedMap(new WeakHashMap<>());

    /** 512 KiB of a column are read at once, about half a page of most writers; less if there are many columns. */
    private static final int WINDOW_BYTES = 512 << 10;

    private static final int LEAST_WINDOW_BYTES = 16 << 10;

    /** 128 MiB of a row group are read at once: most writers make row groups that are not larger. */
    private static final long AHEAD_BYTES = 128 << 20;

    private final String name;
    private final long fileBytes;
    private final ParquetMetadata metadata;
    private final List<ColumnEncoding> fields;
    private final MessageType columnsRead;
    private final int mostOpen;

    /**
     * The footer of an input, read once for all who ask for it while there is memory for it.
     *
     * @param file the opened input; stays open
     * @param name the input's name in messages
     * @throws CorruptInputException when it cannot be read as Parquet
     * @throws BadInputException when it is encrypted, or has two fields of one name
     */
    public static ParquetFooter of(Origin origin, SeekableByteChannel file, String name) throws IOException {
        SoftReference<ParquetFooter> kept = KNOWN.get(origin);
        ParquetFooter known = kept == null ? null : kept.get();
        if (known != null) {
            return known;
        }
        ParquetFooter footer = new ParquetFooter(file, name);
        if (!origin.version().isEmpty()) {
            KNOWN.put(origin, new SoftReference<>(footer));
        }
        return footer;
    }

    /**
     * Reads the footer of a file.
     *
     * @param file stays open
     * @param name the file's name in messages
     * @throws CorruptInputException when it cannot be read as Parquet
     * @throws BadInputException when it is encrypted, or has two fields of one name
     */
    ParquetFooter(SeekableByteChannel file, String name) throws IOException {
        this.name = name;
        fileBytes = file.size();
        ParquetInput input = new ParquetInput(file, name);
        try (SeekableInputStream bytes = input.newStream()) {
            metadata = ParquetFileReader.readFooter(
                    input,
                    ParquetReadOptions.builder(new PlainParquetConfiguration()).build(),
                    bytes);
            MessageType schema = metadata.getFileMetaData().getSchema();
            fields = ColumnEncoding.of(schema);
            List<Type> wanted = new ArrayList<>();
            for (ColumnEncoding field : fields) {
                if (!field.leaves().isEmpty()) {
                    wanted.add(schema.getType(field.name()));
                }
            }
            columnsRead = new MessageType(schema.getName(), wanted);
            mostOpen = fitting();
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
        if (e instanceof UncheckedIOException unread) {
            return Objects.requireNonNull(unread.getCause());
        }
        if (e instanceof InterruptedIOException || e instanceof ClosedChannelException) {
            return (IOException) e;
        }
        if (e instanceof ParquetCryptoRuntimeException
                || String.valueOf(e.getMessage()).contains("encrypted")) {
            throw encrypted();
        }
        String reason = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
        return new CorruptInputException(
                "the Parquet data is damaged or cut off: " + what + " cannot be read (" + reason
                        + "); get the file anew",
                e);
    }

    /** The refusal of data that needs a key. */
    static BadInputException encrypted() {
        return new BadInputException("the Parquet data is encrypted, which is not supported; decrypt it first");
    }

    /** The fields of the rows, in their order. */
    List<ColumnEncoding> fields() {
        return fields;
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

    /** The arrays of all readers. */
    PageBuffers buffers() {
        return BUFFERS;
    }

    /** The stored columns of a row group, by their paths. */
    Map<ColumnPath, ColumnChunkMetaData> chunks(int group) {
        Map<ColumnPath, ColumnChunkMetaData> chunks = new HashMap<>();
        groups().get(group).getColumns().forEach(chunk -> chunks.put(chunk.getPath(), chunk));
        return chunks;
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

    /** Number of parts that may be open at the same time: what they read at once fits in a quarter of the heap. */
    public int mostOpen() {
        return mostOpen;
    }

    private int fitting() {
        long largest = groups().stream().mapToLong(this::columnBytes).max().orElse(0);
        return (int) Math.max(1, Math.min(parts(), mostBytes() / Math.max(1, Math.min(largest, mostAhead()))));
    }

    private static long mostAhead() {
        return Math.min(AHEAD_BYTES, mostBytes());
    }

    /**
     * Bytes of a column of a row group that are read at once.
     *
     * @param local whether a read elsewhere costs no request; if it does, columns are read as a whole if they fit
     */
    int windowBytes(int group, ColumnChunkMetaData chunk, boolean local) {
        if (local) {
            long even = mostAhead() / columnsRead.getColumns().size();
            return (int) Math.min(chunk.getTotalSize(), Math.max(LEAST_WINDOW_BYTES, Math.min(WINDOW_BYTES, even)));
        }
        double share = Math.min(1, (double) mostAhead() / columnBytes(groups().get(group)));
        return (int) Math.max(1, Math.min(AHEAD_BYTES, (long) (chunk.getTotalSize() * share)));
    }
}
