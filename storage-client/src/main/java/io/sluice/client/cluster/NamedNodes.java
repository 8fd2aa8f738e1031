package io.sluice.client.cluster;

import io.sluice.api.node.NodeClient;
import io.sluice.api.node.TableStatus;
import io.sluice.api.transaction.Participants;
import io.sluice.api.wire.ClusterBody;
import io.sluice.client.RemoteNode;
import io.sluice.client.RemoteSettings;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.NodeUnreachableException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.thread.Backoff;
import io.sluice.model.thread.Daemons;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Nodes that a user has named by their addresses, and the cluster that they are in: one node of a cluster stands for
 * all. Asks for the cluster once. Not thread-safe.
 */
public final class NamedNodes {
    /** Nodes answer the question for their cluster at once. */
    private static final long PROBE_MILLIS = 2_000;

    /** Nodes that are asked at once. */
    private static final int MOST_ASKED = 16;

    /** Silence of a node after which an import leaves it out if its replicas are elsewhere, too. */
    private static final long LEAVE_OUT_MILLIS = 20_000;

    /** Silence of a node of a cluster after which a read asks others, and a statement asks to go on without it. */
    private static final long LOST_MILLIS = 2_000;

    /** Time for an answer in a transaction; the largest has 64 MiB to write. */
    private static final long ANSWER_MILLIS = 10_000;

    /** Time for a busy node to say whether it is in a cluster. */
    private static final long ASK_AGAIN_MILLIS = 20_000;

    /** Time for nodes to join a cluster that was just founded. */
    private static final long JOINED_MILLIS = 5_000;

    private static final long ASK_PAUSE_MILLIS = 200;

    private final List<String> names;
    private final Function<String, RemoteSettings> access;
    private @Nullable List<RemoteSettings> settings;
    private @Nullable ClusterBody cluster;
    /** Address of the node that has told the cluster. */
    private @Nullable String clusterFrom;

    private boolean asked;
    /** The last failure if no node answered. */
    private @Nullable OperationFailedException silence;

    /**
     * Nodes of these addresses; asks none of them.
     *
     * @param access settings of a node of an address, with token and certificates
     */
    public NamedNodes(List<String> names, Function<String, RemoteSettings> access) {
        this.names = List.copyOf(names);
        this.access = access;
    }

    /**
     * Settings of the named nodes, or of all members of their cluster.
     *
     * @throws BadInputException when a node's address cannot be read or is named twice, or the nodes are not of one
     *     cluster
     * @throws NodeUnreachableException if nodes answer, and none has joined its cluster yet or has contact to it
     */
    public List<RemoteSettings> settings() {
        List<RemoteSettings> known = settings;
        if (known == null) {
            known = List.copyOf(findSettings());
            settings = known;
        }
        return known;
    }

    private Collection<RemoteSettings> findSettings() {
        Map<String, RemoteSettings> given = new LinkedHashMap<>();
        for (String address : names) {
            RemoteSettings one = access.apply(address);
            if (given.put(one.name(), one) != null) {
                throw new BadInputException("node " + one.name() + " is named twice; name each node once");
            }
        }
        // As a list of nodes alone, they would have no tables.
        ClusterBody found = await(this::isUncertain, RemoteSettings.DEFAULT_READ_PATIENCE_MILLIS);
        if (found == null) {
            return given.values();
        }
        Map<String, RemoteSettings> members = new LinkedHashMap<>();
        for (ClusterBody.Member member : found.members()) {
            RemoteSettings one = access.apply(member.url()).named(member.name());
            members.put(one.name(), one);
        }
        List<RemoteSettings> others = given.values().stream()
                .filter(one -> !members.containsKey(one.name()) && !one.name().equals(clusterFrom))
                .toList();
        ask(others, answer -> {
            if (!answer.isSilent()) {
                ensureMember(answer.node(), answer.orFail(), found);
            }
            return true;
        });
        return members.values();
    }

    /**
     * Checks a node with an address that no member has: that may be another name of a member, or of one that was.
     *
     * @param of the cluster that the node is in
     */
    private static void ensureMember(RemoteSettings node, @Nullable ClusterBody of, ClusterBody cluster) {
        if (of == null) {
            throw new BadInputException("node " + node.name() + " is in no cluster, and another one that is named is;"
                    + " leave it out, or wait until it has joined");
        }
        if (!of.id().equals(cluster.id())) {
            throw new BadInputException("node " + node.name() + " is in another cluster than the others that are named;"
                    + " name nodes of one cluster");
        }
    }

