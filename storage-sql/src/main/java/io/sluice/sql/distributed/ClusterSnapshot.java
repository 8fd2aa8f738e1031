package io.sluice.sql.distributed;

import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.KvPage;
import io.sluice.api.node.ScanRequest;
import io.sluice.api.node.TableDigest;
import io.sluice.api.node.TableSource;
import io.sluice.api.node.TableStatus;
import io.sluice.api.transaction.ReadAnswer.Page;
import io.sluice.engine.store.Kv;
import io.sluice.grammar.SqlErrorCode;
import io.sluice.grammar.StatementException;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.kv.IndexKeys;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.kv.KvChecksum;
import io.sluice.model.kv.RowDecoder;
import io.sluice.model.schema.Table;
import io.sluice.model.thread.Backoff;
import io.sluice.model.thread.Daemons;
import io.sluice.node.ingest.TableKvs;
import io.sluice.node.read.RowScan;
import io.sluice.sql.transaction.KeyPrefetch;
import io.sluice.sql.transaction.KvSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Tables of running nodes as they were at one moment, with the checksums that the nodes had for them then. They stay
 * readable while statements and imports change them, and while key ranges are moved. If a node is lost, other replicas
 * have snapshots of the same moment; without one, reads fail.
 */
public final class ClusterSnapshot implements TableSource, AutoCloseable {
    /** Waits between tries of about 10 s together, as long as a statement is run again after conflicts. */
    private static final Backoff TRIES = new Backoff(1, 250, 64);

    private final DistributedTables nodes;
    private final TableSource now;
    private final DistributedSnapshot snapshot;
    private final List<TableStatus> statuses;
    private final Map<String, DistributedTable> tables;
    /** Tells the nodes that the snapshots are in use, also while a slow output keeps the reader from reading. */
    private final ScheduledExecutorService keeper =
            Executors.newSingleThreadScheduledExecutor(Daemons.named("sluice-snapshot"));

    private ClusterSnapshot(
            DistributedTables nodes,
            TableSource now,
            DistributedSnapshot snapshot,
            List<TableStatus> statuses,
            Map<String, DistributedTable> tables) {
        this.nodes = nodes;
        this.now = now;
        this.snapshot = snapshot;
        this.statuses = statuses;
        this.tables = tables;
        var unused = keeper.scheduleWithFixedDelay(() -> snapshot.keep(null), 1, 1, TimeUnit.SECONDS);
    }

    /**
     * Takes a snapshot of tables.
     *
     * @param nodes the nodes' tables; closed with the snapshot, also if it cannot be taken
     * @param names names of the tables; none: all tables
     * @param now the tables as they are now, to choose split keys
     * @throws OperationFailedException if the nodes cannot take one: they change the tables too often, one does not
     *     answer, or is of an earlier build
     */
    public static ClusterSnapshot take(DistributedTables nodes, Collection<String> names, TableSource now) {
        ClusterSnapshot taken = null;
        try {
            for (int tries = 1; taken == null; tries++) {
                try {
                    taken = tryTake(nodes, names, now);
                } catch (StatementException | OperationFailedException e) {
                    if (!DistributedSnapshot.isConflict(e) || tries == TRIES.attempts()) {
                        throw failed(e);
                    }
                    Backoff.sleep(TRIES.jitteredMillis(tries), "taking snapshots of several nodes");
                }
            }
            return taken;
        } finally {
            if (taken == null) {
                nodes.close();
            }
        }
    }

    private static ClusterSnapshot tryTake(DistributedTables nodes, Collection<String> names, TableSource now) {
        ClusterView view = nodes.clusterView();
        DistributedSnapshot snapshot = new DistributedSnapshot(nodes, view, null, false);
        boolean taken = false;
        try {
            Map<String, DistributedTable> tables = new HashMap<>();
            List<KeySpan> spans = new ArrayList<>();
            for (String name : names.isEmpty() ? view.tables().keySet() : names) {
                if (!(snapshot.find(name) instanceof DistributedTable table)) {
                    throw new StatementException(SqlErrorCode.UNKNOWN_NAME, "there is no table " + name);
                }
                tables.put(name, table);
                spans.addAll(new IndexKeys(table.table()).spans());
            }
            // Of all tables, no other may come meanwhile.
            List<TableStatus> statuses = snapshot.takeTogether(names.isEmpty() ? List.of(KeySpan.ALL) : spans);
            taken = true;
            return new ClusterSnapshot(nodes, now, snapshot, statuses, tables);
        } finally {
            if (!taken) {
                snapshot.close();
            }
        }
    }

