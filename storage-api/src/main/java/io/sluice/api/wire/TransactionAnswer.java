package io.sluice.api.wire;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.sluice.api.sql.StatementException;
import io.sluice.api.transaction.ReadAnswer;
import org.jspecify.annotations.Nullable;

/**
 * What a node says about a transaction; only what applies is there, and nothing when all is done.
 *
 * @param read what was read
 * @param committed what became of it
 * @param error why it is refused
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record TransactionAnswer(
        @Nullable ReadAnswer read, @Nullable Boolean committed, SqlResultBody.@Nullable Failure error) {
    /** It is done. */
    public static final TransactionAnswer DONE = new TransactionAnswer(null, null, null);

    public static TransactionAnswer of(ReadAnswer read) {
        return new TransactionAnswer(read, null, null);
    }

    public static TransactionAnswer of(boolean committed) {
        return new TransactionAnswer(null, committed, null);
    }

    /** It is refused. */
    public static TransactionAnswer of(StatementException e) {
        return new TransactionAnswer(
                null, null, new SqlResultBody.Failure(e.code().text(), e.text()));
    }

    /**
     * The answer itself.
     *
     * @throws StatementException when the node refuses
     */
    public TransactionAnswer orRefused() {
        if (error != null) {
            throw new StatementException(SqlResultBody.code(error.code()), error.message());
        }
        return this;
    }
}
