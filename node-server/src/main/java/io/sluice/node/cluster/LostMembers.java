package io.sluice.node.cluster;

import io.sluice.api.node.NodeClient;
import io.sluice.api.wire.ClusterBody;
import io.sluice.api.wire.ClusterBody.Suspect;
import io.sluice.api.wire.ClusterChange;
import io.sluice.client.RemoteNode;
import io.sluice.client.RemoteSettings;
import io.sluice.client.cluster.Cluster;
import io.sluice.client.cluster.ClusterLog;
import io.sluice.model.error.SluiceException;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Leaves lost members out, on the leader: moves tables off those that were suspected for long enough. By then each of
 * them serves no rows: it either knows of the suspicion, or has had no contact to most members since. Used by one
 * thread.
 */
final class LostMembers {
    /**
     * Time beyond the one after which a member without contact serves no rows. One that is cut off together with its
     * leader takes the leader's word for contact until that steps down, 2 s after the last answer of most members; the
     * others have a new leader, which counts this time, after 1 s at the earliest.
     */
    private static final long MARGIN_MILLIS = 2_000;

    private static final long ANSWER_MILLIS = 5_000;
    private static final long PATIENCE_MILLIS = 1_000;
    /** Pause between two looks for tables that still have a member that is left out; each asks all others. */
    private static final long LOOK_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final ClusterMember.Settings settings;
    private final String id;
    private final ClusterState state;
    private final RaftNode raft;
    private final ClusterMember.Host host;
    /**
     * When this node, as the leader, first saw each suspicion, by token. The clock may stand still while the machine is
     * suspended, which makes the wait longer.
     */
    private final Map<String, Long> since = new HashMap<>();
    /** Whether the others were not asked since a suspicion, or one of them could not be suspected. */
    private boolean unasked;
    /** By token of a member that is left out, ids of tables that were frozen then, and have it still. */
    private final Map<String, Set<Integer>> kept = new HashMap<>();
    /** By token, when those were looked for last. */
    private final Map<String, Long> looked = new HashMap<>();

    LostMembers(
            ClusterMember.Settings settings, String id, ClusterState state, RaftNode raft, ClusterMember.Host host) {
        this.settings = settings;
        this.id = id;
        this.state = state;
        this.raft = raft;
        this.host = host;
    }

    /** Leaves out the members whose time is over. */
    void leaveOut(ClusterBody cluster) {
        List<Suspect> pending =
                state.suspects().stream().filter(Suspect::pending).toList();
        since.keySet().retainAll(pending.stream().map(Suspect::token).collect(Collectors.toSet()));
        long seen = System.nanoTime();
        for (Suspect suspect : pending) {
            unasked |= since.putIfAbsent(suspect.token(), seen) == null;
        }
        if (unasked) {
            suspectSilent();
            unasked = false;
        }
        long wait = TimeUnit.MILLISECONDS.toNanos(settings.contactMillis() + MARGIN_MILLIS);
        for (Suspect suspect : pending) {
            long first = Objects.requireNonNull(since.get(suspect.token()));
            if (System.nanoTime() - first > wait && !suspect.node().equals(id)) {
                leaveOut(cluster, suspect.node(), suspect.token());
            }
        }
        leaveOutOfRest(cluster);
    }

    /**
     * Moves tables off members that are left out already. A table that was frozen then has kept the member, and so has
     * one that an earlier leader did not come to: it could not be dropped before the member is back.
     */
    private void leaveOutOfRest(ClusterBody cluster) {
        List<Suspect> leftOut = state.suspects().stream()
                .filter(suspect -> suspect.leftOut() && !suspect.pending())
                .toList();
        Set<String> tokens = leftOut.stream().map(Suspect::token).collect(Collectors.toSet());
        kept.keySet().retainAll(tokens);
        looked.keySet().retainAll(tokens);
        long now = System.nanoTime();
        tokens.forEach(token -> looked.putIfAbsent(token, now));
        Set<Integer> frozen = frozen();
        List<Suspect> rest = leftOut.stream()
                .filter(suspect -> {
                    Set<Integer> tables = kept.get(suspect.token());
                    return tables == null || tables.stream().anyMatch(table -> !frozen.contains(table));
                })
                .toList();
        Optional<Suspect> next = next(rest, looked, now);
        if (next.isPresent()) {
            looked.put(next.get().token(), now);
            leaveOut(cluster, next.get().node(), next.get().token());
        }
    }

    /**
     * The member whose last look is the oldest, if that is over for some time: a look that fails does not delay that
     * for another member.
     *
     * @param looked by token, when the tables of a member were looked for last
     */
    static Optional<Suspect> next(List<Suspect> leftOut, Map<String, Long> looked, long now) {
        return leftOut.stream()
                .max(Comparator.comparingLong(suspect -> now - looked.getOrDefault(suspect.token(), now)))
                .filter(suspect -> now - looked.getOrDefault(suspect.token(), now) > LOOK_AGAIN_NANOS);
    }

    private Set<Integer> frozen() {
        return state.frozen().stream().map(ClusterChange.Freeze::tableId).collect(Collectors.toSet());
    }

    /**
     * Suspects all other members that do not answer. Where one is lost, others may be; each would cost statements a
     * wait of its own otherwise.
     */
    private void suspectSilent() {
        // Of the members of now: one that was added just before the suspicion may be silent, too.
        for (ClusterBody.Member member : state.members()) {
            if (member.id().equals(id) || state.suspect(member.id()) != null) {
                continue;
            }
            try (RemoteNode node = new RemoteNode(access(member))) {
                ClusterBody unused = node.cluster();
            } catch (SluiceException e) {
                raft.write(ClusterChange.suspecting(member.id()));
            }
        }
    }

    private void leaveOut(ClusterBody cluster, String node, String token) {
        Set<Integer> frozen = frozen();
        List<ClusterChange.Moved> all;
        ClusterLog log = new ClusterLog(cluster, url -> settings.access().to(url));
        try (Cluster others = new Cluster(clients(cluster, node), 1, log, 0)) {
            all = others.leavingOut(node);
        }
        List<ClusterChange.Moved> tables =
                all.stream().filter(table -> !frozen.contains(table.tableId())).toList();
        Suspect suspect = state.suspect(node);
        if (suspect == null || suspect.pending() || !tables.isEmpty()) {
            write(cluster, node, token, tables);
        }
        kept.put(
                token,
                all.stream()
                        .map(ClusterChange.Moved::tableId)
                        .filter(frozen::contains)
                        .collect(Collectors.toSet()));
    }

    private void write(ClusterBody cluster, String node, String token, List<ClusterChange.Moved> tables) {
        raft.write(ClusterChange.leavingOut(node, token, tables));
        String name = cluster.members().stream()
                .filter(member -> member.id().equals(node))
                .map(ClusterBody.Member::name)
                .findFirst()
                .orElse(node);
        host.log("cluster: node " + name + " does not answer; " + tables.size()
                + " tables go on without it and have a replica less; 'sluice cluster repair' copies it");
    }

    private Map<String, NodeClient> clients(ClusterBody cluster, String without) {
        Map<String, NodeClient> clients = new LinkedHashMap<>();
        for (ClusterBody.Member member : cluster.members()) {
            if (!member.id().equals(without)) {
                RemoteSettings one = access(member);
                clients.put(one.name(), new RemoteNode(one));
            }
        }
        return clients;
    }

    private RemoteSettings access(ClusterBody.Member member) {
        return settings.access()
                .to(member.url())
                .withPatience(PATIENCE_MILLIS, PATIENCE_MILLIS)
                .withAnswerMillis(ANSWER_MILLIS);
    }
}
