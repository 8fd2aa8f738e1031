package io.sluice.model.schema;

import org.jspecify.annotations.Nullable;

/**
 * One column of a table.
 *
 * @param id id in value tags; from 1 in order of declaration unless pinned
 * @param name name, in lower case unless it was quoted
 * @param type type of the values
 * @param nullable whether NULL may be stored; false for primary key columns
 * @param hidden whether Sluice generates the column (the row id of a table without a primary key)
 * @param defaultText constant, as text of the column's type, for rows whose input does not fill the column; null: NULL
 */
public record Column(
        int id,
        String name,
        ColumnType type,
        boolean nullable,
        boolean hidden,
        @Nullable String defaultText) {
    /** A column without a DEFAULT. */
    public Column(int id, String name, ColumnType type, boolean nullable, boolean hidden) {
        this(id, name, type, nullable, hidden, null);
    }
}
