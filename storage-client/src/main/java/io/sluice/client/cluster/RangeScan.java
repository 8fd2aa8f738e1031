package io.sluice.client.cluster;

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
 * the rows that were delivered are skipped: replicas are equal.
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
    private long delivered;

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
                List<@Nullable String> row = cursor().next();
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

    private RowCursor cursor() {
        RowCursor open = rows;
        if (open == null) {
            open = replicas.getFirst().client().scan(inRange());
            rows = open;
            for (long i = 0; i < delivered; i++) {
                open.next();
            }
        }
        return open;
    }

    /** Looks where the range is now, if that is why it cannot be read. */
    private void follow(NodeUnreachableException e) {
        failedNanos = failedNanos == 0 ? System.nanoTime() : failedNanos;
        if (!e.moved() || System.nanoTime() - failedNanos > Replicas.FOLLOW_NANOS) {
            throw e;
        }
        TableFreeze.pause();
        TableView now = find.get();
        if (now.status().table().id() != table.status().table().id()
                || !now.directory().hasSameBounds(table.directory())) {
            throw e;
        }
        table = now;
        failure = null;
        replicas = new ArrayDeque<>(table.holdersOf(range));
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
        close();
        delivered = 0;
        failure = null;
        range++;
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
