package io.sluice.node.sql;

import io.sluice.api.kv.KeySpan;
import io.sluice.node.store.Family;
import io.sluice.node.store.FamilyView;
import io.sluice.node.store.Kv;
import io.sluice.node.store.KvCursor;
import io.sluice.node.store.ReadPattern;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The KVs of a span in order as a transaction sees them: its snapshot's, with its own changes. Not to be used after the
 * transaction's next change. For one thread at a time; close it.
 */
final class MergedScan implements AutoCloseable {
    private final KvCursor cursor;
    private final Iterator<Map.Entry<byte[], Overlay.Change>> changes;
    private @Nullable Kv stored;
    private Map.@Nullable Entry<byte[], Overlay.Change> changed;

    MergedScan(FamilyView view, Overlay overlay, Family family, KeySpan span) {
        cursor = view.cursor(span, ReadPattern.SCAN);
        changes = overlay.within(family, span);
        stored = cursor.next();
        changed = nextChange();
    }

    private Map.@Nullable Entry<byte[], Overlay.Change> nextChange() {
        return changes.hasNext() ? changes.next() : null;
    }

    /** The next KV, or null behind the last. */
    @Nullable
    Kv next() {
        while (true) {
            Kv kv = stored;
            Map.Entry<byte[], Overlay.Change> change = changed;
            int order = kv == null || change == null ? 0 : Arrays.compareUnsigned(kv.key(), change.getKey());
            if (change == null || (kv != null && order < 0)) {
                stored = kv == null ? null : cursor.next();
                return kv;
            }
            if (kv != null && order == 0) {
                stored = cursor.next();
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
