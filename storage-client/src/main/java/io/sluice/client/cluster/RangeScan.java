package io.sluice.client.cluster;

import io.sluice.api.node.KeyTexts;
import io.sluice.api.node.RangeDirectory;
import io.sluice.api.node.RowCursor;
import io.sluice.api.node.ScanRequest;
import io.sluice.model.error.NodeUnreachableException;
import io.sluice.model.kv.IndexKeys;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.schema.Table;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Scans range after range in key order. When a node fails during its range, another replica goes on after the key of
 * the last row. Entries of a secondary index do not tell their keys: as many as were delivered are skipped, of several
 * parts if the range was split meanwhile. Replicas are equal, unless statements change the rows.
 */
final class RangeScan implements RowCursor {
    private final Supplier<TableView> find;
    private final ScanRequest request;
    /** The keys that are left to read. */
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
    /** Rows that were delivered of the current range, and, until {@link #lastPart}, of those after it. */
    private long delivered;
    /** The last row that was delivered. */
    private @Nullable List<@Nullable String> last;
    /** The current range; if it was split while it was read, the last part of what it was. */
    private int lastPart;

    /**
     * Creates a scan.
     *
     * @param find finds the table's places when its ranges were moved
     * @param span the keys between the request's bounds
     */
    RangeScan(TableView table, Supplier<TableView> find, ScanRequest request, KeySpan span) {
        this.table = table;
        this.find = find;
        this.request = request;
        keys = new IndexKeys(table.status().table());
        this.span = request.within() == null ? span : Spans.common(span, request.within());
        remaining = request.limit();
        range = table.directory().rangeOf(this.span.start()) - 1;
        nextRange();
    }

    @Override
    public @Nullable List<@Nullable String> next() {
        while (remaining > 0 && range < table.directory().ranges().size()) {
            try {
                RowCursor open = cursor();
                if (open == null) {
                    continue;
                }
                List<@Nullable String> row = open.next();
                failedNanos = 0;
                if (row != null) {
                    delivered++;
                    remaining--;
                    last = row;
                    return row;
                }
                nextRange();
            } catch (NodeUnreachableException e) {
                close();
                replicas.removeFirst();
                failure = Replicas.deciding(failure, e);
                passDelivered();
                if (!table.directory().span(range).overlaps(span)) {
                    nextRange();
                } else if (replicas.isEmpty()) {
                    follow(failure);
                }
            }
        }
        close();
        return null;
    }

    /**
     * Begins after the last row that was delivered, if rows tell their keys: statements may have deleted some of these
     * rows, or inserted others among them, so that their number does not tell where to go on.
     */
    private void passDelivered() {
        Table bound = table.status().table();
        List<@Nullable String> row = last;
        boolean whole = row != null && row.size() == bound.def().columns().size();
        if (row == null || bound.ordinal(request.index()) != 0 || !(whole || request.keysOnly())) {
            return;
        }
        List<@Nullable String> key = request.keysOnly()
                ? row
                : bound.primary().def().columns().stream()
                        .<@Nullable String>map(column -> row.get(column.column()))
                        .toList();
        span = span.from(KeySpan.prefixEnd(keys.prefix(0, KeyTexts.primaryKey(bound, key), key.size())));
        delivered = 0;
        last = null;
    }

    /** The rows of the range that were not delivered; null if the next range has them, after a split. */
    private @Nullable RowCursor cursor() {
        RowCursor open = rows;
        if (open == null) {
            open = replicas.getFirst().client().scan(inRange());
            rows = open;
            long skipped = 0;
            while (skipped < delivered && open.next() != null) {
                skipped++;
            }
            if (skipped < delivered && range < lastPart) {
                enter(range + 1, delivered - skipped, lastPart);
                return null;
            }
        }
        return open;
    }

    /** Looks where the range is now, if it can be read soon. */
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
        if (!later) {
            // The nodes that answer do not know the last split yet.
            enter(range, delivered, lastPart);
            return;
        }
        table = now;
        byte[] end = before.span(lastPart).end();
        int first = next.rangeOf(Spans.common(span, before.span(range)).start());
        int last = lastPart + 1 == before.ranges().size() ? next.ranges().size() - 1 : next.rangeOf(end) - 1;
        while (last > first && !next.span(last).overlaps(span)) {
            last--;
        }
        enter(first, delivered, last);
    }

    private ScanRequest inRange() {
        return new ScanRequest(
                request.table(),
                request.index(),
                request.from(),
                request.to(),
                delivered + remaining,
                Spans.common(span, table.directory().span(range)),
                request.keysOnly());
    }

    private void nextRange() {
        enter(range + 1, 0, range + 1);
    }

    private void enter(int next, long skipped, int last) {
        close();
        delivered = skipped;
        lastPart = last;
        failure = null;
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
