package io.sluice.sql.distributed;

import io.sluice.api.transaction.Hold;
import io.sluice.api.transaction.Participant;
import io.sluice.api.transaction.ReadAnswer;
import io.sluice.api.transaction.ReadRequest;
import io.sluice.api.transaction.ReadSet;
import io.sluice.grammar.SqlErrorCode;
import io.sluice.grammar.StatementException;
import io.sluice.model.error.NodeUnreachableException;
import io.sluice.model.error.SluiceException;
import io.sluice.model.kv.KeySpan;
import io.sluice.sql.transaction.SpanSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A transaction's snapshot on one node, taken at the first read, with the transaction's read set on that node.
 * Thread-safe.
 */
final class NodeSnapshot {
    private final Participant node;
    private final DistributedTables tables;
    private final ClusterView clusterView;
    private final List<KeySpan> read = new ArrayList<>();
    /** Held while the snapshot is taken. */
    private final ReentrantLock opening = new ReentrantLock();

    private volatile @Nullable UUID id;
    private volatile boolean ended;

    NodeSnapshot(Participant node, DistributedTables tables, ClusterView clusterView) {
        this.node = node;
        this.tables = tables;
        this.clusterView = clusterView;
    }

    Participant node() {
        return node;
    }

    /**
     * Reads from the snapshot, and takes it at the first read.
     *
     * @throws StatementException if the node's tables have changed since the cluster view was built; the client must
     *     rerun the transaction
     */
    ReadAnswer read(ReadRequest request) {
        UUID taken = id;
        try {
            return taken == null ? readFirst(request) : node.read(request.in(taken));
        } catch (NodeUnreachableException e) {
            throw failed(e);
        }
    }

    /** Takes the snapshot if it is not taken yet, and returns its id. */
    UUID open() {
        UUID taken = id;
        return taken == null ? readFirst(ReadRequest.NOTHING).snapshot() : taken;
    }

    /** Takes the snapshot if it is not taken yet. */
    void take() {
        try {
            UUID unused = open();
        } catch (NodeUnreachableException e) {
            throw failed(e);
        }
    }

    /**
     * Checks that keys are on the node now as they are in the snapshot, which is taken if it is not taken yet.
     *
     * @param epochs see {@link ReadSet#epochs}
     * @return false: the node is of an earlier build, which cannot tell
     * @throws StatementException if that is not certain
     */
    boolean ensureUnchanged(List<KeySpan> spans, Map<Integer, Long> epochs) {
        try {
            return node.ensureUnchanged(new ReadSet(open(), spans, epochs));
        } catch (NodeUnreachableException e) {
            throw failed(e);
        }
    }

    /** Tells the node that the snapshot is in use, if it is taken; the next read reports a failure. */
    void keep() {
        UUID taken = id;
        if (taken == null) {
            return;
        }
        try {
            Object unused = node.read(ReadRequest.NOTHING.in(taken));
        } catch (StatementException | SluiceException e) {
            return;
        }
    }

    /** Keeps changes away from keys of the node, or ends that, as far as the node does so. */
    void hold(Hold hold) {
        try {
            node.hold(hold);
        } catch (StatementException | SluiceException e) {
            // Only a help; what follows tells whether the snapshots are of one moment, and which node is lost.
            return;
        }
    }

    /** Other replicas are read the next time. */
    private RuntimeException failed(NodeUnreachableException e) {
        tables.outdated(clusterView);
        return tables.survivesLosses() ? tables.unanswered(node.id()) : e;
    }

    /** Takes the snapshot; concurrent readers wait for it. */
    private ReadAnswer readFirst(ReadRequest request) {
        opening.lock();
        try {
            return readFirstAlone(request);
        } finally {
            opening.unlock();
            if (ended) {
                releaseTaken();
            }
        }
    }

    private ReadAnswer readFirstAlone(ReadRequest request) {
        UUID taken = id;
        if (taken != null) {
            return node.read(request.in(taken));
        }
        if (ended) {
            throw new StatementException(SqlErrorCode.SESSION, "the transaction has ended");
        }
        PostCommitNotifier notifier = tables.notifier();
        ReadAnswer answer =
                node.read(request.withPiggyback(notifier.committedAt(node.id()), notifier.takeReleased(node.id())));
        notifier.answered(node.id());
        if (!answer.version().equals(clusterView.versions().get(node.id()))) {
            // Not kept: it may have been taken in the background, whose error no one sees, and would be read.
            notifier.release(node, answer.snapshot());
            ClusterView unused = tables.refreshed(clusterView.number());
            throw new StatementException(
                    SqlErrorCode.CONFLICT,
                    "tables were imported on a node since this client last listed them; run all of it again");
        }
        id = answer.snapshot();
        return answer;
    }

    /** Adds keys to the read set: the commit fails if another transaction has changed any of them. */
    void remember(KeySpan span) {
        synchronized (read) {
            read.add(span);
        }
    }

    /** The read set on this node. */
    List<KeySpan> read() {
        synchronized (read) {
            return SpanSet.of(read).spans();
        }
    }

    /** Records that a prepare or commit has ended the snapshot on the node. */
    synchronized void markConsumed() {
        ended = true;
        id = null;
    }

    /** Releases the snapshot, if there is one. Does not wait for a thread that is taking it: that one releases it. */
    void release() {
        ended = true;
        if (opening.tryLock()) {
            try {
                releaseTaken();
            } finally {
                opening.unlock();
            }
        }
    }

    private synchronized void releaseTaken() {
        UUID taken = id;
        id = null;
        if (taken != null) {
            tables.notifier().release(node, taken);
        }
    }
}
