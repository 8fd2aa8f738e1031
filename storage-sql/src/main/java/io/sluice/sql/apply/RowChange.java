package io.sluice.sql.apply;

import io.sluice.model.row.Row;
import io.sluice.sql.apply.Change.Kind;
import org.jspecify.annotations.Nullable;

/**
 * A change whose values are parsed into rows.
 *
 * @param line line number in the log
 * @param oldKey primary key of the row before the change
 * @param newKey primary key of the row after the change
 * @param key row with at least the primary key set
 * @param values new row, with only the columns that the change names set
 * @param given whether the change names a column, by column position
 * @param whole whether the change names all columns
 * @param moves whether the primary key changes
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
        boolean[] given,
        boolean whole,
        boolean moves) {
    /** Returns the row after the change; without the row before, only the columns that the change names are set. */
    Row after(@Nullable Row before) {
        return whole ? values : RowReader.merged(values, given, before);
    }
}
