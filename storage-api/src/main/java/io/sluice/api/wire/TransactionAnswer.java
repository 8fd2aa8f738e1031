package io.sluice.api.wire;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.sluice.api.error.OperationFailedException;
import io.sluice.api.sql.StatementException;
import io.sluice.api.transaction.Outcome;
import io.sluice.api.transaction.ReadAnswer;
import org.jspecify.annotations.Nullable;

/**
 * What a node says about a transaction; only what applies is there.
 *
 * @param node id of the node that answers: only an answer with the right one counts
 * @param read what was read
 * @param outcome what became of the transaction, as {@link Outcome#text}
 * @param error why it is refused
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record TransactionAnswer(
        @Nullable String node,
        @Nullable ReadAnswer read,
        @Nullable String outcome,
        SqlResultBody.@Nullable Failure error) {
    /** It is done. */
    public static TransactionAnswer done(String node) {
        return new TransactionAnswer(node, null, null, null);
    }

    public static TransactionAnswer of(String node, ReadAnswer read) {
        return new TransactionAnswer(node, read, null, null);
    }

    public static TransactionAnswer of(String node, Outcome outcome) {
        return new TransactionAnswer(node, null, outcome.text(), null);
    }

    /** It is refused. */
    public static TransactionAnswer of(String node, StatementException e) {
        return new TransactionAnswer(
                node, null, null, new SqlResultBody.Failure(e.code().text(), e.text()));
    }

    /**
     * The answer itself.
     *
     * @param asked id of the node that was asked
     * @throws OperationFailedException when it is not that node's: what a proxy says, or another node, proves nothing
     * @throws StatementException when the node refuses
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
