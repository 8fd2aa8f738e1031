package io.sluice.importer.source.parquet;

import io.sluice.model.error.BadInputException;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.zip.CRC32;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.column.Encoding;
import org.apache.parquet.column.page.DataPage;
import org.apache.parquet.column.page.DataPageV1;
import org.apache.parquet.column.page.DataPageV2;
import org.apache.parquet.column.page.DictionaryPage;
import org.apache.parquet.column.page.PageReader;
import org.apache.parquet.column.statistics.Statistics;
import org.apache.parquet.format.DataPageHeader;
import org.apache.parquet.format.DataPageHeaderV2;
import org.apache.parquet.format.DictionaryPageHeader;
import org.apache.parquet.format.PageHeader;
import org.apache.parquet.format.PageType;
import org.apache.parquet.format.Util;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.schema.PrimitiveType;
import org.jspecify.annotations.Nullable;

/**
 * Reads the pages of one column of a row group, one after the other, through a window of the file: a row group need not
 * fit in memory, and its first rows need only its first pages.
 *
 * <pre>
 *   column    [header page][header page][header page]...
 *   window          from ^.........................^ to       the page that is cut off moves to the window's start
 * </pre>
 *
 * <p>A page is valid until the next one is read: one that is not compressed stays in the window. Checksums of pages are
 * compared where the file has them. For one thread; the columns of a row group share a channel.
 */
final class ColumnPages implements PageReader {
    private static final Map<org.apache.parquet.format.Encoding, Encoding> ENCODINGS =
            new EnumMap<>(org.apache.parquet.format.Encoding.class);

    static {
        for (org.apache.parquet.format.Encoding stored : org.apache.parquet.format.Encoding.values()) {
            ENCODINGS.put(stored, Encoding.valueOf(stored.name()));
        }
    }

    private static final byte[] NOTHING = {};

    /** Room for the header of the next page; a longer one takes another read. */
    private static final int HEADER_BYTES = 1 << 10;

    private final SeekableByteChannel file;
    private final ColumnChunkMetaData chunk;
    private final PageBuffers buffers;
    /** Whether the arrays of pages are used again. */
    private final boolean reused;

    /** Whether a window is given back as soon as its page was decompressed. */
    private final boolean lets;
    /** Bytes to read at once, more for a page that is longer. */
    private int wanted;

    private byte[] window = NOTHING;
    private int from;
    private int to;
    /** Position in the file of the first byte behind the window. */
    private long readTo;

    private final long chunkEnd;
    private long valuesLeft;
    /** The array of the decompressed dictionary, if it is given back. */
    private byte @Nullable [] dictionary;
    /** The array of the current page if it was decompressed, to be used for the next one. */
    private byte @Nullable [] page;
    /** Other arrays that are given back at the end. */
    private final List<byte[]> others = new ArrayList<>();
    /** The header of the next page, if it was read. */
    private @Nullable PageHeader ahead;

    private final InputStream headers = new InputStream() {
        @Override
        public int read() {
            return fill(1) ? window[from++] & 0xff : -1;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) {
            if (length == 0 || !fill(1)) {
                return length == 0 ? 0 : -1;
            }
            int count = Math.min(length, to - from);
            System.arraycopy(window, from, bytes, offset, count);
            from += count;
            return count;
        }
    };

    /**
     * Creates a reader at the first page, without reading.
     *
     * @param windowBytes how much is read at once; more for a page that is larger
     * @param reused whether a page is valid until the next one is read only; if not, all of them stay as they are
     * @param buffers where the arrays of windows and of decompressed pages are from
     * @throws BadInputException when the pages are encrypted, or of a codec that is not supported
     */
    ColumnPages(
            SeekableByteChannel file, ColumnChunkMetaData chunk, int windowBytes, boolean reused, PageBuffers buffers) {
        if (chunk.isEncrypted()) {
            throw ParquetFooter.encrypted();
        }
        PageCodecs.requireKnown(chunk.getCodec());
        this.file = file;
        this.chunk = chunk;
        this.reused = reused;
        this.buffers = buffers;
        wanted = windowBytes;
        lets = reused && file instanceof FileChannel;
        readTo = chunk.getStartingPos();
        chunkEnd = readTo + chunk.getTotalSize();
        valuesLeft = chunk.getValueCount();
    }

    /** Whether a page is valid until the next one is read only. */
    boolean reused() {
        return reused;
    }

    /** Reads the first window. */
    void fill() {
        fill(1);
    }

