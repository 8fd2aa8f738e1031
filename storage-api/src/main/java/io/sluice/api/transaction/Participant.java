package io.sluice.api.transaction;

import java.util.List;
import java.util.UUID;

/**
 * A node as whoever coordinates transactions uses it. Every call may be repeated. What the node refuses is a
 * {@link io.sluice.api.sql.StatementException}; a node that does not answer a
 * {@link io.sluice.api.error.NodeUnreachableException}. Usable by several threads.
 *
 * <p>A transaction reads one snapshot per node. It ends on a single node by {@link #commit} alone; on several, all but
 * one {@link #prepare}, and then the one that was named to them commits: that is the decision. The others are told by
 * {@link #decide}, or ask the one that was named.
 */
public interface Participant {
    /** The node's id, made once with its store. */
    String id();

    /** Where other nodes find it: {@code http://HOST:PORT} or {@code https://HOST:PORT}. */
    String address();

    /** Reads from a snapshot, which is taken with the first request. */
    ReadAnswer read(ReadRequest request);

    /** Ends snapshots that nobody needs; those that have ended do not matter. */
    void release(List<UUID> snapshots);

    /**
     * Holds a part of a transaction against all others, and keeps it, durably, until it is decided: nobody else writes
     * what it read or touches what it writes.
     *
     * @param transaction id of the snapshot on the node that decides
     * @param decider where that node is found
     * @param changes the part; its snapshot ends
     */
    void prepare(UUID transaction, String decider, Changes changes);

    /**
     * Commits a part, durably, and with it the whole transaction: the snapshot's id is the transaction's.
     *
     * @param others ids of the nodes that have prepared the other parts
     */
    void commit(Changes changes, List<String> others);

    /** Ends a part that was prepared. What is not known any more was ended before. */
    void decide(UUID transaction, boolean commit);

    /**
     * Asks what became of a transaction that this node decides. One that is not committed by now never will be.
     *
     * @return whether it is committed
     */
    boolean outcome(UUID transaction);

    /** Tells that nodes have ended their parts of a transaction that this node has decided, durably. */
    void forget(UUID transaction, List<String> nodes);
}
