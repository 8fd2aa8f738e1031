package io.sluice.api.sql;

/**
 * A session of statements as a client sees it, in this process or on a node. Not safe for use by several threads; close
 * it: what was not committed is then undone.
 */
public interface SqlClient extends AutoCloseable {
    /**
     * Executes a statement; what goes wrong with it is its result.
     *
     * @throws io.sluice.api.error.OperationFailedException when the node cannot be reached, so that it is not known
     *     what became of the statement
     */
    StatementResult execute(StatementText statement);

    /** Whether BEGIN was said, and neither COMMIT nor ROLLBACK since. */
    boolean inTransaction();

    @Override
    void close();
}
