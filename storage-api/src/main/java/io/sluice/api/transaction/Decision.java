package io.sluice.api.transaction;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A decision about a transaction, in the replicated log of a cluster. The first one of a transaction counts, except for
 * the two that come too late to be judged: the log has forgotten what it would have to know.
 *
 * @param transaction the transaction
 * @param nodes ids of the nodes with branches, all of which are prepared: commit them; null: abort the transaction,
 *     which a node asks for that does not know the outcome
 * @param seen index of an entry of the log that the author knew before: the coordinator before it prepared the first
 *     branch, a node that asks when it had no outcome
 * @param log position of a change log that is valid once the transaction is committed, or null
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Decision(
        UUID transaction,
        @Nullable List<String> nodes,
        long seen,
        @Nullable LogPosition log) {
    public Decision {
        Objects.requireNonNull(transaction, "transaction");
        nodes = nodes == null ? null : List.copyOf(nodes);
    }

    /** A decision that aborts a transaction, unless it is committed. */
    public static Decision abort(UUID transaction, long seen) {
        return new Decision(transaction, null, seen, null);
    }
}
