package io.sluice.sql.distributed;

import io.sluice.api.node.RowCursor;
import io.sluice.api.node.ScanRequest;
import io.sluice.model.error.SluiceException;
import io.sluice.model.kv.KeySpan;
import io.sluice.node.read.RowScan;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Rows of a table in a {@link ClusterSnapshot}. If that cannot be read to the end, the scan reads the rest as it is by
 * then, and warns.
 */
public final class SnapshotScan implements RowCursor {
    private final ClusterSnapshot snapshot;
    private final ScanRequest request;
    private final Function<ScanRequest, RowCursor> later;
    private final Consumer<String> warn;
    private final RowScan rows;
    /** Null: the rows are of the snapshot so far. */
    private @Nullable RowCursor rest;
    /** Goes out with the next row, since a rest that cannot be read has its own error; null: there is none. */
    private @Nullable String warning;

    private long delivered;

    /**
     * Begins a scan.
     *
     * @param snapshot has the table; this closes it
     * @param request for whole rows
     * @param later reads what is left otherwise
     * @param warn receives the reason
     */
    public SnapshotScan(
            ClusterSnapshot snapshot,
            ScanRequest request,
            Function<ScanRequest, RowCursor> later,
            Consumer<String> warn) {
        this.snapshot = snapshot;
        this.request = request;
        this.later = later;
        this.warn = warn;
        rows = snapshot.scan(request);
    }

    private RowCursor readLater(SluiceException failure) {
        KeySpan within = Objects.requireNonNullElse(request.within(), KeySpan.ALL);
        warning = "the rows" + (delivered == 0 ? "" : " that follow") + " may be of different moments: "
                + failure.getMessage();
        return later.apply(new ScanRequest(
                request.table(),
                request.index(),
                request.from(),
                request.to(),
                request.limit() - delivered,
                delivered == 0 ? within : within.from(rows.end()),
                request.content()));
    }

    @Override
    public @Nullable List<@Nullable String> next() {
        if (rest == null) {
            try {
                List<@Nullable String> row = rows.next();
                delivered++;
                return row;
            } catch (SluiceException e) {
                rest = readLater(e);
            }
        }
        List<@Nullable String> row = rest.next();
        String told = warning;
        if (told != null) {
            warning = null;
            warn.accept(told);
        }
        return row;
    }

    @Override
    public void close() {
        if (rest != null) {
            rest.close();
        }
        snapshot.close();
    }
}
