package io.sluice.api.transaction;

import java.util.List;
import java.util.UUID;

/**
 * A prepared branch of a transaction, which holds rows of a node until the last agent says what became of it.
 *
 * @param id of the transaction
 * @param lastAgent the node that knows
 * @param ageMillis since the branch was prepared
 * @param tables names of the tables that it changes
 */
public record InDoubtBranch(UUID id, LastAgent lastAgent, long ageMillis, List<String> tables) {
    public InDoubtBranch {
        tables = List.copyOf(tables);
    }
}