    /**
     * The cluster of the first named node that is in one; null if all that answer are in none. Another node may be
     * about to join.
     *
     * @throws BadInputException when an address cannot be read
     */
    public @Nullable ClusterBody cluster() {
        if (!asked) {
            AtomicBoolean answered = new AtomicBoolean();
            cluster = null;
            silence = null;
            ask(names.stream().map(access).toList(), answer -> {
                if (answer.isSilent()) {
                    // The next one may answer; this one may have left the log of its cluster for some seconds. If none
                    // does, the caller learns so when it uses them.
                    silence = isUncertain() ? silence : (OperationFailedException) answer.failure();
                } else {
                    cluster = answer.orFail();
                    clusterFrom = answer.node().name();
                    answered.set(true);
                }
                return cluster == null;
            });
            silence = answered.get() ? null : silence;
            asked = true;
        }
        return cluster;
    }

    /**
     * The cluster as {@link #cluster} finds it, for an import that begins. Asks again for some seconds if no node
     * answers: a member that answers afterwards would take the import for itself alone. Waits a little for members,
     * too, which join after the cluster is founded.
     *
     * @param wanted number of members that the import needs
     * @throws NodeUnreachableException if nodes answer, and none has joined its cluster yet or has contact to it
     */
    public @Nullable ClusterBody clusterForImport(long patienceMillis, int wanted) {
        ClusterBody found = await(() -> cluster == null && silence != null, Math.min(patienceMillis, ASK_AGAIN_MILLIS));
        return found == null
                ? null
                : await(
                        () -> cluster != null && cluster.members().size() < wanted,
                        Math.min(patienceMillis, JOINED_MILLIS));
    }

    /** Asks again until the answers are clear, or the time is over. */
    private @Nullable ClusterBody await(BooleanSupplier unclear, long millis) {
        long start = System.nanoTime();
        ClusterBody found = cluster();
        while (unclear.getAsBoolean() && System.nanoTime() - start < TimeUnit.MILLISECONDS.toNanos(millis)) {
            Backoff.sleep(ASK_PAUSE_MILLIS, "waiting for nodes to say which cluster they are in");
            asked = false;
            found = cluster();
        }
        if (found == null && isUncertain()) {
            throw Objects.requireNonNull(silence);
        }
        return found;
    }

    /** Whether no node knows its cluster, and one that answers will know it. */
    private boolean isUncertain() {
        return silence instanceof NodeUnreachableException answered && answered.readAgain();
    }

    /**
     * The cluster as {@link #cluster} finds it; null if there is none.
     *
     * @throws OperationFailedException when no node answers, so that they may be in one
     */
    public @Nullable ClusterBody knownCluster() {
        ClusterBody found = cluster();
        if (silence != null) {
            throw silence;
        }
        return found;
    }

    /**
     * A node's answer to the question for its cluster.
     *
     * @param cluster null if it is in none, or after a failure
     */
    public record Answer(
            RemoteSettings node,
            @Nullable ClusterBody cluster,
            @Nullable RuntimeException failure) {
        /** Whether the node does not answer, or says that it cannot tell. */
        boolean isSilent() {
            return failure instanceof OperationFailedException;
        }

        /**
         * Whether the node answers, and is in a cluster.
         *
         * @throws BadInputException when it refuses the question
         */
        public boolean isInCluster() {
            return !isSilent() && orFail() != null;
        }

        /** The cluster; null if it is in none. */
        @Nullable
        ClusterBody orFail() {
            if (failure != null) {
                throw failure;
            }
            return cluster;
        }
    }

