package io.sluice.importer.source.parquet;

/**
 * Writes one column that is not nested, many rows at a time: first the length of each value, so that all rows have
 * their places, and then the values. Loops over one column are short and know its type. For one thread.
 */
final class FlatField implements RowBatch.Field {
    /** The form of written values. */
    enum Kind {
        /** An INT32 or INT64 as a number of Avro. */
        NUMBER,
        /** Bytes, with their length in front. */
        BYTES,
        /** The stored bytes, all of the same length. */
        FIXED
    }

    private static final byte NULL = 0;
    private static final byte THERE = 2;

    private final PageColumn column;
    private final Kind kind;
    private final boolean optional;
    private final boolean binary;
    private final int width;
    private final int[] positions = new int[RowBatch.MOST_ROWS];
    private byte[] source = {};

    /** Creates a field whose NULLs, if it has any, are the first branch of a union. */
    FlatField(PageColumn column, Kind kind) {
        this.column = column;
        this.kind = kind;
        optional = column.getDescriptor().getMaxDefinitionLevel() > 0;
        binary = column.isBinary();
        width = column.width();
    }

    @Override
    public int left() {
        return column.left();
    }

    @Override
    public void take(int rows, long[] sizes) {
        column.take(positions, rows);
        source = column.source();
        if (optional) {
            for (int i = 0; i < rows; i++) {
                sizes[i]++;
            }
        }
        switch (kind) {
            case NUMBER -> {
                for (int i = 0; i < rows; i++) {
                    sizes[i] += positions[i] < 0 ? 0 : AvroBlock.varintBytes(number(positions[i]));
                }
            }
            case BYTES -> {
                for (int i = 0; i < rows; i++) {
                    int length = positions[i] < 0 ? 0 : length(positions[i]);
                    sizes[i] += positions[i] < 0 ? 0 : AvroBlock.varintBytes(length) + length;
                }
            }
            case FIXED -> {
                for (int i = 0; i < rows; i++) {
                    sizes[i] += positions[i] < 0 ? 0 : width;
                }
            }
        }
    }

    private long number(int position) {
        return width == Long.BYTES ? PageColumn.longAt(source, position) : PageColumn.intAt(source, position);
    }

    private int length(int position) {
        return binary ? PageColumn.intAt(source, position) : width;
    }

    @Override
    public void put(int from, int to, byte[] out, int[] at) {
        byte[] in = source;
        int skipped = binary ? Integer.BYTES : 0;
        for (int i = from; i < to; i++) {
            int next = at[i];
            int position = positions[i];
            if (optional) {
                out[next++] = position < 0 ? NULL : THERE;
            }
            if (position >= 0) {
                switch (kind) {
                    case NUMBER -> next = AvroBlock.putLong(number(position), out, next);
                    case BYTES -> {
                        int length = length(position);
                        next = AvroBlock.putLong(length, out, next);
                        System.arraycopy(in, position + skipped, out, next, length);
                        next += length;
                    }
                    case FIXED -> {
                        System.arraycopy(in, position, out, next, width);
                        next += width;
                    }
                }
            }
            at[i] = next;
        }
    }
}
