package io.sluice.sql.transaction;

import io.sluice.engine.store.Family;
import io.sluice.engine.store.RowBatch;
import io.sluice.model.kv.KvChecksum;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The changes and the read set with which a transaction asks to commit to a store. Immutable.
 *
 * @param since number of the latest commit that the snapshot certainly includes
 * @param publications number of table publications that the snapshot certainly includes
 * @param written the write set
 * @param checked the read set: no other transaction may have changed these keys since the snapshot
 * @param tables ids of the tables it changes
 * @param difference change of each index's checksum; its count and bytes may be negative
 * @param erasedFrom names of the column families in which it removes spans
 * @param changes adds its changes to a batch, given the column families by name; null for one of a dropped table
 */
public record Intent(
        long since,
        long publications,
        SpanSet written,
        SpanSet checked,
        Set<Integer> tables,
        Map<Overlay.IndexId, KvChecksum> difference,
        Set<String> erasedFrom,
        BiConsumer<RowBatch, Function<String, @Nullable Family>> changes) {
    /** The read set of a transaction without changes. */
    static Intent reading(long since, long publications, SpanSet read) {
        return new Intent(
                since, publications, SpanSet.EMPTY, read, Set.of(), Map.of(), Set.of(), (batch, byName) -> {});
    }

    /** Captures the current read and write sets of a transaction in this process. */
    static Intent of(long since, long publications, ReadWriteSet readWriteSet) {
        Overlay overlay = readWriteSet.overlay();
        Map<Overlay.IndexId, KvChecksum> difference = overlay.difference();
        Set<Integer> tables = new TreeSet<>();
        difference.keySet().forEach(index -> tables.add(index.tableId()));
        return new Intent(
                since,
                publications,
                overlay.written(),
                readWriteSet.checked(),
                tables,
                difference,
                overlay.erasedFrom(),
                overlay::addTo);
    }
}
