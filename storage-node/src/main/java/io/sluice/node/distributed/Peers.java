package io.sluice.node.distributed;

import io.sluice.api.transaction.LastAgent;
import io.sluice.api.transaction.Outcome;
import java.util.UUID;

/** The other nodes, as one that has a branch in doubt asks them. */
public interface Peers extends AutoCloseable {
    /**
     * Makes sure that this node may ask a last agent.
     *
     * @throws io.sluice.api.sql.StatementException when it may not; the message says what the operator can do
     */
    void ensureAskable(LastAgent lastAgent);

    /**
     * Asks what became of a transaction.
     *
     * @throws io.sluice.api.error.NodeUnreachableException when the last agent does not answer
     * @throws io.sluice.api.error.SluiceException when it does not say, or another node answers in its place
     */
    Outcome outcome(LastAgent lastAgent, UUID transaction);

    /**
     * Says that a node's branch is ended, durably.
     *
     * @param node id of the node that had it
     */
    void forget(LastAgent lastAgent, UUID transaction, String node);

    @Override
    void close();
}
