package io.sluice.node.cluster;

import io.sluice.api.transaction.Outcome;
import io.sluice.api.wire.ClusterBody;
import io.sluice.api.wire.ClusterBody.Member;
import io.sluice.api.wire.ClusterChange;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.ChangeRefusedException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.sql.distributed.Decisions;
import java.io.File;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.ratis.client.RaftClient;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.grpc.GrpcConfigKeys;
import org.apache.ratis.grpc.GrpcTlsConfig;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.protocol.exceptions.RaftException;
import org.apache.ratis.retry.RetryPolicies;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.util.SizeInBytes;
import org.apache.ratis.util.TimeDuration;
import org.jspecify.annotations.Nullable;

/**
 * The consensus of a node: one Ratis server with one group, the cluster. The server starts when the node founds the
 * cluster, joins it, or finds its log in the store.
 */
final class RaftNode implements AutoCloseable {
    static final long CHANGE_SECONDS = 20;
    private static final int RETRY_MILLIS = 500;
    private static final long TRANSFER_MILLIS = 5_000;

    /** Milliseconds without a leader after which a node stands for election; 1 to 2 s do not flap on a busy machine. */
    private static final int ELECTION_MILLIS = 1_000;

    /** A pause of the process of up to ten minutes does not close the server. */
    private static final int PAUSE_SECONDS = 600;

    /** Some 2 MB of decisions about transactions. */
    private static final long SNAPSHOT_ENTRIES = 10_000;

    private static final SizeInBytes SEGMENT = SizeInBytes.valueOf("4MB");
    private static final SizeInBytes APPENDER = SizeInBytes.valueOf("1MB");
    private static final SizeInBytes BUFFER = SizeInBytes.valueOf("2MB");

    /** The shaded gRPC logs its start with java.util.logging; a static reference keeps the level. */
    private static final Logger GRPC = Logger.getLogger("org.apache.ratis.thirdparty");

    private final ClusterMember.Settings settings;
    private final String id;
    private final ClusterState state;
    private final Path directory;
    private final ClientId self = ClientId.randomId();
    private final AtomicLong calls = new AtomicLong();
    /** Held while voters change. */
    private final Object voting = new Object();

    private volatile @Nullable RaftServer server;
    private volatile @Nullable RaftGroupId group;
    private final Object forwarding = new Object();
    /** Guarded by {@link #forwarding}. */
    private @Nullable RaftClient forwarder;

    private boolean closed;
    private volatile @Nullable String failure;

    /**
     * Creates a server that is not started.
     *
     * @param id id of the node's store
     * @throws BadInputException if the address is not of this machine alone, or in use
     */
    RaftNode(ClusterMember.Settings settings, String id, ClusterState state) {
        this.settings = settings;
        this.id = id;
        this.state = state;
        directory = settings.directory();
        GRPC.setLevel(Level.WARNING);
        InetSocketAddress raft = settings.raft();
        if (raft.getAddress() == null || (!raft.getAddress().isLoopbackAddress() && settings.tls() == null)) {
            throw new BadInputException("--raft-listen " + settings.raftAddress()
                    + ": must be a loopback address; other addresses need --tls-cert, --tls-key and --peer-trust");
        }
        // Ratis ends the whole process if it cannot bind.
        try {
            new ServerSocket(raft.getPort(), 1, raft.getAddress()).close();
        } catch (IOException e) {
            throw new BadInputException("--raft-listen " + settings.raftAddress() + ": " + e.getMessage(), e);
        }
    }

    /** The id of the cluster that the server takes part in; null if it is not started. */
    @Nullable
    String clusterId() {
        RaftGroupId joined = group;
        return joined == null ? null : joined.getUuid().toString();
    }

    /** Starts with a new cluster, which has this node alone; returns the cluster's id. */
    String found(Member self) throws IOException {
        RaftGroupId founded = RaftGroupId.valueOf(UUID.randomUUID());
        start(founded, RaftGroup.valueOf(founded, peer(self)));
        return founded.getUuid().toString();
    }

