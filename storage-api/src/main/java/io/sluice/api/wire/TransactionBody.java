package io.sluice.api.wire;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.sluice.api.transaction.Changes;
import io.sluice.api.transaction.Decision;
import io.sluice.api.transaction.LastAgent;
import io.sluice.api.transaction.LogPosition;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request about a node's branch of a transaction; only the applicable members are present.
 *
 * @param changes the branch to prepare or to commit
 * @param lastAgent the node whose commit decides the transaction; an in-doubt node asks it for the outcome. Without it,
 *     the log of the cluster decides
 * @param nodes ids of the nodes that have prepared, or of those that have ended their branches
 * @param commit whether to commit or to abort a prepared branch
 * @param seen index of an entry of the log that the author of a decision knew before
 * @param log position of a change log that a decision commits
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record TransactionBody(
        @Nullable Changes changes,
        @Nullable LastAgent lastAgent,
        @Nullable List<String> nodes,
        @Nullable Boolean commit,
        @Nullable Long seen,
        @Nullable LogPosition log) {
    /** A body without members. */
    public static final TransactionBody NOTHING = new TransactionBody(null, null, null, null, null, null);

    public static TransactionBody commit(boolean commit) {
        return new TransactionBody(null, null, null, commit, null, null);
    }

    public static TransactionBody nodes(List<String> nodes) {
        return new TransactionBody(null, null, nodes, null, null, null);
    }

    /** A decision for the log of the cluster. */
    public static TransactionBody of(Decision decision) {
        return new TransactionBody(null, null, decision.nodes(), null, decision.seen(), decision.log());
    }
}