    /** Gives all arrays back: no page is valid any more, if they are reused. Nothing can be read afterwards. */
    void release() {
        releasePage();
        if (dictionary != null) {
            buffers.give(dictionary);
        }
        others.forEach(buffers::give);
        others.clear();
        if (window != NOTHING) {
            buffers.give(window);
        }
    }

    /** An array of at least that length, with any bytes; it is the caller's until {@link #release}. */
    byte[] array(int length) {
        byte[] array = buffers.take(length);
        others.add(array);
        return array;
    }

    private void releasePage() {
        if (page != null) {
            buffers.give(page);
            page = null;
        }
    }

    @Override
    public long getTotalValueCount() {
        return chunk.getValueCount();
    }

    @Override
    public @Nullable DictionaryPage readDictionaryPage() {
        PageHeader header = header();
        if (header.getType() != PageType.DICTIONARY_PAGE) {
            return null;
        }
        ahead = null;
        DictionaryPageHeader about = header.getDictionary_page_header();
        int start = take(header);
        BytesInput values = plain(start, header.getCompressed_page_size(), header.getUncompressed_page_size(), false);
        dictionary = page;
        page = null;
        return new DictionaryPage(values, about.getNum_values(), encoding(about.getEncoding()));
    }

    @Override
    public @Nullable DataPage readPage() {
        while (valuesLeft > 0) {
            PageHeader header = header();
            ahead = null;
            int start = take(header);
            DataPage next =
                    switch (header.getType()) {
                        case DATA_PAGE -> first(header, start);
                        case DATA_PAGE_V2 -> second(header, start);
                        case DICTIONARY_PAGE -> throw new IllegalStateException("a column has two dictionaries");
                        case INDEX_PAGE -> null;
                    };
            if (next != null) {
                valuesLeft -= next.getValueCount();
                return next;
            }
        }
        return null;
    }

    private DataPage first(PageHeader header, int start) {
        DataPageHeader data = header.getData_page_header();
        int bytes = header.getUncompressed_page_size();
        return new DataPageV1(
                plain(start, header.getCompressed_page_size(), bytes, reused),
                data.getNum_values(),
                bytes,
                none(chunk.getPrimitiveType()),
                encoding(data.getRepetition_level_encoding()),
                encoding(data.getDefinition_level_encoding()),
                encoding(data.getEncoding()));
    }

    /** A page of version 2, whose levels are never compressed. */
    private DataPage second(PageHeader header, int start) {
        DataPageHeaderV2 data = header.getData_page_header_v2();
        int repetitions = data.getRepetition_levels_byte_length();
        int definitions = data.getDefinition_levels_byte_length();
        long levels = (long) repetitions + definitions;
        int stored = header.getCompressed_page_size();
        int bytes = header.getUncompressed_page_size();
        if (repetitions < 0 || definitions < 0 || levels > Math.min(stored, bytes)) {
            throw new IllegalStateException("a page of " + stored + " bytes has levels of " + levels);
        }
        int values = start + (int) levels;
        BytesInput repetitionLevels = stored(start, repetitions, reused && !lets);
        BytesInput definitionLevels = stored(start + repetitions, definitions, reused && !lets);
        BytesInput plain = data.isIs_compressed()
                ? plain(values, stored - (int) levels, bytes - (int) levels, reused)
                : stored(values, stored - (int) levels, reused);
        return DataPageV2.uncompressed(
                data.getNum_rows(),
                data.getNum_nulls(),
                data.getNum_values(),
                repetitionLevels,
                definitionLevels,
                encoding(data.getEncoding()),
                plain,
                none(chunk.getPrimitiveType()));
    }

    /**
     * Decompresses stored bytes of a page.
     *
     * @param inWindow whether bytes that are not compressed may stay in the window
     */
    private BytesInput plain(int start, int stored, int bytes, boolean inWindow) {
        if (chunk.getCodec() == CompressionCodecName.UNCOMPRESSED || bytes == 0) {
            return stored(start, bytes == 0 ? 0 : stored, inWindow);
        }
        try {
            byte[] plain = page;
            if (plain == null || plain.length < bytes) {
                releasePage();
                plain = buffers.take(bytes);
            }
            PageCodecs.decompress(chunk.getCodec(), window, start, stored, plain, bytes);
            page = reused ? plain : null;
            if (lets) {
                letGo(start + stored, stored);
            }
            return BytesInput.from(ByteBuffer.wrap(plain, 0, bytes));
        } catch (IOException e) {
            throw new IllegalStateException(e.getMessage(), e);
        }
    }

