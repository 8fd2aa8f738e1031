package io.sluice.node;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.api.node.RowCursor;
import io.sluice.api.node.ScanRequest;
import io.sluice.api.node.TableStatus;
import io.sluice.engine.store.Family;
import io.sluice.engine.store.FamilyNames;
import io.sluice.engine.store.RowBatch;
import io.sluice.engine.store.WriteSet;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.kv.IndexKeys;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.Table;
import io.sluice.model.schema.TableDef;
import io.sluice.testing.TestSsts;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rows of several KVs on a real store: reads join them, counts count them once, and no cut divides them. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class ColumnFamiliesTest {
    private static final long SEED = Long.getLong("sluice.seed", System.nanoTime());
    private static final int ROWS = 400;
    private static final TableDef PARTED = Ddl.parse(
                    "CREATE TABLE parted (id INT PRIMARY KEY, a STRING, b DECIMAL, c INT, d STRING,"
                            + " UNIQUE INDEX by_a (a) STORING (c, d), INDEX by_c (c DESC) STORING (b),"
                            + " FAMILY (id, a), FAMILY (b), FAMILY (c, d))",
                    "parted.sql")
            .get(0);

    @TempDir
    Path temp;

    private static List<List<@Nullable String>> rows() {
        Random random = new Random(SEED);
        List<List<@Nullable String>> rows = new ArrayList<>();
        for (int i = 0; i < ROWS; i++) {
            rows.add(Arrays.asList(
                    "" + i,
                    random.nextInt(4) == 0 ? null : "a" + i,
                    random.nextInt(3) == 0 ? null : random.nextInt(9) + ".50",
                    random.nextInt(2) == 0 ? null : "" + random.nextInt(20),
                    random.nextInt(2) == 0 ? null : "d".repeat(random.nextInt(40))));
        }
        return rows;
    }

    private static List<List<@Nullable String>> all(StorageNode node, @Nullable String index) {
        List<List<@Nullable String>> found = new ArrayList<>();
        try (RowCursor cursor = node.scan(new ScanRequest("parted", index, List.of(), List.of(), Long.MAX_VALUE))) {
            for (List<@Nullable String> row = cursor.next(); row != null; row = cursor.next()) {
                found.add(row);
            }
        }
        return found;
    }

    @Test
    void rowsAreJoinedAndCountedOnceAndNotCut() throws Exception {
        List<List<@Nullable String>> rows = rows();
        String context = "seed " + SEED;
        try (StorageNode node =
                StorageNode.open(temp.resolve("store"), NodeSettings.defaults().withReadThreads(2))) {
            TestSsts.importTable(node, PARTED, rows, Files.createDirectory(temp.resolve("ssts")));
            assertEquals(ROWS, node.digest("parted").rows());
            assertEquals(ROWS, Objects.requireNonNull(node.table("parted")).rows());
            node.digest("parted")
                    .indexes()
                    .forEach(index -> assertEquals(ROWS, index.sum().count(), index.index()));
            for (List<@Nullable String> row : rows) {
                assertEquals(row, node.get("parted", List.of(String.valueOf(row.get(0)))), context);
            }
            assertNull(node.get("parted", List.of("" + ROWS)));
            assertEquals(rows, all(node, null), context);
            for (String index : List.of("by_a", "by_c")) {
                List<List<@Nullable String>> found = all(node, index);
                found.sort((left, right) -> Integer.compare(
                        Integer.parseInt(String.valueOf(left.get(0))), Integer.parseInt(String.valueOf(right.get(0)))));
                assertEquals(rows, found, context);
            }
            Table table = Objects.requireNonNull(node.table("parted")).table();
            IndexKeys keys = new IndexKeys(table);
            for (int ordinal = 0; ordinal < table.indexes().size(); ordinal++) {
                KeySpan span = keys.span(ordinal);
                List<byte[]> cuts = node.replicas().source().cuts(table.id(), span, 150);
                assertTrue(cuts.size() > 20, cuts.size() + " cuts");
                for (byte[] cut : cuts) {
                    assertArrayEquals(keys.border(ordinal, cut), cut, context);
                }
            }
        }
    }

    /** Rows of an index are read in batches; the error named the last row of one. */
    @Test
    void damagedRowIsNamedByItsOwnKey() throws Exception {
        try (StorageNode node =
                StorageNode.open(temp.resolve("store"), NodeSettings.defaults().withReadThreads(2))) {
            List<List<@Nullable String>> rows = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                rows.add(Arrays.asList("" + i, "a" + i, null, "" + i, "d"));
            }
            TestSsts.importTable(node, PARTED, rows, Files.createDirectory(temp.resolve("ssts")));
            TableStatus status = Objects.requireNonNull(node.table("parted"));
            byte[] damaged = new IndexKeys(status.table()).primaryKey(TestSsts.row(status.table(), rows.get(1)));
            RowBatch noRow = new RowBatch();
            Family family =
                    node.store().family(FamilyNames.ofTable(status.table().id()));
            noRow.set(family, damaged, new byte[] {1, 2, 3, 4, 99});
            node.store().write(noRow, new WriteSet());
            OperationFailedException failure = assertThrows(OperationFailedException.class, () -> all(node, "by_a"));
            String named = "index primary: the KV with key " + HexFormat.of().formatHex(damaged) + " cannot be decoded";
            assertTrue(String.valueOf(failure.getMessage()).contains(named), failure.getMessage());
        }
    }
}
