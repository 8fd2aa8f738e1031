package io.sluice.api.transaction;

import io.sluice.api.node.TableStatus;
import java.util.List;
import java.util.Set;

/** The nodes of a cluster and the placement of its tables. Thread-safe; the caller closes it. */
public interface Participants extends AutoCloseable {
    /** All nodes, also those that do not answer. */
    List<Participant> nodes();

    /**
     * The placements of all readable tables.
     *
     * @param silent ids of nodes that do not answer, and are not asked
     */
    List<Placement> placements(Set<String> silent);

    /**
     * The readable tables as they are now, with the checksums that the nodes keep.
     *
     * @param silent ids of nodes that do not answer, and are not asked
     */
    List<TableStatus> tables(Set<String> silent);

    /** Whether the nodes are a cluster: its log decides transactions, and it can go on without a lost node. */
    default boolean survivesLosses() {
        return false;
    }

    /** Index of an entry of the cluster's log that this process knows; see {@link Decision#seen}. */
    default long seen() {
        return 0;
    }

    /**
     * Writes a decision to the log of the cluster; repeating it changes nothing.
     *
     * @return the outcome, for good
     * @throws io.sluice.model.error.OperationFailedException if no node answers that reaches most members, within half
     *     a minute; the log may have the decision all the same
     */
    default Outcome decide(Decision decision) {
        throw new UnsupportedOperationException("the nodes are no cluster");
    }

    /** Ids of nodes that the cluster goes on without, as it tells now. */
    default Set<String> leftOut() {
        return Set.of();
    }

    /**
     * Asks the cluster to go on without a node that does not answer, and waits some seconds until it does, or the node
     * is back.
     *
     * @param node id of the node
     * @return whether one of them has happened
     */
    default boolean leaveOut(String node) {
        return false;
    }

    @Override
    void close();
}
