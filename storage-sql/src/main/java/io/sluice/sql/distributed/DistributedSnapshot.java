package io.sluice.sql.distributed;

import io.sluice.api.node.TableStatus;
import io.sluice.api.transaction.Hold;
import io.sluice.api.transaction.LogPosition;
import io.sluice.api.transaction.Placement;
import io.sluice.api.transaction.ReadAnswer;
import io.sluice.api.transaction.ReadAnswer.Page;
import io.sluice.api.transaction.ReadRequest;
import io.sluice.api.transaction.ReadRequest.KeyList;
import io.sluice.api.transaction.ReadRequest.PageRequest;
import io.sluice.grammar.SqlErrorCode;
import io.sluice.grammar.StatementException;
import io.sluice.model.error.NodeUnreachableException;
import io.sluice.model.kv.IndexKeys;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.schema.Table;
import io.sluice.model.thread.Backoff;
import io.sluice.sql.transaction.Durability;
import io.sluice.sql.transaction.KeyPrefetch;
import io.sluice.sql.transaction.ReadWriteSet;
import io.sluice.sql.transaction.Snapshot;
import io.sluice.sql.transaction.SnapshotTable;
import io.sluice.sql.transaction.SpanSet;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Snapshot of a transaction on several nodes: one snapshot per node. Each is taken at the first read from its node; a
 * multi-statement transaction takes all at its first read. The snapshots are of different moments. So every read is
 * recorded in the read set, and the commit fails if any of it has changed since, also if the transaction has no
 * changes. A scan over several ranges looks for changes before it reads: if there are none after all snapshots were
 * taken, these are of one moment, and later changes do not matter to a transaction that only reads.
 *
 * <pre>
 *   node A   ----- snapshot ---------------------- unchanged? ----
 *   node B   ---------- snapshot ----------------- unchanged? ----
 *   node C   ------------- snapshot ----------- unchanged? -------
 *                              |----------------|
 *                        at each moment here, the three nodes are as in the snapshots
 * </pre>
 *
 * <p>This is the double collect of Y. Afek et al., "Atomic Snapshots of Shared Memory", JACM 40 (4), 1993.
 *
 * <p>Any replica of a range may be read, since each write of a key is prepared on all of them: a conflict shows on
 * each. So a transaction needs one node of each range that it reads, and all nodes of each range that it writes.
 */
final class DistributedSnapshot implements Snapshot {
    /** Limit of keys in one request. */
    static final int MAX_KEYS = 1024;

    /**
     * A quarter of the time after which a node ends a snapshot that is not read; see
     * {@link io.sluice.sql.SqlSettings#defaults}.
     */
    private static final long KEEP_MILLIS = 15_000;

    /** Tries to take the snapshots of a scan at one moment; a branch is prepared for some milliseconds. */
    private static final Backoff TOGETHER = new Backoff(1, 20, 12);
    /** After these the nodes keep changes away from the table. */
    private static final int FREE_TRIES = 4;

    private final DistributedTables tables;
    private final ClusterView clusterView;
    private final @Nullable ReadWriteSet readWriteSet;
    private final boolean multiStatement;
    private final Map<String, NodeSnapshot> nodeSnapshots = new ConcurrentHashMap<>();
    /**
     * Prefetched values. Reading a value removes it. An absent key stays in a transaction: it takes little memory, and
     * an insert reads it twice.
     */
    private final Map<ByteBuffer, Optional<byte[]>> prefetched = new ConcurrentHashMap<>();

    private boolean othersOpened;
    /** The tables of the transaction by id. */
    private final Map<Integer, Placement> used = new ConcurrentHashMap<>();
    /** Nodes whose snapshots are of one moment. */
    private volatile Set<String> together = Set.of();
    /** When the nodes were last told that their snapshots are in use; by the clock of the tables. */
    private final AtomicLong keptMillis;
    /** Whether something has changed between snapshots, so that no later check can find them to be of one moment. */
    private boolean apart;
    /** Nodes whose snapshots cannot be read any more. */
    private final Set<String> lost = ConcurrentHashMap.newKeySet();

    /**
     * @param readWriteSet null: nothing is committed, and only what was {@link #takeTogether taken together} is read
     */
    DistributedSnapshot(
            DistributedTables tables,
            ClusterView clusterView,
            @Nullable ReadWriteSet readWriteSet,
            boolean multiStatement) {
        this.tables = tables;
        this.clusterView = clusterView;
        this.readWriteSet = readWriteSet;
        this.multiStatement = multiStatement;
        keptMillis = new AtomicLong(tables.clock().millis());
    }

