package io.sluice.node.catalog;

import io.sluice.api.error.BadInputException;
import io.sluice.api.error.TableBusyException;
import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.IngestTiming;
import io.sluice.api.node.RangeDirectory;
import io.sluice.api.schema.IndexDef;
import io.sluice.api.schema.Interleave;
import io.sluice.api.schema.Table;
import io.sluice.api.schema.TableDef;
import io.sluice.node.store.RocksStore;
import io.sluice.node.store.WriteSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The catalog of one open store. It decides what may begin and what may go, makes each change durable in one atomic
 * write, and only then remembers it. Column families are the caller's to make and to drop. Usable by several threads.
 *
 * <p>Invariant: what is in memory is what is on disk; a write that failed changed neither.
 */
public final class Catalog {
    /** Far above what anybody needs, and far from overflowing. */
    private static final int MAX_TABLE_ID = 1 << 30;

    private final RocksStore store;
    private final String nodeId;
    private final Map<String, TableRecord> tables;
    private final Map<Integer, ImportRecord> imports;
    private final Map<Integer, OrphanedTable> orphans;
    private final Map<String, PendingDrop> drops;
    private final WriteGuard writing = new WriteGuard();
    /** Told the column family of every import that begins or ends. */
    private Consumer<String> importsChanged = family -> {};

    private int nextTableId;

    private Catalog(RocksStore store, StoredCatalog stored) {
        this.store = store;
        nodeId = stored.nodeId;
        tables = stored.tables;
        imports = stored.imports;
        orphans = stored.orphans;
        drops = stored.drops;
        nextTableId = stored.nextTableId;
    }

    /** Reads the catalog of a store. A store that has no id is given one. */
    public static Catalog load(RocksStore store) {
        StoredCatalog stored = StoredCatalog.read(store);
        if (stored.nodeId.isEmpty()) {
            stored.nodeId = UUID.randomUUID().toString();
            store.commit(new WriteSet().put(Keys.NODE_ID, RecordJson.write(stored.nodeId)));
        }
        return new Catalog(store, stored);
    }

    /** What range directories call this node: made once with the store. */
    public String nodeId() {
        return nodeId;
    }

    /** The least id that a new table can have. */
    public synchronized int nextTableId() {
        return nextTableId;
    }

    /** The published tables by name. */
    public synchronized List<TableRecord> tables() {
        return List.copyOf(tables.values());
    }

    /** The published table of that name, or null. */
    public synchronized @Nullable TableRecord table(String name) {
        return tables.get(name);
    }

    /**
     * The published table of that name.
     *
     * @throws BadInputException when there is none; the message lists those that exist
     */
    public synchronized TableRecord require(String name) {
        TableRecord table = tables.get(name);
        if (table == null) {
            throw new BadInputException("there is no table " + name + "; "
                    + (tables.isEmpty()
                            ? "the store has no tables"
                            : "there is " + String.join(", ", tables.keySet())));
        }
        return table;
    }

    /** The imports in progress by id. */
    public synchronized List<ImportRecord> imports() {
        return List.copyOf(imports.values());
    }

    /** Whether an import into a column family is under way. */
    public synchronized boolean importing(String family) {
        return imports.values().stream().anyMatch(running -> running.family().equals(family));
    }

    /** Does something while no import begins or ends. */
    public synchronized void standingStill(Runnable work) {
        work.run();
    }

    /** Has somebody told the column family of every import that begins or ends, at once. */
    public synchronized void whenImportsChange(Consumer<String> told) {
        importsChanged = told;
    }

    /** Column families that remain to be removed. */
    public synchronized List<PendingDrop> drops() {
        return List.copyOf(drops.values());
    }

    /** Tables that are gone but for KVs in a column family they shared. */
    public synchronized List<OrphanedTable> orphans() {
        return List.copyOf(orphans.values());
    }

