package io.sluice.node.catalog;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.IngestTiming;
import io.sluice.api.node.RangeDirectory;
import io.sluice.engine.store.RocksStore;
import io.sluice.engine.store.WriteSet;
import io.sluice.model.error.BadInputException;
import io.sluice.model.kv.KvChecksum;
import io.sluice.model.schema.Column;
import io.sluice.model.schema.ColumnType;
import io.sluice.model.schema.IndexColumn;
import io.sluice.model.schema.IndexColumn.Direction;
import io.sluice.model.schema.IndexDef;
import io.sluice.model.schema.IndexDef.Interleave;
import io.sluice.model.schema.TableDef;
import io.sluice.model.schema.TypeKind;
import io.sluice.node.NodeSettings;
import io.sluice.node.StorageNode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that the next load of the catalog finds every change. */
class CatalogTest {
    private static final long CACHE_BYTES = 1 << 20;
    private static final List<IndexChecksum> SUMS =
            List.of(new IndexChecksum("primary", new KvChecksum(3, 40, Long.MIN_VALUE)));

    private static TableDef table(String name, @Nullable String parent) {
        Interleave interleave = parent == null ? null : new Interleave(parent, 1);
        IndexColumn first = new IndexColumn(0, Direction.DESC);
        return new TableDef(
                name,
                List.of(new Column(1, "a", new ColumnType(TypeKind.DECIMAL, 12, 2, 0), false, false)),
                new IndexDef(1, IndexDef.PRIMARY_NAME, true, List.of(first), List.of(), interleave),
                List.of(),
                List.of());
    }

    private static ImportRecord begin(Catalog catalog, TableDef def) {
        return catalog.begin(ImportRequest.of(def, IngestTiming.AT_END), 1000);
    }

    private static void publish(Catalog catalog, TableDef def) {
        catalog.publish(begin(catalog, def).id(), SUMS, 1234);
    }

    @Test
    void writtenRecordsAreReadAgain(@TempDir Path temp) {
        try (RocksStore store = RocksStore.open(temp.resolve("db"), CACHE_BYTES)) {
            Catalog catalog = Catalog.load(store);
            assertEquals(List.of(), catalog.tables());
            publish(catalog, table("parent", null));
            publish(catalog, table("child", "parent"));
            ImportRecord begun = begin(catalog, table("grandchild", "child"));
            assertEquals("t1", begun.family());
            assertFalse(begun.ownsFamily());
            assertEquals(2, begun.table().primary().ancestors().size());
            ImportRecord ingesting = catalog.imports()
                    .advance(
                            begun.id(),
                            new ImportRecord.Progress(ImportPhase.INGESTING, List.of("x.sst"), 7),
                            new WriteSet());

            Catalog again = Catalog.load(store);
            assertEquals(catalog.tables(), again.tables());
            assertEquals(SUMS, again.require("parent").imported());
            assertEquals(1234, again.require("parent").status().publishedAt().toEpochMilli());
            assertEquals(List.of(ingesting), again.imports().all());
            assertEquals(4, begin(again, table("other", null)).id());
        }
    }

    /** Counts of a node are in the others' base after its last range has left it; they do not count again. */
    @Test
    void nodeThatComesBackCountsFromZero(@TempDir Path temp) {
        try (RocksStore store = RocksStore.open(temp.resolve("db"), CACHE_BYTES)) {
            Catalog catalog = Catalog.load(store);
            String self = catalog.nodeId();
            RangeDirectory places = new RangeDirectory(
                    1, List.of(new RangeDirectory.Range(new byte[0], List.of(self)), range(1, "other")));
            ImportRecord running = begin(catalog, table("t", null));
            catalog.imports().assign(running.id(), places);
            int id = running.id();
            catalog.publish(id, SUMS, 1234);
            // A statement adds two rows here.
            assertNotNull(catalog.guard().begin(Set.of(id)));
            catalog.guard().end(Set.of(id), Map.of(id, sums(5)));
            RangeDirectory more = places.with(1, self, "").atEpoch(2);
            catalog.move(id, more, sums(4));
            assertEquals(6, rows(catalog), "four, and the two of this node");
            RangeDirectory none = places.replacing(0, self, "other", "").atEpoch(3);
            catalog.move(id, none, sums(6));
            assertEquals(6, rows(catalog));
            catalog.move(id, more.atEpoch(4), sums(9));
            assertEquals(9, rows(catalog));
            assertEquals(9, rows(Catalog.load(store)));
        }
    }

    private static RangeDirectory.Range range(int start, String node) {
        return new RangeDirectory.Range(new byte[] {(byte) start}, List.of(node));
    }

    private static List<IndexChecksum> sums(int rows) {
        return List.of(new IndexChecksum("primary", new KvChecksum(rows, 10L * rows, rows)));
    }

    private static long rows(Catalog catalog) {
        return catalog.require("t").imported().get(0).sum().count();
    }

    @Test
    void changeOfATableWithDependentsIsRefused(@TempDir Path temp) {
        try (RocksStore store = RocksStore.open(temp.resolve("db"), CACHE_BYTES)) {
            Catalog catalog = Catalog.load(store);
            publish(catalog, table("parent", null));
            publish(catalog, table("child", "parent"));
            ImportRecord running = begin(catalog, table("grandchild", "child"));
            BadInputException e = assertThrows(BadInputException.class, () -> catalog.drop("parent"));
            assertTrue(String.valueOf(e.getMessage()).contains("child, grandchild (being imported)"), e.getMessage());

            catalog.abandon(running);
            assertEquals(List.of(), catalog.drops().orphans(), "it had ingested nothing");
            assertNull(catalog.drop("child"));
            assertEquals(
                    List.of(new OrphanedTable(2, "child", "t1")),
                    Catalog.load(store).drops().orphans());
            PendingDrop drop = catalog.drop("parent");
            assertEquals(new PendingDrop("t1", "parent"), drop);
            Catalog again = Catalog.load(store);
            assertEquals(List.of(), again.drops().orphans(), "orphaned table ids outlived their column family");
            assertEquals(List.of(drop), again.drops().pending());
            assertTrue(again.knows("t1"));
        }
    }

    @Test
    void interruptedDropIsFinishedOnOpening(@TempDir Path temp) {
        StorageNode.open(temp, NodeSettings.defaults()).close();
        try (RocksStore store = RocksStore.open(temp.resolve("db"), CACHE_BYTES)) {
            Catalog catalog = Catalog.load(store);
            publish(catalog, table("gone", null));
            store.createFamily("t1");
            store.createFamily("t9");
            assertNotNull(catalog.drop("gone"));
        }
        try (StorageNode node = StorageNode.openExisting(temp, NodeSettings.defaults())) {
            assertEquals(
                    List.of("finished dropping table gone", "removed column family t9, which belonged to no table"),
                    node.recovered());
        }
        try (RocksStore store = RocksStore.open(temp.resolve("db"), CACHE_BYTES)) {
            assertEquals(List.of(), store.dataFamilies());
        }
    }

    @Test
    void fieldsAndKeysOfALaterVersionAreSkipped(@TempDir Path temp) {
        try (RocksStore store = RocksStore.open(temp.resolve("db"), CACHE_BYTES)) {
            store.commit(new WriteSet()
                    .put(
                            bytes("orphan/7"),
                            bytes("{\"tableId\":7,\"name\":\"g\",\"family\":\"t1\",\"since\":\"later\"}"))
                    .put(bytes("sharding/1"), bytes("?")));
            assertEquals(
                    List.of(new OrphanedTable(7, "g", "t1")),
                    Catalog.load(store).drops().orphans());
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
