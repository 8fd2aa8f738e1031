package io.sluice.importer.source.parquet;

import io.sluice.importer.source.ColumnBlocks;

/**
 * Copies one column that is not nested into blocks, many rows at a time. Values of a plain page stand there as a block
 * has them, and are copied at once; those of a dictionary one by one. For one thread.
 */
final class FlatField implements RowBatch.Field {
    /** The order of a value's bytes in a block. */
    enum Order {
        /** As in the page. */
        STORED,
        /** Of INT32 and INT64 the highest byte first, as Avro's decimals have it. */
        REVERSED
    }

    private final PageColumn column;
    private final boolean reversed;
    private final boolean optional;
    private final int width;
    /** Positions of the values that were taken; -1 for NULL. */
    private final int[] positions = new int[RowBatch.MOST_ROWS];

    private byte[] source = {};
    private boolean plain;

    FlatField(PageColumn column, Order order) {
        this.column = column;
        reversed = order == Order.REVERSED;
        optional = column.getDescriptor().getMaxDefinitionLevel() > 0;
        width = column.isBinary() ? ColumnBlocks.LENGTHS : column.width();
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
    public void take(int rows, long[] sizes) {
        column.take(positions, rows);
        source = column.source();
        plain = column.isPlain();
        if (width == ColumnBlocks.LENGTHS) {
            for (int i = 0; i < rows; i++) {
                sizes[i] += positions[i] < 0 ? 0 : bytes(positions[i]);
            }
        }
    }

    /** The bytes of a value, its length included. */
    private int bytes(int position) {
        return width == ColumnBlocks.LENGTHS ? Integer.BYTES + ColumnBlocks.intAt(source, position) : width;
    }

    @Override
    public void put(int from, int to, AvroBlock out) {
        int there = to - from;
        for (int i = from; optional && i < to; i++) {
            there += positions[i] >> (Integer.SIZE - 1);
        }
        boolean some = there < to - from;
        int head = out.startColumn(
                some ? ColumnBlocks.SOME : optional ? ColumnBlocks.ALL_THERE : ColumnBlocks.REQUIRED, width);
        if (some) {
            int at = out.reserve(to - from);
            for (int i = from; i < to; i++) {
                out.bytes()[at++] = (byte) (positions[i] < 0 ? 0 : 1);
            }
        }
        if (plain && !reversed) {
            putPlain(from, to, out);
        } else {
            putEach(from, to, out);
        }
        out.endColumn(head);
    }

    private void putPlain(int from, int to, AvroBlock out) {
        int first = from;
        while (first < to && positions[first] < 0) {
            first++;
        }
        int last = to - 1;
        while (last > first && positions[last] < 0) {
            last--;
        }
        if (first < to) {
            int end = positions[last] + bytes(positions[last]);
            out.putFixed(source, positions[first], end - positions[first]);
        }
    }

    private void putEach(int from, int to, AvroBlock out) {
        long most = 0;
        for (int i = from; i < to; i++) {
            most += positions[i] < 0 ? 0 : bytes(positions[i]);
        }
        int at = out.reserve(most);
        byte[] bytes = out.bytes();
        for (int i = from; i < to; i++) {
            int position = positions[i];
            if (position < 0) {
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
                default -> System.arraycopy(source, position, bytes, at, bytes(position));
            }
            at += bytes(position);
        }
    }
}