    /**
     * Gives back the window of a page that was decompressed: the other columns use the same memory, which stays in the
     * processor's cache. The next page is expected to be as long.
     */
    private void letGo(int end, int stored) {
        wanted = stored + HEADER_BYTES;
        readTo -= to - end;
        buffers.give(window);
        window = NOTHING;
        from = 0;
        to = 0;
    }

    /** Bytes of the window. Not as an array, of which the library would make a copy for each reader. */
    private BytesInput stored(int start, int length, boolean inWindow) {
        return BytesInput.from(
                inWindow
                        ? ByteBuffer.wrap(window, start, length)
                        : ByteBuffer.wrap(Arrays.copyOfRange(window, start, start + length)));
    }

    private static Statistics<?> none(PrimitiveType type) {
        return Statistics.getBuilderForReading(type).build();
    }

    private static Encoding encoding(org.apache.parquet.format.@Nullable Encoding stored) {
        if (stored == null) {
            throw new IllegalStateException("a page has an encoding that is not known");
        }
        return Objects.requireNonNull(ENCODINGS.get(stored));
    }

    /** The header of the next page. */
    private PageHeader header() {
        PageHeader header = ahead;
        if (header == null) {
            try {
                header = Util.readPageHeader(headers);
            } catch (IOException e) {
                throw new IllegalStateException("the header of a page: " + e.getMessage(), e);
            }
            if (!isWhole(header)) {
                throw new IllegalStateException("the header of a page lacks the part for its type");
            }
            ahead = header;
        }
        return header;
    }

    private static boolean isWhole(PageHeader header) {
        return switch (header.getType()) {
            case DATA_PAGE -> header.isSetData_page_header();
            case DATA_PAGE_V2 -> header.isSetData_page_header_v2();
            case DICTIONARY_PAGE -> header.isSetDictionary_page_header();
            case INDEX_PAGE -> true;
        };
    }

    /** Moves over the stored bytes of a page, which are then in the window; returns where they begin. */
    private int take(PageHeader header) {
        int stored = header.getCompressed_page_size();
        int bytes = header.getUncompressed_page_size();
        if (stored < 0 || bytes < 0) {
            throw new IllegalStateException("a page has " + Math.min(stored, bytes) + " bytes by its header");
        }
        if ((long) stored + bytes > buffers.mostBytes()) {
            throw new BadInputException("a page of the Parquet data has " + bytes + " bytes, and the memory takes pages"
                    + " of " + buffers.mostBytes() / 2
                    + "; write smaller ones, or set SLUICE_JAVA_OPTS=-Xmx… to more than eight times that");
        }
        if (!fill(stored)) {
            throw new IllegalStateException("a page of " + stored + " bytes is cut off");
        }
        if (header.isSetCrc()) {
            CRC32 crc = new CRC32();
            crc.update(window, from, stored);
            if ((int) crc.getValue() != header.getCrc()) {
                throw new IllegalStateException("a page does not match its checksum");
            }
        }
        int start = from;
        from += stored;
        return start;
    }

    /** Reads until so many bytes are in the window; returns false if the file ends before. */
    private boolean fill(int bytes) {
        if (to - from >= bytes) {
            return true;
        }
        try {
            if (bytes > file.size() - readTo + (to - from)) {
                return false;
            }
            move(bytes);
            file.position(readTo);
            int limit = Math.min(window.length, Math.max(bytes, wanted));
            while (to < limit && (to < bytes || readTo < chunkEnd)) {
                // Some old writers say too little of a column's length: a page may go on behind it.
                long most = Math.max(bytes - to, Math.min(limit - to, chunkEnd - readTo));
                int read = file.read(ByteBuffer.wrap(window, to, (int) most));
                if (read < 0) {
                    break;
                }
                to += read;
                readTo += read;
            }
        } catch (EOFException e) {
            return false;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return to >= bytes;
    }

    /** Moves the bytes that were not taken to the start of a window for at least so many. */
    private void move(int bytes) {
        byte[] before = window;
        if (window.length < bytes) {
            window = buffers.take(window == NOTHING ? Math.max(bytes, wanted) : bytes);
        }
        System.arraycopy(before, from, window, 0, to - from);
        to -= from;
        from = 0;
        if (window != before && before != NOTHING) {
            buffers.give(before);
        }
    }
}
