package io.sluice.node.catalog;

import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.IngestTiming;
import io.sluice.api.node.RangeDirectory;
import io.sluice.engine.store.RocksStore;
import io.sluice.engine.store.WriteSet;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.TableBusyException;
import io.sluice.model.schema.IndexDef;
import io.sluice.model.schema.IndexDef.Interleave;
import io.sluice.model.schema.Table;
import io.sluice.model.schema.TableDef;
import io.sluice.model.schema.TypeKind;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The catalog of one open store. It decides which imports may begin and which tables may be dropped. Each change is one
 * atomic, durable write, then a change in memory. The caller creates and drops column families. Usable by several
 * threads.
 *
 * <p>Invariant: memory equals disk; a failed write changes neither.
 */
public final class Catalog {
    /** Limit of table ids: far above any need, and far below an overflow. */
    private static final int MAX_TABLE_ID = 1 << 30;

    /** Types of columns that a build of format version 1 does not know. */
    private static final Set<TypeKind> KINDS_OF_VERSION_2 =
            Set.of(TypeKind.TIMETZ, TypeKind.INTERVAL, TypeKind.INET, TypeKind.BIT, TypeKind.JSON, TypeKind.ARRAY);

    private final RocksStore store;
    private final String nodeId;
    private final Map<String, TableRecord> tables;
    private final Map<Integer, ImportRecord> imports;
    private final Map<Integer, OrphanedTable> orphans;
    private final Map<String, PendingDrop> drops;
    private final WriteGuard writing = new WriteGuard();
    private final FrozenTables frozen;
    /** Receives the column family of every import that begins or ends. */
    private Consumer<String> importsChanged = family -> {};
    /** Raises the store's format version. */
    private IntConsumer formatNeeded = version -> {};

    private int nextTableId;

    private Catalog(RocksStore store, StoredCatalog stored) {
        this.store = store;
        nodeId = stored.nodeId;
        tables = stored.tables;
        imports = stored.imports;
        orphans = stored.orphans;
        drops = stored.drops;
        nextTableId = stored.nextTableId;
        frozen = new FrozenTables(store, stored.frozen);
    }

    /** Reads the catalog of a store. A store without a node id gets one. */
    public static Catalog load(RocksStore store) {
        StoredCatalog stored = StoredCatalog.read(store);
        if (stored.nodeId.isEmpty()) {
            stored.nodeId = UUID.randomUUID().toString();
            store.commit(new WriteSet().put(Keys.NODE_ID, RecordJson.write(stored.nodeId)));
        }
        return new Catalog(store, stored);
    }

    /** This node's id in range directories; created once with the store. */
    public String nodeId() {
        return nodeId;
    }

    /** The least id that a new table can get. */
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

    /** Runs {@code work} under the catalog lock, so that no import begins or ends meanwhile. */
    public synchronized void underLock(Runnable work) {
        work.run();
    }

    /** Sets the listener that receives the column family of every import that begins or ends, under the lock. */
    public synchronized void onImportChange(Consumer<String> listener) {
        importsChanged = listener;
    }

    /** Sets the listener that raises the store's format version before a table is recorded that needs it. */
    public synchronized void onFormatNeeded(IntConsumer listener) {
        formatNeeded = listener;
    }

    private static int formatVersion(TableDef table) {
        boolean later = table.columns().stream()
                .anyMatch(column -> KINDS_OF_VERSION_2.contains(column.type().kind()));
        return later ? 2 : 1;
    }

    /** The drops whose column families are not removed yet. */
    public synchronized List<PendingDrop> drops() {
        return List.copyOf(drops.values());
    }

    /** Dropped tables whose KVs remain in a shared column family. */
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

    /** The resumable import of that id, or null. */
    public synchronized @Nullable ImportRecord importNamed(UUID importId) {
        return imports.values().stream()
                .filter(running -> importId.equals(running.importId()))
                .findFirst()
                .orElse(null);
    }

    /** The table that the import of that id published or added rows to, or null. Kept for the import's lease. */
    public synchronized @Nullable TableRecord publishedBy(UUID importId) {
        return tables.values().stream()
                .filter(table -> table.tokenOf(importId) != null)
                .findFirst()
                .orElse(null);
    }

    /**
     * The current record of an import.
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

    /** Whether the import of this id is in progress: begun, and neither published nor abandoned. */
    public synchronized boolean isRunning(int id) {
        return imports.containsKey(id);
    }

