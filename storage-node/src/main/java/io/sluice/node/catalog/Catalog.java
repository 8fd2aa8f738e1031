package io.sluice.node.catalog;

import io.sluice.api.error.BadInputException;
import io.sluice.api.kv.KeySpan;
import io.sluice.api.node.IndexSum;
import io.sluice.api.schema.Ancestor;
import io.sluice.api.schema.Index;
import io.sluice.api.schema.Table;
import io.sluice.api.schema.TableDef;
import io.sluice.node.store.FamilyView;
import io.sluice.node.store.Kv;
import io.sluice.node.store.KvCursor;
import io.sluice.node.store.ReadPattern;
import io.sluice.node.store.RocksStore;
import io.sluice.node.store.WriteSet;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The catalog of one open store. It decides what may begin and what may go, makes each change durable in one atomic
 * write, and only then remembers it. Column families are the caller's to make and to drop. Usable by several threads.
 *
 * <p>Invariant: what is in memory is what is on disk; a write that failed changed neither.
 */
public final class Catalog {
    private static final int FIRST_TABLE_ID = 1;

    private final RocksStore store;
    private final Map<String, TableRecord> tables = new TreeMap<>();
    private final Map<Integer, ImportRecord> imports = new TreeMap<>();
    private final Map<Integer, Ghost> ghosts = new TreeMap<>();
    private final Map<String, PendingDrop> drops = new TreeMap<>();
    private int nextTableId = FIRST_TABLE_ID;

    private Catalog(RocksStore store) {
        this.store = store;
    }

    /** Reads the catalog of a store. */
    public static Catalog load(RocksStore store) {
        Catalog catalog = new Catalog(store);
        KeySpan all = new KeySpan(new byte[0], KeySpan.prefixEnd(new byte[0]));
        try (FamilyView view = store.meta().view();
                KvCursor cursor = view.cursor(all, ReadPattern.SCAN)) {
            for (Kv kv = cursor.next(); kv != null; kv = cursor.next()) {
                catalog.remember(kv.key(), kv.value());
            }
        }
        return catalog;
    }

