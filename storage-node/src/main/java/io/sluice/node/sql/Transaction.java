package io.sluice.node.sql;

import io.sluice.api.kv.KeySpan;
import io.sluice.api.sql.SqlErrorCode;
import io.sluice.api.sql.StatementException;
import io.sluice.node.catalog.Catalog;
import io.sluice.node.catalog.TableRecord;
import io.sluice.node.store.Family;
import io.sluice.node.store.RocksStore;
import io.sluice.node.store.StoreView;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One transaction: the snapshot it reads, what it has written, and which keys it read to decide whether it may. It ends
 * by {@link Commits#commit} and {@link #close}, or by {@link #close} alone. For one thread at a time; another thread
 * takes part by a {@link #sibling}.
 */
final class Transaction implements AutoCloseable {
    private final RocksStore store;
    private final Catalog catalog;
    private final RowFetch rows;
    private final long since;
    private final long publications;
    private final StoreView view;
    private final Ledger ledger;
    private final Map<String, TableAccess> tables = new HashMap<>();
    private long heldBytes;

    /**
     * Begins.
     *
     * @param since number of a commit that was complete
     */
    Transaction(RocksStore store, Catalog catalog, RowFetch rows, long mostBytes, long since) {
        this.store = store;
        this.catalog = catalog;
        this.rows = rows;
        this.since = since;
        ledger = new Ledger(mostBytes);
        // Before the snapshot: what comes in between is then seen, and taken for a conflict at worst.
        publications = catalog.publications();
        view = store.view();
    }

    private Transaction(Transaction first) {
        store = first.store;
        catalog = first.catalog;
        rows = first.rows;
        since = first.since;
        publications = first.publications;
        view = first.view;
        ledger = first.ledger;
    }

    /**
     * The same transaction for another thread: snapshot and changes are shared, and neither is to be closed twice. No
     * two threads may write, or read and write, the same key at the same time.
     */
    Transaction sibling() {
        return new Transaction(this);
    }

    long since() {
        return since;
    }

    long publications() {
        return publications;
    }

    Overlay overlay() {
        return ledger.overlay();
    }

    /** The tables there are, whether the snapshot has them or not. */
    List<TableRecord> known() {
        return catalog.tables();
    }

    /**
     * A table, or null when there is none of that name.
     *
     * @throws StatementException when it came after the transaction began, or is not whole on this node
     */
    @Nullable
    TableAccess find(String name) {
        TableAccess open = tables.get(name);
        if (open != null) {
            return open;
        }
        TableRecord record = catalog.table(name);
        if (record == null) {
            return null;
        }
        if (!record.directory().ranges().isEmpty()) {
            throw new StatementException(
                    SqlErrorCode.UNSUPPORTED,
                    "table " + name + " is divided among nodes; statements are for tables that lie on one");
        }
        if (catalog.firstPublished(record.table().id()) > publications) {
            throw new StatementException(
                    SqlErrorCode.CONFLICT,
                    "table " + name + " was imported after the transaction began; roll back and begin again");
        }
        Family family = store.find(record.family());
        if (family == null) {
            return null;
        }
        TableAccess access = new TableAccess(this, record.table(), family, view.of(family), rows);
        tables.put(name, access);
        return access;
    }

    /** A table that must be there. */
    TableAccess require(String name) {
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
    TableAccess toChange(String name) {
        TableAccess access = require(name);
        int id = access.table().id();
        if (catalog.growing(id)) {
            throw new StatementException(
                    SqlErrorCode.BUSY,
                    "an import is adding rows to table " + name
                            + "; it can be read, and be changed when that has ended");
        }
        if (catalog.lastPublished(id) > publications) {
            throw new StatementException(
                    SqlErrorCode.CONFLICT,
                    "an import has added rows to table " + name + " since the transaction began; begin again");
        }
        return access;
    }

    /** Remembers that keys were read to decide whether a change is allowed: nobody else may have changed them. */
    void check(KeySpan span) {
        ledger.check(span);
    }

    /** Counts memory that a statement needs until it ends. */
    void hold(long bytes) {
        heldBytes += bytes;
        ledger.hold(bytes);
    }

    /** The statement has ended. */
    void holdNothing() {
        ledger.giveBack(heldBytes);
        heldBytes = 0;
    }

    void insert(Family family, Overlay.Place place, byte[] key, byte[] value) {
        ledger.overlay().insert(family, place, key, value);
        ledger.ensureRoom();
    }

    void remove(Family family, Overlay.Place place, byte[] key, byte[] value) {
        ledger.overlay().remove(family, place, key, value);
        ledger.ensureRoom();
    }

    /** All keys that it writes or has checked. */
    SpanSet touched(SpanSet written) {
        return ledger.checked().plus(written);
    }

    /** Releases the snapshot. */
    @Override
    public void close() {
        view.close();
    }
}
