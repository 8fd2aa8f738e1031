package io.sluice.node.transaction;

import io.sluice.api.error.AmbiguousCommitException;
import io.sluice.api.error.OperationFailedException;
import io.sluice.api.kv.KvChecksum;
import io.sluice.api.node.IndexChecksum;
import io.sluice.api.sql.SqlErrorCode;
import io.sluice.api.sql.StatementException;
import io.sluice.node.catalog.Catalog;
import io.sluice.node.catalog.TableRecord;
import io.sluice.node.store.RocksStore;
import io.sluice.node.store.RowBatch;
import io.sluice.node.store.WriteSet;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * Where transactions become part of the store, one after the other: of two that touch the same keys the one that comes
 * first stays, and the other is refused. Usable by several threads.
 *
 * <ol>
 *   <li>hold it against the commits since its snapshot, and against {@link #prepare prepared} transactions;
 *   <li>write all of it, and what its tables add up to now, in one batch;
 *   <li>remember which keys it wrote;
 *   <li>make the log durable, for all who wait for that at once.
 * </ol>
 */
public final class Commits {
    private final RocksStore store;
    private final Catalog catalog;
    private final RecentCommits recent;
    /** Transactions that may still be committed, and by which nobody may come: guarded by this. */
    private final Map<UUID, Intent> prepared = new LinkedHashMap<>();

    private final Object syncing = new Object();
    private volatile long latest;
    private long durable;

    /**
     * The commits of one store, all of them: there must be no other.
     *
     * @param mostRecent how many commits are remembered for finding conflicts; a transaction during which there were
     *     more cannot commit
     * @param recentBytes memory for those
     */
    public Commits(RocksStore store, Catalog catalog, int mostRecent, long recentBytes) {
        this.store = store;
        this.catalog = catalog;
        recent = new RecentCommits(mostRecent, recentBytes);
    }

    /** The number of a commit that is complete: a snapshot taken from now on shows it. */
    public long latest() {
        return latest;
    }

    /**
     * Commits. The transaction is to be closed whatever comes of it.
     *
     * @param alongside changes of the catalog that become part of the store by it
     * @throws StatementException when it is refused; nothing was written then
     */
    public Durability commit(Intent intent, WriteSet alongside) {
        long number = write(intent, alongside);
        return () -> sync(number);
    }

    /**
     * Makes sure that a transaction can be committed whatever others do, until {@link #finish}; durably with what is
     * written alongside. Tables that it changes stay as they are for as long.
     *
     * @throws StatementException when it is refused; nothing was written then
     */
    public void prepare(UUID id, Intent intent, WriteSet alongside) {
        synchronized (this) {
            ensureNobodyElse(intent);
            writing(intent);
            boolean done = false;
            try {
                store.write(new RowBatch(), alongside);
                done = true;
            } finally {
                if (!done) {
                    catalog.written(intent.tables(), Map.of());
                }
            }
            catalog.prepared(intent.tables());
            prepared.put(id, intent);
        }
        syncNow();
    }

    /** Goes on with a transaction that an earlier process prepared. */
    public synchronized void restore(UUID id, Intent intent) {
        catalog.writing(intent.tables());
        catalog.prepared(intent.tables());
        prepared.put(id, intent);
    }

    /** How many transactions are prepared. */
    public synchronized int prepared() {
        return prepared.size();
    }

    /** Whether a transaction is prepared. */
    public synchronized boolean isPrepared(UUID id) {
        return prepared.containsKey(id);
    }

    /**
     * Commits what was prepared, or lets it go; durably, also when it was ended before, for that may not be on disk
     * yet.
     *
     * @param alongside changes of the catalog that go with it
     */
    public void finish(UUID id, boolean commit, WriteSet alongside) {
        end(id, commit, alongside);
        syncNow();
    }

    /** As {@link #finish}, but a crash may bring back what was prepared. What is not known was ended before. */
    public synchronized void end(UUID id, boolean commit, WriteSet alongside) {
        Intent intent = prepared.get(id);
        if (intent == null) {
            return;
        }
        Map<Integer, List<IndexChecksum>> sums = Map.of();
        if (commit) {
            sums = written(intent, current(intent), alongside);
            remember(intent);
        } else {
            store.write(new RowBatch(), alongside);
        }
        prepared.remove(id);
        catalog.decided(intent.tables(), sums);
    }

    /** The tables that a prepared transaction changes, as they are now. */
    private Map<Integer, TableRecord> current(Intent intent) {
        Map<Integer, TableRecord> tables = new HashMap<>();
        for (TableRecord table : catalog.tables()) {
            if (intent.tables().contains(table.table().id())) {
                tables.put(table.table().id(), table);
            }
        }
        return tables;
    }

    /** Makes all durable that was written before. */
    public void syncNow() {
        store.syncLog();
    }

    private synchronized long write(Intent intent, WriteSet alongside) {
        ensureNobodyElse(intent);
        Set<Integer> ids = intent.tables();
        Map<Integer, TableRecord> tables = writing(intent);
        Map<Integer, List<IndexChecksum>> sums = Map.of();
        try {
            sums = written(intent, tables, alongside);
        } finally {
            catalog.written(ids, sums);
        }
        return remember(intent);
    }

    private long remember(Intent intent) {
        long number = latest + 1;
        recent.add(number, intent.written());
        latest = number;
        return number;
    }

    private void ensureNobodyElse(Intent intent) {
        switch (recent.check(intent)) {
            case FREE -> {}
            case CONFLICT ->
                throw new StatementException(
                        SqlErrorCode.CONFLICT,
                        "another transaction has changed the same rows since this one began; run all of it again");
            case TOO_OLD ->
                throw new StatementException(
                        SqlErrorCode.CONFLICT,
                        "too much was committed since this transaction began to tell whether it conflicts; run all of"
                                + " it again");
        }
        for (Intent other : prepared.values()) {
            if (other.written().meets(intent.written())
                    || other.written().meets(intent.checked())
                    || other.checked().meets(intent.written())) {
                throw new StatementException(
                        SqlErrorCode.CONFLICT,
                        "another transaction, which is not decided yet, has changed or read the same rows; run all of it"
                                + " again");
            }
        }
    }

    /** Keeps the tables as they are until {@link Catalog#written}. */
    private Map<Integer, TableRecord> writing(Intent intent) {
        Set<Integer> ids = intent.tables();
        Map<Integer, TableRecord> tables = catalog.writing(ids);
        if (tables == null) {
            throw new StatementException(
                    SqlErrorCode.CONFLICT,
                    "a table was dropped, or an import is adding rows to it, since this transaction began; run all of it"
                            + " again");
        }
        try {
            ensureNotPublishedSince(intent, tables);
            ensureNobodyElseIn(intent);
        } catch (StatementException e) {
            catalog.written(ids, Map.of());
            throw e;
        }
        return tables;
    }

    private void ensureNotPublishedSince(Intent intent, Map<Integer, TableRecord> tables) {
        for (Map.Entry<Integer, TableRecord> each : tables.entrySet()) {
            if (catalog.lastPublished(each.getKey()) > intent.publications()) {
                throw new StatementException(
                        SqlErrorCode.CONFLICT,
                        "an import has added rows to table "
                                + each.getValue().table().name()
                                + " since this transaction began; run all of it again");
            }
        }
    }

    /** Spans are erased with all that is in them: nothing may be there of a table that the transaction did not know. */
    private void ensureNobodyElseIn(Intent intent) {
        for (String family : intent.erasedFrom()) {
            String coming = catalog.beingMadeIn(family);
            boolean came = catalog.tables().stream()
                    .filter(table -> table.family().equals(family))
                    .anyMatch(table -> catalog.lastPublished(table.table().id()) > intent.publications());
            if (coming != null || came) {
                throw new StatementException(
                        SqlErrorCode.CONFLICT,
                        "an import into the same hierarchy of tables began since this transaction did; run all of it"
                                + " again");
            }
        }
    }

    private Map<Integer, List<IndexChecksum>> written(
            Intent intent, Map<Integer, TableRecord> tables, WriteSet alongside) {
        Map<Integer, List<IndexChecksum>> sums = sums(intent, tables);
        RowBatch batch = new RowBatch();
        intent.addTo(batch, store::family);
        sums.forEach((id, now) -> Catalog.record(alongside, id, now));
        store.write(batch, alongside);
        return sums;
    }

    private static Map<Integer, List<IndexChecksum>> sums(Intent intent, Map<Integer, TableRecord> tables) {
        Map<Overlay.Place, KvChecksum> differences = intent.difference();
        Map<Integer, List<IndexChecksum>> sums = new HashMap<>();
        tables.forEach((id, record) -> {
            List<IndexChecksum> now = new ArrayList<>();
            for (int i = 0; i < record.imported().size(); i++) {
                IndexChecksum before = record.imported().get(i);
                KvChecksum difference = differences.getOrDefault(new Overlay.Place(id, i), KvChecksum.EMPTY);
                now.add(before.plus(difference));
            }
            sums.put(id, now);
        });
        return sums;
    }

    /** One sync serves all commits that were written before it began. */
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
                        "the transaction was written, and whether it is on disk shows when the store is opened again: "
                                + e.getMessage(),
                        e);
            }
            durable = through;
        }
    }
}
