package io.sluice.client.cluster;

import io.sluice.api.node.RangeDirectory;
import io.sluice.api.node.RowCursor;
import io.sluice.api.node.ScanRequest;
import io.sluice.model.error.NodeUnreachableException;
import io.sluice.model.kv.KeySpan;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Scans range after range in key order. When a node fails during its range, another replica scans the same range, and
 * the rows that were delivered are skipped: replicas are equal. If the range was split meanwhile, rows of several parts
 * are skipped.
 */
final class RangeScan implements RowCursor {
    private final Supplier<TableView> find;
    private final ScanRequest request;
    private final KeySpan span;
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
                    return row;
                }
                nextRange();
            } catch (NodeUnreachableException e) {
                close();
                replicas.removeFirst();
                failure = Replicas.deciding(failure, e);
                if (replicas.isEmpty()) {
                    follow(failure);
                }
            }
        }
        close();
        return null;
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
