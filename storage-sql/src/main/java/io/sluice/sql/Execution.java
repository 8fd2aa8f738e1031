package io.sluice.sql;

import io.sluice.grammar.RowSink;
import io.sluice.grammar.Statement;
import io.sluice.grammar.StatementResult;
import io.sluice.sql.transaction.Transaction;
import org.jspecify.annotations.Nullable;

/** Executes a statement in a transaction. After a failure the transaction is inconsistent and must not be committed. */
final class Execution {
    private Execution() {}

    /**
     * Executes a statement.
     *
     * @param sink takes the rows of a SELECT; null: its result has them
     */
    static StatementResult of(
            Transaction transaction, Statement statement, SqlSettings settings, @Nullable RowSink sink) {
        try {
            if (statement instanceof Statement.Select select) {
                return SelectRun.run(transaction, select, settings.memory(), sink);
            }
            if (statement instanceof Statement.Insert insert) {
                return InsertRun.run(transaction, insert, settings.memory().resultBytes());
            }
            if (statement instanceof Statement.Update update) {
                return UpdateRun.run(transaction, update, settings.memory().resultBytes());
            }
            if (statement instanceof Statement.Delete delete) {
                return DeleteRun.run(transaction, delete, settings);
            }
            if (statement instanceof Statement.Explain explain) {
                return Explanation.of(transaction, explain.statement(), settings.deletes());
            }
            throw new IllegalArgumentException("only a session executes this statement: " + statement);
        } finally {
            transaction.releaseStatementMemory();
        }
    }
}
