package io.sluice.client.cluster;

import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.NodeStatus;
import io.sluice.api.node.RangeDirectory;
import io.sluice.model.error.Backoff;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.NodeUnreachableException;
import io.sluice.model.error.OperationFailedException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Opens one import on the nodes of a cluster: begins it, or resumes it where nodes know it.
 *
 * <p>In a cluster with a log, most members must answer. These nodes are left out if the import can do without them
 * ({@link ImportNodes}):
 *
 * <ul>
 *   <li>those that an earlier attempt has left out;
 *   <li>at once, those that the cluster goes on without: they do not answer since some time;
 *   <li>others that do not answer, when the cluster has decided to go on without them, or cannot decide. One that has
 *       contact to most members stays in the cluster; the import leaves it out if it does not answer a second time.
 * </ul>
 */
final class ImportOpener {
    private static final long RETRY_MILLIS = 500;

    private final NodePool pool;
    private final @Nullable ClusterLog log;
    private final long giveUpNanos;
    private final ImportRequest request;
    private final UUID importId;
    /** The sessions of the current try. */
    private final Map<Member, ImportSession> sessions = new LinkedHashMap<>();

    /**
     * Creates an opener.
     *
     * @param log the cluster's log; null: all nodes must answer
     * @param giveUpNanos how long a node that cannot be left out may not answer
     */
    ImportOpener(NodePool pool, @Nullable ClusterLog log, long giveUpNanos, ImportRequest request) {
        this.pool = pool;
        this.log = log;
        this.giveUpNanos = giveUpNanos;
        importId = request.importId() == null ? UUID.randomUUID() : request.importId();
        this.request = request;
    }

    /** Opens all sessions with the same table id and the same directory. */
    ClusterImport run(int replicas) {
        ClusterLog cluster = log;
        if (cluster == null) {
            return open(replicas, Map.of());
        }
        long start = System.nanoTime();
        Map<Member, NodeUnreachableException> silent = leftOut(cluster);
        Set<Member> waitedFor = new HashSet<>();
        while (true) {
            try {
                return open(replicas, silent);
            } catch (NodeUnreachableException e) {
                Member member = named(e.node());
                if (member != null && !silent.containsKey(member)) {
                    boolean enough = (pool.members().size() - silent.size() - 1) * 2 > cluster.members();
                    if (!enough || !waitedFor.add(member) || !isBack(cluster, member)) {
                        silent.put(member, e);
                    }
                    continue;
                }
                if (System.nanoTime() - start >= giveUpNanos) {
                    throw e;
                }
                Backoff.sleep(RETRY_MILLIS, "waiting for node " + e.described());
                waitedFor.clear();
                silent = leftOut(cluster);
            }
        }
    }

    /** The members that the cluster goes on without. */
    private Map<Member, NodeUnreachableException> leftOut(ClusterLog cluster) {
        Set<String> leftOut = cluster.leftOut();
        Map<Member, NodeUnreachableException> silent = new LinkedHashMap<>();
        for (Member member : pool.members()) {
            String id = cluster.id(member.name());
            if (id != null && leftOut.contains(id)) {
                silent.put(
                        member,
                        new NodeUnreachableException(
                                member.name(),
                                member.described(),
                                "node " + member.described() + " does not answer, and the cluster goes on without it",
                                new IllegalStateException("not asked")));
            }
        }
        return silent;
    }

    /** Waits until the cluster goes on without a member, or the member is back, which is the result. */
    private static boolean isBack(ClusterLog cluster, Member member) {
        String id = cluster.id(member.name());
        return id != null && cluster.leaveOut(id) && !cluster.leftOut().contains(id);
    }

    private @Nullable Member named(String node) {
        return pool.members().stream()
                .filter(member -> member.name().equals(node))
                .findFirst()
                .orElse(null);
    }

    private ClusterImport open(int replicas, Map<Member, NodeUnreachableException> silent) {
        List<Member> members = pool.members().stream()
                .filter(member -> !silent.containsKey(member))
                .toList();
        ensureMost(members, silent);
        Map<Member, String> ids = new HashMap<>();
        List<NodeStatus> statuses = pool.all(members, member -> member.client().status());
        for (int i = 0; i < members.size(); i++) {
            ids.put(members.get(i), statuses.get(i).id());
        }
        if (new HashSet<>(ids.values()).size() < members.size()) {
            throw new BadInputException("two of the nodes given are the same one");
        }
        sessions.clear();
        try {
            begin(members, statuses);
            RangeDirectory latest = latest();
            closeThoseLeftOut(latest, ids);
            useOneTableId();
            List<MemberSession> branches = new ArrayList<>();
            sessions.forEach((member, session) -> branches.add(new MemberSession(member, session)));
            for (MemberSession branch : branches) {
                // Completes an interrupted change.
                if (branch.session().directory().epoch() < latest.epoch()) {
                    branch.session().assign(latest);
                }
            }
            ImportNodes nodes = new ImportNodes(pool, log, importId, giveUpNanos, branches, latest);
            nodes.warnOfEarlierAttempts();
            leaveOut(nodes, silent);
            return new ClusterImport(pool, replicas, nodes);
        } catch (RuntimeException e) {
            abandon(e);
            throw e;
        }
    }

