package io.sluice.node.divided;

import java.util.UUID;

/** The other nodes, as one that waits for a decision asks them. */
public interface Peers extends AutoCloseable {
    /**
     * What became of a transaction.
     *
     * @param decider where the node that decides is found
     * @return whether it is committed; if not it never will be
     * @throws io.sluice.api.error.SluiceException when it does not answer
     */
    boolean outcome(String decider, UUID transaction);

    /**
     * Says that a node's part is ended.
     *
     * @param node id of the node that had it
     */
    void forget(String decider, UUID transaction, String node);

    @Override
    void close();
}
