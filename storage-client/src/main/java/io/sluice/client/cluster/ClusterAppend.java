package io.sluice.client.cluster;

import io.sluice.api.node.AppendPart;
import io.sluice.api.node.AppendSession;
import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.OverlapReport;
import io.sluice.api.node.RangeDirectory;
import io.sluice.api.wire.ClusterChange;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.ChangeRefusedException;
import io.sluice.model.error.NodeUnreachableException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.kv.KvChecksum;
import io.sluice.model.schema.Table;
import io.sluice.model.thread.Interrupts;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * An append to a table whose key ranges are on several nodes of a cluster:
 *
 * <ol>
 *   <li>it is begun on all nodes with a range: from then on no statement changes the table;
 *   <li>each node stages its SSTs, and the first replica of each range compares them with the table;
 *   <li>an entry of the log freezes the table under an owner, and all nodes prepare their parts for that owner;
 *   <li>an entry publishes all parts, and ends the freeze. It has no effect if the leader has ended the freeze before.
 * </ol>
 *
 * <p>A node that has prepared its part keeps it until it has applied the end of the freeze, so that no node lacks the
 * part when the entry comes. A node that is down then publishes its part when it is back.
 */
final class ClusterAppend implements AppendSession {
    /** Rows that are in memory at once on their way to the nodes. */
    private static final int BATCH = 1_024;

    private final NodePool pool;
    private final ClusterLog log;
    private final UUID importId;
    private final RangeDirectory directory;
    private final Map<String, MemberSession> sessions;
    private final Table table;
    private final List<IndexChecksum> before;
    private final List<String> warnings = new ArrayList<>();
    private final AtomicLong lists = new AtomicLong();

    private ClusterAppend(
            NodePool pool,
            ClusterLog log,
            UUID importId,
            RangeDirectory directory,
            Map<String, MemberSession> sessions,
            Table table,
            List<IndexChecksum> before) {
        this.pool = pool;
        this.log = log;
        this.importId = importId;
        this.directory = directory;
        this.sessions = sessions;
        this.table = table;
        this.before = before;
    }

    /**
     * Begins an append on all nodes with a range of the table.
     *
     * @param found the table as the members know it
     * @throws NodeUnreachableException when one of them does not answer
     */
    static ImportSession begin(NodePool pool, ClusterLog log, ImportRequest request, TableView found) {
        RangeDirectory directory = found.directory();
        Table table = found.status().table();
        UUID importId = request.importId() == null ? UUID.randomUUID() : request.importId();
        ImportRequest named = request.withImportId(importId).ofRanges(table.id());
        List<Member> members = directory.nodes().stream()
                .map(id -> Objects.requireNonNull(found.holders().get(id)))
                .toList();
        Map<String, MemberSession> sessions = new LinkedHashMap<>();
        List<Member> unheard = new ArrayList<>();
        RuntimeException failure = null;
        List<NodePool.Outcome<ImportSession>> outcomes =
                pool.tryAll(members, member -> member.client().beginImport(named));
        for (int i = 0; i < members.size(); i++) {
            ImportSession session = outcomes.get(i).value();
            RuntimeException failed = outcomes.get(i).failure();
            if (session != null) {
                sessions.put(members.get(i).id(), new MemberSession(members.get(i), session));
            } else if (!(failed instanceof BadInputException)) {
                unheard.add(members.get(i));
            }
            failure = failure == null ? failed : failure;
        }
        try {
            if (failure != null) {
                throw failure;
            }
            for (MemberSession each : sessions.values()) {
                if (!each.session().directory().equals(directory)) {
                    throw new OperationFailedException("ranges of table " + table.name()
                            + " were moved in this moment; nothing was imported. Import again");
                }
            }
            return opened(pool, log, importId, found, sessions);
        } catch (RuntimeException e) {
            Interrupts.postpone(() -> {
                undo(pool, List.copyOf(sessions.values()), e);
                // A node ends an append in some 60 s, so one try is enough.
                List<Member> unused = ImportOpener.undo(pool, unheard, named, ImportSession::close);
            });
            throw e;
        }
    }

    private static void undo(NodePool pool, List<MemberSession> sessions, RuntimeException failure) {
        for (NodePool.Outcome<Boolean> closed : pool.tryAll(sessions, each -> {
            each.session().close();
            return true;
        })) {
            if (closed.failure() != null) {
                failure.addSuppressed(closed.failure());
            }
        }
    }

    private static ImportSession opened(
            NodePool pool, ClusterLog log, UUID importId, TableView found, Map<String, MemberSession> sessions) {
        RangeDirectory directory = found.directory();
        Table table = found.status().table();
        // Without a log: no node is left out of an append.
        ImportNodes nodes = new ImportNodes(pool, null, importId, 0, List.copyOf(sessions.values()), directory);
        List<IndexChecksum> before = counted(pool, found, sessions);
        return new ClusterImport(
                pool,
                directory.replicas(),
                nodes,
                new ClusterAppend(pool, log, importId, directory, sessions, table, before));
    }

