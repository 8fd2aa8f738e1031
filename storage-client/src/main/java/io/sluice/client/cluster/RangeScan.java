package io.sluice.client.cluster;

import io.sluice.api.node.KeyTexts;
import io.sluice.api.node.RangeDirectory;
import io.sluice.api.node.RowCursor;
import io.sluice.api.node.ScanRequest;
import io.sluice.api.node.ScanRequest.Content;
import io.sluice.api.wire.Wire;
import io.sluice.model.error.NodeUnreachableException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.kv.IndexKeys;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.schema.Table;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Scans range after range in key order. When a node fails during its range, another replica goes on after the key of
 * the last row, wherever the keys are by then. Rows tell their keys in the primary index; for a secondary index the
 * nodes send the keys of the entries with them. Statements may change the rows meanwhile.
 */
final class RangeScan implements RowCursor {
    private final Supplier<TableView> find;
    private final ScanRequest request;
    private final int ordinal;
    /** The keys that are left to read when a range begins, or after a failure. */
    private KeySpan span;

    private final IndexKeys keys;
    private TableView table;
    private int range;
    private long remaining;
    /** Why replicas of the current range have failed. */
    private @Nullable NodeUnreachableException failure;
    /** When the first of the failures that were not followed by a row came; 0: there is none. */
    private long failedNanos;

    /** Replicas of the current range that have not failed. */
    private Deque<Member> replicas = new ArrayDeque<>();

    private @Nullable RowCursor rows;
    /** The last row that was delivered; null if {@link #span} begins after it. */
    private @Nullable List<@Nullable String> last;

    /**
     * Creates a scan.
     *
     * @param find finds the table's places when its ranges were moved
     * @param request a secondary index: for keys only
     * @param span the keys between the request's bounds
     */
    RangeScan(TableView table, Supplier<TableView> find, ScanRequest request, KeySpan span) {
        this.table = table;
        this.find = find;
        this.request = request;
        Table bound = table.status().table();
        ordinal = bound.ordinal(request.index());
        keys = new IndexKeys(bound);
        this.span = request.within() == null ? span : span.common(request.within());
        remaining = request.limit();
        enter(table.directory().rangeOf(this.span.start()));
    }

    @Override
    public @Nullable List<@Nullable String> next() {
        while (remaining > 0 && range < table.directory().ranges().size()) {
            try {
                List<@Nullable String> row = cursor().next();
                failedNanos = 0;
                if (row != null) {
                    remaining--;
                    last = row;
                    return delivered(row);
                }
                enter(range + 1);
            } catch (NodeUnreachableException e) {
                close();
                Member failed = replicas.removeFirst();
                failure = Replicas.deciding(failure, e);
                passDelivered(failed, e);
                if (!table.directory().span(range).overlaps(span)) {
                    enter(range + 1);
                } else if (replicas.isEmpty()) {
                    follow(failure);
                }
            }
        }
        close();
        return null;
    }

    /** A row without the key of its entry, unless the request wants it. */
    private List<@Nullable String> delivered(List<@Nullable String> row) {
        int columns = table.status().table().primary().def().columns().size();
        return ordinal == 0 || request.content() == Content.KEY_AND_ENTRY || row.size() <= columns
                ? row
                : row.subList(0, columns);
    }

    /**
     * Begins after the last row that was delivered. The number of rows would not tell where to go on: statements may
     * have deleted some of them, or inserted others among them.
     */
    private void passDelivered(Member failed, NodeUnreachableException e) {
        List<@Nullable String> row = last;
        if (row == null) {
            return;
        }
        Table bound = table.status().table();
        int columns = bound.primary().def().columns().size();
        byte[] entry;
        if (ordinal > 0) {
            if (row.size() <= columns) {
                throw new OperationFailedException(
                        "table " + bound.name() + ", index " + request.index() + ": node " + failed.described()
                                + " failed while it was read, and its build does not tell after which key another node"
                                + " can go on; read again",
                        e);
            }
            entry = Wire.key("key of an entry", Objects.requireNonNull(row.get(columns)));
        } else {
            List<@Nullable String> key = request.content() != Content.ROW
                    ? row.subList(0, columns)
                    : bound.primary().def().columns().stream()
                            .<@Nullable String>map(column -> row.get(column.column()))
                            .toList();
            entry = keys.prefix(0, KeyTexts.primaryKey(bound, key), columns);
        }
        span = span.from(KeySpan.prefixEnd(entry));
        last = null;
    }

    /** The rows of the range that were not delivered. */
    private RowCursor cursor() {
        RowCursor open = rows;
        if (open == null) {
            open = replicas.getFirst().client().scan(inRange());
            rows = open;
        }
        return open;
    }

    /** Looks where the rest of the range is now, if it can be read soon. */
    private void follow(NodeUnreachableException e) {
        failedNanos = failedNanos == 0 ? System.nanoTime() : failedNanos;
        if (!e.readAgain() || System.nanoTime() - failedNanos > Replicas.FOLLOW_NANOS) {
            throw e;
        }
        TableFreeze.pause();
        TableView now = find.get();
        RangeDirectory before = table.directory();
        RangeDirectory next = now.directory();
        boolean later = next.refines(before);
        if (now.status().table().id() != table.status().table().id() || !(later || before.refines(next))) {
            throw e;
        }
        byte[] start = span.common(before.span(range)).start();
        if (later) {
            table = now;
        }
        // Otherwise the nodes that answer do not know the last split yet.
        enter(table.directory().rangeOf(start));
    }

    private ScanRequest inRange() {
        return new ScanRequest(
                request.table(),
                request.index(),
                request.from(),
                request.to(),
                remaining,
                span.common(table.directory().span(range)),
                ordinal > 0 ? Content.KEY_AND_ENTRY : request.content());
    }

    private void enter(int next) {
        close();
        failure = null;
        last = null;
        range = next;
        boolean inside = range < table.directory().ranges().size()
                && table.directory().span(range).overlaps(span);
        if (inside) {
            replicas = new ArrayDeque<>(table.holdersOf(range));
        } else {
            range = table.directory().ranges().size();
        }
    }

    @Override
    public void close() {
        RowCursor open = rows;
        rows = null;
        if (open != null) {
            open.close();
        }
    }
}
