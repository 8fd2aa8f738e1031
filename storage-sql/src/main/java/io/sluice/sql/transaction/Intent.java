package io.sluice.sql.transaction;

import io.sluice.engine.store.Family;
import io.sluice.engine.store.RowBatch;
import io.sluice.model.kv.KvChecksum;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/** The changes and the read set with which a transaction asks to commit to a store. Immutable. */
public interface Intent {
    /** Number of the latest commit that the snapshot certainly includes. */
    long since();

    /** Number of table publications that the snapshot certainly includes. */
    long publications();

    /** The write set. */
    SpanSet written();

    /** The read set: no other transaction may have changed these keys since the snapshot. */
    SpanSet checked();

    /** Ids of the tables it changes. */
    Set<Integer> tables();

    /** Change of each index's checksum; its count and bytes may be negative. */
    Map<Overlay.IndexId, KvChecksum> difference();

    /** Names of the column families in which it removes spans. */
    Set<String> erasedFrom();

    /** Adds its changes to a batch. */
    void addTo(RowBatch batch, Function<String, Family> families);
}
