package io.sluice.api.transaction;

import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A prepared branch of a transaction, which locks rows of a node until the outcome is known.
 *
 * @param id id of the transaction
 * @param lastAgent the node that knows the outcome; null: the log of the cluster does
 * @param ageMillis milliseconds since the branch was prepared
 * @param tables names of the tables that the branch changes
 */
public record InDoubtBranch(UUID id, @Nullable LastAgent lastAgent, long ageMillis, List<String> tables) {
    public InDoubtBranch {
        tables = List.copyOf(tables);
    }
}