    @Override
    public List<Table> tables() {
        return clusterView.all();
    }

    @Override
    public @Nullable SnapshotTable find(String name) {
        Placement placement = clusterView.table(name);
        if (placement == null) {
            return null;
        }
        used.put(placement.table().id(), placement);
        return new DistributedTable(this, placement);
    }

    /** Does nothing: the nodes check this at commit. */
    @Override
    public void ensureChangeable(Table table) {}

    @Override
    public String eraseBlocker(SnapshotTable table) {
        return "table " + table.table().name() + " is distributed over several nodes";
    }

    private NodeSnapshot nodeSnapshot(String node) {
        if (!clusterView.nodes().containsKey(node)) {
            tables.outdated(clusterView);
        }
        return nodeSnapshots.computeIfAbsent(node, id -> new NodeSnapshot(clusterView.node(id), tables, clusterView));
    }

    /**
     * Takes the snapshots of the other nodes in the background, so that later statements need not wait for them.
     *
     * @param read nodes that the caller reads next, which opens their snapshots
     */
    private void openOthers(Set<String> read) {
        if (!multiStatement) {
            return;
        }
        synchronized (this) {
            if (othersOpened) {
                return;
            }
            othersOpened = true;
        }
        for (String id : clusterView.nodes().keySet()) {
            if (!read.contains(id)) {
                tables.openLater(nodeSnapshot(id));
            }
        }
    }

    byte @Nullable [] value(Placement table, byte[] key) {
        Optional<byte[]> fetched = prefetched.get(ByteBuffer.wrap(key));
        if (fetched != null) {
            if (fetched.isPresent() || readWriteSet == null) {
                prefetched.remove(ByteBuffer.wrap(key));
            }
            return fetched.orElse(null);
        }
        String node = reader(table.holders(key));
        openOthers(Set.of(node));
        NodeSnapshot nodeSnapshot = nodeSnapshot(node);
        remember(nodeSnapshot, SpanSet.point(key));
        return read(
                        nodeSnapshot,
                        ReadRequest.values(List.of(new KeyList(table.table().id(), List.of(key)))))
                .values()
                .get(0);
    }

    private void remember(NodeSnapshot nodeSnapshot, KeySpan span) {
        if (readWriteSet != null) {
            nodeSnapshot.remember(span);
            readWriteSet.remember(SpanSet.bytes(span));
        }
    }

    @Override
    public boolean remote() {
        return true;
    }

    /** Fetches from all nodes in parallel. */
    @Override
    public void prefetch(List<KeyPrefetch.Keys> keys) {
        Map<String, Map<Integer, List<byte[]>>> byNode = new LinkedHashMap<>();
        for (KeyPrefetch.Keys each : keys) {
            Placement placement = ((DistributedTable) each.table()).placement();
            for (byte[] key : each.keys()) {
                byNode.computeIfAbsent(reader(placement.holders(key)), none -> new LinkedHashMap<>())
                        .computeIfAbsent(placement.table().id(), none -> new ArrayList<>())
                        .add(key);
            }
        }
        openOthers(byNode.keySet());
        List<Runnable> work = new ArrayList<>();
        byNode.forEach((node, lists) -> {
            NodeSnapshot nodeSnapshot = nodeSnapshot(node);
            requests(lists).forEach(request -> work.add(() -> fetch(nodeSnapshot, request)));
        });
        tables.tasks().runAll(work);
    }

    /** Splits keys by table into requests of at most {@value #MAX_KEYS} keys. */
    static List<List<KeyList>> requests(Map<Integer, List<byte[]>> lists) {
        List<List<KeyList>> requests = new ArrayList<>();
        int room = 0;
        for (Map.Entry<Integer, List<byte[]>> list : lists.entrySet()) {
            List<byte[]> keys = list.getValue();
            for (int from = 0, to; from < keys.size(); from = to) {
                if (room == 0) {
                    requests.add(new ArrayList<>());
                    room = MAX_KEYS;
                }
                to = Math.min(from + room, keys.size());
                requests.get(requests.size() - 1).add(new KeyList(list.getKey(), keys.subList(from, to)));
                room -= to - from;
            }
        }
        return requests;
    }