    /**
     * The table's checksums now, when no statement changes it any more. If a node was left out that had counted
     * changes, the table is read.
     */
    private static List<IndexChecksum> counted(NodePool pool, TableView found, Map<String, MemberSession> sessions) {
        Table table = found.status().table();
        if (found.directory().uncounted().isEmpty()) {
            List<KvChecksum> sums = new ArrayList<>();
            List<List<IndexChecksum>> now = pool.all(
                    List.copyOf(sessions.values()), each -> each.session().present());
            List<IndexChecksum> published = found.status().published();
            for (int i = 0; i < published.size(); i++) {
                KvChecksum sum = published.get(i).sum();
                for (List<IndexChecksum> node : now) {
                    sum = sum.plus(node.get(i).sum()).minus(published.get(i).sum());
                }
                sums.add(sum);
            }
            return named(table, sums);
        }
        List<IndexChecksum> read = null;
        while (read == null) {
            var digest = new ReadBack(
                            pool, table, found.directory(), (node, spans) -> Objects.requireNonNull(sessions.get(node))
                                    .session()
                                    .readBack(spans))
                    .run(List.of(io.sluice.model.kv.KeySpan.ALL));
            read = digest == null ? null : digest.indexes();
        }
        return read;
    }

    private static List<IndexChecksum> named(Table table, List<KvChecksum> sums) {
        List<IndexChecksum> named = new ArrayList<>();
        for (int i = 0; i < sums.size(); i++) {
            named.add(new IndexChecksum(table.indexes().get(i).def().name(), sums.get(i)));
        }
        return named;
    }

    /** One sentence about each node that publishes its part later. */
    List<String> warnings() {
        return List.copyOf(warnings);
    }

    private static AppendPart part(MemberSession session) {
        if (session.session().append() instanceof AppendPart part) {
            return part;
        }
        throw new IllegalStateException("node " + session.member().described() + " has no part of the append");
    }

    /** The node with the first replica of a key's range. */
    private MemberSession first(byte[] key) {
        String node = directory.ranges().get(directory.rangeOf(key)).nodes().get(0);
        return Objects.requireNonNull(sessions.get(node));
    }

    @Override
    public OverlapReport checkOverlap(long skip, int mostCollisions) {
        int most = (int) Math.min(Integer.MAX_VALUE, skip + mostCollisions);
        List<OverlapReport> reports =
                pool.all(List.copyOf(sessions.values()), each -> part(each).checkOverlap(0, most));
        List<KvChecksum> after =
                new ArrayList<>(before.stream().map(IndexChecksum::sum).toList());
        List<KvChecksum> repeated = new ArrayList<>();
        before.forEach(index -> repeated.add(KvChecksum.EMPTY));
        List<OverlapReport.IndexKey> collisions = new ArrayList<>();
        long collided = 0;
        for (OverlapReport report : reports) {
            for (int i = 0; i < after.size(); i++) {
                after.set(i, after.get(i).plus(report.after().get(i).sum()));
                repeated.set(i, repeated.get(i).plus(report.repeated().get(i).sum()));
            }
            collisions.addAll(report.collisions());
            collided += report.collided();
        }
        List<OverlapReport.IndexKey> wanted =
                collisions.stream().skip(skip).limit(mostCollisions).toList();
        return new OverlapReport(named(table, after), named(table, repeated), wanted, collided);
    }

    /** The holders, from the nodes that have the keys, and then from those that have the rows. */
    @Override
    public List<OverlapReport.@Nullable Holder> holders(List<OverlapReport.IndexKey> keys) {
        List<OverlapReport.@Nullable Holder> found = ask(keys);
        List<OverlapReport.IndexKey> elsewhere = new ArrayList<>();
        List<Integer> places = new ArrayList<>();
        for (int i = 0; i < found.size(); i++) {
            OverlapReport.Holder holder = found.get(i);
            if (holder != null && holder.value().length == 0) {
                elsewhere.add(new OverlapReport.IndexKey(0, holder.key()));
                places.add(i);
            }
        }
        List<OverlapReport.@Nullable Holder> rows = ask(elsewhere);
        for (int i = 0; i < rows.size(); i++) {
            found.set(places.get(i), rows.get(i));
        }
        return found;
    }

    private List<OverlapReport.@Nullable Holder> ask(List<OverlapReport.IndexKey> keys) {
        Map<MemberSession, List<Integer>> byNode = new LinkedHashMap<>();
        for (int i = 0; i < keys.size(); i++) {
            byNode.computeIfAbsent(first(keys.get(i).key()), each -> new ArrayList<>())
                    .add(i);
        }
        List<OverlapReport.@Nullable Holder> found = new ArrayList<>();
        keys.forEach(key -> found.add(null));
        List<Map.Entry<MemberSession, List<Integer>>> requests = List.copyOf(byNode.entrySet());
        List<List<OverlapReport.@Nullable Holder>> answers = pool.all(requests, each -> part(each.getKey())
                .holders(each.getValue().stream().map(keys::get).toList()));
        for (int i = 0; i < requests.size(); i++) {
            List<Integer> places = requests.get(i).getValue();
            for (int j = 0; j < places.size(); j++) {
                found.set(places.get(j), answers.get(i).get(j));
            }
        }
        return found;
    }

