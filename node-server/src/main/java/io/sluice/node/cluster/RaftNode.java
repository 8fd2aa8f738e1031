package io.sluice.node.cluster;

import io.sluice.api.transaction.Outcome;
import io.sluice.api.wire.ClusterBody;
import io.sluice.api.wire.ClusterBody.Member;
import io.sluice.api.wire.ClusterChange;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.ChangeRefusedException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.node.cluster.ConsensusServer.Joined;
import io.sluice.sql.distributed.Decisions;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.apache.ratis.client.RaftClient;
import org.apache.ratis.client.retry.RequestTypeDependentRetryPolicy;
import org.apache.ratis.proto.RaftProtos.RaftClientRequestProto;
import org.apache.ratis.proto.RaftProtos.RaftPeerRole;
import org.apache.ratis.proto.RaftProtos.RoleInfoProto;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.protocol.exceptions.RaftException;
import org.apache.ratis.protocol.exceptions.TimeoutIOException;
import org.apache.ratis.retry.RetryPolicies;
import org.apache.ratis.retry.RetryPolicy;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.util.TimeDuration;
import org.jspecify.annotations.Nullable;

/**
 * The log of the cluster, as a node writes and follows it: replicates entries, makes the members the voters, and knows
 * how far this node has applied the log.
 */
final class RaftNode implements AutoCloseable {
    static final long CHANGE_SECONDS = 20;
    private static final long TRANSFER_MILLIS = 5_000;
    /** A few elections' time. */
    private static final long AWAIT_LEADER_MILLIS = 5_000;

    private static final long LEADER_POLL_MILLIS = 50;
    /** Members that vote: with five, two may be lost at once, and more make each entry slower. */
    static final int MOST_VOTERS = 5;
    /** Time without an answer after which a voter gives its place to a member that answers. */
    private static final long LOST_MILLIS = 60_000;

    private final String id;
    private final ClusterState state;
    private final ConsensusServer server;
    private final ClientId self = ClientId.randomId();
    private final AtomicLong calls = new AtomicLong();
    /** Held while voters change. */
    private final Object voting = new Object();

    private final Reconnections reconnections = new Reconnections();
    /** Since when this node is a learner in the role of a voter. */
    private @Nullable Long learnerSince;

    private final LeaderClient forwarder = new LeaderClient(this::client);

    /**
     * Creates a log without a server that runs.
     *
     * @param id id of the node's store
     * @throws BadInputException if the address is not of this machine alone, or in use
     */
    RaftNode(ClusterMember.Settings settings, String id, ClusterState state) {
        this.id = id;
        this.state = state;
        server = new ConsensusServer(settings, id, state);
    }

    /** The server, which the caller starts; this closes it. */
    ConsensusServer server() {
        return server;
    }

    private void ensureFollowing() {
        String failure = server.failure();
        if (failure != null) {
            throw new OperationFailedException("the node has left the log of its cluster for some seconds: " + failure);
        }
    }

    /**
     * Waits until this node has applied every entry that was committed before the call: the leader says which, while
     * most voters answer it.
     *
     * @return whether it has, in that time
     */
    boolean catchUp(long millis) throws InterruptedException {
        Joined joined = server.joined();
        if (joined == null) {
            return false;
        }
        RaftClientRequest read = request(joined, Message.EMPTY, RaftClientRequest.readRequestType());
        try {
            Leadership before = Leadership.of(joined.division());
            return joined.server()
                            .submitClientRequestAsync(read)
                            .get(millis, TimeUnit.MILLISECONDS)
                            .isSuccess()
                    && Leadership.of(joined.division()).confirms(before);
        } catch (IOException | ExecutionException | TimeoutException | IllegalStateException e) {
            return false;
        }
    }

    /**
     * Renews connections to members that do not answer. For one thread.
     *
     * @param contact whether this node has contact to most members
     */
    void reconnect(boolean contact) {
        Joined joined = server.joined();
        if (joined == null) {
            return;
        }
        try {
            reconnections.renew(joined, contact);
        } catch (IOException | IllegalStateException e) {
            // The server has left the group, or closes.
            return;
        }
    }

    private RaftClientRequest request(Joined joined, Message message, RaftClientRequest.Type type) {
        return RaftClientRequest.newBuilder()
                .setClientId(self)
                .setServerId(joined.server().getId())
                .setGroupId(joined.group())
                .setCallId(calls.incrementAndGet())
                .setMessage(message)
                .setType(type)
                .build();
    }

