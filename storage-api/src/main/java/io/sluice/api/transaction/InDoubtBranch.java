package io.sluice.api.transaction;

import java.util.List;
import java.util.UUID;

/**
 * A prepared branch of a transaction, which locks rows of a node until the last agent reports the outcome.
 *
 * @param id id of the transaction
 * @param lastAgent the node that knows the outcome
 * @param ageMillis milliseconds since the branch was prepared
 * @param tables names of the tables that the branch changes
 */
public record InDoubtBranch(UUID id, LastAgent lastAgent, long ageMillis, List<String> tables) {
    public InDoubtBranch {
        tables = List.copyOf(tables);
    }
}
