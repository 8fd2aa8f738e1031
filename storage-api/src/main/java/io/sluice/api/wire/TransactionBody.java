package io.sluice.api.wire;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.sluice.api.transaction.Changes;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a node is to do about its part of a transaction; only what the request is about is there.
 *
 * @param changes the part, to be prepared or committed
 * @param decider where the node that decides is found
 * @param nodes ids of nodes: those that have prepared, or those that have ended their parts
 * @param commit whether a part that was prepared becomes part of the node's tables
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record TransactionBody(
        @Nullable Changes changes,
        @Nullable String decider,
        @Nullable List<String> nodes,
        @Nullable Boolean commit) {}