    /** Starts without peers, if not started: waits for the leader to add it, and does not stand for election. */
    void await(String clusterId) throws IOException {
        RaftGroupId joined = RaftGroupId.valueOf(UUID.fromString(clusterId));
        start(joined, RaftGroup.valueOf(joined));
    }

    /**
     * Starts with the log in the store.
     *
     * @return whether there is one
     */
    boolean recover() throws IOException {
        RaftGroupId stored = storedGroup();
        if (stored != null) {
            start(stored, null);
        }
        return stored != null;
    }

    private @Nullable RaftGroupId storedGroup() throws IOException {
        if (!Files.isDirectory(directory)) {
            return null;
        }
        try (Stream<Path> below = Files.list(directory)) {
            return below.map(path -> String.valueOf(path.getFileName()))
                    .filter(name -> name.matches("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"))
                    .map(name -> RaftGroupId.valueOf(UUID.fromString(name)))
                    .findFirst()
                    .orElse(null);
        }
    }

    /** @param peers null: those of the log */
    private synchronized void start(RaftGroupId joined, @Nullable RaftGroup peers) throws IOException {
        if (closed || server != null) {
            return;
        }
        Files.createDirectories(directory);
        RaftServer.Builder builder = RaftServer.newBuilder()
                .setServerId(RaftPeerId.valueOf(id))
                .setStateMachine(new ClusterStateMachine(state, this::stopFollowing))
                .setProperties(properties())
                .setParameters(parameters());
        RaftServer created = (peers == null
                        ? builder.setOption(RaftStorage.StartupOption.RECOVER)
                        : builder.setOption(RaftStorage.StartupOption.FORMAT).setGroup(peers))
                .build();
        created.start();
        server = created;
        group = joined;
    }

    /**
     * Leaves the group for some time. Without an entry that could not be applied, later ones would have other effects
     * than elsewhere; and Ratis writes no entry any more after one that it could not write. Then the log is read again,
     * and applied from its last snapshot on.
     */
    private synchronized void stopFollowing(String why) {
        RaftServer failed = server;
        if (failed == null || failure != null) {
            return;
        }
        failure = why;
        Thread restart = new Thread(() -> restart(failed, why), "cluster-restart");
        restart.setDaemon(true);
        restart.start();
    }

    private void restart(RaftServer failed, String why) {
        try {
            // Waits for the threads that apply and write entries, of which one called.
            failed.close();
        } catch (IOException e) {
            failure = why + "; it could not be closed: " + e.getMessage();
        }
        try {
            boolean started = false;
            while (!started) {
                // By then the contact to most members, of before the failure, does not count any more.
                TimeUnit.MILLISECONDS.sleep(settings.contactMillis() + RETRY_MILLIS);
                started = startAgain(why);
            }
        } catch (InterruptedException e) {
            // The JVM ends.
            Thread.currentThread().interrupt();
        }
    }

    private synchronized boolean startAgain(String why) {
        try {
            server = null;
            failure = null;
            start(Objects.requireNonNull(group), null);
            return true;
        } catch (IOException e) {
            failure = why + "; it could not begin again: " + e.getMessage();
            return false;
        }
    }

    /** The reason why this node has left the group; null: it has not. */
    @Nullable
    String failure() {
        return failure;
    }

    private void ensureFollowing() {
        if (failure != null) {
            throw new OperationFailedException("the node has left the log of its cluster for some seconds: " + failure);
        }
    }

