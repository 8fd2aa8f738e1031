package io.sluice.node.cluster;

import io.sluice.api.wire.ClusterBody;
import io.sluice.client.RemoteNode;
import io.sluice.client.RemoteSettings;
import io.sluice.model.error.Backoff;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.error.SluiceException;
import io.sluice.node.http.Membership;
import java.io.File;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.apache.ratis.client.RaftClient;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.grpc.GrpcConfigKeys;
import org.apache.ratis.grpc.GrpcTlsConfig;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.retry.RetryPolicies;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.util.SizeInBytes;
import org.apache.ratis.util.TimeDuration;
import org.jspecify.annotations.Nullable;

/**
 * This node in its cluster. {@link #start} begins to join or found it on a thread of its own; the node serves
 * meanwhile. The caller closes it before the store.
 */
public final class ClusterMember implements Membership, AutoCloseable {
    /** Waits between tries to reach the other nodes. */
    private static final Backoff BACKOFF = new Backoff(200, 2_000, 1);

    private static final long PROBE_MILLIS = 2_000;
    private static final long CHANGE_SECONDS = 20;

    /** Milliseconds without a leader after which a node stands for election; 1 to 2 s do not flap on a busy machine. */
    private static final int ELECTION_MILLIS = 1_000;

    /** A pause of the process of up to ten minutes does not close the server. */
    private static final int PAUSE_SECONDS = 600;

    private static final long SNAPSHOT_ENTRIES = 1_000;
    private static final SizeInBytes SEGMENT = SizeInBytes.valueOf("4MB");
    private static final SizeInBytes APPENDER = SizeInBytes.valueOf("1MB");
    private static final SizeInBytes BUFFER = SizeInBytes.valueOf("2MB");

    /** The shaded gRPC logs its start with java.util.logging; a static reference keeps the level. */
    private static final Logger GRPC = Logger.getLogger("org.apache.ratis.thirdparty");

    private final Settings settings;
    private final String id;
    private final Consumer<String> log;
    private final ClusterState state = new ClusterState();
    private final Thread joining = new Thread(this::join, "cluster");
    private volatile @Nullable RaftServer server;
    private volatile @Nullable RaftGroupId group;
    private volatile boolean closed;
    private ClusterBody.@Nullable Member self;
    private String told = "";

    /**
     * Settings of a membership.
     *
     * @param name name of the node
     * @param listed nodes that found the cluster or are in it, as {@code HOST:PORT}; this node's address among them
     * @param raft address for the consensus
     * @param directory directory of the log, below the store
     * @param tls files with which members prove to each other who they are; null: only on loopback
     * @param access connection settings to a listed node
     */
    public record Settings(
            String name,
            List<String> listed,
            InetSocketAddress raft,
            Path directory,
            @Nullable Tls tls,
            Access access) {
        /**
         * PEM files of a member; both sides of each connection check the other's certificate.
         *
         * @param certificate the member's certificate chain
         * @param key its private key, unencrypted PKCS #8
         * @param trusted certificates that members have, or that have signed theirs
         */
        public record Tls(Path certificate, Path key, Path trusted) {}

        /** Settings of the connection to a node. */
        public interface Access {
            RemoteSettings to(String address);
        }
    }

    /**
     * Creates a membership.
     *
     * @param id id of the node's store
     * @param log receives a line for each change
     * @throws BadInputException if the address for the consensus is not of this machine alone, or in use
     */
    public ClusterMember(Settings settings, String id, Consumer<String> log) {
        this.settings = settings;
        this.id = id;
        this.log = log;
        GRPC.setLevel(Level.WARNING);
        InetSocketAddress raft = settings.raft();
        if (raft.getAddress() == null || (!raft.getAddress().isLoopbackAddress() && settings.tls() == null)) {
            throw new BadInputException("--raft-listen " + raft.getHostString() + ":" + raft.getPort()
                    + ": must be a loopback address; other addresses need --tls-cert, --tls-key and --peer-trust");
        }
        // Ratis ends the whole process if it cannot bind.
        try {
            new ServerSocket(raft.getPort(), 1, raft.getAddress()).close();
        } catch (IOException e) {
            throw new BadInputException(
                    "--raft-listen " + raft.getHostString() + ":" + raft.getPort() + ": " + e.getMessage(), e);
        }
    }

