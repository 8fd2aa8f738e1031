package io.sluice.client.cluster;

import io.sluice.api.node.RowCursor;
import io.sluice.api.node.ScanRequest;
import io.sluice.model.error.NodeUnreachableException;
import io.sluice.model.kv.KeySpan;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Scans range after range in key order. When a node fails during its range, another replica scans the same range, and
 * the rows that were delivered are skipped: replicas are equal.
 */
final class RangeScan implements RowCursor {
    private final TableView table;
    private final ScanRequest request;
    private final KeySpan span;
    private int range;
    private long remaining;

    /** Replicas of the current range that have not failed. */
    private Deque<Member> replicas = new ArrayDeque<>();

    private @Nullable RowCursor rows;
    private long delivered;

    /**
     * Creates a scan.
     *
     * @param span the keys between the request's bounds
     */
    RangeScan(TableView table, ScanRequest request, KeySpan span) {
        this.table = table;
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
                if (row != null) {
                    delivered++;
                    remaining--;
                    return row;
                }
                nextRange();
            } catch (NodeUnreachableException e) {
                close();
                replicas.removeFirst();
                if (replicas.isEmpty()) {
                    throw e;
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
