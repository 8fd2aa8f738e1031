package io.sluice.sql.apply;

import io.sluice.grammar.SqlErrorCode;
import io.sluice.grammar.StatementException;
import io.sluice.model.row.Row;
import io.sluice.sql.RowTable;
import io.sluice.sql.RowTransaction;
import io.sluice.sql.apply.Change.Kind;
import io.sluice.sql.transaction.KeyPrefetch;
import io.sluice.sql.transaction.TaskPool;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes the changes of one batch in one transaction, with all workers.
 *
 * <ol>
 *   <li>cut a stretch of changes whose keys are known from the rows before the stretch;
 *   <li>collect all keys of each change, if the table has more than the primary key;
 *   <li>partition the stretch into groups that share no key;
 *   <li>write the groups in parallel, each in the order of the log.
 * </ol>
 */
final class BatchWriter {
    /** Enough groups that one heavy group does not leave the other workers idle. */
    private static final int GROUPS_PER_WORKER = 16;

    private final TaskPool workers;
    private final boolean upsert;
    private final List<RowTransaction> transactions = new ArrayList<>();
    private final List<RowChange> changes;
    private final ParsedBatch batch;
    private final LongAdder passedOver = new LongAdder();
    private int next;
    private boolean byKeys;

    BatchWriter(
            RowTransaction transaction, ParsedBatch batch, List<RowChange> changes, TaskPool workers, boolean upsert) {
        this.changes = changes;
        this.batch = batch;
        this.workers = workers;
        this.upsert = upsert;
        transactions.add(transaction);
        for (int i = 1; i < workers.parallel(); i++) {
            transactions.add(transaction.sibling());
        }
    }

    /**
     * Writes all changes.
     *
     * @param meanwhile runs on the caller's thread once the workers have the last changes
     * @throws LineException if a change is refused; the first one in the order of the log
     */
    void write(Runnable meanwhile) {
        if (changes.isEmpty()) {
            meanwhile.run();
        }
        while (next < changes.size()) {
            List<RowChange> stretch = stretch();
            if (byKeys) {
                fetch(stretch);
            }
            List<List<RowChange>> groups = groups(stretch);
            fetch(stretch);
            TaskPool.Started started = eachGroup(groups);
            try {
                if (next == changes.size()) {
                    meanwhile.run();
                }
            } finally {
                started.await();
            }
            batch.rethrow();
        }
        batch.rethrow();
    }

    /** Number of partial updates whose row is missing, which were passed over. */
    long passedOver() {
        return passedOver.sum();
    }

    private RowTable table(RowTransaction transaction, RowChange change) {
        try {
            return transaction.table(change.table());
        } catch (StatementException e) {
            batch.record(refused(change, e));
            throw refused(change, e);
        }
    }

    /**
     * Whether a change reads rows that share no key with it, and that another worker might just write. The rows of a
     * cascade are not known beforehand either.
     */
    private boolean searches(RowTable table, RowChange change) {
        boolean deletes = change.kind() == Kind.DELETE || (upsert && change.moves());
        boolean updates = change.kind() == Kind.UPDATE || upsert;
        return (deletes && table.deletesSearch()) || (updates && table.updatesSearch(change.moves(), change::names));
    }

    /** Cuts the next stretch. A change that searches other rows is a stretch of its own. */
    private List<RowChange> stretch() {
        List<RowChange> stretch = new ArrayList<>();
        Set<ByteBuffer> seen = new HashSet<>();
        byKeys = false;
        while (next < changes.size()) {
            RowChange change = changes.get(next);
            RowTable table = table(transactions.get(0), change);
            boolean alone = searches(table, change);
            boolean simple = table.simple();
            // An earlier change of the stretch may have set the columns that this one keeps.
            boolean dependsOnEarlier = !simple && !change.whole() && seen.contains(ByteBuffer.wrap(change.oldKey()));
            if ((alone || dependsOnEarlier) && !stretch.isEmpty()) {
                return stretch;
            }
            stretch.add(change);
            next++;
            if (alone) {
                return stretch;
            }
            if (!simple) {
                seen.add(ByteBuffer.wrap(change.oldKey()));
                seen.add(ByteBuffer.wrap(change.newKey()));
            }
            byKeys |= !simple || change.moves();
        }
        return stretch;
    }

