package io.sluice.node.catalog;

import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.RangeDirectory;
import io.sluice.engine.store.RocksStore;
import io.sluice.engine.store.WriteSet;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.TableBusyException;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The records of the imports in progress, as {@link ImportRecord} describes them. {@link Catalog} adds and removes
 * them; the imports change their own. Each change is one atomic, durable write, then a change in memory, both under the
 * catalog's lock. Usable by several threads.
 */
public final class RunningImports {
    private final RocksStore store;
    private final Map<Integer, ImportRecord> imports;
    private final Object lock;
    /** Receives the column family of every import that begins or ends. */
    private Consumer<String> listener = family -> {};

    /**
     * Takes over the records of a store.
     *
     * @param lock the catalog's lock
     */
    RunningImports(RocksStore store, Map<Integer, ImportRecord> imports, Object lock) {
        this.store = store;
        this.imports = imports;
        this.lock = lock;
    }

    /** All imports in progress, by id. */
    public List<ImportRecord> all() {
        synchronized (lock) {
            return List.copyOf(imports.values());
        }
    }

    private Stream<ImportRecord> stream() {
        return all().stream();
    }

    /** The import of that id; null if it has not begun, was published or was abandoned. */
    public @Nullable ImportRecord find(int id) {
        synchronized (lock) {
            return imports.get(id);
        }
    }

    /**
     * The current record of an import.
     *
     * @throws IllegalStateException when it was published or abandoned
     */
    public ImportRecord require(int id) {
        ImportRecord running = find(id);
        if (running == null) {
            throw new IllegalStateException("there is no import into a table with id " + id);
        }
        return running;
    }

    /** The resumable import to which its client gave that id, or null. */
    public @Nullable ImportRecord named(UUID importId) {
        return stream()
                .filter(running -> importId.equals(running.importId()))
                .findFirst()
                .orElse(null);
    }

    /** The imports into a table, and into tables that are interleaved in it. */
    public List<ImportRecord> within(int tableId, String name) {
        return stream()
                .filter(running -> running.table().id() == tableId
                        ? running.table().name().equals(name)
                        : Hierarchy.liesIn(running.table(), tableId))
                .toList();
    }

    /** Whether an import into a column family is in progress. */
    public boolean anyInto(String family) {
        return stream().anyMatch(running -> running.family().equals(family));
    }

    /** Whether an import is adding rows to a table. */
    public boolean anyAppendTo(int tableId) {
        return stream()
                .anyMatch(running -> running.append() != null && running.table().id() == tableId);
    }

    /** The name of a new table that an import fills in a column family, or null. */
    public @Nullable String newTableIn(String family) {
        return stream()
                .filter(running -> running.append() == null && running.family().equals(family))
                .map(running -> running.table().name())
                .findFirst()
                .orElse(null);
    }

    /** Checks that no import of a table, or into it, is in progress when another one is requested. */
    void ensureNoneOf(String table, ImportRequest request) {
        for (ImportRecord running : imports.values()) {
            if (running.table().name().equals(table)) {
                if (running.append() != null && running.claim() != null && request.importId() != null) {
                    // Its client may be dead: then the node undoes it within a minute.
                    throw new TableBusyException(
                            "another import is adding rows to table " + table + "; try again when it has ended");
                }
                throw new BadInputException(
                        "table " + table + " is being imported already"
                                + (running.importId() == null
                                        ? "; wait until that import ends"
                                        : " by import " + running.importId()
                                                + "; wait until it ends. If it was interrupted, its"
                                                + " command resumes it with --job-id " + running.importId()
                                                + ", and Ctrl-C then undoes it; 'sluice jobs cancel' undoes a job of a service"));
            }
        }
    }

    /** Sets the listener that receives the column family of every import that begins or ends, under the lock. */
    public void onChange(Consumer<String> newListener) {
        synchronized (lock) {
            listener = newListener;
        }
    }

    /** Runs {@code work} under the catalog's lock, so that no import begins or ends meanwhile. */
    public void underLock(Runnable work) {
        synchronized (lock) {
            work.run();
        }
    }

    /** Adds a record; the caller holds the lock, and calls {@link #changed} after its own changes. */
    void add(ImportRecord begun, WriteSet alongside) {
        store.commit(alongside.put(Keys.imports(begun.id()), RecordJson.write(begun)));
        imports.put(begun.id(), begun);
    }

    /**
     * Removes a record and its receipts; the caller holds the lock, and calls {@link #changed} after its own changes.
     */
    void remove(ImportRecord ended, WriteSet alongside) {
        store.commit(alongside.delete(Keys.imports(ended.id())).deletePrefix(Keys.receipts(ended.id())));
        imports.remove(ended.id());
    }

    /** Tells the listener that an import has begun or ended. */
    void changed(ImportRecord running) {
        listener.accept(running.family());
    }

    /** Records that an import into an existing table is about to ingest; from here on, recovery can finish it. */
    public ImportRecord intend(int id, ImportRecord.Progress progress, ImportRecord.Appending intended) {
        return change(id, running -> running.appending(progress, intended), new WriteSet());
    }

    /**
     * Records that an import is about to ingest staged files, or has done so.
     *
     * @param alongside changes to write atomically with it
     */
    public ImportRecord advance(int id, ImportRecord.Progress progress, WriteSet alongside) {
        return change(id, running -> running.at(progress), alongside);
    }

    /** Records that an import restarts from the beginning. */
    public ImportRecord restart(int id) {
        return change(
                id,
                running -> {
                    ImportRecord restarted = running.at(ImportRecord.Progress.NONE);
                    return restarted.append() == null ? restarted.withDirectory(RangeDirectory.SINGLE_NODE) : restarted;
                },
                new WriteSet().deletePrefix(Keys.receipts(id)).deletePrefix(Keys.checkpoints(id)));
    }

    /** Begins a new attempt at a resumable import, with the next fencing token. */
    public ImportRecord resume(int id, long nowMillis) {
        return change(id, running -> running.withToken(tokenOf(running).renewed(nowMillis)), new WriteSet());
    }

    /** Renews the lease of a resumable import. */
    public ImportRecord touch(int id, long nowMillis) {
        return change(id, running -> running.withToken(tokenOf(running).touched(nowMillis)), new WriteSet());
    }

    private static FencingToken tokenOf(ImportRecord running) {
        FencingToken claim = running.claim();
        if (claim == null) {
            throw new IllegalStateException(
                    "the import of table " + running.table().name() + " cannot be resumed");
        }
        return claim;
    }

    /** Records which nodes hold which keys of an import. */
    public ImportRecord assign(int id, RangeDirectory directory) {
        return change(id, running -> running.withDirectory(directory), new WriteSet());
    }

    /**
     * Records the nodes of an import as {@link #assign} does; no effect on a directory of this epoch or a later one.
     */
    public void move(int id, RangeDirectory directory) {
        synchronized (lock) {
            ImportRecord running = imports.get(id);
            if (running != null && running.directory().epoch() < directory.epoch()) {
                ImportRecord unused = assign(id, directory);
            }
        }
    }

    private ImportRecord change(int id, UnaryOperator<ImportRecord> change, WriteSet alongside) {
        synchronized (lock) {
            ImportRecord next = change.apply(require(id));
            store.commit(alongside.put(Keys.imports(id), RecordJson.write(next)));
            imports.put(id, next);
            return next;
        }
    }
}
