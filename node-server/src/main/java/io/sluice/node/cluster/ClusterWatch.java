package io.sluice.node.cluster;

import io.sluice.api.wire.ClusterBody;
import io.sluice.api.wire.ClusterBody.Member;
import io.sluice.api.wire.ClusterChange;
import io.sluice.api.wire.ClusterChange.Freeze;
import io.sluice.client.RemoteNode;
import io.sluice.client.RemoteSettings;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.error.SluiceException;
import io.sluice.model.thread.Backoff;
import io.sluice.model.thread.Daemons;
import java.io.IOException;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Joins this node to its cluster, or founds it, and then keeps what the cluster knows of the node true. On the leader,
 * also thaws tables and leaves out lost members. All on one thread.
 */
final class ClusterWatch implements AutoCloseable {
    /** Waits between tries to reach the other nodes. */
    private static final Backoff BACKOFF = new Backoff(200, 2_000, 1);

    /** Most problems in the log until there is a leader. */
    private static final int MAX_REPORTED = 100;

    private static final long PROBE_MILLIS = 2_000;

    /** Time between two checks of the cluster by a node that has joined. */
    private static final long WATCH_MILLIS = 1_000;

    /** The same while a member may be lost. */
    private static final long HURRY_MILLIS = 200;

    private final ClusterMember.Settings settings;
    private final String id;
    private final ClusterMember.Host host;
    private final ClusterState state;
    private final RaftNode raft;
    private final Contact contact;
    private final LostMembers lost;
    private final Thread thread = Daemons.thread("cluster", this::join);
    /** When this node, as the leader, first saw each freeze. Used by the thread only. */
    private final Map<Freeze, Long> frozenSince = new HashMap<>();
    /** The problems that were logged since the node last knew a leader. */
    private final Set<String> reported = ConcurrentHashMap.newKeySet();

    private volatile boolean closed;
    private boolean allAnswer;
    private @Nullable Member self;

    ClusterWatch(
            ClusterMember.Settings settings,
            String id,
            ClusterMember.Host host,
            ClusterState state,
            RaftNode raft,
            Contact contact) {
        this.settings = settings;
        this.id = id;
        this.host = host;
        this.state = state;
        this.raft = raft;
        this.contact = contact;
        lost = new LostMembers(settings, id, state, raft, host);
    }

    /** Begins; {@code node} is this one, which serves already. */
    void start(Member node) {
        self = node;
        thread.start();
    }

    private Member self() {
        return Objects.requireNonNull(self);
    }

