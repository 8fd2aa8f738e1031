package io.sluice.node.transaction;

import io.sluice.api.kv.KvChecksum;
import io.sluice.node.store.Family;
import io.sluice.node.store.RowBatch;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The intent of a transaction in this process. */
record StoreIntent(
        long since,
        long publications,
        SpanSet written,
        SpanSet checked,
        Map<Overlay.Place, KvChecksum> difference,
        Overlay overlay)
        implements Intent {
    /** What a transaction has done by now. */
    static StoreIntent of(long since, long publications, ReadWriteSet ledger) {
        Overlay overlay = ledger.overlay();
        return new StoreIntent(since, publications, overlay.written(), ledger.checked(), overlay.difference(), overlay);
    }

    @Override
    public Set<Integer> tables() {
        return difference.keySet().stream().map(Overlay.Place::tableId).collect(Collectors.toCollection(TreeSet::new));
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
