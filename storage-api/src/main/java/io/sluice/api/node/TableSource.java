package io.sluice.api.node;

import io.sluice.model.kv.KeySpan;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Tables that can be read as a whole: those of nodes as they are now, or a snapshot of them. Thread-safe. Every method
 * throws {@code BadInputException} for a table or index that does not exist, and {@code OperationFailedException} when
 * a node fails.
 */
public interface TableSource {
    /** The readable tables, ordered by name. */
    List<TableStatus> tables();

    /** The readable table of that name, or null. */
    @Nullable
    TableStatus table(String name);

    /** Scans rows in index order. The caller closes the cursor. */
    RowCursor scan(ScanRequest request);

    /**
     * Returns keys of the primary index, ascending, that cut the table into parts of about equal size, for parallel
     * scans. They need not be keys of rows.
     *
     * @param parts wanted number of parts, at most {@link NodeClient#MOST_PARTS}; a small table has fewer
     */
    List<byte[]> splitKeys(String table, int parts);

    /**
     * Reads the KVs of all indexes of a table in a span, in key order, page by page. Each page has about 1 MiB. In
     * tables as they are now, each is of a moment of its own.
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
}