    /**
     * Records a new import.
     *
     * @throws BadInputException when the table's name or id is taken, or its interleaving is not possible
     * @throws TableBusyException when a prepared branch of a transaction holds the table or one that it is interleaved
     *     in
     */
    public synchronized ImportRecord begin(ImportRequest request, long nowMillis) {
        TableDef def = request.table();
        awaitWritten(def.name());
        for (IndexDef index : def.indexes()) {
            Interleave above = index.interleave();
            if (above != null) {
                // A delete of key spans would also delete the KVs of this import.
                awaitWritten(above.parent());
                TableRecord parent = tables.get(above.parent());
                if (parent != null) {
                    // It may be about to be dropped.
                    ensureThawed(parent);
                }
            }
        }
        TableRecord existing = tables.get(def.name());
        if (existing != null && !request.append()) {
            throw new BadInputException("table " + def.name()
                    + " already exists; drop it, or import into another store, or add to it with --append");
        }
        for (ImportRecord running : imports.values()) {
            if (running.table().name().equals(def.name())) {
                if (running.append() != null && running.claim() != null && request.importId() != null) {
                    // Its client may be dead: then the node undoes it within a minute.
                    throw new TableBusyException(
                            "another import is adding rows to table " + def.name() + "; try again when it has ended");
                }
                throw new BadInputException("table " + def.name() + " is being imported already"
                        + (running.importId() == null
                                ? "; wait until that import ends"
                                : " by import " + running.importId() + "; resume that one, or undo it"));
            }
        }
        if (request.append()) {
            return beginAppend(request, existing, nowMillis);
        }
        int id = idFor(request);
        formatNeeded.accept(formatVersion(def));
        Table table = Table.bind(def, id, this::tableToInterleaveIn);
        TableRecord root = Hierarchy.root(table, tables.values());
        ImportRecord record = new ImportRecord(
                table,
                root == null ? RocksStore.familyOfTable(id) : root.family(),
                root == null,
                request.timing(),
                ImportRecord.Progress.NONE,
                RangeDirectory.SINGLE_NODE,
                tokenFor(request, nowMillis),
                null);
        store.commit(new WriteSet()
                .put(Keys.NEXT_TABLE_ID, RecordJson.write(id + 1))
                .put(Keys.imports(id), RecordJson.write(record)));
        nextTableId = id + 1;
        imports.put(id, record);
        importsChanged.accept(record.family());
        return record;
    }

    private ImportRecord beginAppend(ImportRequest request, @Nullable TableRecord existing, long nowMillis) {
        TableDef def = request.table();
        if (existing == null) {
            throw new BadInputException("there is no table " + def.name() + " to add to; import without --append");
        }
        AppendRules.check(existing, def, request.tableId());
        ensureThawed(existing);
        int number = nextTableId;
        ImportRecord record = new ImportRecord(
                existing.table(),
                existing.family(),
                false,
                IngestTiming.AT_END,
                ImportRecord.Progress.NONE,
                existing.directory(),
                tokenFor(request, nowMillis),
                ImportRecord.Appending.notIntended(number));
        store.commit(new WriteSet()
                .put(Keys.NEXT_TABLE_ID, RecordJson.write(number + 1))
                .put(Keys.imports(number), RecordJson.write(record)));
        nextTableId = number + 1;
        imports.put(number, record);
        importsChanged.accept(record.family());
        return record;
    }

    private static @Nullable FencingToken tokenFor(ImportRequest request, long nowMillis) {
        return request.importId() == null ? null : new FencingToken(request.importId(), 1, nowMillis);
    }

    /** Records that an import into an existing table is about to ingest; from here on, recovery can finish it. */
    public synchronized ImportRecord intend(int id, ImportRecord.Progress progress, ImportRecord.Appending intended) {
        return replace(running(id).appending(progress, intended), new WriteSet());
    }

    /** The id of a new table. Ids are never reused, so KVs left from a dropped table never belong to another one. */
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
     * @param alongside changes to write atomically with it
     */
    public synchronized ImportRecord advance(int id, ImportRecord.Progress progress, WriteSet alongside) {
        return replace(running(id).at(progress), alongside);
    }

    /** Records that an import restarts from the beginning. */
    public synchronized ImportRecord restart(int id) {
        ImportRecord restarted = running(id).at(ImportRecord.Progress.NONE);
        if (restarted.append() == null) {
            restarted = restarted.withDirectory(RangeDirectory.SINGLE_NODE);
        }
        return replace(restarted, new WriteSet().deletePrefix(Keys.receipts(id)).deletePrefix(Keys.checkpoints(id)));
    }

