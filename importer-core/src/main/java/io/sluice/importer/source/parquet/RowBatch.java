package io.sluice.importer.source.parquet;

import io.sluice.importer.source.ColumnBlocks;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.parquet.column.ColumnReader;

/**
 * Turns columns into blocks of rows, a thousand at a time. If these are too long for one block, the lengths of all
 * values tell how many rows fill one; then each field is put for all rows of a block.
 *
 * <pre>
 *   lengths   a: 2 3 2   b: 5 1 4      rows of 7, 4 and 6 bytes; a block of 10 bytes has two of them
 *   block     aa aaa bbbbb b
 * </pre>
 *
 * <p>For one thread.
 */
final class RowBatch {
    /** 128 rows in the first batch: a check of a file's first rows needs few. Each later one has twice as many. */
    private static final int FIRST_ROWS = 128;

    /** 1,024 rows: so many values of a column are a stretch of memory that the processor reads ahead. */
    static final int MOST_ROWS = 1024;

    /** Most bytes of values that are encoded one by one before the batch is put. */
    private static final int STAGED_BYTES = 64 << 10;

    /** One field of the rows. */
    interface Field {
        /** The number of rows that may be taken at once; at least 1. */
        int left();

        /** Bytes that each value needs at least. */
        int leastBytes();

        /** Reads the next values; returns the bytes that all of them need beyond the least. */
        long take(int rows);

        /** Adds the bytes that each value that was taken needs beyond the least to its row's. */
        void addSizes(long[] sizes);

        /** Puts values that were taken. */
        void put(int from, int to, AvroBlock out);
    }

    private final Field[] fields;
    private final StagedField[] staged;
    private final long[] sizes = new long[MOST_ROWS];
    private final int leastBytes;
    private int batchRows = FIRST_ROWS;
    private int rows;
    /** Whether all rows fit into one block, so that their sizes need not be known. */
    private boolean whole;
    /** The first row that was not put. */
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
        leastBytes = Arrays.stream(fields).mapToInt(Field::leastBytes).sum();
    }

    /**
     * Puts the next rows into an empty block, until it is full or the batch ends. There must be a row left.
     *
     * @param most rows that are left
     * @param full bytes from which on a block gets no further row
     * @return how many were put, at least 1
     */
    int put(AvroBlock block, long most, int full) {
        if (next == rows) {
            take((int) Math.min(batchRows, most), full);
            batchRows = Math.min(MOST_ROWS, 2 * batchRows);
        }
        int from = next;
        if (whole) {
            next = rows;
        }
        long bytes = 0;
        while (next < rows && bytes < full) {
            bytes += sizes[next++];
        }
        for (Field field : fields) {
            field.put(from, next, block);
        }
        return next - from;
    }

    private void take(int most, int full) {
        int count = most;
        for (Field field : fields) {
            count = Math.min(count, field.left());
        }
        count = stage(count);
        long bytes = (long) count * leastBytes;
        for (Field field : fields) {
            bytes += field.take(count);
        }
        whole = bytes < full;
        if (!whole) {
            Arrays.fill(sizes, 0, count, leastBytes);
            for (Field field : fields) {
                field.addSizes(sizes);
            }
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

    /** A field whose values are encoded one by one, and copied into blocks; one without columns has no bytes. */
    private static final class StagedField implements Field {
        private final ColumnEncoding.Writer writer;
        private final ColumnReader[] columns;
        private final AvroBlock block = new AvroBlock();
        /** Ends of the values, by row. */
        private final int[] ends = new int[MOST_ROWS];

        private int taken;

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
        public int leastBytes() {
            return 0;
        }

        @Override
        public long take(int rows) {
            taken = rows;
            return (long) start(rows) - start(0);
        }

        @Override
        public void addSizes(long[] sizes) {
            for (int i = 0; i < taken; i++) {
                sizes[i] += ends[i] - start(i);
            }
        }

        @Override
        public void put(int from, int to, AvroBlock out) {
            int head = out.startColumn(ColumnBlocks.REQUIRED, ColumnBlocks.AVRO);
            out.putFixed(block.bytes(), start(from), ends[to - 1] - start(from));
            out.endColumn(head);
        }
    }
}