    /** Whether a published table, an import or a pending drop needs this column family. */
    public synchronized boolean knows(String family) {
        return drops.containsKey(family)
                || tables.values().stream().anyMatch(table -> table.family().equals(family))
                || imports.values().stream()
                        .anyMatch(running -> running.family().equals(family));
    }

    /** The import that somebody can resume under that name, or null. */
    public synchronized @Nullable ImportRecord importNamed(UUID importId) {
        return imports.values().stream()
                .filter(running -> importId.equals(running.importId()))
                .findFirst()
                .orElse(null);
    }

    /** The table that an import of that name has made, as long as that is remembered, or null. */
    public synchronized @Nullable TableRecord publishedBy(UUID importId) {
        return tables.values().stream()
                .filter(table ->
                        table.claim() != null && importId.equals(table.claim().importId()))
                .findFirst()
                .orElse(null);
    }

    /**
     * An import as it stands now.
     *
     * @throws IllegalStateException when it was published or abandoned
     */
    public synchronized ImportRecord running(int id) {
        ImportRecord running = imports.get(id);
        if (running == null) {
            throw new IllegalStateException("there is no import into a table with id " + id);
        }
        return running;
    }

    /** Whether an import of this id was begun, and neither published nor abandoned. */
    public synchronized boolean isRunning(int id) {
        return imports.containsKey(id);
    }

    /**
     * Records a new import.
     *
     * @throws BadInputException when the table's name or id is taken, or it cannot be interleaved as it says
     * @throws TableBusyException when a prepared branch of a transaction holds the table or one that it is interleaved
     *     in
     */
    public synchronized ImportRecord begin(ImportRequest request, long nowMillis) {
        TableDef def = request.table();
        awaitWritten(def.name());
        for (IndexDef index : def.indexes()) {
            Interleave above = index.interleave();
            if (above != null) {
                // A delete by spans of keys would take along what this import brings.
                awaitWritten(above.parent());
            }
        }
        TableRecord existing = tables.get(def.name());
        if (existing != null && !request.append()) {
            throw new BadInputException("table " + def.name()
                    + " already exists; drop it, or import into another store, or add to it with --append");
        }
        for (ImportRecord running : imports.values()) {
            if (running.table().name().equals(def.name())) {
                throw new BadInputException("table " + def.name() + " is being imported already"
                        + (running.importId() == null
                                ? "; wait until that import ends"
                                : " by import " + running.importId() + "; go on with that one, or undo it"));
            }
        }
        if (request.append()) {
            return beginAppend(def, existing);
        }
        int id = idFor(request);
        Table table = Table.bind(def, id, this::tableToInterleaveIn);
        TableRecord root = Hierarchy.root(table, tables.values());
        ImportRecord begun = new ImportRecord(
                table,
                root == null ? RocksStore.familyOfTable(id) : root.family(),
                root == null,
                request.timing(),
                ImportRecord.Progress.NONE,
                RangeDirectory.SINGLE_NODE,
                request.importId() == null ? null : new FencingToken(request.importId(), 1, nowMillis),
                null);
        store.commit(new WriteSet()
                .put(Keys.NEXT_TABLE_ID, RecordJson.write(id + 1))
                .put(Keys.imports(id), RecordJson.write(begun)));
        nextTableId = id + 1;
        imports.put(id, begun);
        importsChanged.accept(begun.family());
        return begun;
    }

    private ImportRecord beginAppend(TableDef def, @Nullable TableRecord existing) {
        if (existing == null) {
            throw new BadInputException("there is no table " + def.name() + " to add to; import without --append");
        }
        AppendRules.check(existing, def);
        int number = nextTableId;
        ImportRecord begun = new ImportRecord(
                existing.table(),
                existing.family(),
                false,
                IngestTiming.AT_END,
                ImportRecord.Progress.NONE,
                existing.directory(),
                null,
                ImportRecord.Appending.begun(number));
        store.commit(new WriteSet()
                .put(Keys.NEXT_TABLE_ID, RecordJson.write(number + 1))
                .put(Keys.imports(number), RecordJson.write(begun)));
        nextTableId = number + 1;
        imports.put(number, begun);
        importsChanged.accept(begun.family());
        return begun;
    }