    /**
     * Asks nodes for their cluster, in parallel: silent ones cost the time of one.
     *
     * @param more takes the answers in the order of the nodes, until it returns false
     */
    public static void ask(List<RemoteSettings> nodes, Predicate<Answer> more) {
        if (nodes.isEmpty()) {
            return;
        }
        ExecutorService threads =
                Executors.newFixedThreadPool(Math.min(MOST_ASKED, nodes.size()), Daemons.named("sluice-cluster"));
        try {
            List<Future<Answer>> answers = new ArrayList<>();
            nodes.forEach(node -> answers.add(threads.submit(() -> answer(node))));
            for (Future<Answer> answer : answers) {
                if (!more.test(answer.get())) {
                    return;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new OperationFailedException("interrupted while nodes did not tell their cluster", e);
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        } finally {
            threads.shutdownNow();
        }
    }

    private static Answer answer(RemoteSettings node) {
        try {
            return new Answer(node, ask(node), null);
        } catch (RuntimeException e) {
            return new Answer(node, null, e);
        }
    }

    /** Asks a node for its cluster; null if it is in none. */
    public static @Nullable ClusterBody ask(RemoteSettings node) {
        try (RemoteNode client = new RemoteNode(node.withPatience(PROBE_MILLIS, PROBE_MILLIS))) {
            return client.cluster();
        }
    }

    /**
     * Clients for an import, as one, which the caller closes.
     *
     * @param nodes those of the nodes that take part
     * @param replicas number of nodes that hold each range of a new table; null for 1, and for a table on a single node
     *     in no cluster, which is not split into ranges
     * @param giveUpMillis how long a node may be silent before the import is paused
     * @throws BadInputException when there are fewer nodes than replicas
     */
    public NodeClient forImport(List<RemoteSettings> nodes, @Nullable Integer replicas, long giveUpMillis) {
        long patience = patience(replicas, giveUpMillis);
        // A cluster may go on without a node that does not answer; without one, the import needs it anyway.
        long read = cluster() == null ? patience : Math.min(RemoteSettings.DEFAULT_READ_PATIENCE_MILLIS, patience);
        return forImport(nodes, replicas, giveUpMillis, read, patience);
    }

    /** As the other method, for all nodes and a process that also reads: reads do not wait as long as imports. */
    public NodeClient forImportAndReads(@Nullable Integer replicas, long giveUpMillis) {
        long patience = patience(replicas, giveUpMillis);
        return forImport(settings(), replicas, giveUpMillis, RemoteSettings.DEFAULT_READ_PATIENCE_MILLIS, patience);
    }

    private NodeClient forImport(
            List<RemoteSettings> nodes, @Nullable Integer replicas, long giveUpMillis, long read, long write) {
        Map<String, NodeClient> clients = clients(
                nodes.stream().map(each -> each.withPatience(read, write)).toList());
        if (clients.size() == 1 && replicas == null && cluster() == null) {
            return clients.values().iterator().next();
        }
        return new Cluster(clients, replicas == null ? 1 : replicas, log(), giveUpMillis);
    }

    /**
     * Clients for tables that are there, as one, which the caller closes. In a cluster, others may have what a node
     * without an answer has, so a command waits less for it than for one of a plain list.
     */
    public Cluster forReads() {
        ClusterLog log = log();
        List<RemoteSettings> all = settings();
        List<RemoteSettings> patient = log == null
                ? all
                : all.stream()
                        .map(one -> one.withPatience(LOST_MILLIS, one.patience().importMillis()))
                        .toList();
        return new Cluster(clients(patient), 1, log, 0);
    }

    /**
     * Checks that the named nodes have all ranges of a table, if it is there. The client of an import for one node
     * knows no others, and would take the node's part for the table.
     *
     * @throws OperationFailedException naming the ranges that cannot be read
     */
    public void requireWhole(String table) {
        if (settings().size() == 1 && cluster() == null) {
            TableStatus found = null;
            try (Cluster one = forReads()) {
                found = one.table(table);
            } catch (NodeUnreachableException e) {
                // The import waits longer for the node, and says so.
            }
            if (found != null && found.incomplete() != null) {
                throw new OperationFailedException(found.incomplete());
            }
        }
    }

    /**
     * The nodes as transactions on several of them use them; the caller closes them, as one. A cluster goes on without
     * a node that does not answer, so a request does not wait for it as long as one to a node of a plain list.
     *
     * @throws BadInputException when a node's address cannot be read or is named twice
     */
    public Participants participants() {
        ClusterLog log = log();
        Map<String, RemoteNode> clients = new LinkedHashMap<>();
        for (RemoteSettings one : settings()) {
            RemoteSettings patient = log == null
                    ? one
                    : one.withPatience(LOST_MILLIS, one.patience().importMillis())
                            .withAnswerMillis(ANSWER_MILLIS);
            clients.put(one.name(), new RemoteNode(patient));
        }
        Map<String, String> ids = new LinkedHashMap<>();
        ClusterBody found = cluster();
        if (found != null) {
            found.members().forEach(member -> ids.put(access.apply(member.url()).name(), member.id()));
        }
        return new ClusterParticipants(clients, ids, log);
    }

    private @Nullable ClusterLog log() {
        ClusterBody found = cluster();
        return found == null ? null : new ClusterLog(found, access);
    }

    private static Map<String, NodeClient> clients(List<RemoteSettings> settings) {
        Map<String, NodeClient> clients = new LinkedHashMap<>();
        settings.forEach(each -> clients.put(each.name(), new RemoteNode(each)));
        return clients;
    }

    /** Waiting time of an import for an answer: less if it may go on without the node. */
    private long patience(@Nullable Integer replicas, long giveUpMillis) {
        boolean dispensable = replicas != null && replicas > 1 && cluster() != null;
        return dispensable ? Math.min(LEAVE_OUT_MILLIS, giveUpMillis) : giveUpMillis;
    }
}
