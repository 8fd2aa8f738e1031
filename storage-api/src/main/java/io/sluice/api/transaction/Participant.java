package io.sluice.api.transaction;

import java.util.List;
import java.util.UUID;

/**
 * A node as the coordinator of transactions uses it. Every call may be repeated. What the node refuses is a
 * {@link io.sluice.api.sql.StatementException}; a node that does not answer is a
 * {@link io.sluice.api.error.NodeUnreachableException}. Requests name the node that they are for; another node at the
 * same address refuses them, which is an {@link io.sluice.api.error.OperationFailedException}. Usable by several
 * threads.
 *
 * <p>A transaction reads one snapshot per node. It ends on a single node by {@link #commit} alone. On several nodes all
 * but one {@link #prepare}; then that one, the last agent, commits: that is the decision. The others are told by
 * {@link #decide}, or ask the last agent.
 */
public interface Participant {
    /** The node's id, made once with its store. */
    String id();

    /** Where other nodes find it: {@code http://HOST:PORT} or {@code https://HOST:PORT}. */
    String address();

    /** Reads from a snapshot, which is taken with the first request. */
    ReadAnswer read(ReadRequest request);

    /** Ends snapshots that no transaction needs; those that have ended do not matter. */
    void release(List<UUID> snapshots);

    /**
     * Holds a branch of a transaction against all others, and keeps it, durably, until it is decided: no other
     * transaction writes what it read or touches what it writes.
     *
     * @param transaction id of the snapshot on the last agent
     * @param changes the branch; its snapshot ends
     */
    void prepare(UUID transaction, LastAgent lastAgent, Changes changes);

    /**
     * Commits a branch, durably, and with it the whole transaction: the snapshot's id is the transaction's. Repeated,
     * it says what happened the first time, also after the node was restarted.
     *
     * @param others ids of the nodes that have prepared the other branches
     * @throws io.sluice.api.sql.StatementException when the node refuses: the transaction is not committed and never
     *     will be. After any other failure that is not known.
     */
    void commit(Changes changes, List<String> others);

    /** Ends a branch that was prepared. A branch that the node does not know was ended before. */
    void decide(UUID transaction, boolean commit);

    /** Tells the last agent that nodes have ended their branches of a transaction, durably. */
    void forget(UUID transaction, List<String> nodes);
}
