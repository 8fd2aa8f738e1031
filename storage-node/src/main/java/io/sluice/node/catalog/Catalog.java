package io.sluice.node.catalog;

import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.IngestTiming;
import io.sluice.api.node.RangeDirectory;
import io.sluice.engine.store.FamilyNames;
import io.sluice.engine.store.RocksStore;
import io.sluice.engine.store.WriteSet;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.TableBusyException;
import io.sluice.model.schema.IndexDef;
import io.sluice.model.schema.IndexDef.Interleave;
import io.sluice.model.schema.Table;
import io.sluice.model.schema.TableDef;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.function.IntConsumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The catalog of one open store: its tables, and the decisions which imports may begin and which tables may be dropped.
 * Each change is one atomic, durable write, then a change in memory. The caller creates and drops column families.
 * Usable by several threads: its parts share its lock, which is its monitor.
 *
 * <p>Invariant: memory equals disk; a failed write changes neither.
 */
public final class Catalog {
    /** Limit of table ids: far above any need, and far below an overflow. */
    private static final int MAX_TABLE_ID = 1 << 30;

    private final RocksStore store;
    private final String nodeId;
    private final Map<String, TableRecord> tables;
    private final RunningImports imports;
    private final Drops drops;
    private final WriteGuard guard;
    private final FrozenTables frozen;
    private final Set<Integer> publishing = new HashSet<>();
    /** Raises the store's format version. */
    private IntConsumer formatNeeded = version -> {};

    private int nextTableId;

