package io.sluice.model.kv;

import io.sluice.model.row.Row;

/**
 * The columns of a key in order, compiled to arrays, with the bytes between them: the prefix of the index and, if it is
 * interleaved, of its ancestors. Immutable.
 */
final class KeyPlan {
    private final int[] columns;
    private final Shape[] shapes;
    private final boolean[] descending;
    private final boolean[] nullable;
    private final byte[][] before;

    /**
     * @param columns positions in the row
     * @param nullable whether the column may be NULL; false for primary key columns
     * @param before the bytes before each column, and one more entry after the last
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

    /** Writes the first {@code count} columns and the fixed bytes around them. */
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

    /** The result of {@link #skip}. */
    enum Skipped {
        /** The key is of another table or index. */
        FOREIGN,
        /** The key has all columns and none is NULL. */
        WITHOUT_NULL,
        WITH_NULL
    }

    /** Skips all columns, as far as the key belongs to this index. */
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

    /** Skips the columns of one level, {@code [from, to)}, which have no bytes between them. */
    void skip(ByteCursor key, int from, int to) {
        for (int i = from; i < to; i++) {
            KeyDecoding.skip(shapes[i], descending[i], key);
        }
    }

    /**
     * Skips an interleaved key up to the end of its own index's prefix. Returns the state of a CRC over the skipped
     * bytes without table and index ids: the columns of the levels, and the sentinels after them.
     *
     * @throws CorruptKvException if the key belongs to another table or index
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

    /** The bytes before a column or, at {@link #size}, after the last one. Not a copy. */
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
