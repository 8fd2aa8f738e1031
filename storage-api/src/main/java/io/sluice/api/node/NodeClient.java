package io.sluice.api.node;

import io.sluice.model.kv.KeySpan;
import io.sluice.model.schema.TableDef;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The client of a storage node, embedded or remote, or of a cluster of nodes. Thread-safe. Every method throws
 * {@code BadInputException} for a table or index that does not exist, and {@code OperationFailedException} when the
 * node fails.
 */
public interface NodeClient extends ImportTarget {
    /** Upper bound on the parts of {@link #splitKeys}. */
    int MOST_PARTS = 1_024;

    /** The node's id, version and load. */
    NodeStatus status();

    /**
     * Reads the row with that primary key; null if there is none.
     *
     * @param key one text datum per primary key column, in key order
     * @return one text datum per column of {@link TableDef#columns()}, null for NULL
     */
    @Nullable
    List<@Nullable String> get(String table, List<String> key);

    /** Scans rows in index order. The caller closes the cursor. */
    RowCursor scan(ScanRequest request);

    /**
     * Returns keys of the primary index, ascending, that cut the table into parts of about equal size, for parallel
     * scans. They need not be keys of rows.
     *
     * @param parts wanted number of parts, at most {@link #MOST_PARTS}; a small table has fewer
     */
    List<byte[]> splitKeys(String table, int parts);

    /**
     * Reads the KVs of all indexes of a table in a span, in key order, page by page. Each page is of a moment of its
     * own, and has about 1 MiB.
     *
     * @param pages receives them; returns whether to go on
     * @throws io.sluice.model.error.OperationFailedException if a KV does not match its checksum
     */
    void readKvs(String table, KeySpan span, Predicate<KvPage> pages);

    /** Reads every KV of the table, verifies its CRC, and returns the checksum per index. */
    TableDigest digest(String table);

    /** The checksums that the store keeps up to date; read from all KVs if a node was not reached. */
    default TableDigest digest(TableStatus status) {
        String table = status.table().name();
        return status.counted() ? new TableDigest(table, status.imported()) : digest(table);
    }

    /** Digests only the KVs in these spans, which must not overlap; see {@link #digest(String)}. */
    TableDigest digest(String table, List<KeySpan> spans);

    /** Reads the tuning of the LSM tree that holds a table. */
    TuningStatus tuning(String table);

    /** Changes the tuning of the LSM tree that holds a table, durably. Interleaved tables share one tree. */
    TuningStatus tune(String table, TableTuning tuning);

    /** Drops a table, in time independent of its size. */
    void drop(String table);
}
