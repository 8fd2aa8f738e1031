package io.sluice.node.apply;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One line of a change log, as it is written.
 *
 * @param line from 1
 * @param table its name
 * @param kind what happened to the row
 * @param key columns that say which row it was; empty where the values say it
 * @param values columns that the row has after it; empty for a delete
 */
record Change(long line, String table, Kind kind, Columns key, Columns values) {
    /** What happened to a row. */
    enum Kind {
        INSERT,
        UPDATE,
        DELETE
    }

    /** Columns by name, and their values as texts, in the order of the line. */
    static final class Columns {
        private final List<String> names = new ArrayList<>();
        private final List<@Nullable String> texts = new ArrayList<>();

        void add(String name, @Nullable String text) {
            names.add(name);
            texts.add(text);
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
    }
}
