package io.sluice.sql.transaction;

import io.sluice.engine.store.Family;
import io.sluice.engine.store.RowBatch;
import io.sluice.model.kv.KvChecksum;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Intent of a transaction that runs in the store's own process. */
record StoreIntent(
        long since,
        long publications,
        SpanSet written,
        SpanSet checked,
        Map<Overlay.IndexId, KvChecksum> difference,
        Overlay overlay)
        implements Intent {
    /** Captures the current read and write sets of a transaction. */
    static StoreIntent of(long since, long publications, ReadWriteSet readWriteSet) {
        Overlay overlay = readWriteSet.overlay();
        return new StoreIntent(
                since, publications, overlay.written(), readWriteSet.checked(), overlay.difference(), overlay);
    }

    @Override
    public Set<Integer> tables() {
        return difference.keySet().stream()
                .map(Overlay.IndexId::tableId)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Override
    public Set<String> erasedFrom() {
        return overlay.erasedFrom();
    }

    @Override
    public void addTo(RowBatch batch, Function<String, Family> families) {
        overlay.addTo(batch, families);
    }
}
