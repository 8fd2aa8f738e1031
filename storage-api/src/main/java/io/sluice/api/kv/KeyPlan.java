package io.sluice.api.kv;

import io.sluice.api.row.Row;

/**
 * The columns of a key in order, compiled to arrays, with the bytes that stand between them: prefixes of the index and,
 * when it is interleaved, of its ancestors. Immutable.
 */
final class KeyPlan {
    private final int[] columns;
    private final Shape[] shapes;
    private final boolean[] descending;
    private final boolean[] nullable;
    private final byte[][] before;

    /**
     * @param columns positions in the row
     * @param nullable whether NULL may stand there; primary key columns have none
     * @param before what comes before each column, and, as one more, behind the last
     */
    KeyPlan(int[] columns, Shape[] shapes, boolean[] descending, boolean[] nullable, byte[][] before) {
        this.columns = columns;
        this.shapes = shapes;
        this.descending = descending;
        this.nullable = nullable;
        this.before = before;
    }

    int size() {
        return columns.length;
    }

    /** Writes the first {@code count} columns, and what stands around them in every key. */
    int put(Row row, int count, byte[] buffer, int at) {
        int out = putBetween(0, buffer, at);
        for (int i = 0; i < count; i++) {
            int column = columns[i];
            if (!nullable[i] && row.isNull(column)) {
                throw new IllegalArgumentException("primary key column at position " + column + " is NULL");
            }
            out = KeyEncoding.putDatum(shapes[i], descending[i], row, column, buffer, out);
            out = putBetween(i + 1, buffer, out);
        }
        return out;
    }

    private int putBetween(int place, byte[] buffer, int at) {
        byte[] bytes = before[place];
        if (bytes.length == 0) {
            return at;
        }
        System.arraycopy(bytes, 0, buffer, at, bytes.length);
        return at + bytes.length;
    }

    boolean anyNull(Row row) {
        for (int column : columns) {
            if (row.isNull(column)) {
                return true;
            }
        }
        return false;
    }

    void read(ByteCursor key, Row row) {
        expectBetween(0, key);
        for (int i = 0; i < columns.length; i++) {
            if (!nullable[i] && KeyDecoding.isNull(key, descending[i])) {
                throw key.corrupt("has NULL in a primary key column");
            }
            KeyDecoding.read(shapes[i], descending[i], key, row, columns[i]);
            expectBetween(i + 1, key);
        }
    }

    private void expectBetween(int place, ByteCursor key) {
        if (!key.skipIfNext(before[place])) {
            throw key.corrupt("belongs to another table or index");
        }
    }

    /** What {@link #skip} found. */
    enum Skipped {
        /** The key is of another table or index. */
        FOREIGN,
        /** All columns are there, none is NULL. */
        WITHOUT_NULL,
        WITH_NULL
    }

    /** Passes over all columns, as far as the key is of this index. */
    Skipped skip(ByteCursor key) {
        if (!key.skipIfNext(before[0])) {
            return Skipped.FOREIGN;
        }
        Skipped skipped = Skipped.WITHOUT_NULL;
        for (int i = 0; i < columns.length; i++) {
            if (KeyDecoding.isNull(key, descending[i])) {
                skipped = Skipped.WITH_NULL;
            }
            KeyDecoding.skip(shapes[i], descending[i], key);
            if (!key.skipIfNext(before[i + 1])) {
                return Skipped.FOREIGN;
            }
        }
        return skipped;
    }

    /** Passes over the columns of one level, from one position to another, between which nothing stands. */
    void skip(ByteCursor key, int from, int to) {
        for (int i = from; i < to; i++) {
            KeyDecoding.skip(shapes[i], descending[i], key);
        }
    }

    /**
     * Passes over an interleaved key up to the end of its own index's prefix. Returns the state of a CRC over what is
     * no prefix of a table and an index: the columns of levels, and the sentinels behind them.
     *
     * @throws CorruptKvException when the key is of another table or index
     */
    int crcWithoutIds(ByteCursor key) {
        int own = columns.length;
        while (before[own].length == 0) {
            own--;
        }
        int crc = -1;
        expectBetween(0, key);
        for (int place = 1; place <= own; place++) {
            int from = key.position();
            KeyDecoding.skip(shapes[place - 1], descending[place - 1], key);
            // A sentinel comes before the ids of the next level.
            int to = key.position() + (before[place].length > 0 ? 1 : 0);
            expectBetween(place, key);
            crc = IndexDigest.updated(crc, key.array(), from, to);
        }
        return crc;
    }

    /** What stands before a column, or, at {@link #size}, behind the last. Not a copy. */
    byte[] before(int place) {
        return before[place];
    }

    void addTo(SizeBound.Builder bound) {
        bound.addBytes(before[0].length);
        for (int i = 0; i < columns.length; i++) {
            bound.addKeyDatum(shapes[i], columns[i]);
            bound.addBytes(before[i + 1].length);
        }
    }
}
