package io.sluice.importer.source.parquet;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.parquet.column.ColumnReader;

/**
 * Turns columns into rows, some hundred at a time: each field is read for all of them before the next one. First come
 * the lengths of all values, and with them the places of the rows, then the values:
 *
 * <pre>
 *   lengths   a: 2 3 2   b: 5 1 4      rows of 7, 4 and 6 bytes, at 0, 7 and 11
 *   values    aa.....aaa.aa....        field a, which moves the place of each row on
 *             aabbbbbaaabaabbbb        field b
 * </pre>
 *
 * <p>For one thread.
 */
final class RowBatch {
    static final int MOST_ROWS = 256;

    /** Most bytes of values that are encoded one by one before the batch is written. */
    private static final int STAGED_BYTES = 64 << 10;

    /** One field of the rows. */
    interface Field {
        /** The number of rows that may be taken at once; at least 1. */
        int left();

        /** Reads the next values, and adds the bytes that each one needs to its row's. */
        void take(int rows, long[] sizes);

        /** Writes values that were taken, each at the place in its row, and moves the places behind them. */
        void put(int from, int to, byte[] out, int[] places);
    }

    private final Field[] fields;
    private final StagedField[] staged;
    private final long[] sizes = new long[MOST_ROWS];
    private final int[] places = new int[MOST_ROWS];
    private int rows;
    /** The first row that was not written. */
    private int next;

    /**
     * Creates a batch without rows.
     *
     * @param encodings of the fields
     * @param columns of each field, at the first row
     */
    RowBatch(List<ColumnEncoding> encodings, ColumnReader[][] columns) {
        fields = new Field[encodings.size()];
        List<StagedField> oneByOne = new ArrayList<>();
        for (int i = 0; i < fields.length; i++) {
            ColumnEncoding encoding = encodings.get(i);
            if (encoding.flat() != null && columns[i][0] instanceof PageColumn column) {
                fields[i] = new FlatField(column, encoding.flat());
            } else {
                StagedField field = new StagedField(encoding.writer(), columns[i]);
                oneByOne.add(field);
                fields[i] = field;
            }
        }
        staged = oneByOne.toArray(StagedField[]::new);
    }

    /**
     * Writes the next rows into a block, until it is full or the batch ends. There must be a row left.
     *
     * @param most rows that are left
     * @param full bytes from which on a block gets no further row
     * @return how many were written, at least 1
     */
    int put(AvroBlock block, long most, int full) {
        if (next == rows) {
            take((int) Math.min(MOST_ROWS, most));
        }
        int to = next;
        long bytes = block.length();
        while (to < rows && (to == next || bytes < full)) {
            bytes += sizes[to++];
        }
        int at = block.reserve(bytes - block.length());
        for (int row = next; row < to; row++) {
            places[row] = at;
            at += (int) sizes[row];
        }
        for (Field field : fields) {
            field.put(next, to, block.bytes(), places);
        }
        int written = to - next;
        next = to;
        return written;
    }

    private void take(int most) {
        int count = most;
        for (Field field : fields) {
            count = Math.min(count, field.left());
        }
        count = stage(count);
        Arrays.fill(sizes, 0, count, 0);
        for (Field field : fields) {
            field.take(count, sizes);
        }
        rows = count;
        next = 0;
    }

    /** Encodes the values of fields that are read one by one; returns for how many rows. */
    private int stage(int most) {
        if (staged.length == 0) {
            return most;
        }
        for (StagedField field : staged) {
            field.clear();
        }
        long bytes = 0;
        int row = 0;
        while (row < most && bytes < STAGED_BYTES) {
            for (StagedField field : staged) {
                bytes += field.stage(row);
            }
            row++;
        }
        return row;
    }

    /** A field whose values are encoded one by one, and copied to their rows. */
    private static final class StagedField implements Field {
        private final ColumnEncoding.Writer writer;
        private final ColumnReader[] columns;
        private final AvroBlock block = new AvroBlock();
        /** Ends of the values, by row. */
        private final int[] ends = new int[MOST_ROWS];

        StagedField(ColumnEncoding.Writer writer, ColumnReader[] columns) {
            this.writer = writer;
            this.columns = columns;
        }

        void clear() {
            block.clear();
        }

        /** Encodes the next value; returns its bytes. */
        int stage(int row) {
            int start = block.end();
            writer.put(columns, block);
            ends[row] = block.end();
            return block.end() - start;
        }

        private int start(int row) {
            return row == 0 ? block.start() : ends[row - 1];
        }

        @Override
        public int left() {
            return MOST_ROWS;
        }

        @Override
        public void take(int rows, long[] sizes) {
            for (int i = 0; i < rows; i++) {
                sizes[i] += ends[i] - start(i);
            }
        }

        @Override
        public void put(int from, int to, byte[] out, int[] places) {
            for (int i = from; i < to; i++) {
                int length = ends[i] - start(i);
                System.arraycopy(block.bytes(), start(i), out, places[i], length);
                places[i] += length;
            }
        }
    }
}
