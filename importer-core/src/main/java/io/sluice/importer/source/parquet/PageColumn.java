package io.sluice.importer.source.parquet;

import io.sluice.importer.source.ColumnBlocks;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumSet;
import java.util.Set;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.ColumnReader;
import org.apache.parquet.column.Encoding;
import org.apache.parquet.column.page.DataPage;
import org.apache.parquet.column.page.DataPageV1;
import org.apache.parquet.column.page.DataPageV2;
import org.apache.parquet.column.page.DictionaryPage;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;

/**
 * Reads one column of a row group whose values are plain or ids of a dictionary, as nearly all are. Levels and ids are
 * decoded in batches, and values are read where they are in the page, without an object for each. The library reads
 * columns of other encodings. For one thread.
 */
@SuppressWarnings("deprecation") // files of old encodings are read, and the library asks for a method of old
final class PageColumn implements ColumnReader {
    private static final Set<Encoding> KNOWN = EnumSet.of(
            Encoding.PLAIN, Encoding.RLE, Encoding.BIT_PACKED, Encoding.PLAIN_DICTIONARY, Encoding.RLE_DICTIONARY);

    private static final int BATCH = 512;
    /** 4 KiB, as much as the largest blocks take. */
    private static final int SMALL_DICTIONARY_BYTES = 4 << 10;

    private static final byte[] NOTHING = {};

    private final ColumnDescriptor column;
    private final ColumnPages pages;

    private final PrimitiveTypeName type;
    /** Bytes of a value; 0 for BINARY, whose values have their lengths, and BOOLEAN, whose values are bits. */
    private final int width;

    private final int maxDefinition;
    private final PageLevels definitions;
    private final PageLevels repetitions;

    /** The values of the dictionary, as a plain page has them. */
    private byte[] dictionary = NOTHING;
    /** Numbers: the starts of the BINARY values of the dictionary, each with its length in front. */
    private byte[] dictionaryStarts = NOTHING;

    /** Number of starts that are known: the first rows of a file need few. */
    private int starts;

    /** Position of the first value whose start is not known. */
    private int startsTo;

    private int dictionaryFrom;
    private int dictionaryEnd;
    private int dictionarySize;
    private int smallDictionaryBytes;
    private int longestInDictionary;
    private boolean numbers;

    private byte[] values = NOTHING;
    private int valuesEnd;
    private boolean byId;
    /** Position of the current value of a plain page: in bytes, of BOOLEAN in bits from the page's first value. */
    private int at;
    /** Position of the first value that was taken. */
    private int start;

    private final HybridRuns idRuns = new HybridRuns();
    private final int[] ids = new int[BATCH];
    private int idAt;
    private int idCount;

    /** Values, NULL included, that are left in the page, and in the pages after it. */
    private int leftInPage;

    private long leftAfterPage;
    private int definition;
    private int repetition;
    /** Whether the current value was taken: the page stays until its values were used. */
    private boolean taken;
    /** Whether all values were used. */
    private boolean ended;

    /** Whether a column with these encodings can be read; the library must read others. */
    static boolean reads(Collection<Encoding> encodings) {
        return KNOWN.containsAll(encodings);
    }

    /** The reader of a column, at its first value. */
    PageColumn(ColumnDescriptor column, ColumnPages pages) {
        this.column = column;
        this.pages = pages;
        type = column.getPrimitiveType().getPrimitiveTypeName();
        width = switch (type) {
            case INT32, FLOAT -> Integer.BYTES;
            case INT64, DOUBLE -> Long.BYTES;
            case INT96 -> 12;
            case FIXED_LEN_BYTE_ARRAY -> column.getPrimitiveType().getTypeLength();
            case BINARY, BOOLEAN -> 0;
        };
        maxDefinition = column.getMaxDefinitionLevel();
        definitions = new PageLevels(maxDefinition);
        repetitions = new PageLevels(column.getMaxRepetitionLevel());
        leftAfterPage = pages.getTotalValueCount();
        DictionaryPage page = pages.readDictionaryPage();
        if (page != null) {
            readDictionary(page);
        }
        advance();
    }

