package io.sluice.api.wire;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.sluice.api.transaction.Changes;
import io.sluice.api.transaction.LastAgent;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a node is to do about its branch of a transaction; only what the request is about is there.
 *
 * @param changes the branch, to be prepared or committed
 * @param lastAgent the node that decides, to be asked when its decision does not come
 * @param nodes ids of nodes: those that have prepared, or those that have ended their branches
 * @param commit whether a branch that was prepared becomes part of the node's tables
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record TransactionBody(
        @Nullable Changes changes,
        @Nullable LastAgent lastAgent,
        @Nullable List<String> nodes,
        @Nullable Boolean commit) {
    /** A body that says nothing. */
    public static final TransactionBody NOTHING = new TransactionBody(null, null, null, null);

    public static TransactionBody commit(boolean commit) {
        return new TransactionBody(null, null, null, commit);
    }

    public static TransactionBody nodes(List<String> nodes) {
        return new TransactionBody(null, null, nodes, null);
    }
}
