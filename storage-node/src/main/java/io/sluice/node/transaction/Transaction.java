package io.sluice.node.transaction;

import io.sluice.api.kv.KeySpan;
import io.sluice.api.kv.KvChecksum;
import io.sluice.api.schema.Table;
import io.sluice.api.sql.SqlErrorCode;
import io.sluice.api.sql.StatementException;
import io.sluice.node.catalog.AppliedLogs;
import io.sluice.node.store.Kv;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One transaction: the snapshot it reads, what it has written, and which keys it read to decide whether it may. It ends
 * by {@link #commit} and {@link #close}, or by {@link #close} alone. For one thread at a time; another thread takes
 * part by a {@link #sibling}.
 */
public final class Transaction implements AutoCloseable {
    private final Snapshot snapshot;
    private final ReadWriteSet ledger;
    private final Map<String, TableAccess> tables = new HashMap<>();
    private long heldBytes;

    /**
     * Begins.
     *
     * @param mostBytes memory of what it writes, and of what it remembers to have read
     * @param several whether several statements are to come
     */
    public Transaction(Tables tables, long mostBytes, boolean several) {
        ledger = new ReadWriteSet(mostBytes);
        snapshot = tables.snapshot(ledger, several);
    }

    private Transaction(Transaction first) {
        snapshot = first.snapshot;
        ledger = first.ledger;
    }

    /**
     * The same transaction for another thread: snapshot and changes are shared, and neither is to be closed twice. No
     * two threads may write, or read and write, the same key at the same time.
     */
    public Transaction sibling() {
        return new Transaction(this);
    }

    Overlay overlay() {
        return ledger.overlay();
    }

    /** The tables there are, whether the snapshot has them or not. */
    public List<Table> known() {
        return snapshot.tables();
    }

    /**
     * A table, or null when there is none of that name.
     *
     * @throws StatementException when it came after the transaction began, or is not whole here
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

    /** Whether a read takes so long that many at once are worth some trouble. */
    public boolean far() {
        return snapshot.far();
    }

    /** Tells keys whose values will soon be asked for; see {@link KeyPrefetch}. */
    void expect(List<KeyPrefetch.Keys> keys) {
        snapshot.expect(keys);
    }

    /** A table that must be there. */
    public TableAccess require(String name) {
        TableAccess access = find(name);
        if (access == null) {
            throw new StatementException(SqlErrorCode.UNKNOWN_NAME, "there is no table " + name + " any more");
        }
        return access;
    }

    /**
     * A table to be changed.
     *
     * @throws StatementException when an import is adding rows to it, or has since the transaction began
     */
    public TableAccess toChange(String name) {
        TableAccess access = require(name);
        snapshot.ensureChangeable(access.table());
        return access;
    }

    /** Remembers that keys were read to decide whether a change is allowed: nobody else may have changed them. */
    public void check(KeySpan span) {
        ledger.check(span);
    }

    /** Counts memory that a statement needs until it ends. */
    public void hold(long bytes) {
        heldBytes += bytes;
        ledger.hold(bytes);
    }

    /** The statement has ended. */
    public void holdNothing() {
        ledger.giveBack(heldBytes);
        heldBytes = 0;
    }

    void insert(String tree, Overlay.Place place, Kv kv, KvChecksum sum) {
        ledger.overlay().insert(tree, place, kv, sum);
        ledger.ensureRoom();
    }

    void remove(String tree, Overlay.Place place, Kv kv, KvChecksum sum) {
        ledger.overlay().remove(tree, place, kv, sum);
        ledger.ensureRoom();
    }

    /** Whether it needs half of the memory it may have: time to come to an end. */
    public boolean halfFull() {
        return ledger.halfFull();
    }

    /** What stands against removing spans of keys of a table, or null. */
    public @Nullable String againstErasing(TableAccess table) {
        return snapshot.againstErasing(table.stored());
    }

    /** Removes all KVs of spans, as {@link Overlay#erase}. */
    public void erase(String tree, List<KeySpan> spans, Map<Overlay.Place, KvChecksum> sums) {
        ledger.overlay().erase(tree, spans, sums);
        ledger.ensureRoom();
    }

    /**
     * Commits, durably.
     *
     * @throws StatementException when it is refused; nothing was written then
     */
    public void commit() {
        snapshot.commit(ledger, null).await();
    }

    /** Commits, with how far a change log is applied by it. */
    public Durability commit(AppliedLogs.Mark mark) {
        return snapshot.commit(ledger, mark);
    }

    /** Releases the snapshot. */
    @Override
    public void close() {
        snapshot.close();
    }
}