    private void readDictionary(DictionaryPage page) {
        ByteBuffer bytes = PageCodecs.onHeap(page.getBytes());
        int from = bytes.arrayOffset() + bytes.position();
        int to = from + bytes.remaining();
        dictionary = bytes.array();
        dictionaryFrom = from;
        dictionarySize = page.getDictionarySize();
        boolean binary = type == PrimitiveTypeName.BINARY;
        if (dictionarySize < 0 || (long) dictionarySize * (binary ? Integer.BYTES : width) > to - from) {
            throw new IllegalStateException("a dictionary says that it has " + dictionarySize + " values");
        }
        if (binary) {
            dictionaryStarts = pages.array(Math.multiplyExact(dictionarySize, Integer.BYTES));
            startsTo = from;
            dictionaryEnd = to;
        }
        if (dictionarySize <= ColumnBlocks.MOST_DICTIONARY_VALUES && to - from <= SMALL_DICTIONARY_BYTES) {
            for (int i = 1; binary && i <= dictionarySize; i++) {
                int before = startsTo;
                findStarts(i);
                longestInDictionary = Math.max(longestInDictionary, startsTo - before);
            }
            smallDictionaryBytes = binary ? startsTo - from : dictionarySize * width;
        }
    }

    /** Finds the starts of the first BINARY values of the dictionary. */
    private void findStarts(int count) {
        for (; starts < count; starts++) {
            ColumnBlocks.putInt(dictionaryStarts, starts * Integer.BYTES, startsTo);
            startsTo = endOfBinary(dictionary, startsTo, dictionaryEnd);
        }
    }

    /** The position after a value that has its length in front. */
    private static int endOfBinary(byte[] bytes, int from, int to) {
        int length = to - from < Integer.BYTES ? -1 : ColumnBlocks.intAt(bytes, from);
        if (length < 0 || length > to - from - Integer.BYTES) {
            throw new IllegalStateException("a value is cut off");
        }
        return from + Integer.BYTES + length;
    }

    /** Moves to the next value, if there is one. */
    private void advance() {
        while (leftInPage == 0) {
            requireUsedUp();
            if (leftAfterPage == 0) {
                repetition = 0;
                definition = 0;
                ended = true;
                return;
            }
            nextPage();
        }
        nextInPage();
    }

    /** Checks that the page has no more values than its levels tell, and no more levels than its header. */
    private void requireUsedUp() {
        int used = type == PrimitiveTypeName.BOOLEAN ? (at + 7) >> 3 : at;
        if (byId ? idRuns.hasMore(idCount - idAt) : used > valuesEnd || !isZero(values, used, valuesEnd)) {
            throw new IllegalStateException("a page of " + name() + " has more or fewer values than its levels say");
        }
        if (definitions.hasMore() || repetitions.hasMore()) {
            throw new IllegalStateException("a page of " + name() + " has more levels than its header says");
        }
    }

    /** Whether bytes are zeros: fastparquet has eight of them behind the values of a page. */
    private static boolean isZero(byte[] bytes, int from, int to) {
        int at = from;
        while (at < to && bytes[at] == 0) {
            at++;
        }
        return at == to;
    }

    /** Checks that all values were used. */
    void requireEnd() {
        if (taken) {
            taken = false;
            advance();
        }
        if (!ended) {
            throw new IllegalStateException(name() + " has more rows than its row group");
        }
        if (type == PrimitiveTypeName.BINARY) {
            findStarts(dictionarySize);
        }
    }

    private void requireValue() {
        if (ended) {
            throw new IllegalStateException(name() + " has fewer rows than its row group");
        }
    }

    private String name() {
        return "the column " + String.join(".", column.getPath());
    }

    private void nextInPage() {
        leftInPage--;
        repetition = repetitions.next();
        definition = definitions.next();
        if (definition > maxDefinition) {
            throw new IllegalStateException("a value has the level " + definition + " of " + maxDefinition);
        }
    }

    private void nextPage() {
        DataPage page = pages.readPage();
        if (page == null) {
            throw new IllegalStateException("a column has fewer values than its header says");
        }
        leftInPage = page.getValueCount();
        leftAfterPage -= leftInPage;
        if (leftInPage < 0 || leftAfterPage < 0) {
            throw new IllegalStateException("a page says that it has " + leftInPage + " values");
        }
        if (page instanceof DataPageV1 first) {
            ByteBuffer bytes = PageCodecs.onHeap(first.getBytes());
            byte[] array = bytes.array();
            int from = bytes.arrayOffset() + bytes.position();
            int to = from + bytes.remaining();
            int levels = repetitions.start(array, from, to, first.getRlEncoding(), leftInPage);
            values(
                    first.getValueEncoding(),
                    array,
                    definitions.start(array, levels, to, first.getDlEncoding(), leftInPage),
                    to);
        } else {
            DataPageV2 second = (DataPageV2) page;
            repetitions.start(PageCodecs.onHeap(second.getRepetitionLevels()), leftInPage);
            definitions.start(PageCodecs.onHeap(second.getDefinitionLevels()), leftInPage);
            ByteBuffer bytes = PageCodecs.onHeap(second.getData());
            int from = bytes.arrayOffset() + bytes.position();
            values(second.getDataEncoding(), bytes.array(), from, from + bytes.remaining());
        }
    }

