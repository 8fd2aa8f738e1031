package io.sluice.api.sql;

import io.sluice.api.schema.TableDef;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What one statement asks for, bound to the table it names. Datums are texts of their columns' types. */
public sealed interface Statement {
    /** A statement that changes rows. */
    sealed interface Write extends Statement {
        /** The table that it names. */
        TableDef table();

        /** Whether RETURNING NOTHING stands behind it: the client does not wait for how many rows it changed. */
        boolean returningNothing();
    }

    /**
     * New rows.
     *
     * @param rows one datum per column of the table, hidden ones included; null for NULL
     */
    record Insert(TableDef table, List<List<@Nullable String>> rows, boolean returningNothing) implements Write {
        public Insert {
            rows = List.copyOf(rows);
        }
    }

    /** Other values for some columns of the rows that meet a condition. */
    record Update(TableDef table, List<Assignment> assignments, Where where, boolean returningNothing)
            implements Write {
        public Update {
            assignments = List.copyOf(assignments);
        }
    }

    /** Rows that go, with those that a foreign key has go with them. */
    record Delete(TableDef table, Where where, boolean returningNothing) implements Write {}

    /**
     * Rows, or how many.
     *
     * @param columns positions of the columns to show; empty with {@code count}
     * @param count whether the number of rows is asked for in place of the rows
     * @param limit most rows to read
     */
    record Select(TableDef table, List<Integer> columns, boolean count, Where where, long limit) implements Statement {
        public Select {
            columns = List.copyOf(columns);
        }
    }

    /** The beginning of a transaction. */
    record Begin() implements Statement {}

    /** The end of a transaction, with all that it has changed. */
    record Commit() implements Statement {}

    /** The end of a transaction, as if it had never been. */
    record Rollback() implements Statement {}

    /** How a statement would be done; nothing is. */
    record Explain(Statement statement) implements Statement {}
}
