package io.sluice.node.apply;

import io.sluice.api.row.Row;
import io.sluice.node.apply.Change.Kind;
import org.jspecify.annotations.Nullable;

/**
 * One change with its texts read.
 *
 * @param line of the log
 * @param oldKey primary key of the row that it is about
 * @param newKey primary key that the row has after it
 * @param key row of which only the primary key is set for sure
 * @param values row after it, as far as it says
 * @param given which columns it says, by position
 * @param whole whether it says all
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
    /** The row after it, where that can be told without the row before. */
    Row after(@Nullable Row before) {
        return whole ? values : RowReader.merged(values, given, before);
    }
}
