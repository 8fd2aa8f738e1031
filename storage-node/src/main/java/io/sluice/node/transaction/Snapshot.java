package io.sluice.node.transaction;

import io.sluice.api.schema.Table;
import io.sluice.api.sql.StatementException;
import io.sluice.node.catalog.AppliedLogs;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one transaction stands on: the tables it reads, as they were when it began, and the place where its changes go.
 * Usable by several threads; close it.
 */
public interface Snapshot extends AutoCloseable {
    /** The tables there are, whether the snapshot has them or not. */
    List<Table> tables();

    /**
     * A table, or null when there is none of that name.
     *
     * @throws StatementException when it came after the transaction began, or is not whole here
     */
    @Nullable
    SnapshotTable find(String name);

    /** Whether a read takes so long that many at once are worth some trouble. */
    default boolean far() {
        return false;
    }

    /** Tells keys of tables whose values will soon be asked for, so that all can be fetched at once. */
    default void expect(List<KeyPrefetch.Keys> keys) {}

    /**
     * Makes sure that a table can be changed.
     *
     * @throws StatementException when an import is adding rows to it, or has since the transaction began
     */
    void ensureChangeable(Table table);

    /** What stands against removing spans of keys of a table with all that is in them, or null. */
    @Nullable
    String againstErasing(SnapshotTable table);

    /**
     * Commits.
     *
     * @param mark how far a change log is applied with it, or null
     * @throws StatementException when it is refused; nothing was written then
     */
    Durability commit(ReadWriteSet ledger, AppliedLogs.@Nullable Mark mark);

    @Override
    void close();
}
