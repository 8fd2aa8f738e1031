package io.sluice.sql.distributed;

import io.sluice.api.node.RowCursor;
import io.sluice.api.node.ScanRequest;
import io.sluice.api.transaction.Placement;
import io.sluice.engine.store.Kv;
import io.sluice.grammar.SqlErrorCode;
import io.sluice.grammar.StatementException;
import io.sluice.model.error.Backoff;
import io.sluice.model.error.NodeUnreachableException;
import io.sluice.model.error.SluiceException;
import io.sluice.model.kv.IndexKeys;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.kv.RowDecoder;
import io.sluice.model.schema.Table;
import io.sluice.node.read.RowScan;
import io.sluice.sql.transaction.KeyPrefetch;
import io.sluice.sql.transaction.KvSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Rows of a table on several nodes, all of one moment. They stay readable when key ranges are moved meanwhile. If a
 * node is lost, or the table changes too often for snapshots of one moment, the scan reads the rest as it is by then,
 * and warns.
 */
public final class SnapshotScan implements RowCursor {
    /** Waits between tries of about 10 s together, as long as a statement is run again after conflicts. */
    private static final Backoff TRIES = new Backoff(1, 250, 64);

    private final DistributedTables tables;
    private final ScanRequest request;
    private final Function<ScanRequest, RowCursor> later;
    private final Consumer<String> warn;
    /** Null: the rest is not of that moment. */
    private @Nullable RowScan rows;

    private @Nullable RowCursor rest;
    /** Goes out with the next row, since a rest that cannot be read has its own error; null: there is none. */
    private @Nullable String warning;

    private @Nullable List<@Nullable String> first;
    private long delivered;

    /**
     * Begins a scan.
     *
     * @param tables the nodes' tables; this closes them
     * @param request for whole rows
     * @param later reads what is left otherwise
     * @param warn receives the reason
     */
    public SnapshotScan(
            DistributedTables tables,
            ScanRequest request,
            Function<ScanRequest, RowCursor> later,
            Consumer<String> warn) {
        this.tables = tables;
        this.request = request;
        this.later = later;
        this.warn = warn;
        boolean begun = false;
        try {
            for (int tries = 1; !begun; tries++) {
                begun = begins(tries < TRIES.attempts());
                if (!begun) {
                    Backoff.sleep(TRIES.jitteredMillis(tries), "scanning a table");
                }
            }
        } finally {
            if (!begun) {
                close();
            }
        }
    }

    private boolean begins(boolean again) {
        try {
            begin();
            return true;
        } catch (StatementException | SluiceException e) {
            return goOn(e, again);
        }
    }

    /** Takes the snapshots, and reads the first row: until then nothing is lost by another try. */
    private void begin() {
        DistributedSnapshot snapshot = new DistributedSnapshot(tables, tables.clusterView(), null, false);
        boolean begun = false;
        try {
            DistributedTable table = (DistributedTable) snapshot.find(request.table());
            if (table == null) {
                throw new StatementException(SqlErrorCode.UNKNOWN_NAME, "there is no table " + request.table());
            }
            Placement placement = table.placement();
            snapshot.takeTogether(placement);
            if (snapshot.isApart()) {
                throw new StatementException(
                        SqlErrorCode.CONFLICT, "the table is changed too often for snapshots of one moment");
            }
            Table bound = placement.table();
            rows = new RowScan(bound, new IndexKeys(bound), new RowDecoder(bound), new State(snapshot, table), request);
            first = rows.next();
            begun = true;
        } finally {
            if (!begun) {
                rows = null;
                snapshot.close();
            }
        }
    }

    /** The table as the snapshots show it. */
    private record State(DistributedSnapshot snapshot, DistributedTable table) implements RowScan.State {
        @Override
        public Supplier<@Nullable Kv> kvs(KeySpan span) {
            KvSource source = table.scan(span);
            return source::next;
        }

        @Override
        public List<byte @Nullable []> values(List<byte[]> keys) {
            snapshot.prefetch(List.of(new KeyPrefetch.Keys(table, keys)));
            List<byte @Nullable []> values = new ArrayList<>();
            keys.forEach(key -> values.add(table.row(key)));
            return values;
        }

        @Override
        public void close() {
            snapshot.close();
        }
    }

    /**
     * Reads the rest in another way after a failure, unless it is gone at the next try.
     *
     * @return whether it does so
     */
    private boolean goOn(RuntimeException failure, boolean again) {
        boolean conflict = failure instanceof NodeUnreachableException
                || (failure instanceof StatementException refused && refused.code() == SqlErrorCode.CONFLICT);
        if (conflict && again) {
            return false;
        }
        KeySpan within = Objects.requireNonNullElse(request.within(), KeySpan.ALL);
        RowScan before = rows;
        rest = later.apply(new ScanRequest(
                request.table(),
                request.index(),
                request.from(),
                request.to(),
                request.limit() - delivered,
                before == null ? within : within.from(before.end()),
                request.content()));
        warning = (before == null ? "the rows" : "the rows that follow") + " may be of different moments: "
                + failure.getMessage();
        close(before);
        rows = null;
        return true;
    }

    @Override
    public @Nullable List<@Nullable String> next() {
        RowScan snapshots = rows;
        if (snapshots != null) {
            try {
                List<@Nullable String> row = delivered == 0 ? first : snapshots.next();
                delivered++;
                return row;
            } catch (StatementException | SluiceException e) {
                boolean unused = goOn(e, false);
            }
        }
        List<@Nullable String> row = Objects.requireNonNull(rest).next();
        String told = warning;
        if (told != null) {
            warning = null;
            warn.accept(told);
        }
        return row;
    }

    private static void close(@Nullable RowCursor cursor) {
        if (cursor != null) {
            cursor.close();
        }
    }

    @Override
    public void close() {
        close(rows);
        close(rest);
        tables.close();
    }
}
