package io.sluice.api.node;

import io.sluice.api.kv.KeySpan;
import io.sluice.api.schema.TableDef;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A storage node, embedded or remote. Methods may be called by several threads; every one throws a
 * {@code BadInputException} for a table or index that does not exist, and an {@code OperationFailedException} when the
 * node cannot do its part.
 */
public interface NodeClient extends AutoCloseable {
    /** The tables that can be read, by name. */
    List<TableStatus> tables();

    /** The table of that name, or null. */
    @Nullable
    TableStatus table(String name);

    /** Who the node is and how it is doing. */
    NodeStatus status();

    /**
     * Begins an import into a new table, invisible until {@link ImportSession#publish}, or goes on with one.
     *
     * @throws io.sluice.api.error.BadInputException when the table exists or its interleave parent does not
     */
    ImportSession beginImport(ImportRequest request);

    /**
     * The row with that primary key, or null.
     *
     * @param key one text datum per primary key column, in key order
     * @return one text datum per column of {@link TableDef#columns()}, null for NULL
     */
    @Nullable
    List<@Nullable String> get(String table, List<String> key);

    /** Rows in the order of an index. Close the cursor. */
    RowCursor scan(ScanRequest request);

    /** Reads every KV of the table and adds them up, checking each against its own CRC. */
    TableDigest digest(String table);

    /** As {@link #digest(String)}, of those KVs only whose keys lie in one of these spans, which must not overlap. */
    TableDigest digest(String table, List<KeySpan> spans);

    /** How the tree of a table behaves. */
    TuningStatus tuning(String table);

    /** Which node a call under way waits for because it does not answer, by name, and how long; null: none. */
    default @Nullable String unresponsiveNode() {
        return null;
    }

    /** Changes how the tree of a table behaves, for good. Tables interleaved in each other have one tree. */
    TuningStatus tune(String table, TableTuning tuning);

    /** Removes a table in time independent of its size. */
    void drop(String table);

    @Override
    void close();
}
