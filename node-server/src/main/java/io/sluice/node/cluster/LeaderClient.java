package io.sluice.node.cluster;

import java.io.IOException;
import java.util.Objects;
import org.apache.ratis.client.RaftClient;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftPeerId;
import org.jspecify.annotations.Nullable;

/**
 * Sends entries to the leader, over a connection that is kept until it fails or another member leads: a client of Ratis
 * that does not know the leader tries other members first, each for 3 s if its packets are lost. Thread-safe.
 */
final class LeaderClient implements AutoCloseable {
    private final Factory factory;
    /** Guarded by this, with its fields. */
    private @Nullable Connection kept;

    /** Makes clients. */
    interface Factory {
        /**
         * Makes a client of the cluster.
         *
         * @param leader null: none is known
         */
        RaftClient make(@Nullable RaftPeerId leader) throws IOException;
    }

    private static final class Connection {
        private final RaftClient client;
        private final @Nullable RaftPeerId leader;
        private int requests;

        Connection(RaftClient client, @Nullable RaftPeerId leader) {
            this.client = client;
            this.leader = leader;
        }
    }

    LeaderClient(Factory factory) {
        this.factory = factory;
    }

    /**
     * Sends an entry.
     *
     * @param leader null: none is known, and the members are asked
     * @throws IOException if most members do not answer; they may have the entry all the same
     */
    RaftClientReply send(Message message, @Nullable RaftPeerId leader) throws IOException {
        Connection used = begin(leader);
        boolean answered = false;
        try {
            RaftClientReply reply = used.client.io().send(message);
            answered = true;
            return reply;
        } finally {
            end(used, answered);
        }
    }

    private synchronized Connection begin(@Nullable RaftPeerId leader) throws IOException {
        Connection last = kept;
        if (last != null && (leader == null || Objects.equals(leader, last.leader))) {
            last.requests++;
            return last;
        }
        Connection next = new Connection(factory.make(leader), leader);
        next.requests = 1;
        kept = next;
        if (last != null) {
            closeUnused(last);
        }
        return next;
    }

    private synchronized void end(Connection used, boolean answered) throws IOException {
        used.requests--;
        if (!answered && kept == used) {
            kept = null;
        }
        closeUnused(used);
    }

    /** Closes a connection that is not kept when its last request has ended. */
    private void closeUnused(Connection connection) throws IOException {
        if (connection != kept && connection.requests == 0) {
            connection.client.close();
        }
    }

    @Override
    public synchronized void close() throws IOException {
        if (kept != null) {
            kept.client.close();
        }
    }
}
