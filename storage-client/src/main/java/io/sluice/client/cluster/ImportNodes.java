package io.sluice.client.cluster;

import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.RangeDirectory;
import io.sluice.api.wire.ClusterChange;
import io.sluice.model.error.NodeUnreachableException;
import io.sluice.model.error.SluiceException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The nodes that take part in an import, and the directory of its ranges. In a cluster, a node that does not answer is
 * left out if every range is on another node and most members of the cluster remain:
 *
 * <ol>
 *   <li>an entry of the cluster's log has the directory without it. When the node is back, it undoes its import;
 *   <li>every other node stores that directory;
 *   <li>the import goes on. A table that it publishes does not name the node.
 * </ol>
 *
 * <p>Two attempts at one import cannot go on with disjoint nodes, since each has most members: one fences the other.
 */
final class ImportNodes {
    private final NodePool pool;
    private final @Nullable ClusterLog log;
    private final UUID importId;
    private final long giveUpNanos;
    private final List<String> warnings = new ArrayList<>();
    private volatile List<MemberSession> live;
    private volatile RangeDirectory directory;
    /** The directory that nodes have or are about to get; the base of the next change. Guarded by this. */
    private RangeDirectory latest;
    /** Epoch of the last directory with other bounds of ranges than the one before. */
    private volatile long boundsEpoch;

    /**
     * Creates the nodes of an import, all of which have the directory.
     *
     * @param log the log of the cluster; null: the nodes are in none, and none is left out
     * @param giveUpNanos how long a node that cannot be left out may not answer
     */
    ImportNodes(
            NodePool pool,
            @Nullable ClusterLog log,
            UUID importId,
            long giveUpNanos,
            List<MemberSession> branches,
            RangeDirectory directory) {
        this.pool = pool;
        this.log = log;
        this.importId = importId;
        this.giveUpNanos = giveUpNanos;
        live = List.copyOf(branches);
        this.directory = directory;
        latest = directory;
        boundsEpoch = directory.epoch();
    }

    /** The nodes that take part, in the order of placement. */
    List<MemberSession> live() {
        return live;
    }

    RangeDirectory directory() {
        return directory;
    }

    /** Whether keys that were cut or numbered for an epoch have the same ranges now. */
    boolean hasSameBounds(long epoch) {
        return epoch >= boundsEpoch;
    }

    /** One sentence about each node that was left out. */
    synchronized List<String> warnings() {
        return List.copyOf(warnings);
    }

    synchronized boolean anyLeftOut() {
        return !warnings.isEmpty();
    }

    /** Adds a warning about each member of the cluster that an earlier attempt has left out. */
    synchronized void warnOfEarlierAttempts() {
        ClusterLog cluster = log;
        if (cluster == null || directory.missing() == 0) {
            return;
        }
        cluster.nodes().forEach((id, described) -> {
            if (!directory.addresses().containsKey(id)) {
                warnings.add("node " + described + " was left out by an earlier attempt: its key ranges have"
                        + " one replica less");
            }
        });
        if (warnings.isEmpty()) {
            warnings.add("an earlier attempt has left out nodes that are not in the cluster any more: "
                    + directory.missing() + " replicas of key ranges are missing");
        }
    }

    /** Sends a directory with other bounds to all nodes; on return, every node has it durably. */
    synchronized void assign(RangeDirectory next) {
        RangeDirectory addressed = next.at(addresses(live));
        latest = addressed;
        boundsEpoch = addressed.epoch();
        for (MemberSession branch : live) {
            // If a node is left out meanwhile, the others get the directory without it.
            if (latest.epoch() == addressed.epoch()) {
                Boolean unused = ask(branch, each -> {
                    each.session().assign(addressed);
                    return true;
                });
            }
        }
        directory = latest;
    }

    private static Map<String, String> addresses(List<MemberSession> branches) {
        Map<String, String> addresses = new LinkedHashMap<>();
        branches.forEach(
                branch -> addresses.put(branch.member().id(), branch.member().name()));
        return addresses;
    }

