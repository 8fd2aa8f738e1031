package io.sluice.sql;

import io.sluice.grammar.Statement;
import io.sluice.grammar.StatementResult;
import io.sluice.sql.transaction.Transaction;

/** Executes a statement in a transaction. After a failure the transaction is inconsistent and must not be committed. */
final class Execution {
    private Execution() {}

    static StatementResult of(Transaction transaction, Statement statement, SqlSettings settings) {
        try {
            if (statement instanceof Statement.Select select) {
                return SelectRun.run(transaction, select, settings.memory());
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
