package io.sluice.sql.distributed;

import io.sluice.api.transaction.LastAgent;
import io.sluice.api.transaction.Outcome;
import java.util.UUID;

/** Client to the last agents of this node's branches in doubt. */
public interface Peers {
    /**
     * Checks that this node may send requests to a last agent.
     *
     * @throws io.sluice.grammar.StatementException if it may not; the message tells the operator what to do
     */
    void ensureAskable(LastAgent lastAgent);

    /**
     * Asks the last agent for the outcome of a transaction.
     *
     * @throws io.sluice.model.error.NodeUnreachableException if the last agent does not answer
     * @throws io.sluice.model.error.SluiceException if the request fails, or another node answers at its address
     */
    Outcome outcome(LastAgent lastAgent, UUID transaction);

    /**
     * Tells the last agent that a node has ended its branch durably.
     *
     * @param node id of the node that had the branch
     */
    void forget(LastAgent lastAgent, UUID transaction, String node);
}