    /** Prefetches the rows of a stretch if the tables are remote. */
    private void fetch(List<RowChange> stretch) {
        RowTransaction transaction = transactions.get(0);
        if (!transaction.remote()) {
            return;
        }
        KeyPrefetch prefetch = transaction.prefetch();
        try {
            for (RowChange change : stretch) {
                RowTable table = transaction.table(change.table());
                table.prefetchRow(prefetch, change.oldKey());
                if (change.moves()) {
                    table.prefetchRow(prefetch, change.newKey());
                }
                if (change.kind() == Kind.INSERT) {
                    table.prefetchInsert(prefetch, change.values());
                }
            }
            prefetch.fetch();
        } catch (StatementException e) {
            // The worker that writes the change reports the same error.
            return;
        }
    }

    private List<List<RowChange>> groups(List<RowChange> stretch) {
        if (workers.parallel() == 1 || stretch.size() == 1) {
            return List.of(stretch);
        }
        int groups = workers.parallel() * GROUPS_PER_WORKER;
        return byKeys ? Groups.byKeys(stretch, keysOf(stretch), groups) : Groups.byPrimaryKey(stretch, groups);
    }

    private List<List<byte[]>> keysOf(List<RowChange> stretch) {
        List<List<byte[]>> keys = new ArrayList<>();
        stretch.forEach(change -> keys.add(new ArrayList<>()));
        AtomicInteger cursor = new AtomicInteger();
        perWorker(transaction -> {
                    for (int i = cursor.getAndIncrement(); i < stretch.size(); i = cursor.getAndIncrement()) {
                        collectKeys(transaction, stretch.get(i), keys.get(i));
                    }
                })
                .await();
        return keys;
    }

    private void collectKeys(RowTransaction transaction, RowChange change, List<byte[]> keys) {
        RowTable table = table(transaction, change);
        keys.add(change.oldKey());
        keys.add(change.newKey());
        if (table.simple()) {
            return;
        }
        Row old = table.find(change.oldKey());
        collectKeys(table, change, old, keys);
        Row there = change.moves() ? table.find(change.newKey()) : null;
        if (there != null) {
            collectKeys(table, change, there, keys);
        }
    }

    private static void collectKeys(RowTable table, RowChange change, @Nullable Row row, List<byte[]> keys) {
        if (row != null) {
            table.keys(row, keys::add);
        }
        if (change.kind() != Kind.DELETE) {
            table.keys(change.after(row), keys::add);
        }
    }

    private TaskPool.Started eachGroup(List<List<RowChange>> groups) {
        AtomicInteger cursor = new AtomicInteger();
        return perWorker(transaction -> {
            RowWriter writer = new RowWriter(transaction, upsert, passedOver);
            for (int i = cursor.getAndIncrement(); i < groups.size(); i = cursor.getAndIncrement()) {
                writeGroup(writer, groups.get(i));
            }
        });
    }

    private void writeGroup(RowWriter writer, List<RowChange> group) {
        for (RowChange change : group) {
            if (batch.failedBefore(change.line())) {
                return;
            }
            try {
                writer.write(change);
            } catch (StatementException e) {
                batch.record(refused(change, e));
                return;
            }
        }
    }

    private TaskPool.Started perWorker(Consumer<RowTransaction> task) {
        List<Runnable> tasks = new ArrayList<>();
        transactions.forEach(transaction -> tasks.add(() -> task.accept(transaction)));
        return workers.start(tasks);
    }

    private static LineException refused(RowChange change, StatementException e) {
        boolean later = e.code() == SqlErrorCode.CONFLICT || e.code() == SqlErrorCode.BUSY;
        return new LineException(change.line(), e.text(), later);
    }
}
