package io.sluice.sql.apply;

import io.sluice.model.row.Row;
import io.sluice.sql.apply.Change.Kind;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A change whose values are parsed into rows.
 *
 * @param line line number in the log
 * @param oldKey primary key of the row before the change
 * @param newKey primary key of the row after the change
 * @param key row with at least the primary key set
 * @param values new row, with only the columns that the change names set
 * @param given whether the change names a column, by column position; null if it names all
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record RowChange(
        long line,
        String table,
        Kind kind,
        byte[] oldKey,
        byte[] newKey,
        Row key,
        Row values,
        boolean @Nullable [] given) {
    /** Whether the change names all columns. */
    boolean whole() {
        return given == null;
    }

    /** Whether the change names a column. */
    boolean names(int column) {
        return given == null || given[column];
    }

    /** Whether the primary key changes. */
    boolean moves() {
        return !Arrays.equals(oldKey, newKey);
    }

    /** Returns the row after the change; without the row before, only the columns that the change names are set. */
    Row after(@Nullable Row before) {
        if (given == null || before == null) {
            return values;
        }
        Row merged = new Row(before.columns());
        merged.copyFrom(before);
        for (int i = 0; i < given.length; i++) {
            if (given[i]) {
                merged.copySlot(i, values, i);
            }
        }
        return merged;
    }
}
