package io.sluice.api.wire;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.sluice.api.transaction.Outcome;
import io.sluice.api.transaction.ReadAnswer;
import io.sluice.grammar.StatementException;
import io.sluice.model.error.OperationFailedException;
import org.jspecify.annotations.Nullable;

/**
 * A node's response to a request about a transaction; only the applicable members are present.
 *
 * @param node id of the responding node; the coordinator checks it
 * @param read the KVs that were read
 * @param outcome outcome of the transaction, as {@link Outcome#text}
 * @param error why the node refused the request
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record TransactionAnswer(
        @Nullable String node,
        @Nullable ReadAnswer read,
        @Nullable String outcome,
        SqlResultBody.@Nullable Failure error) {
    /** The response to a successful request without a result. */
    public static TransactionAnswer done(String node) {
        return new TransactionAnswer(node, null, null, null);
    }

    public static TransactionAnswer of(String node, ReadAnswer read) {
        return new TransactionAnswer(node, read, null, null);
    }

    public static TransactionAnswer of(String node, Outcome outcome) {
        return new TransactionAnswer(node, null, outcome.text(), null);
    }

    /** The response to a refused request. */
    public static TransactionAnswer of(String node, StatementException e) {
        return new TransactionAnswer(
                node, null, null, new SqlResultBody.Failure(e.code().text(), e.text()));
    }

    /**
     * Checks the node and the error of the response.
     *
     * @param asked id of the node that the request was sent to
     * @throws OperationFailedException if a proxy or another node responded, because that says nothing about the
     *     transaction
     * @throws StatementException if the node refused the request
     */
    public TransactionAnswer from(String asked) {
        if (!asked.equals(node)) {
            throw new OperationFailedException("the answer is not that of node " + asked + " but of "
                    + (node == null ? "something else" : "node " + node) + "; see where its address leads");
        }
        if (error != null) {
            throw new StatementException(SqlResultBody.code(error.code()), error.message());
        }
        return this;
    }
}