    private static OperationFailedException failed(RuntimeException e) {
        return e instanceof OperationFailedException known
                ? known
                : new OperationFailedException(String.valueOf(e.getMessage()), e);
    }

    /** Reads; what a node refuses is a failure. */
    private static <T extends @Nullable Object> T reading(Supplier<T> read) {
        try {
            return read.get();
        } catch (StatementException e) {
            throw failed(e);
        }
    }

    @Override
    public List<TableStatus> tables() {
        return statuses;
    }

    @Override
    public @Nullable TableStatus table(String name) {
        return statuses.stream()
                .filter(status -> status.table().name().equals(name))
                .findFirst()
                .orElse(null);
    }

    private DistributedTable require(String name) {
        DistributedTable table = tables.get(name);
        if (table == null) {
            throw new BadInputException("there is no table " + name);
        }
        return table;
    }

    @Override
    public RowScan scan(ScanRequest request) {
        DistributedTable source = require(request.table());
        Table table = source.table();
        return new RowScan(table, new IndexKeys(table), new RowDecoder(table), new State(snapshot, source), request);
    }

    /** A table for one scan. */
    private record State(DistributedSnapshot snapshot, DistributedTable table) implements RowScan.State {
        @Override
        public Supplier<@Nullable Kv> kvs(KeySpan span) {
            KvSource source = reading(() -> table.scan(span));
            return () -> reading(source::next);
        }

        @Override
        public List<byte @Nullable []> values(List<byte[]> keys) {
            return reading(() -> {
                snapshot.prefetch(List.of(new KeyPrefetch.Keys(table, keys)));
                List<byte @Nullable []> values = new ArrayList<>();
                keys.forEach(key -> values.add(table.row(key)));
                return values;
            });
        }

        @Override
        public void close() {}
    }

    @Override
    public List<byte[]> splitKeys(String table, int parts) {
        return now.splitKeys(table, parts);
    }

    @Override
    public void readKvs(String table, KeySpan span, Predicate<KvPage> pages) {
        DistributedTable source = require(table);
        KeySpan rest = span;
        boolean more = true;
        while (more && Arrays.compareUnsigned(rest.start(), rest.end()) < 0) {
            KeySpan part = source.inOneRange(rest);
            Page read = reading(() -> source.page(part));
            rest = rest.from(read.readTo(part.end()));
            more = pages.test(page(source.table(), read, rest.start()));
        }
    }

    /** The KVs of a table in a page, which may have others of tables that are interleaved with it. */
    private static KvPage page(Table table, Page read, byte[] end) {
        TableKvs kvs = new TableKvs(table);
        List<byte[]> keys = new ArrayList<>();
        List<byte @Nullable []> values = new ArrayList<>();
        for (int i = 0; i < read.keys().size(); i++) {
            if (kvs.add(read.keys().get(i), read.values().get(i))) {
                keys.add(read.keys().get(i));
                values.add(read.values().get(i));
            }
        }
        return new KvPage(end, kvs.sums(), keys, values);
    }

    @Override
    public TableDigest digest(String table) {
        Table found = require(table).table();
        KvChecksum[] sums = new KvChecksum[found.indexes().size()];
        Arrays.fill(sums, KvChecksum.EMPTY);
        for (KeySpan span : new LinkedHashSet<>(new IndexKeys(found).spans())) {
            readKvs(table, span, page -> {
                for (int i = 0; i < sums.length; i++) {
                    sums[i] = sums[i].plus(page.sums().get(i));
                }
                return true;
            });
        }
        List<IndexChecksum> indexes = new ArrayList<>();
        for (int i = 0; i < sums.length; i++) {
            indexes.add(new IndexChecksum(found.indexes().get(i).def().name(), sums[i]));
        }
        return new TableDigest(table, indexes);
    }

    @Override
    public void close() {
        keeper.shutdownNow();
        snapshot.close();
        nodes.close();
    }
}