    /** Records that an import into a table that has rows is about to ingest; from here on it can be finished. */
    public synchronized ImportRecord intend(int id, ImportRecord.Progress progress, ImportRecord.Appending intended) {
        return replace(running(id).appending(progress, intended), new WriteSet());
    }

    /** Ids are never given out twice, so that what is left of a table that is gone is never taken for another's. */
    private int idFor(ImportRequest request) {
        int id = request.tableId() == 0 ? nextTableId : request.tableId();
        if (id < nextTableId || id > MAX_TABLE_ID) {
            throw new BadInputException("table " + request.table().name() + " cannot have the id " + id
                    + ": this node has given out all below " + nextTableId + ", and " + MAX_TABLE_ID
                    + " is the last; ask all nodes for their next id, and take the highest");
        }
        return id;
    }

    private @Nullable Table tableToInterleaveIn(String name) {
        TableRecord parent = tables.get(name);
        return parent == null ? null : parent.table();
    }

    /**
     * Records that an import is about to ingest staged files, or has done so.
     *
     * @param alongside what is written together with that
     */
    public synchronized ImportRecord advance(int id, ImportRecord.Progress progress, WriteSet alongside) {
        return replace(running(id).at(progress), alongside);
    }

    /** Records that an import begins anew, as if nothing had come yet. */
    public synchronized ImportRecord restart(int id) {
        ImportRecord anew = running(id).at(ImportRecord.Progress.NONE);
        if (anew.append() == null) {
            anew = anew.divided(RangeDirectory.SINGLE_NODE);
        }
        return replace(anew, new WriteSet().deletePrefix(Keys.receipts(id)).deletePrefix(Keys.notes(id)));
    }

    /** Makes a new attempt at an import that can be resumed. */
    public synchronized ImportRecord resume(int id, long nowMillis) {
        ImportRecord running = running(id);
        return replace(running.claimed(claimOf(running).renewed(nowMillis)), new WriteSet());
    }

    /** Records that somebody still works on an import that can be resumed. */
    public synchronized ImportRecord touch(int id, long nowMillis) {
        ImportRecord running = running(id);
        return replace(running.claimed(claimOf(running).touched(nowMillis)), new WriteSet());
    }

    private static FencingToken claimOf(ImportRecord running) {
        FencingToken claim = running.claim();
        if (claim == null) {
            throw new IllegalStateException(
                    "the import of table " + running.table().name() + " cannot be resumed");
        }
        return claim;
    }

    /** Records how the keys of an import are divided. */
    public synchronized ImportRecord assign(int id, RangeDirectory directory) {
        return replace(running(id).divided(directory), new WriteSet());
    }

    private ImportRecord replace(ImportRecord next, WriteSet alongside) {
        store.commit(alongside.put(Keys.imports(next.id()), RecordJson.write(next)));
        imports.put(next.id(), next);
        return next;
    }

    /**
     * Forgets an import. When its KVs may be in a column family that is not its own, a ghost remains. A column family
     * of its own must be gone already.
     */
    public synchronized void abandon(ImportRecord running) {
        WriteSet writes = new WriteSet()
                .delete(Keys.imports(running.id()))
                .deletePrefix(Keys.receipts(running.id()))
                .deletePrefix(Keys.notes(running.id()));
        OrphanedTable orphan = null;
        if (!running.ownsFamily() && running.append() == null && running.mayHaveIngested()) {
            orphan = new OrphanedTable(running.id(), running.table().name(), running.family());
            writes.put(Keys.orphan(orphan.tableId()), RecordJson.write(orphan));
        }
        store.commit(writes);
        imports.remove(running.id());
        importsChanged.accept(running.family());
        if (orphan != null) {
            orphans.put(orphan.tableId(), orphan);
        }
    }

