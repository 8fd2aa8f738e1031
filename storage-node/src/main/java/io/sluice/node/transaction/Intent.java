package io.sluice.node.transaction;

import io.sluice.api.kv.KvChecksum;
import io.sluice.node.store.Family;
import io.sluice.node.store.RowBatch;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/** What a transaction wants to become of a store. Does not change any more. */
public interface Intent {
    /** Number of a commit that its snapshot is sure to show. */
    long since();

    /** How many publications of tables its snapshot is sure to show. */
    long publications();

    /** The keys it writes. */
    SpanSet written();

    /** The keys it read, which nobody else may have changed. */
    SpanSet checked();

    /** Ids of the tables it changes. */
    Set<Integer> tables();

    /** How much more each index adds up to; numbers may be negative. */
    Map<Overlay.Place, KvChecksum> difference();

    /** Column families of which it removes spans. */
    Set<String> erasedFrom();

    /** Adds its changes to a batch. */
    void addTo(RowBatch batch, Function<String, Family> families);
}
