package io.sluice.node.cluster;

import io.sluice.api.wire.ClusterBody.Member;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.file.DurableFiles;
import io.sluice.model.thread.Daemons;
import java.io.File;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.ratis.RaftConfigKeys;
import org.apache.ratis.client.RaftClient;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.grpc.GrpcConfigKeys;
import org.apache.ratis.grpc.GrpcTlsConfig;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.util.SizeInBytes;
import org.apache.ratis.util.TimeDuration;
import org.jspecify.annotations.Nullable;

/**
 * The Ratis server of a node, with one group, the cluster. It starts when the node founds the cluster, joins it, or
 * finds its log in the store, and starts again after a failure.
 *
 * <pre>
 *            found, await, recover             an entry fails
 *   CREATED ----------------------> FOLLOWING ----------------> LEFT
 *      |                            |      ^                    |  |
 *      |                            |      +--- after a pause --+  |
 *      +----------- close ----------+------------- close ----------+---> CLOSED
 * </pre>
 *
 * <p>A server leaves because later entries would have other effects than elsewhere without one that could not be
 * applied; and Ratis writes no entry any more after one that it could not write. Then the log is read again, and
 * applied from its last snapshot on.
 */
final class ConsensusServer implements AutoCloseable {
    static final int RETRY_MILLIS = 500;

    /** Milliseconds without a leader after which a node stands for election; 1 to 2 s do not flap on a busy machine. */
    static final int ELECTION_MILLIS = 1_000;

    /** A pause of the process of up to ten minutes does not close the server. */
    private static final int PAUSE_SECONDS = 600;

    /** Some 2 MB of decisions about transactions. */
    private static final long SNAPSHOT_ENTRIES = 10_000;

    private static final SizeInBytes SEGMENT = SizeInBytes.valueOf("4MB");
    private static final SizeInBytes APPENDER = SizeInBytes.valueOf("1MB");
    private static final SizeInBytes BUFFER = SizeInBytes.valueOf("2MB");

    /**
     * Pauses of the leader before it tries again to reach another node: 10 of 1 ms, then of 1 s. By default it comes to
     * pause for 5 s, by which a node would come back later.
     */
    private static final String APPENDER_RETRIES = "1ms,10, 1s,1000000000";

    /** The shaded gRPC logs its start with java.util.logging; a static reference keeps the level. */
    private static final Logger GRPC = Logger.getLogger("org.apache.ratis.thirdparty");

    private enum State {
        CREATED,
        FOLLOWING,
        LEFT,
        CLOSED
    }

    private final ClusterMember.Settings settings;
    private final String id;
    private final ClusterState cluster;
    private final Path directory;
    /** Guarded by this. */
    private State state = State.CREATED;
    /** Number of starts; guarded by this. */
    private int starts;

    private volatile @Nullable Joined joined;
    private volatile @Nullable String failure;

    /**
     * The latest server that was started, and its group.
     *
     * @param start number of the start
     */
    record Joined(RaftServer server, RaftGroupId group, int start) {
        RaftServer.Division division() throws IOException {
            return server.getDivision(group);
        }

        String clusterId() {
            return group.getUuid().toString();
        }
    }