    private RaftProperties properties() {
        RaftProperties properties = new RaftProperties();
        File files = directory.toFile();
        RaftServerConfigKeys.setStorageDir(properties, List.of(files));
        RaftServerConfigKeys.setRemovedGroupsDir(properties, new File(files, "removed"));
        RaftServerConfigKeys.setCloseThreshold(properties, TimeDuration.valueOf(PAUSE_SECONDS, TimeUnit.SECONDS));
        GrpcConfigKeys.Server.setHost(properties, settings.raft().getHostString());
        GrpcConfigKeys.Server.setPort(properties, settings.raft().getPort());
        RaftServerConfigKeys.Rpc.setTimeoutMin(properties, millis(ELECTION_MILLIS));
        RaftServerConfigKeys.Rpc.setTimeoutMax(properties, millis(2 * ELECTION_MILLIS));
        RaftServerConfigKeys.Read.setOption(properties, RaftServerConfigKeys.Read.Option.LINEARIZABLE);
        RaftServerConfigKeys.Snapshot.setAutoTriggerEnabled(properties, true);
        RaftServerConfigKeys.Snapshot.setAutoTriggerThreshold(properties, SNAPSHOT_ENTRIES);
        RaftServerConfigKeys.Snapshot.setRetentionFileNum(properties, 2);
        RaftServerConfigKeys.Log.setPurgeUptoSnapshotIndex(properties, true);
        RaftServerConfigKeys.Log.setSegmentSizeMax(properties, SEGMENT);
        RaftServerConfigKeys.Log.setPreallocatedSize(properties, APPENDER);
        RaftServerConfigKeys.Log.setWriteBufferSize(properties, BUFFER);
        RaftServerConfigKeys.Log.Appender.setBufferByteLimit(properties, APPENDER);
        return properties;
    }

    private Parameters parameters() {
        Parameters parameters = new Parameters();
        ClusterMember.Settings.Tls tls = settings.tls();
        if (tls != null) {
            GrpcConfigKeys.TLS.setConf(
                    parameters,
                    new GrpcTlsConfig(
                            tls.key().toFile(),
                            tls.certificate().toFile(),
                            tls.trusted().toFile(),
                            true));
        }
        return parameters;
    }

    private static TimeDuration millis(int count) {
        return TimeDuration.valueOf(count, TimeUnit.MILLISECONDS);
    }

    private static RaftPeer peer(Member member) {
        return RaftPeer.newBuilder()
                .setId(RaftPeerId.valueOf(member.id()))
                .setAddress(member.raft())
                .build();
    }

    /** Whether the store has the log of a cluster, so that this node was a member. */
    boolean hasLog() {
        try {
            return storedGroup() != null;
        } catch (IOException e) {
            throw new OperationFailedException("the log of the cluster cannot be read: " + e.getMessage(), e);
        }
    }

    /**
     * Waits until this node has applied every entry that was committed before the call: the leader says which, after
     * most members have confirmed that it leads.
     *
     * @return whether it has, in that time
     */
    boolean catchUp(long millis) throws InterruptedException {
        RaftServer running = server;
        RaftGroupId joined = group;
        if (running == null || joined == null) {
            return false;
        }
        RaftClientRequest read = request(running, joined, Message.EMPTY, RaftClientRequest.readRequestType());
        try {
            return running.submitClientRequestAsync(read)
                    .get(millis, TimeUnit.MILLISECONDS)
                    .isSuccess();
        } catch (IOException | ExecutionException | TimeoutException | IllegalStateException e) {
            return false;
        }
    }

