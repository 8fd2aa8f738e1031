package io.sluice.grammar;

import io.sluice.model.schema.TableDef;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A parsed statement, bound to its table. Datums are texts of their columns' types. */
public sealed interface Statement {
    /** A statement that changes rows. */
    sealed interface Write extends Statement {
        TableDef table();

        /** The result that the client asks for. */
        Returning returning();

        /**
         * Whether the statement ends with RETURNING NOTHING: the client does not wait for the number of changed rows.
         */
        default boolean returningNothing() {
            return returning().equals(Returning.NOTHING);
        }
    }

    /**
     * The result of a statement that changes rows.
     *
     * @param waits whether the client waits for the result
     * @param outputs values of each changed row; empty: the number of changed rows
     */
    record Returning(boolean waits, List<Output> outputs) {
        /** The number of changed rows. */
        public static final Returning COUNT = new Returning(true, List.of());
        /** The statement runs in the background. */
        public static final Returning NOTHING = new Returning(false, List.of());

        public Returning {
            outputs = List.copyOf(outputs);
        }
    }

    /** A column of a result. */
    record Output(String name, Expression value) {}

    /** A key of the order of a result. */
    record OrderKey(Expression value, boolean descending, boolean nullsFirst) {}

    /**
     * Groups of rows. The values of a group are its keys, then its aggregates.
     *
     * @param keys expressions that are equal within a group; empty: all rows are one group, even if there are none
     * @param having condition on the values of a group, or null
     */
    record Grouping(
            List<Expression> keys,
            List<Expression.Aggregate> aggregates,
            @Nullable Expression having) {
        public Grouping {
            keys = List.copyOf(keys);
            aggregates = List.copyOf(aggregates);
        }
    }

    /**
     * Inserts rows.
     *
     * @param rows one datum per column of the table, hidden ones included; null for NULL
     */
    record Insert(TableDef table, List<List<@Nullable String>> rows, Returning returning) implements Write {
        public Insert {
            rows = List.copyOf(rows);
        }
    }

    /** Updates columns of the rows that match a condition. */
    record Update(TableDef table, List<Assignment> assignments, Where where, Returning returning) implements Write {
        public Update {
            assignments = List.copyOf(assignments);
        }

        /** Whether the statement sets a column. */
        public boolean sets(int column) {
            return assignments.stream().anyMatch(each -> each.column() == column);
        }
    }

    /** Deletes the rows that match a condition, and the rows that foreign keys cascade to. */
    record Delete(TableDef table, Where where, Returning returning) implements Write {}

    /**
     * Reads rows.
     *
     * @param outputs columns of the result: expressions on a row, or on the values of a group
     * @param grouping null: rows are not grouped
     * @param distinct whether equal rows of the result are returned once
     * @param order order of the result; empty: that of the condition's index
     * @param limit maximum number of rows of the result
     * @param offset number of rows to skip before the first of the result
     */
    record Select(
            TableDef table,
            Where where,
            List<Output> outputs,
            @Nullable Grouping grouping,
            boolean distinct,
            List<OrderKey> order,
            long limit,
            long offset)
            implements Statement {
        public Select {
            outputs = List.copyOf(outputs);
            order = List.copyOf(order);
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
