package io.sluice.api.node;

import io.sluice.model.kv.KeySpan;
import io.sluice.model.schema.TableDef;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The client of a storage node, embedded or remote, or of a cluster of nodes. Thread-safe. Every method throws
 * {@code BadInputException} for a table or index that does not exist, and {@code OperationFailedException} when the
 * node fails.
 */
public interface NodeClient extends ImportTarget, TableSource {
    /** Upper bound on the parts of {@link #splitKeys}. */
    int MOST_PARTS = 1_024;

    @Override
    List<TableStatus> tables();

    @Override
    @Nullable
    TableStatus table(String name);

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

    /** Digests only the KVs in these spans, which must not overlap; see {@link #digest(String)}. */
    TableDigest digest(String table, List<KeySpan> spans);

    /** Reads the tuning of the LSM tree that holds a table. */
    TuningStatus tuning(String table);

    /** Changes the tuning of the LSM tree that holds a table, durably. Interleaved tables share one tree. */
    TuningStatus tune(String table, TableTuning tuning);

    /** Drops a table, in time independent of its size. */
    void drop(String table);
}
