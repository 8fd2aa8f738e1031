package io.sluice.importer.source.parquet;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.importer.source.ColumnBlocks;
import io.sluice.importer.source.OcfHeader;
import io.sluice.importer.source.codec.BlockStream;
import io.sluice.model.error.BadInputException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.ColumnReader;
import org.apache.parquet.column.impl.ColumnReadStoreImpl;
import org.apache.parquet.column.page.PageReadStore;
import org.apache.parquet.column.page.PageReader;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.hadoop.metadata.ColumnPath;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.io.api.Converter;
import org.apache.parquet.io.api.GroupConverter;
import org.apache.parquet.io.api.PrimitiveConverter;
import org.apache.parquet.schema.GroupType;
import org.apache.parquet.schema.Type;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a part of a Parquet file as the bytes of an Avro container file. Its blocks have the values column by
 * column ({@link ColumnBlocks}), and none has rows of two row groups. The same part always gives the same bytes, so an
 * import can resume in them.
 *
 * <p>Of each column, one page and what was read at once are in memory. For one thread; other threads may call
 * {@link #storedBytes}.
 */
public final class ParquetStream extends BlockStream {
    /** Identifies the layout of the converted bytes, in which positions of imports to be resumed are counted. */
    public static final String LAYOUT = ", by column and dictionary";

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String MAGIC = "PAR1";
    private static final String ENCRYPTED_MAGIC = "PARE";
    /** 512 KiB: 1,024 rows of 500 bytes are one block. */
    private static final int BLOCK_BYTES = 512 << 10;

    private static final byte[] SYNC = "sluice's parquet".getBytes(StandardCharsets.US_ASCII);

    private final SeekableByteChannel file;
    private final ParquetFooter footer;

    private final int firstGroup;
    private final int endGroup;
    private final AvroBlock ready = new AvroBlock();
    /** Position in the bytes that are ready. */
    private int given;

    private int group;
    private long rowsInGroup;
    private long rowInGroup;
    /** The rows of the open row group. */
    private @Nullable RowBatch rows;

    /** The columns of the open row group, by field. */
    private ColumnReader[][] columns = {};

    /** The pages of the columns that are read. */
    private final List<ColumnPages> pages = new ArrayList<>();

    private boolean ended;
    private volatile long storedBytes;

    private ParquetStream(SeekableByteChannel file, ParquetFooter footer, int firstGroup, int endGroup)
            throws IOException {
        this.file = file;
        this.footer = footer;
        this.firstGroup = firstGroup;
        this.endGroup = endGroup;
        group = firstGroup - 1;
        try {
            putHeader();
        } catch (IOException | RuntimeException e) {
            file.close();
            throw e;
        }
    }

    /**
     * Opens all rows of a file.
     *
     * @param file closed with the stream; also if this fails
     */
    public static ParquetStream ofAll(SeekableByteChannel file, ParquetFooter footer) throws IOException {
        return new ParquetStream(file, footer, 0, footer.groupCount());
    }

    /**
     * Opens one part of a file.
     *
     * @param file closed with the stream; also if this fails
     * @param part number of the part, from 0
     */
    public static ParquetStream ofPart(SeekableByteChannel file, ParquetFooter footer, int part) throws IOException {
        return new ParquetStream(file, footer, footer.firstGroup(part), footer.firstGroup(part + 1));
    }

    /** Whether the bytes are the start of a Parquet file. */
    public static boolean isMagic(byte[] head, int length) {
        String start = new String(head, 0, Math.min(length, MAGIC.length()), StandardCharsets.US_ASCII);
        return start.equals(MAGIC) || start.equals(ENCRYPTED_MAGIC);
    }

    /** Puts Avro's header. Names of fields need not be names of Avro, so the schema is written here. */
    private void putHeader() throws IOException {
        ObjectNode record =
                JsonNodeFactory.instance.objectNode().put("type", "record").put("name", "row");
        ArrayNode named = record.putArray("fields");
        for (ColumnEncoding field : footer.fields()) {
            named.addObject()
                    .put("name", field.name())
                    .set("type", JSON.readTree(field.schema().toString()));
        }
        ready.putFixed(ByteBuffer.wrap(OcfHeader.magic()));
        ready.putLong(3);
        ready.putText("avro.schema");
        ready.putText(record.toString());
        ready.putText("avro.codec");
        ready.putText(ColumnBlocks.CODEC);
        ready.putText(OcfHeader.CONVERTED);
        ready.putText(footer.groupRows());
        ready.putLong(0);
        ready.putFixed(ByteBuffer.wrap(SYNC));
        given = ready.start();
    }

    /** Stored bytes of the part that were read, as far as rows tell. */
    public long storedBytes() {
        return storedBytes;
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        while (given == ready.end()) {
            if (ended) {
                return -1;
            }
            ready.clear();
            try {
                fill();
            } catch (BadInputException e) {
                throw footer.named(e);
            }
            given = ready.start();
        }
        int count = Math.min(length, ready.end() - given);
        System.arraycopy(ready.bytes(), given, buffer, offset, count);
        given += count;
        return count;
    }

    /** Encodes the next block, or opens the next row group. */
    private void fill() throws IOException {
        RowBatch batch = rows;
        if (batch == null || rowInGroup == rowsInGroup) {
            nextGroup();
            return;
        }
        int put;
        try {
            put = batch.put(ready, rowsInGroup - rowInGroup, BLOCK_BYTES);
            if (rowInGroup + put == rowsInGroup) {
                requireEnds();
            }
        } catch (RuntimeException e) {
            throw ParquetFooter.damaged("row group " + (group + 1) + " from row " + (rowInGroup + 1) + " on", e);
        }
        rowInGroup += put;
        ready.putFront(put);
        ready.putFixed(ByteBuffer.wrap(SYNC));
        double groupsRead = group + (double) rowInGroup / rowsInGroup;
        storedBytes = footer.storedBytes(groupsRead) - footer.storedBytes(firstGroup);
    }

    private void nextGroup() throws IOException {
        release();
        group++;
        rowInGroup = 0;
        rowsInGroup = 0;
        if (group == endGroup) {
            ended = true;
            storedBytes = footer.storedBytes(endGroup) - footer.storedBytes(firstGroup);
            return;
        }
        if (footer.rows(group) == 0) {
            // Writers of empty tables make such groups, and the library refuses them.
            return;
        }
        try {
            columns = open();
            rows = new RowBatch(footer.fields(), columns);
            rowsInGroup = footer.rows(group);
        } catch (RuntimeException e) {
            throw ParquetFooter.damaged("row group " + (group + 1), e);
        }
    }

    /** Opens the columns of the row group, for each field. */
    private ColumnReader[][] open() {
        Map<ColumnPath, ColumnChunkMetaData> chunks = footer.chunks(group);
        boolean local = file instanceof FileChannel;
        Map<ColumnDescriptor, ColumnPages> pagesOf = new HashMap<>();
        for (ColumnDescriptor leaf : footer.columnsRead().getColumns()) {
            ColumnChunkMetaData chunk = chunks.get(ColumnPath.get(leaf.getPath()));
            if (chunk == null) {
                throw new IllegalStateException("it lacks the column " + String.join(".", leaf.getPath()));
            }
            requireAllRows(leaf, chunk.getValueCount(), footer.rows(group));
            boolean own = PageColumn.reads(chunk.getEncodings());
            ColumnPages one =
                    new ColumnPages(file, chunk, footer.windowBytes(group, chunk, local), own, footer.buffers());
            pages.add(one);
            pagesOf.put(leaf, one);
            if (!local) {
                // One after the other, as they are in the file: one request is enough.
                one.fill();
            }
        }
        PageReadStore all = new PageReadStore() {
            @Override
            public PageReader getPageReader(ColumnDescriptor leaf) {
                return Objects.requireNonNull(pagesOf.get(leaf));
            }

            @Override
            public long getRowCount() {
                return footer.rows(group);
            }
        };
        ColumnReadStoreImpl store = new ColumnReadStoreImpl(
                all, new NoConverter(footer.columnsRead()), footer.columnsRead(), footer.createdBy());
        return footer.fields().stream()
                .map(field -> field.leaves().stream()
                        .map(leaf -> read(leaf, pagesOf, store))
                        .toArray(ColumnReader[]::new))
                .toArray(ColumnReader[][]::new);
    }

    /** Checks that a column has a value or NULL for each row: its reader would take missing ones for NULL. */
    private static void requireAllRows(ColumnDescriptor leaf, long values, long rows) {
        boolean flat = leaf.getMaxRepetitionLevel() == 0;
        if (flat ? values != rows : values < rows) {
            throw new IllegalStateException("the column " + String.join(".", leaf.getPath()) + " has " + values
                    + " values, but the row group has " + rows + " rows");
        }
    }

    private ColumnReader read(
            ColumnDescriptor leaf, Map<ColumnDescriptor, ColumnPages> pagesOf, ColumnReadStoreImpl others) {
        ColumnPages own = Objects.requireNonNull(pagesOf.get(leaf));
        return own.reused() ? new PageColumn(leaf, own) : new CountedColumn(others.getColumnReader(leaf));
    }

    /** Checks that the columns have no values beyond the rows of their group. */
    private void requireEnds() {
        for (ColumnReader[] field : columns) {
            for (ColumnReader column : field) {
                if (column instanceof PageColumn own) {
                    own.requireEnd();
                } else {
                    ((CountedColumn) column).requireEnd();
                }
            }
        }
    }

    /**
     * Gives the arrays of the row group back. Not when the stream is closed, which another thread may do while it
     * reads.
     */
    private void release() {
        rows = null;
        columns = new ColumnReader[0][];
        pages.forEach(ColumnPages::release);
        pages.clear();
    }

    @Override
    public void close() throws IOException {
        file.close();
    }

    /** A column that the library reads, whose reader has the last value again at the end. */
    @SuppressWarnings("deprecation") // the library asks for a method of old
    private static final class CountedColumn implements ColumnReader {
        private final ColumnReader column;
        private long left;

        CountedColumn(ColumnReader column) {
            this.column = column;
            left = column.getTotalValueCount();
        }

        /** Checks that all values were used. */
        void requireEnd() {
            if (left > 0) {
                throw new IllegalStateException("the column "
                        + String.join(".", getDescriptor().getPath()) + " has more rows than its row group");
            }
        }

        private void requireValue() {
            if (left == 0) {
                throw new IllegalStateException("the column "
                        + String.join(".", getDescriptor().getPath()) + " has fewer rows than its row group");
            }
        }

        @Override
        public void consume() {
            requireValue();
            left--;
            column.consume();
        }

        @Override
        public int getCurrentDefinitionLevel() {
            requireValue();
            return column.getCurrentDefinitionLevel();
        }

        @Override
        public int getCurrentRepetitionLevel() {
            return left == 0 ? 0 : column.getCurrentRepetitionLevel();
        }

        @Override
        public long getTotalValueCount() {
            return column.getTotalValueCount();
        }

        @Override
        public ColumnDescriptor getDescriptor() {
            return column.getDescriptor();
        }

        @Override
        public int getInteger() {
            return column.getInteger();
        }

        @Override
        public long getLong() {
            return column.getLong();
        }

        @Override
        public float getFloat() {
            return column.getFloat();
        }

        @Override
        public double getDouble() {
            return column.getDouble();
        }

        @Override
        public boolean getBoolean() {
            return column.getBoolean();
        }

        @Override
        public Binary getBinary() {
            return column.getBinary();
        }

        @Override
        public void writeCurrentValueToConverter() {
            column.writeCurrentValueToConverter();
        }

        @Override
        public void skip() {
            column.skip();
        }

        @Override
        public int getCurrentValueDictionaryID() {
            return column.getCurrentValueDictionaryID();
        }
    }

    /** The library wants a converter, and calls none of its methods while single values are read. */
    private static final class NoConverter extends GroupConverter {
        private static final PrimitiveConverter NONE = new PrimitiveConverter() {};

        private final GroupType group;

        NoConverter(GroupType group) {
            this.group = group;
        }

        @Override
        public Converter getConverter(int field) {
            Type type = group.getType(field);
            return type.isPrimitive() ? NONE : new NoConverter(type.asGroupType());
        }

        @Override
        public void start() {}

        @Override
        public void end() {}
    }
}
