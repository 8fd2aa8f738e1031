package io.sluice.node.distributed;

import io.sluice.api.kv.KeySpan;
import io.sluice.api.sql.SqlErrorCode;
import io.sluice.api.sql.StatementException;
import io.sluice.api.transaction.Participant;
import io.sluice.api.transaction.ReadAnswer;
import io.sluice.api.transaction.ReadRequest;
import io.sluice.node.transaction.SpanSet;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The part of a transaction's snapshot that lies on one node: taken with the first read, and which keys were read from
 * it. Usable by several threads.
 */
final class NodeSnapshot {
    private final Participant node;
    private final DistributedTables tables;
    private final ClusterView known;
    private final List<KeySpan> read = new ArrayList<>();
    private volatile @Nullable UUID id;
    private boolean over;

    NodeSnapshot(Participant node, DistributedTables tables, ClusterView known) {
        this.node = node;
        this.tables = tables;
        this.known = known;
    }

    Participant node() {
        return node;
    }

    /**
     * Reads.
     *
     * @throws StatementException when tables have come since they were asked for, so that all must begin anew
     */
    ReadAnswer read(ReadRequest request) {
        UUID taken = id;
        return taken == null ? readFirst(request) : node.read(request.in(taken));
    }

    /** Takes the snapshot if nobody has. */
    UUID open() {
        UUID taken = id;
        return taken == null ? readFirst(ReadRequest.NOTHING).snapshot() : taken;
    }

    /** Others that want to read wait until there is a snapshot. */
    private synchronized ReadAnswer readFirst(ReadRequest request) {
        UUID taken = id;
        if (taken != null) {
            return node.read(request.in(taken));
        }
        if (over) {
            throw new StatementException(SqlErrorCode.SESSION, "the transaction has ended");
        }
        PostCommitNotifier aftermath = tables.aftermath();
        ReadAnswer answer =
                node.read(request.withPiggyback(aftermath.committedAt(node.id()), aftermath.takeReleased(node.id())));
        id = answer.snapshot();
        if (!answer.version().equals(known.versions().get(node.id()))) {
            ClusterView unused = tables.refreshed(known.number());
            throw new StatementException(
                    SqlErrorCode.CONFLICT, "tables were imported since they were looked at; run all of it again");
        }
        return answer;
    }

    /** Remembers that keys were read: nobody else may have changed them when the transaction commits. */
    void remember(KeySpan span) {
        synchronized (read) {
            read.add(span);
        }
    }

    /** All that was read. */
    List<KeySpan> read() {
        synchronized (read) {
            return SpanSet.of(read).spans();
        }
    }

    /** The snapshot was used up by the node. */
    synchronized void used() {
        over = true;
        id = null;
    }

    /** Lets the snapshot go, if there is one. */
    synchronized void release() {
        over = true;
        UUID taken = id;
        id = null;
        if (taken != null) {
            tables.aftermath().release(node, taken);
        }
    }
}
