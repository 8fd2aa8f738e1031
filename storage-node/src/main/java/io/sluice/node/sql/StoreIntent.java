package io.sluice.node.sql;

import io.sluice.api.kv.KvSum;
import io.sluice.node.store.Family;
import io.sluice.node.store.RowBatch;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/** The intent of a transaction in this process. */
record StoreIntent(long since, long publications, SpanSet written, Ledger ledger) implements Intent {
    @Override
    public SpanSet checked() {
        return ledger.checked();
    }

    @Override
    public Set<Integer> tables() {
        return ledger.overlay().tables();
    }

    @Override
    public Map<Overlay.Place, KvSum> difference() {
        return ledger.overlay().difference();
    }

    @Override
    public Set<String> erasedFrom() {
        return ledger.overlay().erasedFrom();
    }

    @Override
    public void addTo(RowBatch batch, Function<String, Family> families) {
        ledger.overlay().addTo(batch, families);
    }
}
