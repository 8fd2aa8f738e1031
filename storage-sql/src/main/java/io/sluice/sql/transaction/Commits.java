package io.sluice.sql.transaction;

import io.sluice.api.node.IndexChecksum;
import io.sluice.engine.store.Family;
import io.sluice.engine.store.RocksStore;
import io.sluice.engine.store.RowBatch;
import io.sluice.engine.store.WriteSet;
import io.sluice.grammar.SqlErrorCode;
import io.sluice.grammar.StatementException;
import io.sluice.model.error.AmbiguousCommitException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.kv.IndexKeys;
import io.sluice.model.kv.KvChecksum;
import io.sluice.model.schema.Table;
import io.sluice.node.catalog.Catalog;
import io.sluice.node.catalog.TableRecord;
import io.sluice.node.catalog.WriteGuard;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Commits transactions to one store, one at a time. Of two conflicting transactions the first to commit wins and the
 * other is refused. Thread-safe.
 *
 * <ol>
 *   <li>check its read and write sets for conflicts with commits since its snapshot and with {@link #prepare prepared}
 *       transactions;
 *   <li>write its changes and the new checksums of its tables in one batch;
 *   <li>record which keys it wrote;
 *   <li>sync the log; one sync serves all commits that wait for it (group commit).
 * </ol>
 */
public final class Commits {
    /** Some ten requests to each of several nodes that are busy. */
    private static final long HOLD_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final RocksStore store;
    private final Catalog catalog;
    private final WriteGuard guard;
    private final RecentCommits recent;
    private final ChangeCaptures captures;
    /** Prepared transactions; no conflicting transaction may commit before they end. Guarded by this. */
    private final Map<UUID, Intent> prepared = new LinkedHashMap<>();

    /** The hold of a reader; null: there is none. Guarded by this. */
    private @Nullable Held held;
    /** When another reader may hold keys, by the clock of {@link System#nanoTime}. Guarded by this. */
    private long nextHoldNanos = System.nanoTime();

    private final Object syncing = new Object();
    private volatile long latest;
    private long durable;

    /** Keys that a reader of several nodes keeps changes away from. */
    private record Held(UUID reader, SpanSet keys, long endNanos) {
        boolean over() {
            return System.nanoTime() - endNanos >= 0;
        }
    }

    /**
     * There must be only one instance per store.
     *
     * @param mostRecent number of recent commits kept for conflict checks; a transaction that began before the oldest
     *     of them cannot commit
     * @param recentBytes memory limit for them
     */
    public Commits(RocksStore store, Catalog catalog, int mostRecent, long recentBytes) {
        this.store = store;
        this.catalog = catalog;
        guard = catalog.guard();
        recent = new RecentCommits(mostRecent, recentBytes);
        captures = new ChangeCaptures(catalog);
    }

    /** Number of the latest complete commit; every later snapshot includes it. */
    public long latest() {
        return latest;
    }

    /**
     * Commits a transaction. The caller must close the transaction in every case.
     *
     * @param alongside changes of the catalog that are written in the same batch
     * @throws StatementException if it is refused; nothing was written then
     */
    public Durability commit(Intent intent, WriteSet alongside) {
        long number = write(intent, alongside);
        return () -> sync(number);
    }

    /**
     * Checks that the store still has the KVs that a transaction has read.
     *
     * @param since see {@link Intent#since}
     * @param publications see {@link Intent#publications}
     * @throws StatementException if a commit or an import has changed it, or a prepared transaction may
     */
    public synchronized void ensureUnchanged(long since, long publications, SpanSet read) {
        Intent intent = Intent.reading(since, publications, read);
        ensureNoConflict(intent);
        ensureReadsCount(intent, catalog::isPublishing);
    }

    /**
     * Refuses commits that write certain keys, until the same reader ends that, or for half a second. One reader does
     * so at a time, and none in the half second after, so that writers go on. A repeated call does not prolong it.
     *
     * @param keys none: the hold ends
     * @throws StatementException as busy if it is not this reader's turn
     */
    public synchronized void hold(UUID reader, SpanSet keys) {
        Held now = held;
        Held own = now != null && now.reader().equals(reader) ? now : null;
        if (keys.spans().isEmpty()) {
            if (own != null) {
                held = null;
                nextHoldNanos = System.nanoTime() + HOLD_NANOS;
            }
            return;
        }
        if (own != null && !own.over()) {
            return;
        }
        if (System.nanoTime() - nextHoldNanos < 0) {
            throw new StatementException(
                    SqlErrorCode.BUSY, "another reader keeps changes away, or did so just now; try again in a second");
        }
        held = new Held(reader, keys, System.nanoTime() + HOLD_NANOS);
        nextHoldNanos = held.endNanos() + HOLD_NANOS;
    }

    private void ensureNotHeld(Intent intent) {
        Held now = held;
        if (now != null && !now.over() && now.keys().intersects(intent.written())) {
            throw new StatementException(
                    SqlErrorCode.CONFLICT,
                    "another client takes snapshots of these rows on several nodes at this moment; run all of it again");
        }
    }

    /**
     * Prepares a transaction: until {@link #end}, no conflicting transaction can commit. Writes {@code alongside}
     * durably. The tables that the transaction changes cannot be dropped or imported into before it ends.
     *
     * @throws StatementException if it is refused; nothing was written then
     */
    public void prepare(UUID id, Intent intent, WriteSet alongside) {
        synchronized (this) {
            ensureNoConflict(intent);
            lockTables(intent);
            boolean done = false;
            try {
                store.write(new RowBatch(), alongside);
                done = true;
            } finally {
                if (!done) {
                    guard.end(intent.tables(), Map.of());
                }
            }
            guard.prepare(intent.tables());
            prepared.put(id, intent);
        }
        syncNow();
    }

    /** Restores a transaction that was prepared before the store was last closed. */
    public synchronized void restore(UUID id, Intent intent) {
        guard.begin(intent.tables());
        guard.prepare(intent.tables());
        prepared.put(id, intent);
    }

    /**
     * Begins to capture the keys of a table that commits change. Ends an earlier capture of the table.
     *
     * @throws io.sluice.model.error.OperationFailedException when there are too many captures
     */
    public synchronized UUID capture(int tableId) {
        return captures.begin(tableId);
    }

    /**
     * The keys that commits have changed, ascending, at most {@value ChangeCaptures#BATCH_KEYS}. A key that changes
     * again later is in a later batch again. Repeating the request returns the same batch.
     *
     * @param done number of the batch that the caller has copied; 0: none
     * @throws io.sluice.model.error.OperationFailedException when the capture has ended: the node was restarted, too
     *     much has changed, or rows were imported into the table
     */
    public synchronized ChangeCaptures.Batch changes(int tableId, UUID capture, long done) {
        return captures.next(tableId, capture, done);
    }

    public synchronized int prepared() {
        return prepared.size();
    }

    public synchronized boolean isPrepared(UUID id) {
        return prepared.containsKey(id);
    }

    /**
     * Commits or aborts a prepared transaction. Its end is not synced: after a crash it may be prepared again. Ignores
     * transactions that are not prepared, because they have ended already.
     *
     * @param alongside changes of the catalog that are written in the same batch
     */
    public synchronized void end(UUID id, boolean commit, WriteSet alongside) {
        Intent intent = prepared.get(id);
        if (intent == null) {
            return;
        }
        Set<Integer> ids = intent.tables();
        if (commit) {
            // Prepared branches keep imports away, and drops that the cluster has not decided.
            Map<Integer, TableRecord> tables = guard.beginRest(ids);
            Map<Integer, List<IndexChecksum>> checksums = Map.of();
            try {
                checksums = writeBatch(
                        intent, tables, alongside, name -> isFamily(name, tables) ? store.family(name) : null);
            } finally {
                guard.end(tables.keySet(), checksums);
            }
            remember(intent);
        } else {
            store.write(new RowBatch(), alongside);
        }
        prepared.remove(id);
        guard.decide(ids);
    }

    /** Makes all earlier writes durable. */
    public void syncNow() {
        store.syncLog();
    }

    private synchronized long write(Intent intent, WriteSet alongside) {
        ensureNoConflict(intent);
        Set<Integer> ids = intent.tables();
        Map<Integer, TableRecord> tables = lockTables(intent);
        Map<Integer, List<IndexChecksum>> checksums = Map.of();
        try {
            checksums = writeBatch(intent, tables, alongside, store::family);
        } finally {
            guard.end(ids, checksums);
        }
        return remember(intent);
    }

    private long remember(Intent intent) {
        long number = latest + 1;
        recent.add(number, intent.written());
        captures.add(intent);
        latest = number;
        return number;
    }

    private void ensureNoConflict(Intent intent) {
        ensureNotHeld(intent);
        switch (recent.check(intent)) {
            case FREE -> {}
            case CONFLICT ->
                throw new StatementException(
                        SqlErrorCode.CONFLICT,
                        "another transaction has changed the same rows since this one began; run all of it again");
            case TOO_OLD ->
                throw new StatementException(
                        SqlErrorCode.CONFLICT,
                        "too much was committed since this transaction began: a conflict cannot be ruled out; run all"
                                + " of it again");
        }
        for (Intent other : prepared.values()) {
            if (other.written().intersects(intent.written())
                    || other.written().intersects(intent.checked())
                    || other.checked().intersects(intent.written())) {
                throw new StatementException(
                        SqlErrorCode.CONFLICT,
                        "another transaction, which is in doubt, has changed or read the same rows; run all of it again");
            }
        }
    }

    /** Blocks drops of the tables, and imports into them, until {@link WriteGuard#end}. */
    private Map<Integer, TableRecord> lockTables(Intent intent) {
        Set<Integer> ids = intent.tables();
        Map<Integer, TableRecord> tables = guard.begin(ids);
        if (tables == null) {
            throw new StatementException(
                    SqlErrorCode.CONFLICT,
                    "a table was dropped, or an import is adding rows to it, since this transaction began; run all of it"
                            + " again");
        }
        try {
            ensureThawed(tables);
            ensureNoImportSince(intent, tables);
            ensureNoNewTableIn(intent);
            ensureReadsCount(intent, id -> catalog.frozenBy(id) != null);
        } catch (StatementException e) {
            guard.end(ids, Map.of());
            throw e;
        }
        return tables;
    }

    private void ensureThawed(Map<Integer, TableRecord> tables) {
        tables.forEach((id, table) -> {
            if (catalog.frozenBy(id) != null) {
                throw new StatementException(
                        SqlErrorCode.CONFLICT,
                        "table " + table.table().name()
                                + " is being moved to another node; run all of it again in some seconds");
            }
        });
    }

    private void ensureNoImportSince(Intent intent, Map<Integer, TableRecord> tables) {
        for (Map.Entry<Integer, TableRecord> each : tables.entrySet()) {
            if (guard.lastPublished(each.getKey()) > intent.publications()) {
                throw new StatementException(
                        SqlErrorCode.CONFLICT,
                        "an import has added rows to table "
                                + each.getValue().table().name()
                                + ", or its ranges were moved, since this transaction began; run all of it again");
            }
        }
    }

    /** Refuses to erase spans of a column family that has received a table since the transaction began. */
    private void ensureNoNewTableIn(Intent intent) {
        for (String family : intent.erasedFrom()) {
            String coming = catalog.imports().newTableIn(family);
            boolean came = catalog.tables().stream()
                    .filter(table -> table.family().equals(family))
                    .anyMatch(table -> guard.lastPublished(table.table().id()) > intent.publications());
            if (coming != null || came) {
                throw new StatementException(
                        SqlErrorCode.CONFLICT,
                        "an import into the same hierarchy of tables began since this transaction did; run all of it"
                                + " again");
            }
        }
    }

    /**
     * Refuses reads of tables whose changes do not all come by commits on this node: an import has added rows since the
     * transaction began, or ranges were moved, so that other nodes may have changed what was read.
     *
     * @param changing tells, by their ids, of which frozen tables this may be happening now
     */
    private void ensureReadsCount(Intent intent, IntPredicate changing) {
        if (guard.publications() <= intent.publications() && !catalog.anyFrozen()) {
            return;
        }
        for (TableRecord record : catalog.tables()) {
            int id = record.table().id();
            boolean changed = guard.lastPublished(id) > intent.publications() || changing.test(id);
            if (changed && intent.checked().intersects(keys(record.table()))) {
                throw new StatementException(
                        SqlErrorCode.CONFLICT,
                        "the transaction has read table " + record.table().name()
                                + ", to which an import has added rows since it began, or whose ranges are moved;"
                                + " run all of it again");
            }
        }
    }

    /** All keys of a table; of an interleaved one, those of its hierarchy. */
    private static SpanSet keys(Table table) {
        return SpanSet.of(new IndexKeys(table).spans());
    }

    private Map<Integer, List<IndexChecksum>> writeBatch(
            Intent intent,
            Map<Integer, TableRecord> tables,
            WriteSet alongside,
            Function<String, @Nullable Family> byName) {
        Map<Integer, List<IndexChecksum>> checksums = newChecksums(intent, tables);
        RowBatch batch = new RowBatch();
        intent.changes().accept(batch, byName);
        checksums.forEach((id, now) -> WriteGuard.record(alongside, id, now));
        store.write(batch, alongside);
        return checksums;
    }

    private static boolean isFamily(String name, Map<Integer, TableRecord> tables) {
        return tables.values().stream().anyMatch(table -> table.family().equals(name));
    }

    private static Map<Integer, List<IndexChecksum>> newChecksums(Intent intent, Map<Integer, TableRecord> tables) {
        Map<Overlay.IndexId, KvChecksum> differences = intent.difference();
        Map<Integer, List<IndexChecksum>> checksums = new HashMap<>();
        tables.forEach((id, record) -> {
            List<IndexChecksum> now = new ArrayList<>();
            for (int i = 0; i < record.imported().size(); i++) {
                IndexChecksum before = record.imported().get(i);
                KvChecksum difference = differences.getOrDefault(new Overlay.IndexId(id, i), KvChecksum.EMPTY);
                now.add(before.plus(difference));
            }
            checksums.put(id, now);
        });
        return checksums;
    }

    /** Makes a commit durable. One sync covers all commits that were written before it began. */
    private void sync(long number) {
        synchronized (syncing) {
            if (durable >= number) {
                return;
            }
            long through = latest;
            try {
                store.syncLog();
            } catch (OperationFailedException e) {
                throw new AmbiguousCommitException(
                        "the transaction was written, but may not be on disk; check its rows after the store is opened again: "
                                + e.getMessage(),
                        e);
            }
            durable = through;
        }
    }
}
