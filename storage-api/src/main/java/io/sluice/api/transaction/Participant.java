package io.sluice.api.transaction;

import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A node in the role of a participant, as the transaction coordinator calls it. All calls are idempotent. Thread-safe.
 *
 * <p>A refusal by the node is a {@link io.sluice.grammar.StatementException}. A node that does not respond is a
 * {@link io.sluice.model.error.NodeUnreachableException}. Requests carry the id of their node; another node at the same
 * address refuses them, which is an {@link io.sluice.model.error.OperationFailedException}.
 *
 * <p>A transaction reads one snapshot per node. On a single node {@link #commit} alone ends it. On several nodes of a
 * cluster all {@link #prepare}, and the cluster's log decides. On others the coordinator runs two-phase commit with a
 * last agent: all nodes but one prepare, then the last agent commits, which is the decision. The coordinator sends the
 * decision by {@link #decide}; or the participants read it in the log, or ask the last agent.
 */
public interface Participant {
    /** The node's id, generated once with its store. */
    String id();

    /** The node's address for other nodes: {@code http://HOST:PORT} or {@code https://HOST:PORT}. */
    String address();

    /** The node in messages: its name and address if it is in a cluster. */
    default String described() {
        return address();
    }

    /** Reads from a snapshot; the first request takes the snapshot. */
    ReadAnswer read(ReadRequest request);

    /** Releases snapshots; ignores those that have been released. */
    void release(List<UUID> snapshots);

    /**
     * Checks that the node still has the KVs of a snapshot. If all nodes say so after all snapshots were taken, then
     * these are of one moment.
     *
     * @return false: the node is of an earlier build, and does not know the question
     * @throws io.sluice.grammar.StatementException with a conflict if a commit or an import has changed it since, or a
     *     prepared branch may, or the node knows the table's ranges by another epoch
     */
    boolean ensureUnchanged(ReadSet reads);

    /**
     * Keeps changes away from keys for half a second at most, or ends that: transactions that write them get a
     * conflict. Only a help for {@link #ensureUnchanged}, which tells what is certain.
     *
     * @throws io.sluice.grammar.StatementException as busy if another reader does so, or did just now
     */
    void hold(Hold hold);

    /**
     * Prepares a branch durably and locks its keys until the decision: no other transaction writes a key that the
     * branch read, or reads or writes a key that it writes.
     *
     * @param transaction id of the transaction, which is the id of its snapshot on one of the nodes
     * @param lastAgent the node of that snapshot, which decides; null: the log of the cluster decides
     * @param changes the branch; its snapshot is released
     */
    void prepare(UUID transaction, @Nullable LastAgent lastAgent, Changes changes);

    /**
     * Commits a branch durably, and with it the whole transaction, whose id is the snapshot's id. A repeated call
     * returns the first outcome, also after a restart of the node.
     *
     * @param others ids of the nodes that prepared the other branches
     * @throws io.sluice.grammar.StatementException if the node refuses: the transaction is not committed and never will
     *     be. After any other failure the outcome is unknown.
     */
    void commit(Changes changes, List<String> others);

    /** Commits or aborts a prepared branch durably. Ignores one that was ended before. */
    void decide(UUID transaction, boolean commit);

    /** Tells the last agent that these nodes have ended their branches durably, so that it may forget the outcome. */
    void forget(UUID transaction, List<String> nodes);
}