    private RaftClientRequest request(
            RaftServer running, RaftGroupId joined, Message message, RaftClientRequest.Type type) {
        return RaftClientRequest.newBuilder()
                .setClientId(self)
                .setServerId(running.getId())
                .setGroupId(joined)
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
        RaftServer running = server;
        RaftGroupId joined = group;
        if (running == null || joined == null || state.members().isEmpty()) {
            return null;
        }
        try {
            var info = running.getDivision(joined).getInfo();
            RaftPeerId leader = info.getLeaderId();
            return new ClusterBody(
                    joined.getUuid().toString(),
                    id,
                    leader == null ? null : leader.toString(),
                    info.getLastAppliedIndex(),
                    state.members(),
                    List.of(),
                    state.suspects());
        } catch (IOException e) {
            throw new OperationFailedException("the consensus of the node does not run: " + e.getMessage(), e);
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
        try (RaftClient client = client()) {
            RaftClientReply reply = client.io().send(Message.valueOf(ByteString.copyFrom(ClusterState.entry(change))));
            check(reply);
            String refusal = reply.getMessage().getContent().toStringUtf8();
            if (!refusal.isEmpty()) {
                throw new ChangeRefusedException("the cluster was not changed: " + refusal);
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
        Message message = Message.valueOf(ByteString.copyFrom(entry));
        RaftClientReply reply = submit(message);
        if (reply == null) {
            reply = forward(message);
        }
        check(reply);
        return reply.getMessage().getContent().toStringUtf8();
    }

    /** Sends an entry to the leader, over a connection that is kept until it fails. */
    private RaftClientReply forward(Message message) throws IOException {
        RaftClient kept;
        synchronized (forwarding) {
            kept = forwarder == null ? client() : forwarder;
            forwarder = kept;
        }
        try {
            return kept.io().send(message);
        } catch (IOException e) {
            synchronized (forwarding) {
                if (forwarder == kept) {
                    forwarder = null;
                }
            }
            kept.close();
            throw e;
        }
    }

    /** Replicates an entry if this node leads; null: it does not. */
    private @Nullable RaftClientReply submit(Message message) throws IOException {
        RaftServer running = server;
        RaftGroupId joined = group;
        if (running == null || joined == null) {
            throw new IOException("the node has not joined its cluster yet");
        }
        if (!running.getDivision(joined).getInfo().isLeaderReady()) {
            return null;
        }
        try {
            RaftClientReply reply = running.submitClientRequestAsync(
                            request(running, joined, message, RaftClientRequest.writeRequestType()))
                    .get(CHANGE_SECONDS, TimeUnit.SECONDS);
            return reply.getNotLeaderException() == null ? reply : null;
        } catch (ExecutionException | TimeoutException e) {
            throw new IOException(e.toString(), e);
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
     * Makes the members the voters, if they are not, in as many steps as Ratis needs. One thread does it at a time;
     * others wait. A member that does not answer makes it wait for some {@value #CHANGE_SECONDS} s per step, and fail.
     *
     * @throws OperationFailedException if most nodes, or a member that is no voter yet, do not answer
     */
    void updateVoters() {
        synchronized (voting) {
            try {
                List<RaftPeer> members =
                        state.members().stream().map(RaftNode::peer).toList();
                Collection<RaftPeer> voters = voters();
                while (!addresses(members).equals(addresses(voters))) {
                    List<RaftPeer> next = nextVoters(voters, members);
                    try (RaftClient client = client()) {
                        check(client.admin().setConfiguration(next));
                    }
                    voters = next;
                }
            } catch (IOException e) {
                throw notChanged(e);
            }
        }
    }

    /**
     * The voters of one step to others. Ratis 3.3 refuses a step in which as many voters are new as stay, since a
     * majority may know nothing of the log then ({@code RaftConfigurationImpl.changeMajority}); only a single voter may
     * get a second one. Voters that leave stay until no more come.
     */
    static List<RaftPeer> nextVoters(Collection<RaftPeer> voters, List<RaftPeer> members) {
        Set<RaftPeerId> present = voters.stream().map(RaftPeer::getId).collect(Collectors.toSet());
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

    private Collection<RaftPeer> voters() throws IOException {
        return Objects.requireNonNull(server)
                .getDivision(Objects.requireNonNull(group))
                .getRaftConf()
                .getCurrentPeers();
    }

    private RaftClient client() throws IOException {
        int retries = (int) (TimeUnit.SECONDS.toMillis(CHANGE_SECONDS) / RETRY_MILLIS);
        return RaftClient.newBuilder()
                .setProperties(properties())
                .setParameters(parameters())
                .setRaftGroup(RaftGroup.valueOf(Objects.requireNonNull(group), voters()))
                .setRetryPolicy(RetryPolicies.retryUpToMaximumCountWithFixedSleep(retries, millis(RETRY_MILLIS)))
                .build();
    }

    private static void check(RaftClientReply reply) throws IOException {
        if (!reply.isSuccess()) {
            RaftException why = reply.getException();
            throw why == null ? new IOException("no reason is known") : why;
        }
    }

    @Override
    public void close() throws IOException {
        RaftServer running;
        synchronized (this) {
            closed = true;
            running = server;
        }
        synchronized (forwarding) {
            if (forwarder != null) {
                forwarder.close();
            }
        }
        if (running != null) {
            running.close();
        }
    }
}
