package io.sluice.api.wire;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.sluice.api.transaction.Changes;
import io.sluice.api.transaction.LastAgent;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request about a node's branch of a transaction; only the applicable members are present.
 *
 * @param changes the branch to prepare or to commit
 * @param lastAgent the node whose commit decides the transaction; an in-doubt node asks it for the outcome
 * @param nodes ids of the nodes that have prepared, or of those that have ended their branches
 * @param commit whether to commit or to abort a prepared branch
 * @param others the other nodes that prepare changes, which agree on the outcome if the last agent is lost; null: they
 *     cannot
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record TransactionBody(
        @Nullable Changes changes,
        @Nullable LastAgent lastAgent,
        @Nullable List<String> nodes,
        @Nullable Boolean commit,
        @Nullable List<LastAgent> others) {
    /** A body without members. */
    public static final TransactionBody NOTHING = new TransactionBody(null, null, null, null, null);

    public static TransactionBody commit(boolean commit) {
        return new TransactionBody(null, null, null, commit, null);
    }

    public static TransactionBody nodes(List<String> nodes) {
        return new TransactionBody(null, null, nodes, null, null);
    }
}