    private Catalog(RocksStore store, StoredCatalog stored) {
        this.store = store;
        nodeId = stored.nodeId;
        tables = stored.tables;
        imports = new RunningImports(store, stored.imports, this);
        drops = new Drops(store, stored.drops, stored.orphans, this);
        guard = new WriteGuard(tables, imports, this);
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

    /** The imports in progress. */
    public RunningImports imports() {
        return imports;
    }

    /** The remains of dropped tables. */
    public Drops drops() {
        return drops;
    }

    /** The protection of tables whose rows are being written, and the numbers of publications. */
    public WriteGuard guard() {
        return guard;
    }

    /** Sets the listener that raises the store's format version before a table is recorded that needs it. */
    public synchronized void onFormatNeeded(IntConsumer listener) {
        formatNeeded = listener;
    }

    /** Whether a published table, an import or a pending drop needs this column family. */
    public synchronized boolean knows(String family) {
        return drops.isPending(family)
                || tables.values().stream().anyMatch(table -> table.family().equals(family))
                || imports.anyInto(family);
    }

    /** The table that the import of that id published or added rows to, or null. Kept for the import's lease. */
    public synchronized @Nullable TableRecord publishedBy(UUID importId) {
        return tables.values().stream()
                .filter(table -> table.tokenOf(importId) != null)
                .findFirst()
                .orElse(null);
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
        // A delete of key spans of the tables above would also delete the KVs of this import.
        List<String> above = def.indexes().stream()
                .map(IndexDef::interleave)
                .filter(Objects::nonNull)
                .map(Interleave::parent)
                .distinct()
                .toList();
        guard.awaitWritten(Stream.concat(Stream.of(def.name()), above.stream()).toList());
        for (String name : above) {
            TableRecord parent = tables.get(name);
            if (parent != null) {
                // It may be about to be dropped.
                ensureThawed(parent);
            }
        }
        TableRecord existing = tables.get(def.name());
        if (existing != null && !request.append()) {
            throw new BadInputException("table " + def.name()
                    + " already exists; drop it, or import into another store, or add to it with --append");
        }
        imports.ensureNoneOf(def.name(), request);
        if (request.append()) {
            return beginAppend(request, existing, nowMillis);
        }
        int id = idFor(request);
        formatNeeded.accept(StoredCatalog.formatVersion(def));
        Table table = Table.bind(def, id, this::tableToInterleaveIn);
        TableRecord root = Hierarchy.root(table, tables.values());
        return begin(new ImportRecord(
                table,
                root == null ? FamilyNames.ofTable(id) : root.family(),
                root == null,
                request.timing(),
                ImportRecord.Progress.NONE,
                RangeDirectory.SINGLE_NODE,
                FencingToken.first(request.importId(), nowMillis),
                null));
    }

    private ImportRecord beginAppend(ImportRequest request, @Nullable TableRecord existing, long nowMillis) {
        TableDef def = request.table();
        if (existing == null) {
            throw new BadInputException("there is no table " + def.name() + " to add to; import without --append");
        }
        AppendRules.check(existing, def, request.tableId());
        ensureThawed(existing);
        return begin(new ImportRecord(
                existing.table(),
                existing.family(),
                false,
                IngestTiming.AT_END,
                ImportRecord.Progress.NONE,
                existing.directory(),
                FencingToken.first(request.importId(), nowMillis),
                ImportRecord.Appending.notIntended(nextTableId)));
    }

    private ImportRecord begin(ImportRecord record) {
        int next = record.id() + 1;
        imports.add(record, new WriteSet().put(Keys.NEXT_TABLE_ID, RecordJson.write(next)));
        nextTableId = next;
        imports.changed(record);
        return record;
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
     * Removes an import's record. If its KVs may be in a shared column family, an orphaned table id remains. The caller
     * has dropped the import's own column family before.
     */
    public synchronized void abandon(ImportRecord running) {
        WriteSet writes = new WriteSet().deletePrefix(Keys.checkpoints(running.id()));
        OrphanedTable orphan = null;
        if (!running.ownsFamily() && running.append() == null && running.mayHaveIngested()) {
            orphan = new OrphanedTable(running.id(), running.table().name(), running.family());
            writes.put(Keys.orphan(orphan.tableId()), RecordJson.write(orphan));
        }
        imports.remove(running, writes);
        if (orphan != null) {
            drops.add(orphan);
        }
        imports.changed(running);
    }

    /** Turns an import into a table, atomically for all readers. */
    public synchronized TableRecord publish(int id, List<IndexChecksum> imported, long nowMillis) {
        ImportRecord running = imports.require(id);
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
        imports.remove(
                running,
                new WriteSet()
                        .put(Keys.table(name), RecordJson.write(table))
                        .delete(Keys.sums(table.table().id())));
        tables.put(name, table);
        imports.changed(running);
        guard.published(table.table().id());
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
        guard.awaitWriters(Set.of(tableId));
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
                guard.moved(tableId);
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
        String obstacle = obstacle(name, id);
        if (obstacle != null) {
            throw new BadInputException(
                    "table " + name + " with id " + id + " cannot be copied to this node, which has " + obstacle);
        }
        int next = Math.max(nextTableId, id + 1);
        formatNeeded.accept(StoredCatalog.formatVersion(table.table().def()));
        store.commit(new WriteSet()
                .put(Keys.NEXT_TABLE_ID, RecordJson.write(next))
                .put(Keys.table(name), RecordJson.write(table)));
        nextTableId = next;
        tables.put(name, table);
        guard.published(id);
    }

    /** The reason why this node cannot take a table of another node; null if it can. */
    private @Nullable String obstacle(String name, int id) {
        TableRecord same = table(id);
        if (tables.containsKey(name) || same != null) {
            return "another table with that name or id: drop one of them";
        }
        ImportRecord running = imports.all().stream()
                .filter(one -> one.id() == id || one.table().name().equals(name))
                .findFirst()
                .orElse(null);
        if (running != null) {
            return (running.importId() == null ? "an import" : "import " + running.importId()) + " of table "
                    + running.table().name() + " with id " + running.id() + ": wait until it ends";
        }
        return drops.remains(id) ? "KVs of a dropped table with that id, and deletes them: wait some seconds" : null;
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
     * they are not dropped. Prepared branches can still be committed. Waits until no rows of tables that are frozen or
     * thawed by this are being written.
     *
     * @param index index of the cluster's log at which this was decided; an earlier decision has no effect
     * @param owners owner of each freeze, by table id
     */
    public synchronized void freeze(long index, Map<Integer, String> owners) {
        Set<Integer> changed = frozen.changedBy(owners);
        guard.awaitWriters(changed);
        frozen.set(index, owners);
        publishing.removeAll(changed);
    }

    /** The owner of a table's freeze; null if the table is not frozen. */
    public synchronized @Nullable String frozenBy(int tableId) {
        return frozen.owner(tableId);
    }

    /**
     * Marks a frozen table whose publication by an entry of the log begins now. The end of the freeze, by the same
     * entry, removes the mark. Until then its new rows may be visible before its record says so.
     */
    public synchronized void publishing(int tableId) {
        if (frozen.owner(tableId) != null) {
            publishing.add(tableId);
        }
    }

    /** Whether an entry of the log is publishing rows of a frozen table at this moment. */
    public synchronized boolean isPublishing(int tableId) {
        return publishing.contains(tableId);
    }

    /** Whether any table is frozen. */
    public synchronized boolean anyFrozen() {
        return !frozen.isEmpty();
    }

    /** Names of the tables that are interleaved in one, also of those that are being imported. */
    public synchronized List<String> inside(int tableId) {
        return Hierarchy.inside(tableId, tables.values(), imports.all());
    }

    /** Whether an entry of the cluster's log may still publish an append: it is prepared, and its freeze lasts. */
    public synchronized boolean awaitsDecision(ImportRecord running) {
        ImportRecord.Appending append = running.append();
        String owner = append == null ? null : append.owner();
        return owner != null && owner.equals(frozenBy(running.table().id()));
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
     * @return the column family to drop before {@link Drops#finish}, or null when it is shared and an orphaned table id
     *     remains
     * @throws BadInputException when there is no such table, or others are interleaved in it
     * @throws TableBusyException when a prepared branch of a transaction holds it
     */
    public synchronized @Nullable PendingDrop drop(String name) {
        guard.awaitWritten(List.of(name));
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
        guard.awaitWriters(name);
        return drop(require(name));
    }

    private @Nullable PendingDrop drop(TableRecord table) {
        String name = table.table().name();
        List<String> inside = inside(table.table().id());
        if (!inside.isEmpty()) {
            throw new BadInputException("table " + name + " has tables interleaved in it: " + String.join(", ", inside)
                    + "; drop those first");
        }
        if (imports.anyAppendTo(table.table().id())) {
            throw new BadInputException("rows are being added to table " + name + "; wait until that import ends");
        }
        PendingDrop drop = drops.record(table);
        tables.remove(name);
        return drop;
    }
}