    private void values(Encoding encoding, byte[] bytes, int from, int to) {
        values = bytes;
        valuesEnd = to;
        idAt = 0;
        idCount = 0;
        byId = encoding != Encoding.PLAIN;
        switch (encoding) {
            case PLAIN -> at = type == PrimitiveTypeName.BOOLEAN ? Math.multiplyExact(from, Byte.SIZE) : from;
            // Of a page of NULLs, even the width may be missing.
            case PLAIN_DICTIONARY, RLE_DICTIONARY ->
                idRuns.reset(bytes, Math.min(from + 1, to), to, from < to ? bytes[from] : 0);
            case RLE -> {
                if (type != PrimitiveTypeName.BOOLEAN) {
                    throw new IllegalStateException("only values of BOOLEAN are encoded as runs");
                }
                idRuns.reset(bytes, Math.min(from + Integer.BYTES, to), to, 1);
            }
            default ->
                throw new IllegalStateException("a page is encoded as " + encoding + ", which the footer does not say");
        }
    }

    /** Lets {@link #take} give the numbers of values in a small dictionary, not their positions. */
    void takeNumbers() {
        numbers = smallDictionaryBytes > 0;
    }

    /** Bytes of the dictionary of the values that were taken, if their numbers were; else 0. */
    int smallDictionaryBytes() {
        return byId && numbers ? smallDictionaryBytes : 0;
    }

    /** Bytes of the longest BINARY value of a small dictionary, with its length. */
    int longestInDictionary() {
        return longestInDictionary;
    }

    /** Position of the first value of the dictionary in {@link #source()}. */
    int dictionaryFrom() {
        return dictionaryFrom;
    }

    /** Number of the current value in the dictionary. */
    private int id() {
        if (idAt == idCount) {
            idCount = idRuns.read(ids, 0, BATCH);
            idAt = 0;
        }
        return ids[idAt];
    }

    private int knownId() {
        int id = id();
        if (id < 0 || id >= dictionarySize) {
            throw new IllegalStateException("a value has the number " + id + " of " + dictionarySize);
        }
        return id;
    }

    /** Position of the current value in {@link #source()}. */
    private int position() {
        if (!byId) {
            return at;
        }
        return position(knownId());
    }

    /** Position of a value of the dictionary. */
    int position(int id) {
        if (width > 0) {
            return dictionaryFrom + id * width;
        }
        if (id >= starts) {
            findStarts(id + 1);
        }
        return ColumnBlocks.intAt(dictionaryStarts, id * Integer.BYTES);
    }

    /** The bytes with the current value. Owned by this column. */
    byte[] source() {
        return byId ? dictionary : values;
    }

    /** Whether the current values follow each other in {@link #source()}, and are not those of a dictionary. */
    boolean isPlain() {
        return !byId;
    }

    /** Whether values are BINARY, which have their lengths in front. */
    boolean isBinary() {
        return type == PrimitiveTypeName.BINARY;
    }

    /** Bytes of a value that is neither BINARY nor BOOLEAN. */
    int width() {
        return width;
    }

    /** The number of values left in the page, NULL included; at least 1. For a column that does not repeat. */
    int left() {
        if (taken && leftInPage == 0) {
            taken = false;
            advance();
        }
        return taken ? leftInPage : leftInPage + 1;
    }

    /**
     * Moves over the next values of the page, not for BOOLEAN. Until the next call of {@link #left}, they are in
     * {@link #source()}: those of a plain page one after the other from {@link #start} to {@link #end}.
     *
     * @param positions receives where each value of a dictionary is, of BINARY where its length is, or after
     *     {@link #takeNumbers} its number; -1 for each NULL, and other numbers for other values, if there are NULLs
     * @param count at most {@link #left}
     * @return how many are NULL
     */
    int take(int[] positions, int count) {
        start = at;
        int nulls = 0;
        int i = 0;
        if (!taken) {
            // The level of the first value was read already.
            nulls = takeRead(positions, 0, nulls);
            i = 1;
        }
        taken = true;
        while (i < count) {
            int there = definitions.atMax(count - i);
            if (there > 0) {
                leftInPage -= there;
                positions(positions, i, i + there, nulls > 0);
                i += there;
            } else {
                nextInPage();
                nulls = takeRead(positions, i++, nulls);
            }
        }
        return nulls;
    }

    /** Moves over a value whose level was read; returns the number of NULLs with it. */
    private int takeRead(int[] positions, int i, int nulls) {
        if (definition == maxDefinition) {
            positions(positions, i, i + 1, nulls > 0);
            return nulls;
        }
        if (nulls == 0) {
            Arrays.fill(positions, 0, byId ? 0 : i, 0);
        }
        positions[i] = -1;
        return nulls + 1;
    }

