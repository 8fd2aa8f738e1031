package io.sluice.cli.cluster;

import io.sluice.api.wire.ClusterBody;
import io.sluice.api.wire.ClusterBody.Member;
import io.sluice.api.wire.ClusterChange;
import io.sluice.cli.output.Console;
import io.sluice.cli.remote.RemoteOptions;
import io.sluice.client.RemoteNode;
import io.sluice.client.RemoteSettings;
import io.sluice.client.cluster.ClusterLog;
import io.sluice.client.cluster.Repair;
import io.sluice.client.cluster.ReplicaPlan;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.thread.Backoff;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A cluster for its operator: its members by name, its leader, and clients of all members. */
final class ClusterAccess implements Repair.Effects, AutoCloseable {
    /** Time for which a node may be silent; then the work is planned again without it. */
    private static final long PATIENCE_MILLIS = 10_000;

    private static final double NANOS_PER_SECOND = 1e9;
    private static final long NANOS_PER_MILLI = 1_000_000;

    private final String command;
    private final RemoteOptions nodes;
    private final Console console;
    private final long bytesPerSecond;
    private final ClusterBody cluster;
    private final ClusterLog log;
    private final Map<String, RemoteNode> clients = new LinkedHashMap<>();
    /** When the bytes that were sent so far may all have passed. */
    private long freeNanos = System.nanoTime();

    private long sentBytes;

    /**
     * Asks for the cluster.
     *
     * @param command the command without the program's name
     * @param bytesPerSecond limit of copied bytes; 0: none
     * @throws BadInputException if no node was named, or it is in no cluster
     */
    ClusterAccess(String command, RemoteOptions nodes, Console console, long bytesPerSecond) {
        this.command = command;
        this.nodes = nodes;
        this.console = console;
        this.bytesPerSecond = bytesPerSecond;
        cluster = nodes.requireCluster();
        log = new ClusterLog(cluster, nodes::settings);
    }

    ClusterBody cluster() {
        return cluster;
    }

    /** Clients of all members, by node id; closed with this. */
    Map<String, RemoteNode> clients() {
        if (clients.isEmpty()) {
            for (Member member : cluster.members()) {
                RemoteSettings settings = nodes.settings(member.url())
                        .named(member.name())
                        .withPatience(PATIENCE_MILLIS, PATIENCE_MILLIS);
                clients.put(member.id(), new RemoteNode(settings));
            }
        }
        return clients;
    }

    /**
     * Finds a member.
     *
     * @param name its name, address or id
     * @throws BadInputException if there is none, and the message lists all; or if several have it
     */
    Member member(String name) {
        Member found = find(cluster, name);
        if (found == null) {
            throw new BadInputException("the cluster has no node " + name + "; it has "
                    + cluster.members().stream().map(Member::name).collect(Collectors.joining(", ")));
        }
        return found;
    }

    /**
     * The member of a name, address or id; null if there is none. A node may have the address of another one as its
     * name, and a new node the address of a lost one.
     *
     * @throws BadInputException if several have it
     */
    static @Nullable Member find(ClusterBody cluster, String name) {
        List<Member> found = cluster.members().stream()
                .filter(member -> member.name().equals(name)
                        || member.id().equals(name)
                        || member.url().equals(name)
                        || member.url().endsWith("//" + name))
                .toList();
        if (found.size() > 1) {
            throw new BadInputException(name + " is the name or address of several nodes: "
                    + found.stream()
                            .map(member -> member.name() + " (" + member.url() + ", id " + member.id() + ")")
                            .collect(Collectors.joining(", "))
                    + "; name the node by its id");
        }
        return found.isEmpty() ? null : found.get(0);
    }

    /**
     * Checks that a member answers, and is no other store at its address.
     *
     * @throws OperationFailedException if not
     */
    void ensureUp(Member member) {
        String id = Objects.requireNonNull(clients().get(member.id())).status().id();
        if (!id.equals(member.id())) {
            throw new OperationFailedException("node " + described(member.id()) + ": another store, " + id
                    + ", answers at its address; start the node with its own store");
        }
    }

    @Override
    public String command() {
        return command;
    }

    @Override
    public void change(ClusterChange change) {
        log.write(change);
    }

    @Override
    public void passing(long bytes) {
        sentBytes += bytes;
        if (bytesPerSecond == 0) {
            return;
        }
        // Unused time expires.
        freeNanos = Math.max(freeNanos, System.nanoTime());
        long wait = freeNanos - System.nanoTime();
        freeNanos += (long) (bytes * NANOS_PER_SECOND / bytesPerSecond);
        if (wait > 0) {
            Backoff.sleep(1 + wait / NANOS_PER_MILLI, "waiting because of --max-rate");
        }
    }

    @Override
    public void copied(ReplicaPlan.Copy copy) {
        log("table " + copy.table() + ": range " + copy.range() + " copied from " + described(copy.source()) + " to "
                + described(copy.target()) + "; " + sentBytes + " bytes sent so far");
    }

    @Override
    public void log(String line) {
        console.log(line);
    }

    @Override
    public String address(String node) {
        Member member = byId(node);
        return member == null ? "" : RemoteSettings.of(member.url()).name();
    }

    @Override
    public String described(String node) {
        Member member = byId(node);
        return member == null ? node : member.name() + " (" + address(node) + ")";
    }

    private @Nullable Member byId(String id) {
        return cluster.members().stream()
                .filter(member -> member.id().equals(id))
                .findFirst()
                .orElse(null);
    }

    @Override
    public void close() {
        clients.values().forEach(RemoteNode::close);
    }
}
