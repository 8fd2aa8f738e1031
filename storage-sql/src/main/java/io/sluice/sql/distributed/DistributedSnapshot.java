package io.sluice.sql.distributed;

import io.sluice.api.transaction.KeyList;
import io.sluice.api.transaction.LogPosition;
import io.sluice.api.transaction.Page;
import io.sluice.api.transaction.PageRequest;
import io.sluice.api.transaction.Placement;
import io.sluice.api.transaction.ReadRequest;
import io.sluice.model.error.NodeUnreachableException;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.schema.Table;
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
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Snapshot of a transaction on several nodes: one snapshot per node. Each is taken at the first read from its node; a
 * multi-statement transaction takes all at its first read. The snapshots are of different instants. So every read is
 * recorded in the read set, and the commit of a transaction with changes fails if any of it has changed since.
 *
 * <p>Any replica of a range may be read, since each write of a key is prepared on all of them: a conflict shows on
 * each. So a transaction needs one node of each range that it reads, and all nodes of each range that it writes.
 */
final class DistributedSnapshot implements Snapshot {
    /** Limit of keys in one request. */
    static final int MAX_KEYS = 1024;

    private final DistributedTables tables;
    private final ClusterView clusterView;
    private final ReadWriteSet readWriteSet;
    private final boolean multiStatement;
    private final Map<String, NodeSnapshot> nodeSnapshots = new ConcurrentHashMap<>();
    /**
     * Prefetched values. Reading a value removes it. An absent key stays: it takes little memory, and an insert reads
     * it twice.
     */
    private final Map<ByteBuffer, Optional<byte[]>> prefetched = new ConcurrentHashMap<>();

    private boolean othersOpened;

    DistributedSnapshot(
            DistributedTables tables, ClusterView clusterView, ReadWriteSet readWriteSet, boolean multiStatement) {
        this.tables = tables;
        this.clusterView = clusterView;
        this.readWriteSet = readWriteSet;
        this.multiStatement = multiStatement;
    }

    @Override
    public List<Table> tables() {
        return clusterView.all();
    }

    @Override
    public @Nullable SnapshotTable find(String name) {
        Placement placement = clusterView.table(name);
        return placement == null ? null : new DistributedTable(this, placement);
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
            if (fetched.isPresent()) {
                prefetched.remove(ByteBuffer.wrap(key));
            }
            return fetched.orElse(null);
        }
        String node = clusterView.reader(table.holders(key));
        openOthers(Set.of(node));
        NodeSnapshot nodeSnapshot = nodeSnapshot(node);
        remember(nodeSnapshot, SpanSet.point(key));
        return nodeSnapshot
                .read(ReadRequest.values(List.of(new KeyList(table.table().id(), List.of(key)))))
                .values()
                .get(0);
    }

    private void remember(NodeSnapshot nodeSnapshot, KeySpan span) {
        nodeSnapshot.remember(span);
        readWriteSet.remember(SpanSet.bytes(span));
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
                byNode.computeIfAbsent(clusterView.reader(placement.holders(key)), none -> new LinkedHashMap<>())
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
                nodeSnapshot.read(ReadRequest.values(lists)).values();
        int next = 0;
        for (KeyList list : lists) {
            for (byte[] key : list.keys()) {
                remember(nodeSnapshot, SpanSet.point(key));
                prefetched.put(ByteBuffer.wrap(key), Optional.ofNullable(values.get(next++)));
            }
        }
    }

    /**
     * Reads the first page of a span that lies in one range.
     *
     * @param holders ids of the nodes with the range
     */
    Page page(Placement table, List<String> holders, KeySpan span) {
        String node = clusterView.reader(holders);
        openOthers(Set.of(node));
        NodeSnapshot nodeSnapshot = nodeSnapshot(node);
        Page page = Objects.requireNonNull(nodeSnapshot
                .read(ReadRequest.kvs(new PageRequest(table.table().id(), span.start(), span.end())))
                .page());
        remember(nodeSnapshot, new KeySpan(span.start(), page.readTo(span.end())));
        return page;
    }

    @Override
    public Durability commit(ReadWriteSet all, @Nullable LogPosition position) {
        if (position == null && all.overlay().isEmpty()) {
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