    private void fetch(NodeSnapshot nodeSnapshot, List<KeyList> lists) {
        List<byte @Nullable []> values =
                read(nodeSnapshot, ReadRequest.values(lists)).values();
        int next = 0;
        for (KeyList list : lists) {
            for (byte[] key : list.keys()) {
                remember(nodeSnapshot, SpanSet.point(key));
                prefetched.put(ByteBuffer.wrap(key), Optional.ofNullable(values.get(next++)));
            }
        }
    }

    /**
     * Takes the snapshots of all nodes with a table, at one moment if possible. Otherwise the commit finds out whether
     * what was read belongs together.
     */
    synchronized void takeTogether(Placement table) {
        Set<String> nodes = new TreeSet<>(nodeSnapshots.keySet());
        boolean first = nodes.isEmpty() && !multiStatement;
        table.directory().ranges().forEach(range -> nodes.add(clusterView.reader(range.nodes())));
        if (nodes.size() == 1 || apart || together.containsAll(nodes)) {
            return;
        }
        // Other statements of the transaction may read other tables.
        List<KeySpan> spans = multiStatement ? List.of(KeySpan.ALL) : new IndexKeys(table.table()).spans();
        takeTogether(nodes, spans, first, () -> {});
    }

    /**
     * Takes the snapshots of all nodes that answer and have ranges of the tables that were {@link #find found}, at one
     * moment: any of them can be read then.
     *
     * @param spans keys that must not change meanwhile
     * @return the status of all tables at that moment
     * @throws StatementException if that is not possible
     */
    synchronized List<TableStatus> takeTogether(List<KeySpan> spans) {
        Set<String> nodes = new TreeSet<>();
        used.values().forEach(table -> nodes.addAll(table.directory().nodes()));
        nodes.retainAll(clusterView.nodes().keySet());
        AtomicReference<List<TableStatus>> statuses = new AtomicReference<>(List.of());
        takeTogether(nodes, spans, true, () -> statuses.set(tables.statuses(clusterView)));
        if (apart) {
            throw new StatementException(
                    SqlErrorCode.CONFLICT, "the table is changed too often for snapshots of one moment");
        }
        return Objects.requireNonNull(statuses.get());
    }

    /**
     * @param first whether no snapshot was read from
     * @param meanwhile runs after all were taken, and before they are found to be of one moment
     */
    private void takeTogether(Set<String> nodes, List<KeySpan> spans, boolean first, Runnable meanwhile) {
        UUID reader = UUID.randomUUID();
        boolean holds = false;
        for (int tries = 1; !isTogether(nodes, spans, meanwhile); tries++) {
            if (!first || tries == TOGETHER.attempts() || tables.isOutdated(clusterView)) {
                apart = true;
                break;
            }
            // Nothing was read from these.
            nodeSnapshots.values().forEach(NodeSnapshot::release);
            nodeSnapshots.clear();
            Backoff.sleep(TOGETHER.jitteredMillis(tries), "taking snapshots of several nodes");
            holds = tries >= FREE_TRIES;
            if (holds) {
                onAll(nodes, snapshot -> snapshot.hold(new Hold(reader, spans)));
            }
        }
        if (holds) {
            // After a failure the nodes end it by themselves.
            onAll(nodes, snapshot -> snapshot.hold(new Hold(reader, List.of())));
        }
    }

    private boolean isTogether(Set<String> nodes, List<KeySpan> spans, Runnable meanwhile) {
        try {
            onAll(nodes, NodeSnapshot::take);
            meanwhile.run();
            ensureUnchanged(nodes, node -> spans);
            together = Set.copyOf(nodes);
            return true;
        } catch (StatementException e) {
            if (e.code() != SqlErrorCode.CONFLICT) {
                throw e;
            }
            return false;
        }
    }

    /**
     * Checks that all snapshots with reads are of one moment.
     *
     * @throws StatementException if that is not certain
     */
    private void ensureTogether() {
        if (nodeSnapshots.size() == 1 || together.containsAll(nodeSnapshots.keySet())) {
            return;
        }
        Map<String, List<KeySpan>> reads = new TreeMap<>();
        nodeSnapshots.forEach((id, snapshot) -> reads.put(id, snapshot.read()));
        reads.values().removeIf(List::isEmpty);
        if (reads.size() > 1 && !together.containsAll(reads.keySet())) {
            onAll(reads.keySet(), NodeSnapshot::take);
            ensureUnchanged(reads.keySet(), node -> reads.getOrDefault(node, List.of()));
        }
    }