    /** Turns an import into a table, at once for everybody who asks. */
    public synchronized TableRecord publish(int id, List<IndexChecksum> imported, long nowMillis) {
        ImportRecord running = running(id);
        TableRecord before =
                running.append() == null ? null : require(running.table().name());
        TableRecord table = new TableRecord(
                running.table(),
                running.family(),
                imported,
                nowMillis,
                running.directory(),
                null,
                before == null ? running.claim() : before.claim());
        String name = table.table().name();
        store.commit(new WriteSet()
                .put(Keys.table(name), RecordJson.write(table))
                .delete(Keys.sums(table.table().id()))
                .delete(Keys.imports(running.id()))
                .deletePrefix(Keys.receipts(running.id())));
        imports.remove(running.id());
        tables.put(name, table);
        importsChanged.accept(running.family());
        writing.published(table.table().id());
        return table;
    }

    /** Forgets the imports of tables that were published longer ago than a lease, with their notes. */
    public synchronized void forgetClaims(long nowMillis, long leaseMillis) {
        for (TableRecord table : List.copyOf(tables.values())) {
            if (table.claim() != null && nowMillis - table.publishedAtMillis() > leaseMillis) {
                TableRecord next = table.unclaimed();
                String name = next.table().name();
                store.commit(new WriteSet()
                        .deletePrefix(Keys.notes(next.table().id()))
                        .put(Keys.table(name), RecordJson.write(next)));
                tables.put(name, next);
            }
        }
    }

    /**
     * Makes a table disappear.
     *
     * @return the column family to remove and then to {@link #finish}, or null when it is shared and a ghost remains
     * @throws BadInputException when there is no such table, or others are interleaved in it
     * @throws TableBusyException when a prepared branch of a transaction holds it
     */
    public synchronized @Nullable PendingDrop drop(String name) {
        awaitWritten(name);
        TableRecord table = require(name);
        List<String> inside = Hierarchy.inside(table.table().id(), tables.values(), imports.values());
        if (!inside.isEmpty()) {
            throw new BadInputException("table " + name + " has tables interleaved in it: " + String.join(", ", inside)
                    + "; drop those first");
        }
        if (growing(table.table().id())) {
            throw new BadInputException("rows are being added to table " + name + "; wait until that import ends");
        }
        boolean owns =
                table.family().equals(RocksStore.familyOfTable(table.table().id()));
        return owns ? dropWithFamily(table) : dropFromShared(table);
    }

    private PendingDrop dropWithFamily(TableRecord table) {
        String name = table.table().name();
        PendingDrop drop = new PendingDrop(table.family(), name);
        List<OrphanedTable> freed = orphans.values().stream()
                .filter(orphan -> orphan.family().equals(table.family()))
                .toList();
        WriteSet writes = new WriteSet()
                .delete(Keys.table(name))
                .delete(Keys.sums(table.table().id()))
                .deletePrefix(Keys.notes(table.table().id()))
                .put(Keys.drop(drop.family()), RecordJson.write(drop));
        freed.forEach(orphan -> writes.delete(Keys.orphan(orphan.tableId())));
        store.commit(writes);
        tables.remove(name);
        freed.forEach(orphan -> orphans.remove(orphan.tableId()));
        drops.put(drop.family(), drop);
        return drop;
    }

    private @Nullable PendingDrop dropFromShared(TableRecord table) {
        String name = table.table().name();
        OrphanedTable orphan = new OrphanedTable(table.table().id(), name, table.family());
        store.commit(new WriteSet()
                .delete(Keys.table(name))
                .delete(Keys.sums(table.table().id()))
                .deletePrefix(Keys.notes(orphan.tableId()))
                .put(Keys.orphan(orphan.tableId()), RecordJson.write(orphan)));
        tables.remove(name);
        orphans.put(orphan.tableId(), orphan);
        return null;
    }

    /** The name of a table that an import is making in a column family, or null. */
    public synchronized @Nullable String beingMadeIn(String family) {
        return imports.values().stream()
                .filter(running -> running.append() == null && running.family().equals(family))
                .map(running -> running.table().name())
                .findFirst()
                .orElse(null);
    }

