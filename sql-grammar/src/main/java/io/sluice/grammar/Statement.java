package io.sluice.grammar;

import io.sluice.model.schema.TableDef;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A parsed statement, bound to its table. Datums are texts of their columns' types. */
public sealed interface Statement {
    /** A statement that changes rows. */
    sealed interface Write extends Statement {
        /** The table of the statement. */
        TableDef table();

        /**
         * Whether the statement ends with RETURNING NOTHING: the client does not wait for the number of changed rows.
         */
        boolean returningNothing();
    }

    /**
     * Inserts rows.
     *
     * @param rows one datum per column of the table, hidden ones included; null for NULL
     */
    record Insert(TableDef table, List<List<@Nullable String>> rows, boolean returningNothing) implements Write {
        public Insert {
            rows = List.copyOf(rows);
        }
    }

    /** Updates columns of the rows that match a condition. */
    record Update(TableDef table, List<Assignment> assignments, Where where, boolean returningNothing)
            implements Write {
        public Update {
            assignments = List.copyOf(assignments);
        }
    }

    /** Deletes the rows that match a condition, and the rows that foreign keys cascade to. */
    record Delete(TableDef table, Where where, boolean returningNothing) implements Write {}

    /**
     * Reads rows or counts them.
     *
     * @param columns positions of the returned columns; empty with {@code count}
     * @param count whether to return the number of rows instead of the rows
     * @param limit maximum number of rows to read
     */
    record Select(TableDef table, List<Integer> columns, boolean count, Where where, long limit) implements Statement {
        public Select {
            columns = List.copyOf(columns);
        }
    }

    /** Begins a transaction. */
    record Begin() implements Statement {}

    /** Commits the transaction. */
    record Commit() implements Statement {}

    /** Rolls the transaction back. */
    record Rollback() implements Statement {}

    /** Describes the plan of a statement without executing it. */
    record Explain(Statement statement) implements Statement {}
}