    private void remember(byte[] key, byte[] value) {
        String name = new String(key, StandardCharsets.UTF_8);
        if (name.startsWith(Keys.TABLE)) {
            TableRecord table = RecordJson.read(key, value, TableRecord.class);
            tables.put(table.table().name(), table);
        } else if (name.startsWith(Keys.IMPORT)) {
            ImportRecord running = RecordJson.read(key, value, ImportRecord.class);
            imports.put(running.id(), running);
        } else if (name.startsWith(Keys.GHOST)) {
            Ghost ghost = RecordJson.read(key, value, Ghost.class);
            ghosts.put(ghost.tableId(), ghost);
        } else if (name.startsWith(Keys.DROP)) {
            PendingDrop drop = RecordJson.read(key, value, PendingDrop.class);
            drops.put(drop.family(), drop);
        } else if (Arrays.equals(key, Keys.NEXT_TABLE_ID)) {
            nextTableId = RecordJson.read(key, value, Integer.class);
        }
        // Anything else is a later version's, and none of our business.
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

    /** Column families that remain to be removed. */
    public synchronized List<PendingDrop> drops() {
        return List.copyOf(drops.values());
    }

    /** Tables that are gone but for KVs in a column family they shared. */
    public synchronized List<Ghost> ghosts() {
        return List.copyOf(ghosts.values());
    }

    /** Whether a published table, an import or a pending drop needs this column family. */
    public synchronized boolean knows(String family) {
        return drops.containsKey(family)
                || tables.values().stream().anyMatch(table -> table.family().equals(family))
                || imports.values().stream()
                        .anyMatch(running -> running.family().equals(family));
    }

    /**
     * Records a new import under a new table id.
     *
     * @throws BadInputException when the name is taken, or the table cannot be interleaved as it says
     */
    public synchronized ImportRecord begin(TableDef def) {
        if (tables.containsKey(def.name())) {
            throw new BadInputException(
                    "table " + def.name() + " already exists; drop it, or import into another store");
        }
        for (ImportRecord running : imports.values()) {
            if (running.table().name().equals(def.name())) {
                throw new BadInputException(
                        "table " + def.name() + " is being imported already; wait until that import ends");
            }
        }
        int id = nextTableId;
        Table table = Table.bind(def, id, this::tableToInterleaveIn);
        TableRecord root = root(table);
        String family = root == null ? RocksStore.familyOfTable(id) : root.family();
        ImportRecord begun = new ImportRecord(table, family, root == null, ImportPhase.RECEIVING, List.of());
        store.commit(new WriteSet()
                .put(Keys.NEXT_TABLE_ID, RecordJson.write(id + 1))
                .put(Keys.imports(id), RecordJson.write(begun)));
        nextTableId = id + 1;
        imports.put(id, begun);
        return begun;
    }

    private @Nullable Table tableToInterleaveIn(String name) {
        TableRecord parent = tables.get(name);
        return parent == null ? null : parent.table();
    }

    /** The table at the top of the hierarchy that the table's indexes are interleaved in, or null. */
    private @Nullable TableRecord root(Table table) {
        TableRecord root = null;
        for (Index index : table.indexes()) {
            if (index.ancestors().isEmpty()) {
                continue;
            }
            TableRecord top = tableOf(index.ancestors().get(0).tableId());
            if (root != null && root.table().id() != top.table().id()) {
                throw new BadInputException("table " + table.name() + " has indexes interleaved in "
                        + root.table().name() + " and in " + top.table().name()
                        + "; all of them must share one root, because they are ingested in one step");
            }
            root = top;
        }
        return root;
    }

    private TableRecord tableOf(int id) {
        return tables.values().stream()
                .filter(table -> table.table().id() == id)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no table with id " + id));
    }

    /** Records that an import is about to ingest these staged files, or has done so. */
    public synchronized ImportRecord advance(ImportRecord running, ImportPhase phase, List<String> files) {
        ImportRecord next = running.in(phase, files);
        store.commit(new WriteSet().put(Keys.imports(next.id()), RecordJson.write(next)));
        imports.put(next.id(), next);
        return next;
    }

    /**
     * Forgets an import. When its KVs may be in a column family that is not its own, a ghost remains. A column family
     * of its own must be gone already.
     */
    public synchronized void abandon(ImportRecord running) {
        WriteSet writes = new WriteSet().delete(Keys.imports(running.id())).deletePrefix(Keys.receipts(running.id()));
        Ghost ghost = null;
        if (!running.ownsFamily() && running.mayHaveIngested()) {
            ghost = new Ghost(running.id(), running.table().name(), running.family());
            writes.put(Keys.ghost(ghost.tableId()), RecordJson.write(ghost));
        }
        store.commit(writes);
        imports.remove(running.id());
        if (ghost != null) {
            ghosts.put(ghost.tableId(), ghost);
        }
    }

    /** Turns an import into a table, at once for everybody who asks. */
    public synchronized TableRecord publish(ImportRecord running, List<IndexSum> imported, long nowMillis) {
        TableRecord table = new TableRecord(running.table(), running.family(), imported, nowMillis);
        String name = table.table().name();
        store.commit(new WriteSet()
                .put(Keys.table(name), RecordJson.write(table))
                .delete(Keys.imports(running.id()))
                .deletePrefix(Keys.receipts(running.id())));
        imports.remove(running.id());
        tables.put(name, table);
        return table;
    }

    /**
     * Makes a table disappear.
     *
     * @return the column family to remove and then to {@link #finish}, or null when it is shared and a ghost remains
     * @throws BadInputException when there is no such table, or others are interleaved in it
     */
    public synchronized @Nullable PendingDrop drop(String name) {
        TableRecord table = require(name);
        List<String> inside = interleavedIn(table.table().id());
        if (!inside.isEmpty()) {
            throw new BadInputException("table " + name + " has tables interleaved in it: " + String.join(", ", inside)
                    + "; drop those first");
        }
        boolean owns =
                table.family().equals(RocksStore.familyOfTable(table.table().id()));
        return owns ? dropWithFamily(table) : dropFromShared(table);
    }

    private PendingDrop dropWithFamily(TableRecord table) {
        String name = table.table().name();
        PendingDrop drop = new PendingDrop(table.family(), name);
        List<Ghost> freed = ghosts.values().stream()
                .filter(ghost -> ghost.family().equals(table.family()))
                .toList();
        WriteSet writes = new WriteSet().delete(Keys.table(name)).put(Keys.drop(drop.family()), RecordJson.write(drop));
        freed.forEach(ghost -> writes.delete(Keys.ghost(ghost.tableId())));
        store.commit(writes);
        tables.remove(name);
        freed.forEach(ghost -> ghosts.remove(ghost.tableId()));
        drops.put(drop.family(), drop);
        return drop;
    }

    private @Nullable PendingDrop dropFromShared(TableRecord table) {
        String name = table.table().name();
        Ghost ghost = new Ghost(table.table().id(), name, table.family());
        store.commit(new WriteSet().delete(Keys.table(name)).put(Keys.ghost(ghost.tableId()), RecordJson.write(ghost)));
        tables.remove(name);
        ghosts.put(ghost.tableId(), ghost);
        return null;
    }

    /** Forgets a drop whose column family is gone. */
    public synchronized void finish(PendingDrop drop) {
        store.commit(new WriteSet().delete(Keys.drop(drop.family())));
        drops.remove(drop.family());
    }

    private List<String> interleavedIn(int tableId) {
        List<String> names = new ArrayList<>();
        for (TableRecord table : tables.values()) {
            if (liesIn(table.table(), tableId)) {
                names.add(table.table().name());
            }
        }
        for (ImportRecord running : imports.values()) {
            if (liesIn(running.table(), tableId)) {
                names.add(running.table().name() + " (being imported)");
            }
        }
        return names;
    }

    private static boolean liesIn(Table table, int ancestorId) {
        return table.indexes().stream()
                .map(Index::ancestors)
                .flatMap(Collection::stream)
                .map(Ancestor::tableId)
                .anyMatch(id -> id == ancestorId);
    }
}