    /**
     * Creates a server that is not started.
     *
     * @param id id of the node's store
     * @param cluster receives the entries of the log
     * @throws BadInputException if the address is not of this machine alone, or in use
     */
    ConsensusServer(ClusterMember.Settings settings, String id, ClusterState cluster) {
        this.settings = settings;
        this.id = id;
        this.cluster = cluster;
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

    /** The running server, or one that has left; null if none was started. */
    @Nullable
    Joined joined() {
        return joined;
    }

    /** The id of the cluster that the server takes part in; null if it is not started. */
    @Nullable
    String clusterId() {
        Joined now = joined;
        return now == null ? null : now.clusterId();
    }

    /** Starts with a new cluster, which has this node alone; returns the cluster's id. */
    String found(Member self) throws IOException {
        RaftGroupId founded = RaftGroupId.valueOf(UUID.randomUUID());
        start(founded, RaftGroup.valueOf(founded, peer(self)));
        return founded.getUuid().toString();
    }

    /** Starts without peers, if not started: waits for the leader to add it, and does not stand for election. */
    void await(String clusterId) throws IOException {
        RaftGroupId group = RaftGroupId.valueOf(UUID.fromString(clusterId));
        start(group, RaftGroup.valueOf(group));
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

    /** Whether the store has the log of a cluster, so that this node was a member. */
    boolean hasLog() {
        try {
            return storedGroup() != null;
        } catch (IOException e) {
            throw new OperationFailedException("the log of the cluster cannot be read: " + e.getMessage(), e);
        }
    }

    private @Nullable RaftGroupId storedGroup() throws IOException {
        for (Path group : groups()) {
            if (hasEntries(group)) {
                return RaftGroupId.valueOf(UUID.fromString(String.valueOf(group.getFileName())));
            }
        }
        return null;
    }

    private List<Path> groups() throws IOException {
        return DurableFiles.list(directory).stream()
                .filter(path -> String.valueOf(path.getFileName()).matches("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"))
                .toList();
    }

    /**
     * Whether a group has a log or a snapshot. A node that ended before the first entry knows no voters, and would wait
     * for them without end; it has never voted, except for itself in a cluster that it founded alone.
     */
    private static boolean hasEntries(Path group) throws IOException {
        List<Path> files = new ArrayList<>(DurableFiles.list(group.resolve("current")));
        files.addAll(DurableFiles.list(group.resolve("sm")));
        return files.stream()
                .map(file -> String.valueOf(file.getFileName()))
                .anyMatch(name -> name.startsWith("log_") || name.startsWith("snapshot."));
    }

    private synchronized void start(RaftGroupId group, @Nullable RaftGroup peers) throws IOException {
        if (state == State.CREATED) {
            for (Path other : groups()) {
                if (!hasEntries(other)) {
                    DurableFiles.deleteTree(other);
                }
            }
            follow(group, peers);
        }
    }

    /** @param peers null: those of the log */
    private void follow(RaftGroupId group, @Nullable RaftGroup peers) throws IOException {
        Files.createDirectories(directory);
        int start = ++starts;
        RaftServer.Builder builder = RaftServer.newBuilder()
                .setServerId(RaftPeerId.valueOf(id))
                .setStateMachine(new ClusterStateMachine(cluster, why -> leave(start, why)))
                .setProperties(properties())
                .setParameters(parameters());
        RaftServer created = (peers == null
                        ? builder.setOption(RaftStorage.StartupOption.RECOVER)
                        : builder.setOption(RaftStorage.StartupOption.FORMAT).setGroup(peers))
                .build();
        start(created);
        joined = new Joined(created, group, start);
        state = State.FOLLOWING;
        failure = null;
    }

    /** Starts a server, or closes it: it has locked its directory. Ratis wraps failures in unchecked exceptions. */
    private static void start(RaftServer server) throws IOException {
        try {
            server.start();
        } catch (IOException | RuntimeException e) {
            try {
                server.close();
            } catch (IOException | RuntimeException closing) {
                e.addSuppressed(closing);
            }
            Throwable cause = e instanceof CompletionException && e.getCause() != null ? e.getCause() : e;
            throw new IOException("the consensus cannot start: " + cause.getMessage(), e);
        }
    }

    /**
     * Closes the server, and starts it again with its log some seconds later. Does nothing if that was done meanwhile.
     *
     * @param start number of the start of the server to close
     * @param why {@link #failure} until then
     */
    synchronized void leave(int start, String why) {
        Joined failed = joined;
        if (failed == null || failed.start() != start || state != State.FOLLOWING) {
            return;
        }
        state = State.LEFT;
        failure = why;
        Daemons.thread("cluster-restart", () -> restart(failed, why)).start();
    }

    private void restart(Joined failed, String why) {
        try {
            // Waits for the threads that apply and write entries, of which one called.
            failed.server().close();
        } catch (IOException e) {
            failure = why + "; it could not be closed: " + e.getMessage();
        }
        try {
            boolean ended = false;
            while (!ended) {
                // By then the contact to most members, of before the failure, does not count any more.
                TimeUnit.MILLISECONDS.sleep(settings.contactMillis() + RETRY_MILLIS);
                ended = comeBack(failed.group(), why);
            }
        } catch (InterruptedException e) {
            // The JVM ends.
            Thread.currentThread().interrupt();
        }
    }

    private synchronized boolean comeBack(RaftGroupId group, String why) {
        try {
            if (state == State.LEFT) {
                follow(group, null);
            }
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

    /** A builder of clients that connect as this server does. */
    RaftClient.Builder client() {
        return RaftClient.newBuilder().setProperties(properties()).setParameters(parameters());
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
        // By default 10 s, in which the member with the most entries may be the only one that can lead.
        RaftServerConfigKeys.LeaderElection.setLeaderStepDownWaitTime(properties, millis(ELECTION_MILLIS));
        RaftServerConfigKeys.Read.setOption(properties, RaftServerConfigKeys.Read.Option.LINEARIZABLE);
        RaftServerConfigKeys.Snapshot.setAutoTriggerEnabled(properties, true);
        RaftServerConfigKeys.Snapshot.setAutoTriggerThreshold(properties, SNAPSHOT_ENTRIES);
        RaftServerConfigKeys.Snapshot.setRetentionFileNum(properties, 2);
        RaftServerConfigKeys.Log.setPurgeUptoSnapshotIndex(properties, true);
        RaftServerConfigKeys.Log.setSegmentSizeMax(properties, SEGMENT);
        RaftServerConfigKeys.Log.setPreallocatedSize(properties, APPENDER);
        RaftServerConfigKeys.Log.setWriteBufferSize(properties, BUFFER);
        RaftConfigKeys.Rpc.setType(properties, new StrictRaftRpc());
        RaftServerConfigKeys.Log.setAppendEntriesComposeEnabled(properties, false);
        RaftServerConfigKeys.Log.Appender.setBufferByteLimit(properties, APPENDER);
        RaftServerConfigKeys.Log.Appender.setRetryPolicy(properties, APPENDER_RETRIES);
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

    static TimeDuration millis(int count) {
        return TimeDuration.valueOf(count, TimeUnit.MILLISECONDS);
    }

    static RaftPeer peer(Member member) {
        return RaftPeer.newBuilder()
                .setId(RaftPeerId.valueOf(member.id()))
                .setAddress(member.raft())
                .build();
    }

    @Override
    public void close() throws IOException {
        Joined running;
        synchronized (this) {
            state = State.CLOSED;
            running = joined;
        }
        if (running != null) {
            running.server().close();
        }
    }
}
