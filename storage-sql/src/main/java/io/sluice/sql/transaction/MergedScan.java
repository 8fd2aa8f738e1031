package io.sluice.sql.transaction;

import io.sluice.engine.store.Kv;
import io.sluice.model.kv.KeySpan;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Merges the KVs of a span in a transaction's snapshot with the transaction's own changes, in key order. The
 * transaction's next change invalidates it. Not thread-safe; the caller closes it.
 */
final class MergedScan implements AutoCloseable {
    private final KvSource cursor;
    /** Spans of the snapshot that the transaction erased, or null. */
    private final @Nullable SpanSet erased;

    private final Iterator<Map.Entry<byte[], Overlay.Change>> changes;
    private @Nullable Kv stored;
    private Map.@Nullable Entry<byte[], Overlay.Change> changed;

    MergedScan(SnapshotTable table, Overlay overlay, KeySpan span) {
        erased = overlay.erased(table.tree());
        cursor = table.scan(span);
        changes = overlay.within(table.tree(), span);
        stored = nextStored();
        changed = nextChange();
    }

    private @Nullable Kv nextStored() {
        Kv kv = cursor.next();
        while (erased != null && kv != null) {
            KeySpan gone = erased.spanOf(kv.key());
            if (gone == null) {
                return kv;
            }
            cursor.seek(gone.end());
            kv = cursor.next();
        }
        return kv;
    }

    private Map.@Nullable Entry<byte[], Overlay.Change> nextChange() {
        return changes.hasNext() ? changes.next() : null;
    }

    /** Returns the next KV, or null after the last. */
    @Nullable
    Kv next() {
        while (true) {
            Kv kv = stored;
            Map.Entry<byte[], Overlay.Change> change = changed;
            int order = kv == null || change == null ? 0 : Arrays.compareUnsigned(kv.key(), change.getKey());
            if (change == null || (kv != null && order < 0)) {
                stored = kv == null ? null : nextStored();
                return kv;
            }
            if (kv != null && order == 0) {
                stored = nextStored();
            }
            changed = nextChange();
            byte[] now = change.getValue().now();
            if (now != null) {
                return new Kv(change.getKey(), now);
            }
        }
    }

    @Override
    public void close() {
        cursor.close();
    }
}