    private void join() {
        boolean joined = false;
        for (int tries = 1; !closed; tries++) {
            try {
                String failure = host.failure();
                if (failure != null) {
                    // The others go on without it, which they would not while it has contact to them.
                    host.end(new OperationFailedException(failure));
                    return;
                }
                joined = joined || tryToJoin();
                if (joined && !watch()) {
                    return;
                }
            } catch (SluiceException | IOException e) {
                report(String.valueOf(e.getMessage()));
            }
            try {
                Thread.sleep(
                        !joined
                                ? BACKOFF.jitteredMillis(tries)
                                : state.suspects().isEmpty() ? WATCH_MILLIS : HURRY_MILLIS);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    /**
     * Keeps the cluster's knowledge of this node true: a member that a change left out, or whose address is another
     * one, asks the leader to add it; a leader thaws tables and leaves out lost members.
     *
     * @return false if the node was removed
     */
    private boolean watch() throws IOException {
        if (state.wasRemoved(id)) {
            host.end(new BadInputException(removedMessage(settings.name())));
            return false;
        }
        raft.learn();
        ClusterBody now = raft.cluster();
        String leader = now == null ? null : now.leader();
        ClusterBody.Suspect suspect = state.suspect(id);
        if (suspect != null && contact.lasts()) {
            // The decisions before the suspicion are applied here.
            host.endDecided(state.decisions()::outcome);
            raft.write(ClusterChange.clearing(id, suspect.token()));
            host.log("cluster: " + settings.name() + " is back"
                    + (suspect.leftOut() ? "; its replicas were left out meanwhile: 'sluice cluster repair'" : ""));
        }
        boolean leads = id.equals(leader);
        if (!leads) {
            // Another leader counts anew, and so does this node if it leads again.
            frozenSince.clear();
        }
        if (raft.leadsNoMembers()) {
            raft.write(ClusterChange.adding(self()));
        } else if (leads) {
            thawAbandoned();
            lost.leaveOut(Objects.requireNonNull(now));
        } else if (now == null || leader == null || !now.members().contains(self())) {
            ClusterBody found = ask();
            if (found != null
                    && found.id().equals(raft.server().clusterId())
                    && !found.members().contains(self())) {
                try {
                    joinTo(found);
                } catch (BadInputException e) {
                    host.end(e);
                    return false;
                }
            }
        }
        if (leader != null) {
            reported.clear();
        }
        return true;
    }

    /** Thaws tables whose copies have not ended: the process that copied them has died, or is too slow. */
    private void thawAbandoned() {
        List<Freeze> frozen = state.frozen();
        frozenSince.keySet().retainAll(frozen);
        long now = System.nanoTime();
        for (Freeze freeze : frozen) {
            Long since = frozenSince.putIfAbsent(freeze, now);
            if (since != null && now - since > TimeUnit.MILLISECONDS.toNanos(settings.thawAfterMillis())) {
                host.log("cluster: the copy of table id " + freeze.tableId()
                        + " did not end in time; statements may change its rows again");
                raft.write(ClusterChange.thawing(freeze));
            }
        }
    }

    /** Why a node that was removed cannot go on. */
    static String removedMessage(String name) {
        return "node " + name + " was removed from the cluster, and its tables are outdated; to use it again, start it"
                + " with a new --store";
    }

    /** Logs a problem once, however often it repeats while there is no leader. */
    void report(String problem) {
        if (!closed && reported.size() < MAX_REPORTED && reported.add(problem)) {
            host.log("cluster: " + problem);
        }
    }

    private boolean tryToJoin() throws IOException {
        if (raft.server().recover()) {
            host.log("cluster " + raft.server().clusterId() + ": " + settings.name() + " is back");
            return true;
        }
        allAnswer = true;
        ClusterBody found = ask();
        if (found != null) {
            ensureOwnAddress(found);
            return joinTo(found);
        }
        if (allAnswer && isSelf(settings.listed().get(0))) {
            found();
            return true;
        }
        return false;
    }

    /** The cluster of the other nodes, as one that knows its leader sees it, or as any does; null if there is none. */
    private @Nullable ClusterBody ask() {
        Set<String> others = new LinkedHashSet<>(settings.listed());
        state.members().forEach(member -> others.add(member.url()));
        ClusterBody found = null;
        for (String address : others) {
            if (isSelf(address) || (found != null && found.leader() != null)) {
                continue;
            }
            try (RemoteNode node = node(address)) {
                ClusterBody one = node.joinedCluster();
                found = one == null ? found : one;
            } catch (SluiceException e) {
                report(String.valueOf(e.getMessage()));
                allAnswer = false;
            }
        }
        return found;
    }

    private boolean isSelf(String address) {
        return self().url().endsWith("//" + RemoteSettings.of(address).name());
    }

    private RemoteNode node(String address) {
        return new RemoteNode(settings.access().to(address).withPatience(PROBE_MILLIS, PROBE_MILLIS));
    }

    /** Founds the cluster with this node alone; the others are added as they come. */
    private void found() throws IOException {
        String founded = raft.server().found(self());
        raft.write(ClusterChange.adding(self()));
        host.log("cluster " + founded + ": founded by " + settings.name());
    }

    /**
     * Checks that no other store is a member at this node's address for the consensus. Raft addresses its messages by
     * connection only: this node would answer for that member, whose votes and log it does not have.
     */
    private void ensureOwnAddress(ClusterBody cluster) {
        for (Member other : cluster.members()) {
            if (other.raft().equals(self().raft()) && !other.id().equals(id)) {
                throw new BadInputException("the cluster has a node " + other.name() + " at " + other.raft()
                        + " already, with another store (" + other.id() + "); a new or wiped store needs another --name"
                        + " and another --raft-listen, or remove that node first");
            }
        }
    }

    private boolean joinTo(ClusterBody cluster) throws IOException {
        Member leader = cluster.leading();
        if (leader == null) {
            return false;
        }
        raft.server().await(cluster.id());
        try (RemoteNode node = node(leader.url())) {
            ClusterBody now = node.change(ClusterChange.adding(self()));
            host.log("cluster " + cluster.id() + ": " + settings.name() + " joined "
                    + now.members().size() + " nodes");
        }
        return true;
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
    }
}