    /** Whether an import is adding rows to a table. */
    public synchronized boolean growing(int tableId) {
        return imports.values().stream()
                .anyMatch(running -> running.append() != null && running.table().id() == tableId);
    }

    /** How often a table was published or added to since the store was opened; goes up with each. */
    public synchronized long publications() {
        return writing.publications();
    }

    /** Which of {@link #publications} brought a table into being; 0 when it was there before. */
    public synchronized long firstPublished(int tableId) {
        return writing.firstPublished(tableId);
    }

    /** Which of {@link #publications} was the latest of a table. */
    public synchronized long lastPublished(int tableId) {
        return writing.lastPublished(tableId);
    }

    /**
     * Keeps tables as they are while rows are written: none of them is dropped, and no import adds to one, before
     * {@link #written}. Keep that short.
     *
     * @return the tables by id; null, and nothing is kept, when one is not there any more or an import adds to it
     */
    public synchronized @Nullable Map<Integer, TableRecord> writing(Set<Integer> tableIds) {
        Map<Integer, TableRecord> found = new HashMap<>();
        for (TableRecord table : tables.values()) {
            int id = table.table().id();
            if (tableIds.contains(id) && !growing(id)) {
                found.put(id, table);
            }
        }
        if (found.size() < tableIds.size()) {
            return null;
        }
        writing.begin(tableIds);
        return found;
    }

    /** Adds to a write what is to be remembered about the table: what it adds up to after it. */
    public static void record(WriteSet alongside, int tableId, List<IndexChecksum> sums) {
        alongside.put(Keys.sums(tableId), RecordJson.write(sums));
    }

    /**
     * Rows are written.
     *
     * @param tableIds as in {@link #writing}
     * @param sums what tables add up to now, as was recorded with the write; none when it failed
     */
    public synchronized void written(Set<Integer> tableIds, Map<Integer, List<IndexChecksum>> sums) {
        tables.replaceAll((name, table) -> holding(table, sums));
        writing.end(tableIds);
        notifyAll();
    }

    /** Branches of transactions that change these tables are prepared: they may be in doubt for long. */
    public synchronized void prepared(Set<Integer> tableIds) {
        writing.prepare(tableIds);
        writing.end(tableIds);
        notifyAll();
    }

    /**
     * A prepared branch is decided.
     *
     * @param sums as in {@link #written}
     */
    public synchronized void decided(Set<Integer> tableIds, Map<Integer, List<IndexChecksum>> sums) {
        tables.replaceAll((name, table) -> holding(table, sums));
        writing.decide(tableIds);
    }

    private static TableRecord holding(TableRecord table, Map<Integer, List<IndexChecksum>> sums) {
        List<IndexChecksum> now = sums.get(table.table().id());
        return now == null ? table : table.holding(now);
    }

    private boolean beingWritten(String name) {
        TableRecord table = tables.get(name);
        if (table == null) {
            return false;
        }
        int prepared = writing.prepared(table.table().id());
        if (prepared > 0) {
            throw new TableBusyException(
                    "table " + name + " is held by " + prepared + " prepared branches of transactions;"
                            + " try again. 'sluice transactions' lists those that are in doubt");
        }
        return writing.goesOn(table.table().id());
    }

    /**
     * Waits until no write of rows of a table is under way; others may change the catalog meanwhile.
     *
     * @throws TableBusyException when a prepared branch holds it: that may take long, so the client does the waiting
     */
    private void awaitWritten(String name) {
        boolean interrupted = false;
        while (beingWritten(name)) {
            try {
                wait();
            } catch (InterruptedException e) {
                // It takes milliseconds, and half a drop would be worse.
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Forgets a drop whose column family is gone. */
    public synchronized void finish(PendingDrop drop) {
        store.commit(new WriteSet().delete(Keys.drop(drop.family())));
        drops.remove(drop.family());
    }
}
