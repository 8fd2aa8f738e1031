package io.sluice.sql.transaction;

import io.sluice.api.transaction.LogPosition;
import io.sluice.engine.store.Family;
import io.sluice.engine.store.FamilyView;
import io.sluice.engine.store.Kv;
import io.sluice.engine.store.KvCursor;
import io.sluice.engine.store.KvHead;
import io.sluice.engine.store.ReadPattern;
import io.sluice.engine.store.StoreView;
import io.sluice.engine.store.WriteSet;
import io.sluice.grammar.SqlErrorCode;
import io.sluice.grammar.StatementException;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.schema.Table;
import io.sluice.node.catalog.AppliedLogs;
import io.sluice.node.catalog.Catalog;
import io.sluice.node.catalog.TableRecord;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Snapshot of all tables of one store at one instant. */
final class StoreSnapshot implements Snapshot {
    /** Takes some hundred microseconds, during which the store cannot be closed. */
    private static final int HEADS_AT_ONCE = 1_000;

    private final StoreTables tables;
    private final Catalog catalog;
    private final long since;
    private final long publications;
    private final StoreView view;

    StoreSnapshot(StoreTables tables) {
        this.tables = tables;
        catalog = tables.catalog();
        // Read before the snapshot is taken: a commit in between is visible and causes a false conflict at worst.
        since = tables.commits().latest();
        publications = catalog.guard().publications();
        view = tables.store().view();
    }

    @Override
    public List<Table> tables() {
        return catalog.tables().stream().map(TableRecord::table).toList();
    }

    @Override
    public @Nullable SnapshotTable find(String name) {
        TableRecord record = catalog.table(name);
        if (record == null) {
            return null;
        }
        if (!record.directory().ranges().isEmpty()) {
            throw new StatementException(
                    SqlErrorCode.UNSUPPORTED,
                    "table " + name + " is distributed over several nodes; name all of them: sluice sql --nodes A,B,C");
        }
        if (catalog.guard().firstPublished(record.table().id()) > publications) {
            throw new StatementException(
                    SqlErrorCode.CONFLICT,
                    "table " + name + " was imported after the transaction began; roll back and begin again");
        }
        Family family = tables.store().find(record.family());
        return family == null ? null : new StoreTable(record.table(), record.family(), view.of(family));
    }

    /** A table of the snapshot, read through the view of its column family. */
    private record StoreTable(Table table, String tree, FamilyView view) implements SnapshotTable {
        @Override
        public byte @Nullable [] row(byte[] primaryKey) {
            return view.row(primaryKey);
        }

        @Override
        public byte @Nullable [] value(byte[] key) {
            return view.get(key);
        }

        @Override
        public KvSource scan(KeySpan span) {
            return new CursorSource(view.cursor(span, ReadPattern.SCAN));
        }

        @Override
        public void heads(KeySpan span, Predicate<KvHead> visitor) {
            try (KvCursor cursor = view.cursor(span, ReadPattern.SCAN)) {
                boolean more = true;
                while (more) {
                    more = cursor.heads(HEADS_AT_ONCE, visitor);
                }
            }
        }
    }

    private record CursorSource(KvCursor cursor) implements KvSource {
        @Override
        public @Nullable Kv next() {
            return cursor.next();
        }

        @Override
        public void seek(byte[] key) {
            cursor.seek(key);
        }

        @Override
        public void close() {
            cursor.close();
        }
    }

    @Override
    public void ensureChangeable(Table table) {
        if (catalog.imports().anyAppendTo(table.id())) {
            throw new StatementException(
                    SqlErrorCode.BUSY,
                    "an import is adding rows to table " + table.name()
                            + "; it can be read, and be changed when that has ended");
        }
        if (catalog.guard().lastPublished(table.id()) > publications) {
            throw new StatementException(
                    SqlErrorCode.CONFLICT,
                    "an import has added rows to table " + table.name() + " since the transaction began; begin again");
        }
    }

    @Override
    public @Nullable String eraseBlocker(SnapshotTable table) {
        String coming = catalog.imports().newTableIn(table.tree());
        return coming == null ? null : "table " + coming + " is being imported into the same hierarchy";
    }

    @Override
    public Durability commit(ReadWriteSet readWriteSet, @Nullable LogPosition position) {
        if (position == null && readWriteSet.overlay().isEmpty()) {
            return Durability.DONE;
        }
        WriteSet alongside = new WriteSet();
        if (position != null) {
            AppliedLogs.record(alongside, position);
        }
        return tables.commits().commit(Intent.of(since, publications, readWriteSet), alongside);
    }

    @Override
    public void close() {
        view.close();
    }
}