    /**
     * The cluster as this node sees it; null until it has joined one.
     *
     * @throws OperationFailedException if it has left the log
     */
    @Nullable
    ClusterBody cluster() {
        ensureFollowing();
        Joined joined = server.joined();
        if (joined == null || state.members().isEmpty()) {
            return null;
        }
        try {
            var info = joined.division().getInfo();
            RaftPeerId leader = info.getLeaderId();
            return new ClusterBody(
                    joined.clusterId(),
                    id,
                    leader == null ? null : leader.toString(),
                    info.getLastAppliedIndex(),
                    state.members(),
                    List.of(),
                    state.suspects(),
                    peers(RaftPeerRole.LISTENER).stream()
                            .map(peer -> peer.getId().toString())
                            .toList());
        } catch (IOException e) {
            throw new OperationFailedException("the consensus of the node does not run: " + e.getMessage(), e);
        }
    }

    /** Whether this node leads a cluster without members: it has founded it, and ended before it added itself. */
    boolean leadsNoMembers() {
        Joined joined = server.joined();
        try {
            return joined != null
                    && joined.division().getInfo().isLeaderReady()
                    && state.members().isEmpty();
        } catch (IOException | IllegalStateException e) {
            // The server has left the group, or closes.
            return false;
        }
    }

    /**
     * Replicates a change; if it is one of the members, makes them the voters.
     *
     * @throws ChangeRefusedException if it contradicts an earlier change
     * @throws OperationFailedException if most nodes do not answer
     */
    void write(ClusterChange change) {
        replicate(change);
        if (change.added() != null || !change.removed().isEmpty()) {
            updateVoters();
        }
    }

    /**
     * Replicates a change; {@link #updateVoters} must follow if it is one of the members. Throws as {@link #write}
     * does.
     */
    void replicate(ClusterChange change) {
        try {
            RaftClientReply reply = send(ClusterState.entry(change));
            ChangeRefusedException refused =
                    ClusterState.refused(reply.getMessage().getContent().toStringUtf8());
            if (refused != null) {
                throw refused;
            }
        } catch (IOException e) {
            throw notChanged(e);
        }
    }

    /**
     * Replicates an entry about transactions, as {@link #append} does.
     *
     * @return the outcomes of its decisions
     */
    List<Outcome> decide(Decisions.Entry entry) throws IOException {
        return ClusterState.outcomes(append(ClusterState.entry(entry)));
    }

    /**
     * Replicates an entry. The leader takes it from this process, another node sends it there.
     *
     * @return its answer
     * @throws IOException if most members do not answer; they may have the entry all the same
     */
    String append(byte[] entry) throws IOException {
        ensureFollowing();
        return send(entry).getMessage().getContent().toStringUtf8();
    }

    private RaftClientReply send(byte[] entry) throws IOException {
        Message message = Message.valueOf(ByteString.copyFrom(entry));
        RaftClientReply reply = submit(message);
        if (reply == null) {
            reply = forwarder.send(message, awaitLeader());
        }
        check(reply);
        return reply;
    }

