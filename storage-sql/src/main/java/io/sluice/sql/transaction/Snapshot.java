package io.sluice.sql.transaction;

import io.sluice.api.transaction.LogPosition;
import io.sluice.grammar.StatementException;
import io.sluice.model.schema.Table;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The snapshot of all tables that one transaction reads, and to which it commits its changes. Thread-safe; the
 * transaction closes it.
 */
public interface Snapshot extends AutoCloseable {
    /** All tables that exist now, including those that the snapshot does not contain. */
    List<Table> tables();

    /**
     * Returns a table, or null if no table has that name.
     *
     * @throws StatementException if it was imported after the transaction began, or other nodes hold rows of it
     */
    @Nullable
    SnapshotTable find(String name);

    /** Whether reads go over the network, so that callers should batch them. */
    default boolean remote() {
        return false;
    }

    /** Fetches the values of keys that the transaction will read soon, in as few requests as possible. */
    default void prefetch(List<KeyPrefetch.Keys> keys) {}

    /**
     * Ensures that the transaction may change a table.
     *
     * @throws StatementException if an import is adding rows to it, or has added some since the transaction began
     */
    void ensureChangeable(Table table);

    /** The reason why spans of a table's keys cannot be erased unread, or null if they can. */
    @Nullable
    String eraseBlocker(SnapshotTable table);

    /**
     * Commits the transaction's changes; they are visible when this returns, and durable after the handle is awaited.
     *
     * @param position position of a change log to store in the same commit, or null
     * @throws StatementException if it is refused; nothing was written then
     */
    Durability commit(ReadWriteSet readWriteSet, @Nullable LogPosition position);

    @Override
    void close();
}
