package io.sluice.grammar;

/**
 * A client's SQL session, in this process or on a node. Not thread-safe. The caller closes it, which rolls back an open
 * transaction.
 */
public interface SqlClient extends AutoCloseable {
    /**
     * Executes a statement; an error of the statement is a result, not an exception.
     *
     * @param rows takes the rows of a SELECT, whose result is then {@link StatementResult.Returned}, or a failure
     * @throws io.sluice.model.error.OperationFailedException if the node is unreachable, so that the outcome of the
     *     statement is unknown
     */
    StatementResult execute(StatementText statement, RowSink rows);

    /** Whether a transaction is open. */
    boolean inTransaction();

    @Override
    void close();
}
