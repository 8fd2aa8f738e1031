package io.sluice.api.schema;

import org.jspecify.annotations.Nullable;

/**
 * One column of a table.
 *
 * @param id its id in value tags; from 1 in order of declaration unless pinned
 * @param name its name, lower case unless it was quoted
 * @param type what it holds
 * @param nullable whether NULL may be stored; false for primary key columns
 * @param hidden whether Sluice made it up (the row id of a table without a primary key)
 * @param defaultText the constant, as text of the column's type, that stands in rows whose input does not fill the
 *     column; null: NULL does
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
