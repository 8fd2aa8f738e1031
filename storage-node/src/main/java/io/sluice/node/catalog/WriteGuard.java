package io.sluice.node.catalog;

import io.sluice.api.node.IndexChecksum;
import io.sluice.engine.store.WriteSet;
import io.sluice.model.error.TableBusyException;
import io.sluice.model.thread.Interrupts;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Guards tables against drops and added imports while rows are written, or while prepared branches that change them are
 * in doubt. Also numbers the publications of all tables, so that a transaction can tell whether a table was published
 * after its begin. Usable by several threads.
 */
public final class WriteGuard {
    private final Map<Integer, Integer> writers = new HashMap<>();
    private final Map<Integer, Integer> prepared = new HashMap<>();
    private final Map<Integer, Long> firstPublished = new HashMap<>();
    private final Map<Integer, Long> lastPublished = new HashMap<>();
    private long publications;
    private final Map<String, TableRecord> tables;
    private final RunningImports imports;
    private final Object lock;

    /**
     * Creates the guard of a catalog's tables.
     *
     * @param tables the published tables by name
     * @param lock the catalog's lock; callers of methods that are not public hold it
     */
    WriteGuard(Map<String, TableRecord> tables, RunningImports imports, Object lock) {
        this.tables = tables;
        this.imports = imports;
        this.lock = lock;
    }

    /**
     * Protects tables during a write of rows: until {@link #end}, no table of these is dropped and no import adds rows
     * to one. The caller keeps the write short.
     *
     * @return the tables by id; null, with no protection, when a table was dropped or an import adds rows to it
     */
    public @Nullable Map<Integer, TableRecord> begin(Set<Integer> tableIds) {
        synchronized (lock) {
            Map<Integer, TableRecord> found = tables(tableIds);
            if (found.size() < tableIds.size() || tableIds.stream().anyMatch(imports::anyAppendTo)) {
                return null;
            }
            count(writers, tableIds);
            return found;
        }
    }

    /**
     * Protects tables as {@link #begin} does, for a prepared branch that commits: without those that a decision of the
     * cluster has dropped meanwhile.
     */
    public Map<Integer, TableRecord> beginRest(Set<Integer> tableIds) {
        synchronized (lock) {
            Map<Integer, TableRecord> found = tables(tableIds);
            count(writers, found.keySet());
            return found;
        }
    }

    private Map<Integer, TableRecord> tables(Set<Integer> tableIds) {
        return tables.values().stream()
                .filter(table -> tableIds.contains(table.table().id()))
                .collect(Collectors.toMap(table -> table.table().id(), table -> table));
    }

    /** Adds a table's checksums after a write to that write. */
    public static void record(WriteSet alongside, int tableId, List<IndexChecksum> sums) {
        alongside.put(Keys.sums(tableId), RecordJson.write(sums));
    }

    /**
     * Ends the protection of tables after a write of rows.
     *
     * @param tableIds as in {@link #begin}
     * @param sums checksums of the changed tables, as recorded with the write; empty when it failed
     */
    public void end(Set<Integer> tableIds, Map<Integer, List<IndexChecksum>> sums) {
        synchronized (lock) {
            tables.replaceAll((name, table) -> {
                List<IndexChecksum> now = sums.get(table.table().id());
                return now == null ? table : table.withChecksums(now);
            });
            discount(writers, tableIds);
            lock.notifyAll();
        }
    }

    /** Replaces the protection by a write by that of a prepared branch, which may stay in doubt for a long time. */
    public void prepare(Set<Integer> tableIds) {
        synchronized (lock) {
            count(prepared, tableIds);
            end(tableIds, Map.of());
        }
    }

    /** Ends the protection of tables by a prepared branch that is now decided. */
    public void decide(Set<Integer> tableIds) {
        synchronized (lock) {
            discount(prepared, tableIds);
        }
    }

    private static void count(Map<Integer, Integer> counts, Set<Integer> tableIds) {
        tableIds.forEach(id -> counts.merge(id, 1, Integer::sum));
    }

    private static void discount(Map<Integer, Integer> counts, Set<Integer> tableIds) {
        tableIds.forEach(id -> counts.computeIfPresent(id, (same, count) -> count == 1 ? null : count - 1));
    }

    /** The number of prepared branches that will change a table. */
    public int prepared(int tableId) {
        synchronized (lock) {
            return prepared.getOrDefault(tableId, 0);
        }
    }

    /**
     * Waits until no write of rows of these tables is in progress. Other threads may change the catalog meanwhile.
     *
     * @throws TableBusyException when a prepared branch holds one of them: that may take long, so the client retries
     */
    void awaitWritten(List<String> names) {
        await(() -> {
            boolean written = false;
            for (String name : names) {
                TableRecord table = tables.get(name);
                if (table != null && prepared(table.table().id()) > 0) {
                    throw new TableBusyException("table " + name + " is held by "
                            + prepared(table.table().id())
                            + " prepared branches of transactions;"
                            + " try again. 'sluice transactions' lists those that are in doubt");
                }
                written |= beingWritten(table);
            }
            return written;
        });
    }

    /** Waits as {@link #awaitWritten} does, but not for prepared branches. */
    void awaitWriters(String name) {
        await(() -> beingWritten(tables.get(name)));
    }

    /** Waits until no write of these tables' rows is in progress, but not for prepared branches. */
    void awaitWriters(Set<Integer> tableIds) {
        await(() -> tableIds.stream().anyMatch(writers::containsKey));
    }

    private boolean beingWritten(@Nullable TableRecord table) {
        return table != null && writers.containsKey(table.table().id());
    }

    private void await(BooleanSupplier beingWritten) {
        // The wait takes milliseconds, and an incomplete drop would be worse.
        Interrupts.outlast(() -> {
            while (beingWritten.getAsBoolean()) {
                lock.wait();
            }
        });
    }

    void published(int tableId) {
        publications++;
        firstPublished.putIfAbsent(tableId, publications);
        lastPublished.put(tableId, publications);
    }

    /** A table that stays the same was moved: transactions that began before have an outdated directory. */
    void moved(int tableId) {
        publications++;
        lastPublished.put(tableId, publications);
    }

    /** The number of publications, of new tables and of added rows, since the store was opened. */
    public long publications() {
        synchronized (lock) {
            return publications;
        }
    }

    /** The publication number of a new table; 0 when the table existed before the store was opened. */
    public long firstPublished(int tableId) {
        synchronized (lock) {
            return firstPublished.getOrDefault(tableId, 0L);
        }
    }

    /** The latest publication number of a table. */
    public long lastPublished(int tableId) {
        synchronized (lock) {
            return lastPublished.getOrDefault(tableId, 0L);
        }
    }
}