    /** Moves over values that are not NULL. */
    private void positions(int[] positions, int first, int end, boolean mark) {
        if (byId) {
            for (int i = first; i < end; i++) {
                int id = knownId();
                positions[i] = numbers ? id : position(id);
                idAt++;
            }
            return;
        }
        at = after(at, end - first);
        if (mark) {
            Arrays.fill(positions, first, end, 0);
        }
    }

    /** The position after some values of a plain page. */
    int after(int position, int count) {
        if (type == PrimitiveTypeName.BINARY) {
            // Most values are as long as the one before. With a branch the processor guesses so, and reads ahead; else
            // it would wait for each length, which is not in its cache.
            int next = position;
            int length = 0;
            for (int i = 0; i < count; i++) {
                if (valuesEnd - next < Integer.BYTES) {
                    throw new IllegalStateException("a value is cut off");
                }
                int found = ColumnBlocks.intAt(values, next);
                if (found != length) {
                    if (found < 0) {
                        throw new IllegalStateException("a value is cut off");
                    }
                    length = found;
                }
                next += Integer.BYTES;
                if (length > valuesEnd - next) {
                    throw new IllegalStateException("a value is cut off");
                }
                next += length;
            }
            return next;
        }
        if ((long) count * width > valuesEnd - position) {
            throw new IllegalStateException("a page ends within its values");
        }
        return position + count * width;
    }

    /** Position of the first value of a plain page that was taken. */
    int start() {
        return start;
    }

    /** Position after the last value of a plain page that was taken. */
    int end() {
        return at;
    }

    /** Position of the current value, which has a fixed width. */
    private int fixed() {
        int position = position();
        if (!byId && position > valuesEnd - width) {
            throw new IllegalStateException("a page ends within its values");
        }
        return position;
    }

    @Override
    public void consume() {
        requireValue();
        if (definition == maxDefinition) {
            if (byId) {
                id();
                idAt++;
            } else {
                at = switch (type) {
                    case BINARY -> endOfBinary(values, at, valuesEnd);
                    case BOOLEAN -> at + 1;
                    default -> at + width;
                };
            }
        }
        advance();
    }

    @Override
    public int getInteger() {
        return ColumnBlocks.intAt(source(), fixed());
    }

    @Override
    public long getLong() {
        return ColumnBlocks.longAt(source(), fixed());
    }

    @Override
    public float getFloat() {
        return Float.intBitsToFloat(getInteger());
    }

    @Override
    public double getDouble() {
        return Double.longBitsToDouble(getLong());
    }

    @Override
    public boolean getBoolean() {
        if (byId) {
            return id() != 0;
        }
        if (at >> 3 >= valuesEnd) {
            throw new IllegalStateException("a page ends within its values");
        }
        return ((values[at >> 3] >> (at & 7)) & 1) != 0;
    }

    @Override
    public Binary getBinary() {
        int from = type == PrimitiveTypeName.BINARY ? position() : fixed();
        int length = type == PrimitiveTypeName.BINARY ? binaryLength(from) : width;
        return Binary.fromConstantByteArray(source(), from + (type == PrimitiveTypeName.BINARY ? 4 : 0), length);
    }

    private int binaryLength(int from) {
        return byId
                ? ColumnBlocks.intAt(dictionary, from)
                : endOfBinary(values, from, valuesEnd) - from - Integer.BYTES;
    }

    /** Puts the current value of a column of bytes, with its length. */
    static void putBytes(ColumnReader from, AvroBlock to) {
        if (from instanceof PageColumn page && page.type == PrimitiveTypeName.BINARY) {
            int position = page.position();
            to.putBytes(page.source(), position + Integer.BYTES, page.binaryLength(position));
        } else {
            to.putBytes(from.getBinary().toByteBuffer());
        }
    }

    @Override
    public int getCurrentRepetitionLevel() {
        return repetition;
    }

    @Override
    public int getCurrentDefinitionLevel() {
        requireValue();
        return definition;
    }

    @Override
    public ColumnDescriptor getDescriptor() {
        return column;
    }

    @Override
    public long getTotalValueCount() {
        return pages.getTotalValueCount();
    }

    @Override
    public void writeCurrentValueToConverter() {
        throw new UnsupportedOperationException("values are read one by one");
    }

    @Override
    public void skip() {
        throw new UnsupportedOperationException("values are consumed");
    }

    @Override
    public int getCurrentValueDictionaryID() {
        throw new UnsupportedOperationException("values are read, not their numbers");
    }
}