    /** Checks that most members answer, so that any two attempts have a node in common. */
    private void ensureMost(List<Member> members, Map<Member, NodeUnreachableException> silent) {
        ClusterLog cluster = log;
        if (cluster != null && !silent.isEmpty() && members.size() * 2 <= cluster.members()) {
            NodeUnreachableException first = silent.values().iterator().next();
            throw new NodeUnreachableException(
                    first.node(),
                    first.described(),
                    "node " + first.described() + " does not answer, and the import needs most of the cluster's nodes: "
                            + members.size() + " of " + cluster.members() + " answer",
                    first);
        }
    }

    /**
     * Begins on the nodes that have given out the most table ids, and then on the others with the id that those have
     * chosen. A smaller one may be that of a table which such a node, a new member, gets later.
     */
    private void begin(List<Member> members, List<NodeStatus> statuses) {
        int next = statuses.stream().mapToInt(NodeStatus::nextTableId).max().orElse(0);
        List<Member> first = new ArrayList<>();
        List<Member> others = new ArrayList<>();
        for (int i = 0; i < members.size(); i++) {
            (statuses.get(i).nextTableId() == next ? first : others).add(members.get(i));
        }
        begin(first, request.tableId());
        if (!others.isEmpty()) {
            begin(others, request.tableId() == 0 ? chosenId() : request.tableId());
        }
    }

    private void begin(List<Member> members, int tableId) {
        List<ImportSession> begun = new ArrayList<>();
        RuntimeException failure = null;
        for (NodePool.Outcome<ImportSession> outcome : pool.tryAll(members, member -> member.client()
                .beginImport(new ImportRequest(request.table(), request.timing(), importId, tableId)))) {
            begun.add(outcome.value());
            if (failure == null) {
                failure = outcome.failure();
            } else if (outcome.failure() != null) {
                failure.addSuppressed(outcome.failure());
            }
        }
        for (int i = 0; i < begun.size(); i++) {
            if (begun.get(i) != null) {
                sessions.put(members.get(i), begun.get(i));
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    /** The latest directory of any node that knows the import. */
    private RangeDirectory latest() {
        RangeDirectory latest = RangeDirectory.SINGLE_NODE;
        for (ImportSession session : sessions.values()) {
            if (session.directory().epoch() > latest.epoch()) {
                latest = session.directory();
            }
        }
        return latest;
    }

    /** Undoes the import on nodes that an earlier attempt has left out: they lack some of its KVs. */
    private void closeThoseLeftOut(RangeDirectory latest, Map<Member, String> ids) {
        if (log == null || latest.addresses().isEmpty()) {
            return;
        }
        for (Member member : List.copyOf(sessions.keySet())) {
            if (!latest.addresses().containsKey(ids.get(member))) {
                session(member).close();
                sessions.remove(member);
            }
        }
    }

    /** Leaves out the nodes that take part by the directory and do not answer. */
    private void leaveOut(ImportNodes nodes, Map<Member, NodeUnreachableException> silent) {
        Set<String> gone = new LinkedHashSet<>(nodes.directory().addresses().keySet());
        nodes.live().forEach(branch -> gone.remove(branch.member().id()));
        boolean begunThere = nodes.directory().addresses().isEmpty() && !silent.isEmpty();
        if (log == null || (gone.isEmpty() && !begunThere)) {
            return;
        }
        NodeUnreachableException failure = silent.values().stream()
                .findFirst()
                .orElseGet(() -> new NodeUnreachableException(
                        String.join(", ", gone),
                        String.join(", ", gone),
                        "nodes " + String.join(", ", gone) + " of the import are not in the cluster any more",
                        new IllegalStateException("not asked")));
        NodeUnreachableException needed = nodes.leaveOut(gone, failure);
        if (needed != null) {
            throw needed;
        }
    }

    /**
     * Makes all nodes use the known table id, or else the greatest: those with another one begin again with that.
     *
     * @throws OperationFailedException if nodes know the import with different ids
     */
    private void useOneTableId() {
        int id = chosenId();
        List<Member> known = known();
        for (Member member : known) {
            if (tableId(member) != id) {
                throw new OperationFailedException(
                        "nodes " + known.get(0).described() + " and " + member.described() + " know import " + importId
                                + " with different table ids; undo it on both, and start it again");
            }
        }
        List<Member> others = sessions.keySet().stream()
                .filter(member -> tableId(member) != id)
                .toList();
        pool.each(others, member -> session(member).close());
        begin(others, id);
    }

    private int chosenId() {
        List<Member> known = known();
        return known.isEmpty()
                ? sessions.keySet().stream().mapToInt(this::tableId).max().orElseThrow()
                : tableId(known.get(0));
    }

    /** The members that know the import from an earlier attempt. */
    private List<Member> known() {
        return sessions.keySet().stream()
                .filter(member -> session(member).resumed())
                .toList();
    }

    private ImportSession session(Member member) {
        ImportSession session = sessions.get(member);
        if (session == null) {
            throw new IllegalStateException("the import is not open on node " + member.described());
        }
        return session;
    }

    private int tableId(Member member) {
        return session(member).table().id();
    }

    /** Undoes new sessions, and detaches resumed ones, which can still be resumed. */
    private void abandon(RuntimeException failure) {
        for (ImportSession session : sessions.values()) {
            try {
                if (session.resumed()) {
                    session.detach();
                } else {
                    session.close();
                }
            } catch (RuntimeException e) {
                failure.addSuppressed(e);
            }
        }
    }
}