    /** Checks keys on all nodes at once. */
    private void ensureUnchanged(Set<String> nodes, Function<String, List<KeySpan>> spans) {
        onAll(nodes, snapshot -> {
            String node = snapshot.node().id();
            if (!snapshot.ensureUnchanged(spans.apply(node), epochs(node)) && readWriteSet == null) {
                throw new StatementException(
                        SqlErrorCode.UNSUPPORTED,
                        "node " + snapshot.node().described()
                                + " is of an earlier build, which cannot tell whether its rows have changed");
            }
        });
    }

    private void onAll(Set<String> nodes, Consumer<NodeSnapshot> step) {
        tables.tasks()
                .runAll(nodes.stream()
                        .map(this::nodeSnapshot)
                        .<Runnable>map(snapshot -> () -> step.accept(snapshot))
                        .toList());
    }

    private Map<Integer, Long> epochs(String node) {
        return used.values().stream()
                .filter(table -> table.directory().nodes().contains(node))
                .collect(Collectors.toMap(
                        table -> table.table().id(), table -> table.directory().epoch()));
    }

    /**
     * Reads from a node. Tells the others from time to time that their snapshots are in use: a statement may read one
     * node for longer than the others keep what is not.
     */
    private ReadAnswer read(NodeSnapshot node, ReadRequest request) {
        keep(node);
        return node.read(request);
    }

    /**
     * Tells the nodes every 15 s that their snapshots are in use.
     *
     * @param reading the node that the caller reads next; null: there is none
     */
    void keep(@Nullable NodeSnapshot reading) {
        long now = tables.clock().millis();
        long last = keptMillis.get();
        if (now - last > KEEP_MILLIS && keptMillis.compareAndSet(last, now)) {
            nodeSnapshots.values().stream().filter(other -> other != reading).forEach(other -> tables.tasks()
                    .submit(other::keep));
        }
    }

    /** Reads the first page of a span that lies in one range. */
    Page page(Placement table, KeySpan span) {
        List<String> holders = table.holders(span.start());
        String node = reader(holders);
        openOthers(Set.of(node));
        NodeSnapshot nodeSnapshot = nodeSnapshot(node);
        ReadAnswer answer;
        try {
            answer = read(
                    nodeSnapshot, ReadRequest.kvs(new PageRequest(table.table().id(), span.start(), span.end())));
        } catch (StatementException | NodeUnreachableException e) {
            if (isConflict(e) && isElsewhere(holders, node)) {
                return page(table, span);
            }
            throw e;
        }
        Page page = Objects.requireNonNull(answer.page());
        remember(nodeSnapshot, new KeySpan(span.start(), page.readTo(span.end())));
        return page;
    }

    /** Whether a node has no snapshot to read any more: it is lost, or was restarted. */
    static boolean isConflict(RuntimeException failure) {
        return failure instanceof NodeUnreachableException
                || (failure instanceof StatementException refused && refused.code() == SqlErrorCode.CONFLICT);
    }

    private String reader(List<String> holders) {
        return readable(holders).findFirst().orElseGet(() -> clusterView.reader(holders));
    }

    /** Whether another node has a snapshot of the same moment. This one is not read any more then. */
    private boolean isElsewhere(List<String> holders, String node) {
        lost.add(node);
        return readable(holders).findFirst().isPresent();
    }

    /** The nodes with snapshots that only read, and that are of one moment. */
    private Stream<String> readable(List<String> holders) {
        return holders.stream().filter(node -> readWriteSet == null && together.contains(node) && !lost.contains(node));
    }

    @Override
    public Durability commit(ReadWriteSet all, @Nullable LogPosition position) {
        if (position == null && all.overlay().isEmpty()) {
            ensureTogether();
            return Durability.DONE;
        }
        try {
            new TwoPhaseCommit(tables, clusterView, this::nodeSnapshot, nodeSnapshots).run(all.overlay(), position);
        } catch (NodeUnreachableException e) {
            tables.outdated(clusterView);
            throw e;
        }
        return Durability.DONE;
    }

    @Override
    public void close() {
        nodeSnapshots.values().forEach(NodeSnapshot::release);
    }
}
