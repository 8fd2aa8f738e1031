package io.sluice.client.cluster;

import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.NodeStatus;
import io.sluice.api.node.RangeDirectory;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.NodeUnreachableException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.error.SluiceException;
import io.sluice.model.thread.Backoff;
import io.sluice.model.thread.Interrupts;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Collectors;
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

    /** Waits before another try to undo an import on a node that does not answer: some 10 s with the tries. */
    private static final Backoff UNDO = new Backoff(500, 2_000, 4);

    /** Waits before another table id, since other imports have taken the last one on some nodes. */
    private static final Backoff OTHER_ID = new Backoff(20, 500, 10);

    private final NodePool pool;
    private final @Nullable ClusterLog log;
    private final long giveUpNanos;
    private final ImportRequest request;
    private final UUID importId;
    /** The sessions of the current try. */
    private final Map<Member, ImportSession> sessions = new LinkedHashMap<>();
    /** Members that may have begun the import, although their answer was lost. */
    private final Set<Member> unheard = new LinkedHashSet<>();
    /** The table id in the last requests. A node that is left out may have the import under it, or a smaller one. */
    private int leastId;
    /** Whether the import has work of an earlier attempt, when the sessions of the last try ended. */
    private boolean kept;

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
        try {
            return log == null ? open(replicas, Map.of()) : run(log, replicas);
        } catch (RuntimeException e) {
            Interrupts.postpone(() -> undoUnheard(e));
            throw e;
        }
    }

    private ClusterImport run(ClusterLog cluster, int replicas) {
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
        List<NodeStatus> statuses = statuses(members);
        for (int i = 0; i < members.size(); i++) {
            ids.put(members.get(i), statuses.get(i).id());
        }
        if (new HashSet<>(ids.values()).size() < members.size()) {
            throw new BadInputException("two of the nodes given are the same one");
        }
        sessions.clear();
        try {
            beginWithOneId(members, statuses);
            closeThoseLeftOut(latest(), ids);
            useOneTableId(members);
            RangeDirectory latest = latest();
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
            Interrupts.postpone(() -> abandon(e));
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
     * Begins on members with one table id, which none of them has given out. A smaller one may be that of a table which
     * a new member gets later. Those that have given out the most ids begin first: they may know the import, and keep
     * its id.
     */
    private void beginWithOneId(List<Member> members, List<NodeStatus> statuses) {
        List<NodeStatus> now = statuses;
        for (int tries = 1; ; tries++) {
            int next = now.stream().mapToInt(NodeStatus::nextTableId).max().orElse(0);
            leastId = request.tableId() == 0 ? Math.max(leastId, next) : request.tableId();
            BadInputException taken = begin(members, now, next);
            if (taken == null) {
                return;
            }
            if (request.tableId() != 0 || tries == OTHER_ID.attempts()) {
                throw taken;
            }
            List<Member> begun = members.stream().filter(sessions::containsKey).toList();
            kept = worked();
            pool.each(begun, member -> end(session(member)));
            sessions.keySet().removeAll(begun);
            Backoff.sleep(OTHER_ID.jitteredMillis(tries), "waiting for another table id");
            now = statuses(members);
        }
    }

    private List<NodeStatus> statuses(List<Member> members) {
        return pool.all(members, member -> member.client().status());
    }

    private @Nullable BadInputException begin(List<Member> members, List<NodeStatus> statuses, int next) {
        List<Member> first = new ArrayList<>();
        List<Member> others = new ArrayList<>();
        int othersNext = 0;
        for (int i = 0; i < members.size(); i++) {
            if (statuses.get(i).nextTableId() == next) {
                first.add(members.get(i));
            } else {
                others.add(members.get(i));
                othersNext = Math.max(othersNext, statuses.get(i).nextTableId());
            }
        }
        BadInputException taken = begin(first, leastId);
        if (taken != null || others.isEmpty()) {
            return taken;
        }
        List<Member> known = known();
        int id = known.isEmpty() ? leastId : tableId(known.get(0));
        return begin(others, id < othersNext ? leastId : id);
    }

    /** Returns the refusal of members that have given out the table id; null: there is none. */
    private @Nullable BadInputException begin(List<Member> members, int tableId) {
        List<NodePool.Outcome<ImportSession>> outcomes = pool.tryAll(members, member -> member.client()
                .beginImport(new ImportRequest(request.table(), request.timing(), importId, tableId)));
        for (int i = 0; i < members.size(); i++) {
            ImportSession begun = outcomes.get(i).value();
            if (begun != null) {
                sessions.put(members.get(i), begun);
            } else if (!(outcomes.get(i).failure() instanceof BadInputException)) {
                unheard.add(members.get(i));
            }
        }
        RuntimeException failure = null;
        BadInputException taken = null;
        for (int i = 0; i < members.size(); i++) {
            RuntimeException failed = outcomes.get(i).failure();
            if (failed instanceof BadInputException refused
                    && members.get(i).client().status().nextTableId() > tableId) {
                taken = refused;
            } else if (failure == null) {
                failure = failed;
            } else if (failed != null) {
                failure.addSuppressed(failed);
            }
        }
        if (failure != null) {
            throw failure;
        }
        return taken;
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
        String named = gone.stream()
                .map(id -> TableView.described(nodes.directory(), id))
                .collect(Collectors.joining("; "));
        NodeUnreachableException failure = silent.values().stream()
                .findFirst()
                .orElseGet(() -> new NodeUnreachableException(
                        named,
                        named,
                        "the import has key ranges on nodes that are not in the cluster any more: " + named,
                        new IllegalStateException("not asked")));
        NodeUnreachableException needed = nodes.leaveOut(gone, failure);
        if (needed != null) {
            throw needed;
        }
    }

    /**
     * Makes all nodes use one table id. If some know the import under another one, the others begin again with that. If
     * they have given it out, or nodes know different ones, all begin from the beginning: an earlier begin or undo has
     * reached some of the nodes only.
     *
     * @throws OperationFailedException if the import may be published under a known id
     */
    private void useOneTableId(List<Member> members) {
        if (ids().size() == 1) {
            return;
        }
        List<Member> known = known();
        int id = tableId(known.get(0));
        List<Member> others = sessions.keySet().stream()
                .filter(member -> !known.contains(member))
                .toList();
        close(others);
        boolean agreed = known.stream().allMatch(member -> tableId(member) == id)
                && statuses(others).stream().allMatch(status -> status.nextTableId() <= id)
                && begin(others, id) == null;
        if (agreed) {
            return;
        }
        for (Member member : known) {
            // Without the record nothing is published, nor by the earlier attempt, which is fenced.
            if (session(member).checkpoints().containsKey(ImportSession.FINISHED)) {
                throw new OperationFailedException("node " + member.described() + " knows import " + importId
                        + ", which is finished, with table id " + tableId(member)
                        + ", and others do not know it so; try again in some seconds");
            }
        }
        close(List.copyOf(sessions.keySet()));
        beginWithOneId(members, statuses(members));
        if (ids().size() > 1) {
            throw new OperationFailedException(
                    "nodes know import " + importId + " with different table ids; start it again");
        }
    }

    /** Undoes the import on members. */
    private void close(List<Member> members) {
        pool.each(members, member -> session(member).close());
        sessions.keySet().removeAll(members);
    }

    private Set<Integer> ids() {
        return sessions.keySet().stream().map(this::tableId).collect(Collectors.toSet());
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

    /** Undoes new sessions, and detaches resumed ones with work of an earlier attempt. */
    private void abandon(RuntimeException failure) {
        kept = worked();
        for (ImportSession session : sessions.values()) {
            try {
                end(session);
            } catch (RuntimeException e) {
                failure.addSuppressed(e);
            }
        }
    }

    /**
     * Whether an earlier attempt has worked on the import, as far as the open sessions tell. No other process knows an
     * id that was chosen here: a resumed session is of a begin whose answer was lost.
     */
    private boolean worked() {
        if (request.importId() == null) {
            return false;
        }
        try {
            return sessions.values().stream()
                    .anyMatch(session ->
                            session.resumed() && !session.checkpoints().isEmpty());
        } catch (SluiceException e) {
            // Rather too much is left than work undone.
            return true;
        }
    }

    private void end(ImportSession session) {
        if (session.resumed() && kept) {
            session.detach();
        } else {
            session.close();
        }
    }

    /**
     * Undoes the import where a begin had no answer and the node answers now: its table's name would be taken there
     * until the lease ends. One with an id of its caller is kept if an earlier attempt has worked on it.
     */
    private void undoUnheard(RuntimeException failure) {
        boolean ofCaller = request.importId() != null;
        if (ofCaller && kept) {
            return;
        }
        Consumer<ImportSession> end = ofCaller ? ImportSession::abandon : ImportSession::close;
        ImportRequest begun = new ImportRequest(request.table(), request.timing(), importId, 0);
        Set<Member> left = new LinkedHashSet<>(unheard);
        left.removeAll(undo(pool, left, begun, end));
        for (int tries = 1; tries < UNDO.attempts() && !left.isEmpty(); tries++) {
            try {
                Backoff.sleep(UNDO.jitteredMillis(tries), "waiting to undo an import");
            } catch (OperationFailedException e) {
                failure.addSuppressed(e);
                return;
            }
            left.removeAll(undo(pool, left, begun, end));
        }
        left.forEach(member -> failure.addSuppressed(new OperationFailedException(
                "node " + member.described() + " may keep the import until its lease ends: it does not answer")));
    }

    /**
     * Undoes an import on members that may have begun it, although their answer was lost.
     *
     * @param end ends a session with it
     * @return those that have answered
     */
    static List<Member> undo(
            NodePool pool, Collection<Member> members, ImportRequest begun, Consumer<ImportSession> end) {
        List<Member> asked = List.copyOf(members);
        List<NodePool.Outcome<Boolean>> outcomes = pool.tryAll(asked, member -> {
            // One that is still silent costs the time of a read.
            NodeStatus unused = member.client().status();
            end.accept(member.client().beginImport(begun));
            return true;
        });
        List<Member> answered = new ArrayList<>();
        for (int i = 0; i < asked.size(); i++) {
            RuntimeException failure = outcomes.get(i).failure();
            if (failure == null || failure instanceof BadInputException) {
                answered.add(asked.get(i));
            }
        }
        return answered;
    }
}