    /** The leader that this node knows; waits for an election. Null: there is none in that time. */
    private @Nullable RaftPeerId awaitLeader() throws IOException {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(AWAIT_LEADER_MILLIS);
        RaftPeerId leader = leader();
        while (leader == null && System.nanoTime() - end < 0) {
            try {
                TimeUnit.MILLISECONDS.sleep(LEADER_POLL_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted", e);
            }
            leader = leader();
        }
        return leader;
    }

    /** Replicates an entry if this node leads; null: it does not. */
    private @Nullable RaftClientReply submit(Message message) throws IOException {
        Joined joined = server.joined();
        if (joined == null) {
            throw new IOException("the node has not joined its cluster yet");
        }
        if (!joined.division().getInfo().isLeaderReady()) {
            return null;
        }
        try {
            RaftClientReply reply = joined.server()
                    .submitClientRequestAsync(request(joined, message, RaftClientRequest.writeRequestType()))
                    .get(CHANGE_SECONDS, TimeUnit.SECONDS);
            return reply.getNotLeaderException() == null ? reply : null;
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException known ? known : new IOException(e.toString(), e);
        } catch (TimeoutException e) {
            throw new TimeoutIOException("no answer from most members in " + CHANGE_SECONDS + " s", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    private OperationFailedException notChanged(IOException e) {
        Set<String> voting = new HashSet<>();
        try {
            voters().forEach(voter -> voting.add(voter.getId().toString()));
        } catch (IOException none) {
            e.addSuppressed(none);
        }
        String why = RaftFailures.reason(e, state.members(), voting);
        return new OperationFailedException("the cluster could not be changed: " + why, e);
    }

    /**
     * Makes the members the voters, if they are not, in as many steps as Ratis needs; beyond {@value #MOST_VOTERS},
     * members learn what the others decide. One thread does it at a time; others wait. A member that does not answer
     * makes it wait for some {@value #CHANGE_SECONDS} s per step, and fail.
     *
     * @throws OperationFailedException if most voters, or a member that is to be a voter or learner, do not answer
     */
    void updateVoters() {
        updateVoters(LOST_MILLIS);
    }

    /** @param lostMillis time without an answer after which a voter is lost; only the leader knows it */
    void updateVoters(long lostMillis) {
        synchronized (voting) {
            try {
                List<RaftPeer> members =
                        state.members().stream().map(ConsensusServer::peer).toList();
                Collection<RaftPeer> voters = peers(RaftPeerRole.FOLLOWER);
                Collection<RaftPeer> learners = peers(RaftPeerRole.LISTENER);
                RoleInfoProto role = Objects.requireNonNull(server.joined())
                        .division()
                        .getInfo()
                        .getRoleInfoProto();
                Set<RaftPeerId> silent = Set.copyOf(Reconnections.silent(role, lostMillis));
                List<RaftPeer> voting = voting(voters, learners, members, silent, leader());
                List<RaftPeer> learning = without(members, ids(voting));
                // One that joins as a learner never counts as caught up (Ratis 3.3: LeaderStateImpl.checkStaging).
                List<RaftPeer> joining = without(without(learning, ids(voters)), ids(learners));
                if (!joining.isEmpty()) {
                    List<RaftPeer> known = without(learning, ids(joining));
                    voters = change(voters, learners, without(members, ids(known)), known);
                    learners = known;
                }
                change(voters, learners, voting, learning);
            } catch (IOException e) {
                throw notChanged(e);
            }
        }
    }

    /** Changes voters and learners to others in as many steps as Ratis needs; returns the voters. */
    private Collection<RaftPeer> change(
            Collection<RaftPeer> voters, Collection<RaftPeer> learners, List<RaftPeer> voting, List<RaftPeer> learning)
            throws IOException {
        Collection<RaftPeer> now = voters;
        Collection<RaftPeer> learned = learners;
        while (!addresses(voting).equals(addresses(now)) || !addresses(learning).equals(addresses(learned))) {
            List<RaftPeer> next = nextVoters(now, voting);
            try (RaftClient client = client()) {
                check(client.admin().setConfiguration(next, learning));
            }
            now = next;
            learned = learning;
        }
        return now;
    }

    private static List<RaftPeer> without(List<RaftPeer> peers, Set<RaftPeerId> others) {
        return peers.stream().filter(peer -> !others.contains(peer.getId())).toList();
    }

    /**
     * The members that vote, in this order: the leader, voters that answer, learners that answer, new members, silent
     * members. So a voter loses its place only to a member that can take it, and a learner, with its log, before a new
     * member.
     *
     * @param silent members that have not answered for some time
     */
    static List<RaftPeer> voting(
            Collection<RaftPeer> voters,
            Collection<RaftPeer> learners,
            List<RaftPeer> members,
            Set<RaftPeerId> silent,
            @Nullable RaftPeerId leader) {
        Set<RaftPeerId> now = ids(voters);
        Set<RaftPeerId> learned = ids(learners);
        Set<RaftPeerId> first = members.stream()
                .map(RaftPeer::getId)
                .sorted(Comparator.comparing((RaftPeerId peer) -> !peer.equals(leader))
                        .thenComparing(peer -> silent.contains(peer))
                        .thenComparing(peer -> !now.contains(peer))
                        .thenComparing(peer -> !learned.contains(peer)))
                .limit(MOST_VOTERS)
                .collect(Collectors.toSet());
        return members.stream().filter(peer -> first.contains(peer.getId())).toList();
    }

    /**
     * Starts the server again if it has been a learner in the role of a voter for some time. Ratis leaves a member that
     * was a voter in this role. When the leader is lost, such a server stands for election, does not vote, and shuts
     * down; then it starts again, too. A new member that takes the place of a removed one within this time goes on. For
     * one thread.
     */
    void learn() {
        learn(LOST_MILLIS);
    }

    /** @param afterMillis time as a learner after which the server starts again */
    void learn(long afterMillis) {
        Joined joined = server.joined();
        if (joined == null) {
            return;
        }
        try {
            RaftServer.Division division = joined.division();
            boolean learner = ids(peers(RaftPeerRole.LISTENER)).contains(division.getId());
            boolean shut = division.getInfo().getLifeCycleState().isClosingOrClosed();
            if (!learner || !(shut || division.getInfo().isFollower())) {
                learnerSince = null;
                return;
            }
            learnerSince = learnerSince == null ? System.nanoTime() : learnerSince;
            if (shut || System.nanoTime() - learnerSince >= TimeUnit.MILLISECONDS.toNanos(afterMillis)) {
                server.leave(joined.start(), "it starts again as a member that does not vote");
            }
        } catch (IOException | IllegalStateException e) {
            // The server has left the group, or closes.
            return;
        }
    }

    static Set<RaftPeerId> ids(Collection<RaftPeer> peers) {
        return peers.stream().map(RaftPeer::getId).collect(Collectors.toSet());
    }

    /**
     * The voters of one step to others. Ratis 3.3 refuses a step in which as many voters are new as stay, since a
     * majority may know nothing of the log then ({@code RaftConfigurationImpl.changeMajority}); only a single voter may
     * get a second one. Voters that leave stay until no more come.
     */
    static List<RaftPeer> nextVoters(Collection<RaftPeer> voters, List<RaftPeer> members) {
        Set<RaftPeerId> present = ids(voters);
        List<RaftPeer> added =
                members.stream().filter(peer -> !present.contains(peer.getId())).toList();
        int staying = members.size() - added.size();
        if (added.isEmpty() || added.size() < staying || (voters.size() == 1 && staying == 1 && added.size() == 1)) {
            return members;
        }
        List<RaftPeer> next = new ArrayList<>(voters);
        next.addAll(added.subList(0, Math.min(added.size(), Math.max(1, voters.size() - 1))));
        return next;
    }

    private static Set<String> addresses(Collection<RaftPeer> peers) {
        Set<String> addresses = new HashSet<>();
        peers.forEach(peer -> addresses.add(peer.getId() + " " + peer.getAddress()));
        return addresses;
    }

    /** Lets another member lead; whether it does. */
    boolean transferLeadership(Member other) throws IOException {
        try (RaftClient client = client()) {
            return client.admin()
                    .transferLeadership(RaftPeerId.valueOf(other.id()), TRANSFER_MILLIS)
                    .isSuccess();
        }
    }

    private @Nullable RaftPeerId leader() throws IOException {
        return Objects.requireNonNull(server.joined()).division().getInfo().getLeaderId();
    }

    private Collection<RaftPeer> voters() throws IOException {
        return peers(RaftPeerRole.FOLLOWER);
    }

    private Collection<RaftPeer> peers(RaftPeerRole role) throws IOException {
        return Objects.requireNonNull(server.joined()).division().getRaftConf().getCurrentPeers(role);
    }

    private RaftClient client() throws IOException {
        return client(leader());
    }

    private RaftClient client(@Nullable RaftPeerId leader) throws IOException {
        RaftGroupId group = Objects.requireNonNull(server.joined()).group();
        RaftClient.Builder builder =
                server.client().setRaftGroup(RaftGroup.valueOf(group, voters())).setRetryPolicy(retries());
        if (leader != null) {
            builder.setLeaderId(leader);
        }
        return builder.build();
    }

    /** Retries for some time, not a number of times: one try takes 3 s if packets are lost. */
    private static RetryPolicy retries() {
        RequestTypeDependentRetryPolicy.Builder policy = RequestTypeDependentRetryPolicy.newBuilder();
        TimeDuration pause = ConsensusServer.millis(ConsensusServer.RETRY_MILLIS);
        for (RaftClientRequestProto.TypeCase type : RaftClientRequestProto.TypeCase.values()) {
            policy.setRetryPolicy(type, RetryPolicies.retryForeverWithSleep(pause))
                    .setTimeout(type, TimeDuration.valueOf(CHANGE_SECONDS, TimeUnit.SECONDS));
        }
        return policy.build();
    }

    private static void check(RaftClientReply reply) throws IOException {
        if (!reply.isSuccess()) {
            RaftException why = reply.getException();
            throw why == null ? new IOException("no reason is known") : why;
        }
    }

    @Override
    public void close() throws IOException {
        forwarder.close();
        server.close();
    }
}
