package io.sluice.importer.source.parquet;

import io.sluice.importer.source.ColumnBlocks;

/**
 * Copies one column that is not nested into blocks, many rows at a time. Values of a plain page stand there as a block
 * has them, and are copied at once; those of a dictionary one by one, or as their numbers if it is small. For one
 * thread.
 */
final class FlatField implements RowBatch.Field {
    /** The order of a value's bytes in a block. */
    enum Order {
        /** As in the page. */
        STORED,
        /** Of INT32 and INT64 the highest byte first, as Avro's decimals have it. */
        REVERSED
    }

    /** Most bytes of a block's dictionary for each of its rows, 4: with a number, a row has less than most values. */
    private static final int DICTIONARY_BYTES_OF_ROW = 4;

    private final PageColumn column;
    private final boolean reversed;
    private final boolean optional;
    private final int width;
    /**
     * Positions of the values of a dictionary that were taken, or of a small one their numbers; -1 for NULL. For a
     * plain page they tell NULLs only.
     */
    private final int[] positions = new int[RowBatch.MOST_ROWS];

    private byte[] source = {};
    private boolean plain;
    /** Bytes of the small dictionary with the values that were taken; 0 if there is none. */
    private int dictionaryBytes;

    /** Position of the next value of a plain page that is put. */
    private int start;

    /** NULLs among the values that were taken. */
    private int nulls;

    private int taken;

    FlatField(PageColumn column, Order order) {
        this.column = column;
        reversed = order == Order.REVERSED;
        optional = column.getDescriptor().getMaxDefinitionLevel() > 0;
        width = column.isBinary() ? ColumnBlocks.LENGTHS : column.width();
        if (reversed || (width != Integer.BYTES && width != Long.BYTES)) {
            // Text and decimals are parsed once for a dictionary; numbers are read as fast as they are looked up.
            column.takeNumbers();
        }
    }

    @Override
    public int left() {
        return column.left();
    }

    @Override
    public int leastBytes() {
        return (optional ? 1 : 0) + width;
    }

    @Override
    public long take(int rows) {
        nulls = column.take(positions, rows);
        source = column.source();
        plain = column.isPlain();
        dictionaryBytes = column.smallDictionaryBytes();
        start = column.start();
        taken = rows;
        if (width != ColumnBlocks.LENGTHS) {
            return 0;
        }
        return plain
                ? column.end() - start
                : dictionaryBytes > 0 ? (long) rows * column.longestInDictionary() : bytes(0, rows);
    }

    @Override
    public void addSizes(long[] sizes) {
        if (width != ColumnBlocks.LENGTHS) {
            return;
        }
        int at = start;
        for (int i = 0; i < taken; i++) {
            if (nulls == 0 || positions[i] >= 0) {
                int bytes = dictionaryBytes > 0
                        ? column.longestInDictionary()
                        : Integer.BYTES + ColumnBlocks.intAt(source, plain ? at : positions[i]);
                sizes[i] += bytes;
                at += bytes;
            }
        }
    }

    /** The bytes of a value of a dictionary, its length included; none for NULL. */
    private int bytes(int position) {
        if (position < 0) {
            return 0;
        }
        return width == ColumnBlocks.LENGTHS ? Integer.BYTES + ColumnBlocks.intAt(source, position) : width;
    }

    private long bytes(int from, int to) {
        long bytes = 0;
        for (int i = from; i < to; i++) {
            bytes += bytes(positions[i]);
        }
        return bytes;
    }

    @Override
    public void put(int from, int to, AvroBlock out) {
        int there = to - from;
        for (int i = from; nulls > 0 && i < to; i++) {
            there += positions[i] >> (Integer.SIZE - 1);
        }
        boolean some = there < to - from;
        boolean numbers = dictionaryBytes > 0 && dictionaryBytes <= DICTIONARY_BYTES_OF_ROW * (to - from);
        int head = out.startColumn(
                some ? ColumnBlocks.SOME : optional ? ColumnBlocks.ALL_THERE : ColumnBlocks.REQUIRED,
                numbers ? ColumnBlocks.DICTIONARY : width);
        if (numbers) {
            putDictionary(out);
        }
        if (some) {
            int at = out.reserve(to - from);
            for (int i = from; i < to; i++) {
                out.bytes()[at++] = (byte) (positions[i] < 0 ? 0 : 1);
            }
        }
        if (numbers) {
            putNumbers(from, to, out.reserve(there), out.bytes());
        } else if (plain) {
            putPlain(to == taken ? column.end() : column.after(start, there), out);
        } else {
            putEach(from, to, out);
        }
        out.endColumn(head);
    }

    private void putPlain(int end, AvroBlock out) {
        int bytes = end - start;
        int at = out.reserve(bytes);
        if (!reversed) {
            System.arraycopy(source, start, out.bytes(), at, bytes);
        } else if (width == Long.BYTES) {
            for (int i = 0; i < bytes; i += Long.BYTES) {
                ColumnBlocks.putLong(out.bytes(), at + i, Long.reverseBytes(ColumnBlocks.longAt(source, start + i)));
            }
        } else {
            for (int i = 0; i < bytes; i += Integer.BYTES) {
                ColumnBlocks.putInt(out.bytes(), at + i, Integer.reverseBytes(ColumnBlocks.intAt(source, start + i)));
            }
        }
        start = end;
    }

    private void putDictionary(AvroBlock out) {
        int at = out.reserve(2 * Integer.BYTES);
        ColumnBlocks.putInt(out.bytes(), at, width);
        ColumnBlocks.putInt(out.bytes(), at + Integer.BYTES, dictionaryBytes);
        start = column.dictionaryFrom();
        putPlain(start + dictionaryBytes, out);
    }

    private void putNumbers(int from, int to, int first, byte[] bytes) {
        int at = first;
        for (int i = from; i < to; i++) {
            if (positions[i] >= 0) {
                bytes[at++] = (byte) positions[i];
            }
        }
    }

    private void putEach(int from, int to, AvroBlock out) {
        for (int i = from; dictionaryBytes > 0 && i < to; i++) {
            positions[i] = positions[i] < 0 ? -1 : column.position(positions[i]);
        }
        int at = out.reserve(bytes(from, to));
        byte[] bytes = out.bytes();
        for (int i = from; i < to; i++) {
            int position = positions[i];
            int count = bytes(position);
            if (count == 0) {
                continue;
            }
            switch (width) {
                case Long.BYTES -> {
                    long value = ColumnBlocks.longAt(source, position);
                    ColumnBlocks.putLong(bytes, at, reversed ? Long.reverseBytes(value) : value);
                }
                case Integer.BYTES -> {
                    int value = ColumnBlocks.intAt(source, position);
                    ColumnBlocks.putInt(bytes, at, reversed ? Integer.reverseBytes(value) : value);
                }
                default -> System.arraycopy(source, position, bytes, at, count);
            }
            at += count;
        }
    }
}