    /**
     * Begins to join or found the cluster.
     *
     * @param url the node's URL, at which it serves already
     */
    public void start(String url) {
        InetSocketAddress raft = settings.raft();
        self = new ClusterBody.Member(id, settings.name(), url, raft.getHostString() + ":" + raft.getPort());
        joining.setDaemon(true);
        joining.start();
    }

    private ClusterBody.Member self() {
        return Objects.requireNonNull(self);
    }

    private void join() {
        for (int tries = 1; !closed; tries++) {
            try {
                if (tryToJoin()) {
                    return;
                }
            } catch (SluiceException | IOException e) {
                report(String.valueOf(e.getMessage()));
            }
            try {
                Thread.sleep(BACKOFF.jitteredMillis(tries));
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    /** Logs a problem once, however often it repeats. */
    private void report(String problem) {
        if (!closed && !problem.equals(told)) {
            told = problem;
            log.accept("cluster: " + problem);
        }
    }

    private boolean tryToJoin() throws IOException {
        RaftGroupId stored = storedGroup();
        if (stored != null) {
            open(stored, RaftGroup.valueOf(stored), RaftStorage.StartupOption.RECOVER);
            log.accept("cluster " + stored.getUuid() + ": " + settings.name() + " is back");
            return true;
        }
        ClusterBody found = null;
        boolean allAnswer = true;
        for (String address : settings.listed()) {
            if (isSelf(address)) {
                continue;
            }
            try (RemoteNode node = node(address)) {
                ClusterBody one = node.cluster();
                found = one == null ? found : one;
            } catch (SluiceException e) {
                report(String.valueOf(e.getMessage()));
                allAnswer = false;
            }
        }
        if (found != null) {
            return joinTo(found);
        }
        if (allAnswer && isSelf(settings.listed().get(0))) {
            found();
            return true;
        }
        return false;
    }

    private boolean isSelf(String address) {
        return self().url().endsWith("//" + RemoteSettings.of(address).name());
    }

    private RemoteNode node(String address) {
        return new RemoteNode(settings.access().to(address).withPatience(PROBE_MILLIS, PROBE_MILLIS));
    }

    /** Founds the cluster with this node alone; the others are added as they come. */
    private void found() throws IOException {
        RaftGroupId id = RaftGroupId.valueOf(UUID.randomUUID());
        open(id, RaftGroup.valueOf(id, peer(self())), RaftStorage.StartupOption.FORMAT);
        write(self(), List.of(peer(self())));
        log.accept("cluster " + id.getUuid() + ": founded by " + settings.name());
    }

    private boolean joinTo(ClusterBody cluster) throws IOException {
        ClusterBody.Member leader = cluster.members().stream()
                .filter(member -> member.id().equals(cluster.leader()))
                .findFirst()
                .orElse(null);
        if (leader == null) {
            return false;
        }
        RaftGroupId joined = RaftGroupId.valueOf(UUID.fromString(cluster.id()));
        if (server == null) {
            // Without peers the node waits for the leader, and does not stand for election.
            open(joined, RaftGroup.valueOf(joined), RaftStorage.StartupOption.FORMAT);
        }
        try (RemoteNode node = node(leader.url())) {
            ClusterBody now = node.join(self());
            log.accept("cluster " + cluster.id() + ": " + settings.name() + " joined "
                    + now.members().size() + " nodes");
        }
        return true;
    }

    /** The group of the log in the store; null if there is none. */
    private @Nullable RaftGroupId storedGroup() throws IOException {
        if (!Files.isDirectory(settings.directory())) {
            return null;
        }
        try (Stream<Path> below = Files.list(settings.directory())) {
            return below.map(path -> String.valueOf(path.getFileName()))
                    .filter(name -> name.matches("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"))
                    .map(name -> RaftGroupId.valueOf(UUID.fromString(name)))
                    .findFirst()
                    .orElse(null);
        }
    }

    private synchronized void open(RaftGroupId opened, RaftGroup peers, RaftStorage.StartupOption option)
            throws IOException {
        if (closed || server != null) {
            return;
        }
        Files.createDirectories(settings.directory());
        RaftServer.Builder builder = RaftServer.newBuilder()
                .setServerId(RaftPeerId.valueOf(id))
                .setStateMachine(state)
                .setOption(option)
                .setProperties(properties())
                .setParameters(parameters());
        // A group that is recovered has the peers of its log.
        RaftServer created = (option == RaftStorage.StartupOption.RECOVER ? builder : builder.setGroup(peers)).build();
        created.start();
        server = created;
        group = opened;
    }

    private RaftProperties properties() {
        RaftProperties properties = new RaftProperties();
        File directory = settings.directory().toFile();
        RaftServerConfigKeys.setStorageDir(properties, List.of(directory));
        RaftServerConfigKeys.setRemovedGroupsDir(properties, new File(directory, "removed"));
        RaftServerConfigKeys.setCloseThreshold(properties, TimeDuration.valueOf(PAUSE_SECONDS, TimeUnit.SECONDS));
        GrpcConfigKeys.Server.setHost(properties, settings.raft().getHostString());
        GrpcConfigKeys.Server.setPort(properties, settings.raft().getPort());
        RaftServerConfigKeys.Rpc.setTimeoutMin(properties, millis(ELECTION_MILLIS));
        RaftServerConfigKeys.Rpc.setTimeoutMax(properties, millis(2 * ELECTION_MILLIS));
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
        Settings.Tls tls = settings.tls();
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

    private static RaftPeer peer(ClusterBody.Member member) {
        return RaftPeer.newBuilder()
                .setId(RaftPeerId.valueOf(member.id()))
                .setAddress(member.raft())
                .build();
    }

    @Override
    public @Nullable ClusterBody cluster() {
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
                    state.members());
        } catch (IOException e) {
            throw new OperationFailedException("the consensus of the node does not run: " + e.getMessage(), e);
        }
    }

    @Override
    public synchronized ClusterBody add(ClusterBody.Member member) {
        ClusterBody now = cluster();
        if (now == null || !id.equals(now.leader())) {
            throw new OperationFailedException("node " + settings.name() + " does not lead the cluster; ask again");
        }
        for (ClusterBody.Member other : now.members()) {
            if (other.name().equals(member.name()) && !other.id().equals(member.id())) {
                throw new BadInputException("the cluster has a node " + other.name() + " already, with another store ("
                        + other.id() + "); a new or wiped store needs another --name");
            }
        }
        List<RaftPeer> peers = new ArrayList<>();
        now.members().stream()
                .filter(other -> !other.id().equals(member.id()))
                .forEach(other -> peers.add(peer(other)));
        peers.add(peer(member));
        write(member, peers);
        return Objects.requireNonNull(cluster());
    }

    /** Replicates a member's record, then makes the peers vote. */
    private void write(ClusterBody.Member member, List<RaftPeer> peers) {
        RaftServer running = Objects.requireNonNull(server);
        RaftGroupId joined = Objects.requireNonNull(group);
        try (RaftClient client = RaftClient.newBuilder()
                .setProperties(properties())
                .setParameters(parameters())
                .setRaftGroup(RaftGroup.valueOf(
                        joined, running.getDivision(joined).getRaftConf().getCurrentPeers()))
                .setRetryPolicy(
                        RetryPolicies.retryUpToMaximumCountWithFixedSleep((int) CHANGE_SECONDS * 2, millis(500)))
                .build()) {
            check(client.io().send(Message.valueOf(ByteString.copyFrom(ClusterState.entry(member)))));
            check(client.admin().setConfiguration(peers));
        } catch (IOException e) {
            throw new OperationFailedException(
                    "node " + member.name() + " could not be added to the cluster: " + e.getMessage(), e);
        }
    }

    private static void check(RaftClientReply reply) throws IOException {
        if (!reply.isSuccess()) {
            throw new IOException(String.valueOf(reply.getException()));
        }
    }

    @Override
    public void close() {
        closed = true;
        joining.interrupt();
        RaftServer running;
        synchronized (this) {
            running = server;
        }
        try {
            if (running != null) {
                running.close();
            }
        } catch (IOException e) {
            log.accept("cluster: the consensus could not be closed: " + e.getMessage());
        }
    }
}