    /** Sends the rows to all nodes: each deletes the KVs in its ranges. */
    @Override
    public void replace(List<byte[]> primaryKeys) {
        boolean begin = true;
        long list = lists.incrementAndGet();
        for (int from = 0; begin || from < primaryKeys.size(); from += BATCH) {
            List<OverlapReport.Holder> rows = new ArrayList<>();
            List<byte[]> keys = primaryKeys.subList(from, Math.min(primaryKeys.size(), from + BATCH));
            for (OverlapReport.@Nullable Holder row : ask(
                    keys.stream().map(key -> new OverlapReport.IndexKey(0, key)).toList())) {
                if (row == null) {
                    throw new OperationFailedException("a row of table " + table.name()
                            + " that was to be replaced is not there any more; import again");
                }
                rows.add(row);
            }
            boolean first = begin;
            pool.each(List.copyOf(sessions.values()), each -> part(each).replaceRows(list, first, rows));
            begin = false;
        }
    }

    /**
     * Publishes all parts by one entry of the log. On return, all nodes that answer have published theirs, and a
     * warning names the others.
     *
     * @param after checksums of the table, as {@link #checkOverlap} returned them
     * @throws OperationFailedException when it is not published, or most members do not answer; the message says which
     */
    void publish(List<IndexChecksum> after) {
        ClusterChange.Freeze freeze = new ClusterChange.Freeze(
                table.id(), ClusterChange.Freeze.newOwner("import --append"), directory.epoch());
        ClusterChange change = ClusterChange.appending(
                ClusterChange.Published.of(importId, table.id(), after),
                ClusterChange.Moved.of(table.id(), directory.counted().atEpoch(directory.epoch() + 1), after),
                freeze);
        List<MemberSession> parts = List.copyOf(sessions.values());
        try {
            log.freeze(freeze);
            pool.each(parts, each -> part(each).prepare(freeze.owner(), after));
        } catch (RuntimeException e) {
            Interrupts.postpone(() -> log.thaw(freeze));
            throw e instanceof ChangeRefusedException ? notAdded(e) : e;
        }
        try {
            log.write(change);
        } catch (OperationFailedException e) {
            Interrupts.postpone(() -> ensurePublished(e, freeze, change, after));
        } catch (RuntimeException e) {
            Interrupts.postpone(() -> log.thaw(freeze));
            throw e;
        }
        // It is decided: from here on nothing makes it fail.
        Interrupts.postpone(() -> confirm(parts, after));
    }

    private OperationFailedException notAdded(Throwable cause) {
        return new OperationFailedException(
                "rows were not added to table " + table.name() + ": " + cause.getMessage() + "; import again", cause);
    }

    /**
     * Finds out whether an entry has taken effect whose answer was lost: after the end of the freeze it has none, and
     * its repetition is refused unless it had one.
     *
     * @throws OperationFailedException if it has none, or that stays unknown
     */
    private void ensurePublished(
            OperationFailedException failure,
            ClusterChange.Freeze freeze,
            ClusterChange change,
            List<IndexChecksum> after) {
        OperationFailedException last = failure;
        try {
            log.write(ClusterChange.thawing(freeze));
            log.write(change);
            return;
        } catch (OperationFailedException e) {
            last = e;
        }
        boolean published = publishParts(List.copyOf(sessions.values()), after).stream()
                .anyMatch(outcome -> outcome.failure() == null);
        if (published) {
            return;
        }
        if (last instanceof ChangeRefusedException) {
            throw notAdded(failure);
        }
        OperationFailedException unknown = new OperationFailedException(
                "it is not known whether rows were added to table " + table.name() + ": " + failure.getMessage()
                        + "; when most nodes of the cluster answer, count the rows with 'sluice tables' before you"
                        + " import again",
                failure);
        unknown.addSuppressed(last);
        throw unknown;
    }

    /** Waits until the nodes have published their parts; a warning names each node that does not confirm it. */
    private void confirm(List<MemberSession> parts, List<IndexChecksum> after) {
        List<NodePool.Outcome<Boolean>> outcomes = publishParts(parts, after);
        for (int i = 0; i < parts.size(); i++) {
            RuntimeException failure = outcomes.get(i).failure();
            String node = "node " + parts.get(i).member().described();
            if (failure instanceof NodeUnreachableException) {
                warnings.add(
                        "the rows are published; " + node + " does not answer, and publishes its part when it is back");
            } else if (failure != null) {
                warnings.add("the rows are published; " + node + " does not confirm its part, which the cluster's log"
                        + " publishes: " + failure.getMessage());
            }
        }
    }

    /** Waits until the nodes have published their parts. The log publishes them: it fails where they are not. */
    private List<NodePool.Outcome<Boolean>> publishParts(List<MemberSession> parts, List<IndexChecksum> after) {
        return pool.tryAll(parts, each -> {
            each.session().publish(after);
            return true;
        });
    }
}
