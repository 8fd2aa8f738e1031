package io.sluice.sql.transaction;

import io.sluice.api.transaction.LogPosition;
import io.sluice.engine.store.Kv;
import io.sluice.grammar.SqlErrorCode;
import io.sluice.grammar.StatementException;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.kv.KvChecksum;
import io.sluice.model.schema.Table;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A transaction under snapshot isolation with a validated read set. {@link #commit} and {@link #close} end it;
 * {@link #close} alone rolls it back. Not thread-safe: a further thread joins by a {@link #sibling}.
 */
public final class Transaction implements AutoCloseable {
    private final Snapshot snapshot;
    private final ReadWriteSet readWriteSet;
    private final Map<String, TableAccess> tables = new HashMap<>();
    private long reservedBytes;
    private volatile boolean cancelled;

    /**
     * Begins a transaction.
     *
     * @param maxBytes memory limit of its read and write sets
     * @param multiStatement whether the transaction will run more than one statement
     */
    public Transaction(Tables tables, long maxBytes, boolean multiStatement) {
        readWriteSet = new ReadWriteSet(maxBytes);
        snapshot = tables.snapshot(readWriteSet, multiStatement);
    }

    private Transaction(Transaction first) {
        snapshot = first.snapshot;
        readWriteSet = first.readWriteSet;
    }

    /**
     * Returns a handle to the same transaction for another thread. Both share snapshot and changes; close only one. No
     * two threads may write, or read and write, the same key at the same time.
     */
    public Transaction sibling() {
        return new Transaction(this);
    }

    Overlay overlay() {
        return readWriteSet.overlay();
    }

    /** All tables that exist now, including those that the snapshot does not contain. */
    public List<Table> allTables() {
        return snapshot.tables();
    }

    /**
     * Returns a table, or null if no table has that name.
     *
     * @throws StatementException if it was imported after the transaction began, or other nodes hold rows of it
     */
    public @Nullable TableAccess find(String name) {
        TableAccess open = tables.get(name);
        if (open != null) {
            return open;
        }
        SnapshotTable stored = snapshot.find(name);
        if (stored == null) {
            return null;
        }
        TableAccess access = new TableAccess(this, stored);
        tables.put(name, access);
        return access;
    }

    /** Whether reads go over the network, so that callers should batch them. */
    public boolean remote() {
        return snapshot.remote();
    }

    /** Fetches the values of keys that the transaction will read soon; see {@link KeyPrefetch}. */
    void prefetch(List<KeyPrefetch.Keys> keys) {
        snapshot.prefetch(keys);
    }

    /**
     * Returns a table.
     *
     * @throws StatementException if it does not exist any more
     */
    public TableAccess require(String name) {
        TableAccess access = find(name);
        if (access == null) {
            throw new StatementException(SqlErrorCode.UNKNOWN_NAME, "there is no table " + name + " any more");
        }
        return access;
    }

    /**
     * Returns a table that the transaction may change.
     *
     * @throws StatementException if an import is adding rows to it, or has added some since the transaction began
     */
    public TableAccess requireChangeable(String name) {
        TableAccess access = require(name);
        snapshot.ensureChangeable(access.table());
        return access;
    }

    /** Adds keys to the read set: the commit fails if another transaction has changed any of them. */
    public void check(KeySpan span) {
        readWriteSet.check(span);
    }

    /** Lets the running statement fail at the next row that it reads. Another thread may call this. */
    public void cancel() {
        cancelled = true;
    }

    /**
     * Statements call this for each row that they read.
     *
     * @throws StatementException if the statement is to end
     */
    public void ensureNotCancelled() {
        if (cancelled) {
            throw new StatementException(
                    SqlErrorCode.FAILED,
                    "the statement was cancelled, because its client is gone or has waited too long");
        }
    }

    /** Reserves memory until the statement ends. */
    public void reserve(long bytes) {
        reservedBytes += bytes;
        readWriteSet.reserve(bytes);
    }

    /** Releases the memory that the statement reserved. */
    public void releaseStatementMemory() {
        readWriteSet.release(reservedBytes);
        reservedBytes = 0;
    }

    void insert(String tree, Overlay.IndexId index, Kv kv, KvChecksum sum) {
        readWriteSet.overlay().insert(tree, index, kv, sum);
        readWriteSet.ensureWithinLimit();
    }

    void remove(String tree, Overlay.IndexId index, Kv kv, KvChecksum sum) {
        readWriteSet.overlay().remove(tree, index, kv, sum);
        readWriteSet.ensureWithinLimit();
    }

    /** Whether half of the memory limit is used, so that the caller should finish soon. */
    public boolean halfFull() {
        return readWriteSet.halfFull();
    }

    /** The reason why spans of a table's keys cannot be erased unread, or null if they can. */
    public @Nullable String eraseBlocker(TableAccess table) {
        return snapshot.eraseBlocker(table.stored());
    }

    /** Deletes all KVs in spans; see {@link Overlay#erase}. */
    public void erase(String tree, List<KeySpan> spans, Map<Overlay.IndexId, KvChecksum> sums) {
        readWriteSet.overlay().erase(tree, spans, sums);
        readWriteSet.ensureWithinLimit();
    }

    /**
     * Commits durably.
     *
     * @throws StatementException if it is refused; nothing was written then
     */
    public void commit() {
        snapshot.commit(readWriteSet, null).await();
    }

    /** Commits, and stores the position of a change log in the same commit. */
    public Durability commit(LogPosition position) {
        return snapshot.commit(readWriteSet, position);
    }

    /** Releases the snapshot. */
    @Override
    public void close() {
        snapshot.close();
    }
}