    /**
     * Sends a request to a node; repeats it while the node does not answer and cannot be left out.
     *
     * @return null if the node was left out
     * @throws NodeUnreachableException when it cannot be left out, and does not answer for too long
     */
    <T> @Nullable T ask(MemberSession branch, Function<MemberSession, T> request) {
        long start = System.nanoTime();
        while (live.contains(branch)) {
            try {
                return request.apply(branch);
            } catch (NodeUnreachableException e) {
                NodeUnreachableException needed = leaveOut(branch, e);
                if (needed != null && System.nanoTime() - start >= giveUpNanos) {
                    throw needed;
                }
            } catch (RuntimeException e) {
                // A node that was left out may be back, without the import.
                if (live.contains(branch)) {
                    throw e;
                }
            }
        }
        return null;
    }

    /** Sends a request to all nodes in parallel; the answers of those that were not left out. */
    <T> List<T> all(Function<MemberSession, T> request) {
        return pool.all(live, branch -> Optional.ofNullable(ask(branch, request))).stream()
                .flatMap(Optional::stream)
                .toList();
    }

    /** Sends a request to all nodes in parallel. */
    void each(Consumer<MemberSession> request) {
        List<Boolean> unused = all(branch -> {
            request.accept(branch);
            return true;
        });
    }

    /**
     * Publishes the table on all nodes; in a cluster, by an entry of its log. On return, all nodes that were not left
     * out have published it.
     */
    void publish(int tableId, List<IndexChecksum> sums) {
        if (log != null) {
            log.write(ClusterChange.publishing(ClusterChange.Published.of(importId, tableId, sums)));
        }
        each(branch -> branch.session().publish(sums));
    }

    private synchronized @Nullable NodeUnreachableException leaveOut(
            MemberSession branch, NodeUnreachableException failure) {
        if (!live.contains(branch)) {
            return null;
        }
        return leaveOut(Set.of(branch.member().id()), failure);
    }

    /**
     * Leaves nodes out of the import.
     *
     * @param gone ids of the nodes; those without a range may be missing
     * @return null if they are left out; the exception to throw if the import needs them
     */
    synchronized @Nullable NodeUnreachableException leaveOut(Set<String> gone, NodeUnreachableException failure) {
        ClusterLog cluster = log;
        if (cluster == null) {
            return failure;
        }
        List<MemberSession> rest = live.stream()
                .filter(branch -> !gone.contains(branch.member().id()))
                .toList();
        RangeDirectory next = latest;
        for (String id : gone) {
            next = next.without(id);
        }
        next = next.atEpoch(latest.epoch() + 1).at(addresses(rest));
        if (rest.size() * 2 <= cluster.members()) {
            return needed(failure, "the import needs most of the cluster's nodes", null);
        }
        if (next.ranges().stream().anyMatch(range -> range.nodes().isEmpty())) {
            return needed(failure, "no other node of this import has some of its key ranges", null);
        }
        int table = rest.get(0).session().table().id();
        try {
            cluster.write(ClusterChange.moving(ClusterChange.Moved.ofImport(importId, table, next)));
        } catch (SluiceException e) {
            return needed(failure, "it could not be left out: " + e.getMessage(), e);
        }
        boolean held = latest.ranges().stream()
                .anyMatch(range -> range.nodes().stream().anyMatch(gone::contains));
        warnings.add("node " + describe(cluster, gone, failure) + " did not answer and was left out"
                + (held ? ": its key ranges have one replica less" : ""));
        latest = next;
        live = rest;
        for (MemberSession branch : rest) {
            RangeDirectory addressed = next;
            if (latest.epoch() == addressed.epoch()) {
                Boolean unused = ask(branch, each -> {
                    each.session().assign(addressed);
                    return true;
                });
            }
        }
        directory = latest;
        return null;
    }

    private String describe(ClusterLog cluster, Collection<String> gone, NodeUnreachableException failure) {
        String named = gone.stream()
                .map(id -> latest.addresses().get(id))
                .filter(address -> address != null)
                .map(cluster::describe)
                .sorted()
                .collect(Collectors.joining(", "));
        return named.isEmpty() ? failure.described() : named;
    }

    private static NodeUnreachableException needed(
            NodeUnreachableException failure, String why, @Nullable SluiceException suppressed) {
        NodeUnreachableException needed = new NodeUnreachableException(
                failure.node(),
                failure.described(),
                "node " + failure.described() + " does not answer, and " + why,
                failure);
        if (suppressed != null) {
            needed.addSuppressed(suppressed);
        }
        return needed;
    }
}
