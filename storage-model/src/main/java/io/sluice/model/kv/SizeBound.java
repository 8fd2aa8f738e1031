package io.sluice.model.kv;

import io.sluice.model.row.Row;
import java.util.ArrayList;
import java.util.List;

/**
 * Upper bound on the length of a row's key or KV: a fixed part, computed once, plus the row's strings, bytes,
 * documents, arrays, bits (a word of 9 bytes for 64 of them) and wide decimals. The bound includes the bytes that an
 * encoder may overwrite after the end of its output.
 */
final class SizeBound {
    private final int fixedBytes;
    private final int[] bytesColumns;
    private final int[] bytesFactors;
    private final int[] decimalColumns;
    private final int[] decimalFactors;

    private SizeBound(int fixedBytes, List<Growing> growing) {
        this.fixedBytes = fixedBytes;
        this.bytesColumns = columns(growing, false);
        this.bytesFactors = factors(growing, false);
        this.decimalColumns = columns(growing, true);
        this.decimalFactors = factors(growing, true);
    }

    int of(Row row) {
        long bytes = fixedBytes;
        for (int i = 0; i < bytesColumns.length; i++) {
            int column = bytesColumns[i];
            if (!row.isNull(column)) {
                bytes += (long) bytesFactors[i] * row.length(column);
            }
        }
        for (int i = 0; i < decimalColumns.length; i++) {
            int column = decimalColumns[i];
            if (row.form(column) == Row.Form.BIG_DECIMAL) {
                bytes += decimalFactors[i] * DecimalEncoding.extraBytes(row.bigCoefficient(column));
            }
        }
        return Math.toIntExact(bytes);
    }

    private static int[] columns(List<Growing> growing, boolean decimals) {
        return growing.stream()
                .filter(one -> (one.shape() == Shape.DECIMAL) == decimals)
                .mapToInt(Growing::column)
                .toArray();
    }

    private static int[] factors(List<Growing> growing, boolean decimals) {
        return growing.stream()
                .filter(one -> (one.shape() == Shape.DECIMAL) == decimals)
                .mapToInt(Growing::factor)
                .toArray();
    }

    /** One occurrence of a column of variable length, and the factor by which its encoded length grows. */
    private record Growing(Shape shape, int column, int factor) {}

    /** Adds up the parts of a key or KV. */
    static final class Builder {
        private final List<Growing> growing = new ArrayList<>();
        private int fixedBytes;

        Builder addBytes(int bytes) {
            fixedBytes += bytes;
            return this;
        }

        void addKeyDatum(Shape shape, int column) {
            // Escaping may double every byte of a key.
            add(KeyEncoding.maxBytes(shape), shape, column, shape == Shape.BYTES ? 2 : 1);
        }

        void addValueDatum(Shape shape, int column) {
            add(ValueEncoding.maxBytes(shape), shape, column, 1);
        }

        private void add(int bytes, Shape shape, int column, int factor) {
            fixedBytes += bytes;
            switch (shape) {
                case BYTES, DECIMAL, BIT, JSON, ARRAY -> growing.add(new Growing(shape, column, factor));
                default -> {}
            }
        }

        SizeBound build() {
            return new SizeBound(fixedBytes, growing);
        }
    }
}
