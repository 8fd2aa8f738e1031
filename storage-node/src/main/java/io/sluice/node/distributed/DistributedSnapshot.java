package io.sluice.node.distributed;

import io.sluice.api.kv.KeySpan;
import io.sluice.api.schema.Table;
import io.sluice.api.transaction.KeyList;
import io.sluice.api.transaction.LogPosition;
import io.sluice.api.transaction.Page;
import io.sluice.api.transaction.PageRequest;
import io.sluice.api.transaction.Placement;
import io.sluice.api.transaction.ReadRequest;
import io.sluice.node.catalog.AppliedLogs;
import io.sluice.node.transaction.Durability;
import io.sluice.node.transaction.KeyPrefetch;
import io.sluice.node.transaction.ReadWriteSet;
import io.sluice.node.transaction.Snapshot;
import io.sluice.node.transaction.SnapshotTable;
import io.sluice.node.transaction.SpanSet;
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
 * What a transaction on several nodes reads: one snapshot per node, each taken when it is first needed, or, where
 * several statements are to come, all when the first is. They are not of one instant. So everything that is read is
 * remembered, and when the transaction changes anything its commit is refused if any of it has changed since.
 */
final class DistributedSnapshot implements Snapshot {
    /** Keys of one request. */
    static final int MOST_KEYS = 1024;

    private final DistributedTables tables;
    private final ClusterView known;
    private final ReadWriteSet ledger;
    private final boolean several;
    private final Map<String, NodeSnapshot> parts = new ConcurrentHashMap<>();
    /**
     * Values that were fetched before they were asked for: each is taken out when it is, but for those that are not
     * there, which take little and are asked for twice by whoever looks before inserting.
     */
    private final Map<ByteBuffer, Optional<byte[]>> expected = new ConcurrentHashMap<>();

    private boolean begun;

    DistributedSnapshot(DistributedTables tables, ClusterView known, ReadWriteSet ledger, boolean several) {
        this.tables = tables;
        this.known = known;
        this.ledger = ledger;
        this.several = several;
    }

    @Override
    public List<Table> tables() {
        return known.all();
    }

    @Override
    public @Nullable SnapshotTable find(String name) {
        Placement placement = known.table(name);
        return placement == null ? null : new DistributedTable(this, placement);
    }

    /** A node has the last word when the transaction commits. */
    @Override
    public void ensureChangeable(Table table) {}

    @Override
    public String againstErasing(SnapshotTable table) {
        return "table " + table.table().name() + " is divided among nodes";
    }

    /** The part on a node. */
    private NodeSnapshot part(String node) {
        return parts.computeIfAbsent(node, id -> new NodeSnapshot(known.node(id), tables, known));
    }

    /**
     * Has the snapshots of other nodes taken, so that not every statement that comes to a node first waits for its.
     *
     * @param read nodes that are about to be read from, and take theirs by that
     */
    private void beginOthers(Set<String> read) {
        if (!several) {
            return;
        }
        synchronized (this) {
            if (begun) {
                return;
            }
            begun = true;
        }
        for (String id : known.nodes().keySet()) {
            if (!read.contains(id)) {
                NodeSnapshot part = part(id);
                tables.tasks().later(() -> opened(part));
            }
        }
    }

    private static void opened(NodeSnapshot part) {
        try {
            part.open();
        } catch (RuntimeException e) {
            // Whoever needs it tries again, and is told.
            return;
        }
    }

    byte @Nullable [] value(Placement table, byte[] key) {
        Optional<byte[]> fetched = expected.get(ByteBuffer.wrap(key));
        if (fetched != null) {
            if (fetched.isPresent()) {
                expected.remove(ByteBuffer.wrap(key));
            }
            return fetched.orElse(null);
        }
        String node = table.holders(key).get(0);
        beginOthers(Set.of(node));
        NodeSnapshot part = part(node);
        remember(part, SpanSet.point(key));
        return part.read(ReadRequest.values(List.of(new KeyList(table.table().id(), List.of(key)))))
                .values()
                .get(0);
    }

    private void remember(NodeSnapshot part, KeySpan span) {
        part.remember(span);
        ledger.remember(SpanSet.bytes(span));
    }

    @Override
    public boolean far() {
        return true;
    }

    /** Fetches them from all nodes at once. */
    @Override
    public void expect(List<KeyPrefetch.Keys> keys) {
        Map<String, Map<Integer, List<byte[]>>> byNode = new LinkedHashMap<>();
        for (KeyPrefetch.Keys each : keys) {
            Placement placement = ((DistributedTable) each.table()).placement();
            for (byte[] key : each.keys()) {
                byNode.computeIfAbsent(placement.holders(key).get(0), none -> new LinkedHashMap<>())
                        .computeIfAbsent(placement.table().id(), none -> new ArrayList<>())
                        .add(key);
            }
        }
        beginOthers(byNode.keySet());
        List<Runnable> work = new ArrayList<>();
        byNode.forEach((node, lists) -> {
            NodeSnapshot part = part(node);
            requests(lists).forEach(request -> work.add(() -> fetch(part, request)));
        });
        tables.tasks().all(work);
    }

    /** Keys by table, as what is asked for in one request each. */
    static List<List<KeyList>> requests(Map<Integer, List<byte[]>> lists) {
        List<List<KeyList>> requests = new ArrayList<>();
        int room = 0;
        for (Map.Entry<Integer, List<byte[]>> list : lists.entrySet()) {
            List<byte[]> keys = list.getValue();
            for (int from = 0, to; from < keys.size(); from = to) {
                if (room == 0) {
                    requests.add(new ArrayList<>());
                    room = MOST_KEYS;
                }
                to = Math.min(from + room, keys.size());
                requests.get(requests.size() - 1).add(new KeyList(list.getKey(), keys.subList(from, to)));
                room -= to - from;
            }
        }
        return requests;
    }

    private void fetch(NodeSnapshot part, List<KeyList> lists) {
        List<byte @Nullable []> values = part.read(ReadRequest.values(lists)).values();
        int next = 0;
        for (KeyList list : lists) {
            for (byte[] key : list.keys()) {
                remember(part, SpanSet.point(key));
                expected.put(ByteBuffer.wrap(key), Optional.ofNullable(values.get(next++)));
            }
        }
    }

    /** The next KVs of a span that lies on one node. */
    Page page(Placement table, String node, KeySpan span) {
        beginOthers(Set.of(node));
        NodeSnapshot part = part(node);
        Page page = Objects.requireNonNull(
                part.read(ReadRequest.kvs(new PageRequest(table.table().id(), span.start(), span.end())))
                        .page());
        remember(part, new KeySpan(span.start(), page.readTo(span.end())));
        return page;
    }

    @Override
    public Durability commit(ReadWriteSet all, AppliedLogs.@Nullable Mark mark) {
        if (mark == null && all.overlay().isEmpty()) {
            return Durability.DONE;
        }
        LogPosition position = mark == null ? null : new LogPosition(mark.log(), mark.position());
        new TwoPhaseCommit(tables, known, this::part, parts).run(all.overlay(), position);
        return Durability.DONE;
    }

    @Override
    public void close() {
        // One that is just being taken is waited for by somebody else.
        if (!parts.isEmpty() && !tables.tasks().later(() -> parts.values().forEach(NodeSnapshot::release))) {
            parts.values().forEach(NodeSnapshot::release);
        }
    }
}
