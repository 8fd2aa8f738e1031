package io.sluice.node.sql;

import io.sluice.api.error.OperationFailedException;
import io.sluice.api.kv.KvSum;
import io.sluice.api.node.IndexSum;
import io.sluice.api.sql.SqlErrorCode;
import io.sluice.api.sql.StatementException;
import io.sluice.node.catalog.Catalog;
import io.sluice.node.catalog.TableRecord;
import io.sluice.node.store.RocksStore;
import io.sluice.node.store.RowBatch;
import io.sluice.node.store.WriteSet;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Where transactions become part of the store, one after the other: of two that touch the same keys the one that comes
 * first stays, and the other is refused. Usable by several threads.
 *
 * <ol>
 *   <li>hold it against the commits since its snapshot;
 *   <li>write all of it, and what its tables add up to now, in one batch;
 *   <li>remember which keys it wrote;
 *   <li>make the log durable, for all who wait for that at once.
 * </ol>
 */
final class Commits {
    private final RocksStore store;
    private final Catalog catalog;
    private final RecentCommits recent;
    private final Object syncing = new Object();
    private volatile long latest;
    private long durable;

    Commits(RocksStore store, Catalog catalog, SqlSettings settings) {
        this.store = store;
        this.catalog = catalog;
        recent = new RecentCommits(settings.recentCommits(), settings.recentBytes());
    }

    /** The number of a commit that is complete: a snapshot taken from now on shows it. */
    long latest() {
        return latest;
    }

    /**
     * Commits, durably. The transaction is to be closed whatever comes of it.
     *
     * @throws StatementException when it is refused; nothing was written then
     */
    void commit(Transaction transaction) {
        if (!transaction.overlay().isEmpty()) {
            sync(write(transaction, new WriteSet()));
        }
    }

    /** The same, with changes of the catalog that become part of the store by it. */
    void commit(Transaction transaction, WriteSet alongside) {
        sync(write(transaction, alongside));
    }

    private synchronized long write(Transaction transaction, WriteSet alongside) {
        SpanSet written = transaction.overlay().written();
        switch (recent.check(transaction.since(), transaction.touched(written))) {
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
        Set<Integer> ids = transaction.overlay().tables();
        Map<Integer, TableRecord> tables = catalog.writing(ids);
        if (tables == null) {
            throw new StatementException(
                    SqlErrorCode.CONFLICT,
                    "a table was dropped, or an import is adding rows to it, since this transaction began; run all of it"
                            + " again");
        }
        Map<Integer, List<IndexSum>> sums = Map.of();
        try {
            ensureNotPublishedSince(transaction, tables);
            sums = written(transaction.overlay(), tables, alongside);
        } finally {
            catalog.written(ids, sums);
        }
        long number = latest + 1;
        recent.add(number, written);
        latest = number;
        return number;
    }

    private void ensureNotPublishedSince(Transaction transaction, Map<Integer, TableRecord> tables) {
        for (Map.Entry<Integer, TableRecord> each : tables.entrySet()) {
            if (catalog.lastPublished(each.getKey()) > transaction.publications()) {
                throw new StatementException(
                        SqlErrorCode.CONFLICT,
                        "an import has added rows to table "
                                + each.getValue().table().name()
                                + " since this transaction began; run all of it again");
            }
        }
    }

    private Map<Integer, List<IndexSum>> written(
            Overlay overlay, Map<Integer, TableRecord> tables, WriteSet alongside) {
        Map<Integer, List<IndexSum>> sums = sums(overlay, tables);
        RowBatch batch = new RowBatch();
        overlay.addTo(batch);
        sums.forEach((id, now) -> Catalog.record(alongside, id, now));
        store.write(batch, alongside);
        return sums;
    }

    private static Map<Integer, List<IndexSum>> sums(Overlay overlay, Map<Integer, TableRecord> tables) {
        Map<Overlay.Place, KvSum> differences = overlay.difference();
        Map<Integer, List<IndexSum>> sums = new HashMap<>();
        tables.forEach((id, record) -> {
            List<IndexSum> now = new ArrayList<>();
            for (int i = 0; i < record.imported().size(); i++) {
                IndexSum before = record.imported().get(i);
                KvSum difference = differences.getOrDefault(new Overlay.Place(id, i), KvSum.EMPTY);
                now.add(new IndexSum(before.index(), before.sum().plus(difference)));
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
                throw new OperationFailedException(
                        "the transaction was written, but it is not known to be on disk: " + e.getMessage(), e);
            }
            durable = through;
        }
    }
}
