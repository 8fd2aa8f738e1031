package io.sluice.model.kv;

import io.sluice.model.row.Row;

/** The columns that a value may hold, ordered by id, compiled to arrays. Immutable. */
final class TuplePlan {
    private final int[] columns;
    private final int[] ids;
    private final Shape[] shapes;
    private final boolean[] onlyComposite;

    /**
     * @param columns positions in the row, in order of ids
     * @param ids column ids, ascending
     * @param onlyComposite whether the column is in the key too, so that the value holds it only if the datum is
     *     composite
     */
    TuplePlan(int[] columns, int[] ids, Shape[] shapes, boolean[] onlyComposite) {
        this.columns = columns;
        this.ids = ids;
        this.shapes = shapes;
        this.onlyComposite = onlyComposite;
    }

    /** Whether all columns are NULL. */
    boolean isEmpty(Row row) {
        for (int column : columns) {
            if (!row.isNull(column)) {
                return false;
            }
        }
        return true;
    }

    int put(Row row, byte[] buffer, int at) {
        int out = at;
        int previousId = 0;
        for (int i = 0; i < columns.length; i++) {
            int column = columns[i];
            if (row.isNull(column) || (onlyComposite[i] && !shapes[i].isComposite(row, column))) {
                continue;
            }
            out = ValueEncoding.putDatum(shapes[i], ids[i] - previousId, row, column, buffer, out);
            previousId = ids[i];
        }
        return out;
    }

    /** Reads to the end of the value. Missing columns keep their slots. */
    void read(ByteCursor value, Row row) {
        int next = 0;
        long id = 0;
        while (value.remaining() > 0) {
            long tag = value.readBe128();
            long delta = tag >>> ValueEncoding.TYPE_BITS;
            if (delta < 1) {
                throw value.corrupt("holds the same column twice");
            }
            id += delta;
            while (next < ids.length && ids[next] < id) {
                next++;
            }
            if (next == ids.length || ids[next] != id) {
                throw value.corrupt("holds a column of id " + id + ", which does not belong here");
            }
            long type = tag & ValueEncoding.LONG_TYPE;
            if (type == ValueEncoding.LONG_TYPE) {
                type = value.readBe128();
            }
            ValueEncoding.read(shapes[next], type, value, row, columns[next]);
        }
    }

    void addTo(SizeBound.Builder bound) {
        for (int i = 0; i < columns.length; i++) {
            bound.addValueDatum(shapes[i], columns[i]);
        }
    }
}
