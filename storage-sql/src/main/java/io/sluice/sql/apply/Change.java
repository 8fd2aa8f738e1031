package io.sluice.sql.apply;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One parsed line of a change log; its values are still text.
 *
 * @param line line number, from 1
 * @param table name of the table
 * @param kind kind of change
 * @param key columns that identify the row; empty if the values do
 * @param values column values after the change; empty for a delete
 */
record Change(long line, String table, Kind kind, Columns key, Columns values) {
    enum Kind {
        INSERT,
        UPDATE,
        DELETE
    }

    /** Column names and values as text, in the order of the line. */
    static final class Columns {
        private final boolean debezium;
        private final List<String> names = new ArrayList<>();
        private final List<@Nullable String> texts = new ArrayList<>();
        private final BitSet numbers = new BitSet();

        /**
         * Creates a list without columns.
         *
         * @param debezium whether values have Debezium's form: bytes are in Base64
         */
        Columns(boolean debezium) {
            this.debezium = debezium;
        }

        /**
         * Adds a column.
         *
         * @param number whether the value is a number of JSON
         */
        void add(String name, @Nullable String text, boolean number) {
            numbers.set(names.size(), number);
            names.add(name);
            texts.add(text);
        }

        boolean debezium() {
            return debezium;
        }

        int size() {
            return names.size();
        }

        boolean isEmpty() {
            return names.isEmpty();
        }

        String name(int i) {
            return names.get(i);
        }

        @Nullable
        String text(int i) {
            return texts.get(i);
        }

        boolean isNumber(int i) {
            return numbers.get(i);
        }
    }
}
