package io.sluice.node.cluster;

import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.RangeDirectory;
import io.sluice.api.wire.ChecksumBody;
import io.sluice.api.wire.ClusterBody;
import io.sluice.api.wire.ClusterChange;
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
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
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

    /** Most problems in the log until there is a leader. */
    private static final int MOST_TOLD = 100;

    private static final long PROBE_MILLIS = 2_000;
    private static final long CHANGE_SECONDS = 20;
    private static final long TRANSFER_MILLIS = 5_000;

    /** Time between two checks of the cluster by a node that has joined. */
    private static final long WATCH_MILLIS = 1_000;

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
    private final Host host;
    private final ClusterState state;
    private final Thread joining = new Thread(this::join, "cluster");
    private volatile @Nullable RaftServer server;
    private volatile @Nullable RaftGroupId group;
    private volatile boolean closed;
    private boolean allAnswer;
    private ClusterBody.@Nullable Member self;
    /** The problems that were logged since the node last knew a leader. */
    private final Set<String> told = new HashSet<>();

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

    /** The node, as its membership uses it. */
    public interface Host {
        /** Receives a line for each change. */
        void log(String line);

        /** Records durably where a table's ranges are now. The log may repeat it. */
        void moved(int tableId, RangeDirectory directory, List<IndexChecksum> published);

        /**
         * The node was removed from the cluster: it must end, since its tables are outdated.
         *
         * @param why the reason, as a sentence
         */
        void removed(String why);
    }

    /**
     * Creates a membership.
     *
     * @param id id of the node's store
     * @throws BadInputException if the address for the consensus is not of this machine alone, or in use
     */
    public ClusterMember(Settings settings, String id, Host host) {
        this.settings = settings;
        this.id = id;
        this.host = host;
        state = new ClusterState(table ->
                host.moved(table.tableId(), table.directory().toDirectory(), ChecksumBody.toSums(table.published())));
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
        boolean joined = false;
        for (int tries = 1; !closed; tries++) {
            try {
                joined = joined || tryToJoin();
                if (joined && !watch()) {
                    return;
                }
            } catch (SluiceException | IOException e) {
                report(String.valueOf(e.getMessage()));
            }
            try {
                Thread.sleep(joined ? WATCH_MILLIS : BACKOFF.jitteredMillis(tries));
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    /**
     * Keeps the cluster's knowledge of this node true: a member that a change left out, or whose address is another
     * one, asks the leader to add it; a leader finishes a change of the voters that was interrupted.
     *
     * @return false if the node was removed
     */
    private boolean watch() throws IOException {
        if (state.wasRemoved(id)) {
            host.removed("node " + settings.name() + " was removed from its cluster, and its tables are outdated;"
                    + " to use it again, start it with a new --store");
            return false;
        }
        ClusterBody now = cluster();
        if (now != null && id.equals(now.leader())) {
            letVote(now.members());
        } else if (now == null || now.leader() == null || !now.members().contains(self())) {
            ClusterBody found = ask();
            RaftGroupId own = group;
            if (found != null
                    && own != null
                    && found.id().equals(own.getUuid().toString())
                    && !found.members().contains(self())) {
                try {
                    joinTo(found);
                } catch (BadInputException e) {
                    host.removed(String.valueOf(e.getMessage()));
                    return false;
                }
            }
        }
        if (now != null && now.leader() != null) {
            synchronized (told) {
                told.clear();
            }
        }
        return true;
    }

    /** Logs a problem once, however often it repeats while there is no leader. */
    private void report(String problem) {
        synchronized (told) {
            if (closed || told.size() >= MOST_TOLD || !told.add(problem)) {
                return;
            }
        }
        host.log("cluster: " + problem);
    }

    private boolean tryToJoin() throws IOException {
        RaftGroupId stored = storedGroup();
        if (stored != null) {
            open(stored, RaftGroup.valueOf(stored), RaftStorage.StartupOption.RECOVER);
            host.log("cluster " + stored.getUuid() + ": " + settings.name() + " is back");
            return true;
        }
        allAnswer = true;
        ClusterBody found = ask();
        if (found != null) {
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
                ClusterBody one = node.cluster();
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
        RaftGroupId id = RaftGroupId.valueOf(UUID.randomUUID());
        open(id, RaftGroup.valueOf(id, peer(self())), RaftStorage.StartupOption.FORMAT);
        write(ClusterChange.adding(self()));
        host.log("cluster " + id.getUuid() + ": founded by " + settings.name());
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
            ClusterBody now = node.change(ClusterChange.adding(self()));
            host.log("cluster " + cluster.id() + ": " + settings.name() + " joined "
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
    public synchronized ClusterBody change(ClusterChange change) {
        ClusterBody now = cluster();
        if (now == null || !id.equals(now.leader())) {
            throw new OperationFailedException("node " + settings.name() + " does not lead the cluster; ask again");
        }
        ClusterBody.Member added = change.added();
        if (added != null) {
            checkNew(added, now);
        }
        if (added == null
                && now.members().stream().allMatch(member -> change.removed().contains(member.id()))) {
            throw new BadInputException("these are all nodes of the cluster; at least one must stay");
        }
        if (change.removed().contains(id)) {
            resign(now, change.removed());
            throw new OperationFailedException("node " + settings.name() + " led the cluster until now; ask again");
        }
        write(change);
        return Objects.requireNonNull(cluster());
    }

    private void checkNew(ClusterBody.Member added, ClusterBody now) {
        for (ClusterBody.Member other : now.members()) {
            if (other.name().equals(added.name()) && !other.id().equals(added.id())) {
                throw new BadInputException("the cluster has a node " + other.name() + " already, with another store ("
                        + other.id() + "); a new or wiped store needs another --name");
            }
        }
        if (state.wasRemoved(added.id())) {
            throw new BadInputException("node " + added.name() + " was removed from the cluster, and its tables are"
                    + " outdated; to use it again, start it with a new --store");
        }
    }

    /** Lets another node lead: one that is removed cannot finish the change. */
    private void resign(ClusterBody now, List<String> leaving) {
        for (ClusterBody.Member other : now.members()) {
            if (!leaving.contains(other.id())) {
                try (RaftClient client = client()) {
                    if (client.admin()
                            .transferLeadership(RaftPeerId.valueOf(other.id()), TRANSFER_MILLIS)
                            .isSuccess()) {
                        return;
                    }
                } catch (IOException e) {
                    report("node " + other.name() + " did not take over: " + e.getMessage());
                }
            }
        }
        throw new OperationFailedException(
                "node " + settings.name() + " leads the cluster, and no other node can take over; it is not removed");
    }

    /** Replicates a change, then lets the members vote. */
    private void write(ClusterChange change) {
        try (RaftClient client = client()) {
            check(client.io().send(Message.valueOf(ByteString.copyFrom(ClusterState.entry(change)))));
            letVote(state.members());
        } catch (IOException e) {
            throw new OperationFailedException("the cluster could not be changed: " + e.getMessage(), e);
        }
    }

    /** Makes the members the voters, if they are not. */
    private void letVote(List<ClusterBody.Member> members) throws IOException {
        List<RaftPeer> peers = members.stream().map(ClusterMember::peer).toList();
        Set<String> wanted = new HashSet<>();
        peers.forEach(peer -> wanted.add(peer.getId() + " " + peer.getAddress()));
        Set<String> voting = new HashSet<>();
        voters().forEach(peer -> voting.add(peer.getId() + " " + peer.getAddress()));
        if (!wanted.equals(voting)) {
            try (RaftClient client = client()) {
                check(client.admin().setConfiguration(peers));
            }
        }
    }

    private Collection<RaftPeer> voters() throws IOException {
        return Objects.requireNonNull(server)
                .getDivision(Objects.requireNonNull(group))
                .getRaftConf()
                .getCurrentPeers();
    }

    private RaftClient client() throws IOException {
        return RaftClient.newBuilder()
                .setProperties(properties())
                .setParameters(parameters())
                .setRaftGroup(RaftGroup.valueOf(Objects.requireNonNull(group), voters()))
                .setRetryPolicy(
                        RetryPolicies.retryUpToMaximumCountWithFixedSleep((int) CHANGE_SECONDS * 2, millis(500)))
                .build();
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
            host.log("cluster: the consensus could not be closed: " + e.getMessage());
        }
    }
}