    /** Begins a new attempt at a resumable import, with the next fencing token. */
    public synchronized ImportRecord resume(int id, long nowMillis) {
        ImportRecord running = running(id);
        return replace(running.withToken(tokenOf(running).renewed(nowMillis)), new WriteSet());
    }

    /** Renews the lease of a resumable import. */
    public synchronized ImportRecord touch(int id, long nowMillis) {
        ImportRecord running = running(id);
        return replace(running.withToken(tokenOf(running).touched(nowMillis)), new WriteSet());
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
    public synchronized ImportRecord assign(int id, RangeDirectory directory) {
        return replace(running(id).withDirectory(directory), new WriteSet());
    }

    /**
     * Records the nodes of an import as {@link #assign} does; no effect on a directory of this epoch or a later one.
     */
    public synchronized void moveImport(int id, RangeDirectory directory) {
        ImportRecord running = imports.get(id);
        if (running != null && running.directory().epoch() < directory.epoch()) {
            ImportRecord unused = assign(id, directory);
        }
    }

    private ImportRecord replace(ImportRecord next, WriteSet alongside) {
        store.commit(alongside.put(Keys.imports(next.id()), RecordJson.write(next)));
        imports.put(next.id(), next);
        return next;
    }

    /**
     * Removes an import's record. If its KVs may be in a shared column family, an orphaned table id remains. The caller
     * has dropped the import's own column family before.
     */
    public synchronized void abandon(ImportRecord running) {
        WriteSet writes = new WriteSet()
                .delete(Keys.imports(running.id()))
                .deletePrefix(Keys.receipts(running.id()))
                .deletePrefix(Keys.checkpoints(running.id()));
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

    /** Turns an import into a table, atomically for all readers. */
    public synchronized TableRecord publish(int id, List<IndexChecksum> imported, long nowMillis) {
        ImportRecord running = running(id);
        TableRecord before =
                running.append() == null ? null : require(running.table().name());
        TableRecord table = before == null
                ? new TableRecord(
                        running.table(),
                        running.family(),
                        imported,
                        nowMillis,
                        running.directory(),
                        null,
                        running.claim(),
                        null)
                : before.appendedTo(imported, nowMillis, running.claim());
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

    /**
     * Records that a table's ranges are on other nodes, or were split. No effect if this node does not have the table,
     * or knows a directory of this epoch or a later one. Waits until no rows of the table are being written; a branch
     * that is in doubt does not delay it. A node that gets its first range, or loses its last one, counts from zero.
     *
     * @param published checksum of each index without the changes that the nodes have counted since
     */
    public synchronized void move(int tableId, RangeDirectory directory, List<IndexChecksum> published) {
        awaitNoWriter(() -> writing.beingWritten(tableId));
        for (TableRecord table : List.copyOf(tables.values())) {
            if (table.table().id() == tableId
                    && table.imported().size() == published.size()
                    && table.directory().epoch() < directory.epoch()
                    && directory.refines(table.directory())) {
                boolean stays = table.directory().nodes().contains(nodeId)
                        && directory.nodes().contains(nodeId);
                TableRecord moved = table.movedTo(directory, published, stays);
                String name = moved.table().name();
                store.commit(new WriteSet()
                        .put(Keys.table(name), RecordJson.write(moved))
                        .delete(Keys.sums(tableId)));
                tables.put(name, moved);
                writing.moved(tableId);
            }
        }
    }

    /**
     * Adds a table that another node has, so that this node can take replicas of its ranges. No effect if it is there.
     * The caller has created its column family.
     *
     * @throws BadInputException when another table has its name or id, or had its id
     */
    public synchronized void addReplica(TableRecord table) {
        int id = table.table().id();
        String name = table.table().name();
        TableRecord known = tables.get(name);
        if (known != null && known.table().id() == id) {
            return;
        }
        boolean taken = known != null
                || imports.containsKey(id)
                || orphans.containsKey(id)
                || drops.containsKey(RocksStore.familyOfTable(id))
                || imports.values().stream()
                        .anyMatch(running -> running.table().name().equals(name))
                || tables.values().stream().anyMatch(other -> other.table().id() == id);
        if (taken) {
            throw new BadInputException(
                    "table " + name + " with id " + id
                            + " cannot be copied to this node, which has another table or import of that name or id; drop that");
        }
        int next = Math.max(nextTableId, id + 1);
        formatNeeded.accept(formatVersion(table.table().def()));
        store.commit(new WriteSet()
                .put(Keys.NEXT_TABLE_ID, RecordJson.write(next))
                .put(Keys.table(name), RecordJson.write(table)));
        nextTableId = next;
        tables.put(name, table);
        writing.published(id);
    }

    /** The published table with that id, or null. */
    public synchronized @Nullable TableRecord table(int id) {
        return tables.values().stream()
                .filter(table -> table.table().id() == id)
                .findFirst()
                .orElse(null);
    }

    /** The root of the hierarchy in which a table is interleaved; null if it is in none. */
    public synchronized @Nullable TableRecord root(Table table) {
        return Hierarchy.root(table, tables.values());
    }

    /**
     * Sets which tables are frozen: until they are thawed, no statement changes their rows, no import adds any, and
     * they are not dropped. Prepared branches can still be committed. Waits until no rows of them are being written.
     *
     * @param index index of the cluster's log at which this was decided; an earlier decision has no effect
     * @param owners owner of each freeze, by table id
     */
    public synchronized void freeze(long index, Map<Integer, String> owners) {
        awaitNoWriter(() -> owners.keySet().stream().anyMatch(writing::beingWritten));
        frozen.set(index, owners);
    }

    /** The owner of a table's freeze; null if the table is not frozen. */
    public synchronized @Nullable String frozenBy(int tableId) {
        return frozen.owner(tableId);
    }

    /** Names of the tables that are interleaved in one, also of those that are being imported. */
    public synchronized List<String> inside(int tableId) {
        return Hierarchy.inside(tableId, tables.values(), imports.values());
    }

    /** The imports into a table, and into tables that are interleaved in it. */
    public synchronized List<ImportRecord> importsOf(int tableId, String name) {
        return imports.values().stream()
                .filter(running -> running.table().id() == tableId
                        ? running.table().name().equals(name)
                        : Hierarchy.liesIn(running.table(), tableId))
                .toList();
    }

    /** Whether an entry of the cluster's log may still publish an append: it is prepared, and its freeze lasts. */
    public synchronized boolean awaitsDecision(ImportRecord running) {
        ImportRecord.Appending append = running.append();
        String owner = append == null ? null : append.owner();
        return owner != null && owner.equals(frozenBy(running.table().id()));
    }

    /** The number of prepared branches that will change a table. */
    public synchronized int prepared(int tableId) {
        return writing.prepared(tableId);
    }

    private void ensureThawed(TableRecord table) {
        if (frozen.owner(table.table().id()) != null) {
            throw new TableBusyException(
                    "table " + table.table().name() + " is being moved or dropped; try again in some seconds");
        }
    }

    /** Removes fencing tokens and checkpoint records of imports that were published longer ago than a lease. */
    public synchronized void forgetPublishedImports(long nowMillis, long leaseMillis) {
        for (TableRecord table : List.copyOf(tables.values())) {
            if (table.hasTokens() && nowMillis - table.publishedAtMillis() > leaseMillis) {
                TableRecord next = table.withoutTokens();
                String name = next.table().name();
                store.commit(new WriteSet()
                        .deletePrefix(Keys.checkpoints(next.table().id()))
                        .put(Keys.table(name), RecordJson.write(next)));
                tables.put(name, next);
            }
        }
    }

    /**
     * Removes a table from the catalog.
     *
     * @return the column family to drop before {@link #finish}, or null when it is shared and an orphaned table id
     *     remains
     * @throws BadInputException when there is no such table, or others are interleaved in it
     * @throws TableBusyException when a prepared branch of a transaction holds it
     */
    public synchronized @Nullable PendingDrop drop(String name) {
        awaitWritten(name);
        TableRecord table = require(name);
        ensureThawed(table);
        return drop(table);
    }

    /**
     * Removes a table as {@link #drop(String)} does, by a decision that cannot be refused: also while it is frozen, or
     * held by prepared branches.
     *
     * @throws BadInputException when there is no such table, or others are interleaved in it
     */
    public synchronized @Nullable PendingDrop dropDecided(String name) {
        awaitNoWriter(() -> writing.beingWritten(require(name).table().id()));
        return drop(require(name));
    }

    private @Nullable PendingDrop drop(TableRecord table) {
        String name = table.table().name();
        List<String> inside = inside(table.table().id());
        if (!inside.isEmpty()) {
            throw new BadInputException("table " + name + " has tables interleaved in it: " + String.join(", ", inside)
                    + "; drop those first");
        }
        if (appendingTo(table.table().id())) {
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
                .deletePrefix(Keys.checkpoints(table.table().id()))
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
                .deletePrefix(Keys.checkpoints(orphan.tableId()))
                .put(Keys.orphan(orphan.tableId()), RecordJson.write(orphan)));
        tables.remove(name);
        orphans.put(orphan.tableId(), orphan);
        return null;
    }

    /** The name of a new table that an import fills in a column family, or null. */
    public synchronized @Nullable String newTableIn(String family) {
        return imports.values().stream()
                .filter(running -> running.append() == null && running.family().equals(family))
                .map(running -> running.table().name())
                .findFirst()
                .orElse(null);
    }

    /** Whether an import is adding rows to a table. */
    public synchronized boolean appendingTo(int tableId) {
        return imports.values().stream()
                .anyMatch(running -> running.append() != null && running.table().id() == tableId);
    }

    /** The number of publications, of new tables and of added rows, since the store was opened. */
    public synchronized long publications() {
        return writing.publications();
    }

    /** The publication number of a new table; 0 when the table existed before the store was opened. */
    public synchronized long firstPublished(int tableId) {
        return writing.firstPublished(tableId);
    }

    /** The latest publication number of a table. */
    public synchronized long lastPublished(int tableId) {
        return writing.lastPublished(tableId);
    }

    /**
     * Protects tables during a write of rows: until {@link #written}, no table of these is dropped and no import adds
     * rows to one. The caller keeps the write short.
     *
     * @return the tables by id; null, with no protection, when a table was dropped or an import adds rows to it
     */
    public synchronized @Nullable Map<Integer, TableRecord> writing(Set<Integer> tableIds) {
        Map<Integer, TableRecord> found = new HashMap<>();
        for (TableRecord table : tables.values()) {
            int id = table.table().id();
            if (tableIds.contains(id) && !appendingTo(id)) {
                found.put(id, table);
            }
        }
        if (found.size() < tableIds.size()) {
            return null;
        }
        writing.begin(tableIds);
        return found;
    }

    /**
     * Protects tables as {@link #writing} does, for a prepared branch that commits: without those that a decision of
     * the cluster has dropped meanwhile.
     */
    public synchronized Map<Integer, TableRecord> writingRest(Set<Integer> tableIds) {
        Map<Integer, TableRecord> found = new HashMap<>();
        for (TableRecord table : tables.values()) {
            if (tableIds.contains(table.table().id())) {
                found.put(table.table().id(), table);
            }
        }
        writing.begin(found.keySet());
        return found;
    }

    /** Adds a table's checksums after a write to that write. */
    public static void record(WriteSet alongside, int tableId, List<IndexChecksum> sums) {
        alongside.put(Keys.sums(tableId), RecordJson.write(sums));
    }

    /**
     * Ends the protection of tables after a write of rows.
     *
     * @param tableIds as in {@link #writing}
     * @param sums checksums of the changed tables, as recorded with the write; empty when it failed
     */
    public synchronized void written(Set<Integer> tableIds, Map<Integer, List<IndexChecksum>> sums) {
        tables.replaceAll((name, table) -> withChecksums(table, sums));
        writing.end(tableIds);
        notifyAll();
    }

    /** Replaces the protection by that of a prepared branch, which may stay in doubt for a long time. */
    public synchronized void prepared(Set<Integer> tableIds) {
        writing.prepare(tableIds);
        writing.end(tableIds);
        notifyAll();
    }

    /** Ends the protection of tables by a prepared branch that is now decided. */
    public synchronized void decided(Set<Integer> tableIds) {
        writing.decide(tableIds);
    }

    private static TableRecord withChecksums(TableRecord table, Map<Integer, List<IndexChecksum>> sums) {
        List<IndexChecksum> now = sums.get(table.table().id());
        return now == null ? table : table.withChecksums(now);
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
        return writing.beingWritten(table.table().id());
    }

    /**
     * Waits until no write of a table's rows is in progress. Other threads may change the catalog meanwhile.
     *
     * @throws TableBusyException when a prepared branch holds the table: that may take long, so the client retries
     */
    private void awaitWritten(String name) {
        awaitNoWriter(() -> beingWritten(name));
    }

    private synchronized void awaitNoWriter(BooleanSupplier beingWritten) {
        boolean interrupted = false;
        while (beingWritten.getAsBoolean()) {
            try {
                wait();
            } catch (InterruptedException e) {
                // The wait takes milliseconds, and an incomplete drop would be worse.
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Removes the record of a drop after its column family was dropped. */
    public synchronized void finish(PendingDrop drop) {
        store.commit(new WriteSet().delete(Keys.drop(drop.family())));
        drops.remove(drop.family());
    }
}
