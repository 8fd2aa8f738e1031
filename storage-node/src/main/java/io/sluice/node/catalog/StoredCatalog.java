package io.sluice.node.catalog;

import io.sluice.api.node.IndexChecksum;
import io.sluice.engine.store.RocksStore;
import io.sluice.model.schema.TableDef;
import io.sluice.model.schema.TypeKind;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The catalog as read from a store. {@link Catalog} takes over its maps. */
final class StoredCatalog {
    private static final int FIRST_TABLE_ID = 1;
    private static final byte[] ALL = {};

    /** Types of columns that a build of format version 1 does not know. */
    private static final Set<TypeKind> KINDS_OF_VERSION_2 =
            Set.of(TypeKind.TIMETZ, TypeKind.INTERVAL, TypeKind.INET, TypeKind.BIT, TypeKind.JSON, TypeKind.ARRAY);

    final Map<String, TableRecord> tables = new TreeMap<>();
    final Map<Integer, ImportRecord> imports = new TreeMap<>();
    final Map<Integer, OrphanedTable> orphans = new TreeMap<>();
    final Map<String, PendingDrop> drops = new TreeMap<>();
    /** The checksums of tables after statements changed them, by table id. */
    private final Map<Integer, IndexChecksum[]> sums = new HashMap<>();

    int nextTableId = FIRST_TABLE_ID;
    /** The node id; empty in a new store, or one of an earlier version. */
    String nodeId = "";
    /** The frozen tables; none in a store of an earlier version. */
    FrozenTables.Stored frozen = FrozenTables.Stored.NONE;

    private StoredCatalog() {}

    /** The least format version of a store that has this table. */
    static int formatVersion(TableDef table) {
        if (table.families() > 1) {
            return 3;
        }
        boolean later = table.columns().stream()
                .anyMatch(column -> KINDS_OF_VERSION_2.contains(column.type().kind()));
        return later ? 2 : 1;
    }

    static StoredCatalog read(RocksStore store) {
        StoredCatalog stored = new StoredCatalog();
        MetaScan.forEach(store, ALL, stored::remember);
        stored.tables.replaceAll((name, table) -> {
            IndexChecksum[] since = stored.sums.get(table.table().id());
            return since == null ? table : table.withChecksums(List.of(since));
        });
        return stored;
    }

    private void remember(byte[] key, byte[] value) {
        String name = new String(key, StandardCharsets.UTF_8);
        if (name.startsWith(Keys.TABLE)) {
            TableRecord table = RecordJson.read(key, value, TableRecord.class);
            tables.put(table.table().name(), table);
        } else if (name.startsWith(Keys.SUMS)) {
            sums.put(
                    Integer.parseInt(name.substring(Keys.SUMS.length())),
                    RecordJson.read(key, value, IndexChecksum[].class));
        } else if (name.startsWith(Keys.IMPORT)) {
            ImportRecord running = RecordJson.read(key, value, ImportRecord.class);
            imports.put(running.id(), running);
        } else if (name.startsWith(Keys.ORPHAN)) {
            OrphanedTable orphan = RecordJson.read(key, value, OrphanedTable.class);
            orphans.put(orphan.tableId(), orphan);
        } else if (name.startsWith(Keys.DROP)) {
            PendingDrop drop = RecordJson.read(key, value, PendingDrop.class);
            drops.put(drop.family(), drop);
        } else if (Arrays.equals(key, Keys.NEXT_TABLE_ID)) {
            nextTableId = RecordJson.read(key, value, Integer.class);
        } else if (Arrays.equals(key, Keys.NODE_ID)) {
            nodeId = RecordJson.read(key, value, String.class);
        } else if (Arrays.equals(key, Keys.FROZEN)) {
            frozen = RecordJson.read(key, value, FrozenTables.Stored.class);
        }
        // Receipts and checkpoint records are read on demand; other keys are of a later version.
    }
}
