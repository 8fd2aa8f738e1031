package io.sluice.model.schema;

import com.fasterxml.jackson.annotation.JsonInclude;
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
 * @param family number of the column family, from 0 in order of declaration; absent in records of before families: 0
 */
public record Column(
        int id,
        String name,
        ColumnType type,
        boolean nullable,
        boolean hidden,
        @Nullable String defaultText,
        @JsonInclude(JsonInclude.Include.NON_DEFAULT) int family) {
    /** A column of family 0. */
    public Column(
            int id, String name, ColumnType type, boolean nullable, boolean hidden, @Nullable String defaultText) {
        this(id, name, type, nullable, hidden, defaultText, 0);
    }

    /** A column without a DEFAULT. */
    public Column(int id, String name, ColumnType type, boolean nullable, boolean hidden) {
        this(id, name, type, nullable, hidden, null);
    }

    /** This column in another family. */
    public Column inFamily(int number) {
        return new Column(id, name, type, nullable, hidden, defaultText, number);
    }
}
