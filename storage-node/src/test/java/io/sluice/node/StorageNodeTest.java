package io.sluice.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.IngestReport;
import io.sluice.api.node.IngestTiming;
import io.sluice.api.node.RowCursor;
import io.sluice.api.node.ScanRequest;
import io.sluice.api.node.TableDigest;
import io.sluice.api.node.TableStatus;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.testing.TestSsts;
import io.sluice.testing.TestTables;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;

/** Tests the life of a table on a real store: import, reads, drop, and restart. */
class StorageNodeTest {
    private static final String ID = "0f8fad5b-d9cb-469f-a165-70867728950e";

    private static final Instant NOW = Instant.parse("2026-01-02T03:04:05Z");
    private static final NodeSettings SETTINGS =
            NodeSettings.defaults().withReadThreads(2).withClock(Clock.fixed(NOW, ZoneOffset.UTC));

    private Path temp = Path.of("");
    private Path ssts = Path.of("");
    private @Nullable StorageNode node;

    @BeforeEach
    void openNode(@TempDir Path directory) throws Exception {
        temp = directory;
        ssts = Files.createDirectory(temp.resolve("ssts"));
        node = StorageNode.open(temp.resolve("store"), SETTINGS);
    }

    @AfterEach
    void closeNode() {
        node().close();
    }

    private StorageNode node() {
        return Objects.requireNonNull(node);
    }

    private StorageNode reopened() {
        node().close();
        node = StorageNode.openExisting(temp.resolve("store"), SETTINGS);
        return node();
    }

    @Test
    void publishedTableIsVisibleAndSurvivesReopening() throws Exception {
        List<List<@Nullable String>> rows = TestTables.accountRows(100);
        List<IndexChecksum> sums;
        try (ImportSession session =
                node().beginImport(ImportRequest.of(TestTables.accounts("accounts"), IngestTiming.AT_END))) {
            assertEquals(1, session.table().id());
            sums = TestSsts.shipAll(session, rows, ssts);
            IngestReport report = session.finalizeIngest();
            assertEquals(6, report.ssts());
            assertEquals(2, report.maxHeight());
            assertEquals(0, report.l0Files());
            assertEquals(0, report.bytesWritten());
            assertEquals(sums, session.present());
            assertEquals(sums, session.readBack().indexes());
            assertNull(node().table("accounts"), "visible before it was published");
            session.publish(sums);
        }
        check(sums);
        reopened();
        assertEquals(List.of(), node().recovered());
        check(sums);
    }

    private void check(List<IndexChecksum> sums) {
        TableStatus status = node().table("accounts");
        assertNotNull(status);
        assertEquals(100, status.rows());
        assertEquals(NOW, status.publishedAt());
        assertEquals(sums, status.imported());
        assertEquals(new TableDigest("accounts", sums), node().digest("accounts"));
        assertEquals(1, node().tables().size());
    }

    @Test
    void rowsAreReadByPrimaryKeyAndByEveryIndex() throws Exception {
        List<List<@Nullable String>> rows = TestTables.accountRows(100);
        TestSsts.importTable(node(), TestTables.accounts("accounts"), rows, ssts);

        assertEquals(rows.get(41), node().get("accounts", List.of("42")));
        assertNull(node().get("accounts", List.of("101")));
        assertEquals(rows, scan(null, List.of(), List.of(), 1000));
        assertEquals(rows.subList(9, 19), scan("primary", List.of("10"), List.of("20"), 1000));
        assertEquals(rows.subList(9, 12), scan(null, List.of("10"), List.of(), 3));
        assertEquals(List.of(), scan(null, List.of("20"), List.of("10"), 3));
        assertEquals(List.of(), scan(null, List.of(), List.of(), 0));

        // NULL owners come first and are ordered by the primary key.
        List<List<@Nullable String>> byOwner = new ArrayList<>(rows);
        byOwner.sort(Comparator.comparing(row -> Objects.requireNonNullElse(row.get(1), "")));
        assertEquals(byOwner, scan("by_owner", List.of(), List.of(), 1000));
        assertEquals(List.of(rows.get(4)), scan("by_owner", List.of("owner-00005"), List.of("owner-00006"), 1000));

        // Descending: from the largest balance to, and without, 5.50.
        List<List<@Nullable String>> rich =
                rows.stream().filter(row -> Objects.equals(row.get(2), "6.50")).toList();
        assertEquals(rich, scan("by_balance", List.of(), List.of("5.50"), 1000));
    }

    private List<List<@Nullable String>> scan(
            @Nullable String index, List<@Nullable String> from, List<@Nullable String> to, long limit) {
        return read(node(), new ScanRequest("accounts", index, from, to, limit));
    }

    private static List<List<@Nullable String>> read(StorageNode node, ScanRequest request) {
        List<List<@Nullable String>> rows = new ArrayList<>();
        try (RowCursor cursor = node.scan(request)) {
            for (List<@Nullable String> row = cursor.next(); row != null; row = cursor.next()) {
                rows.add(row);
            }
        }
        return rows;
    }

    private static ScanRequest all(String table) {
        return new ScanRequest(table, null, List.of(), List.of(), Long.MAX_VALUE);
    }

    @Test
    void invalidReadsAreExplained() throws Exception {
        TestSsts.importTable(node(), TestTables.accounts("accounts"), TestTables.accountRows(3), ssts);
        assertTells("there is no table nope; there is accounts", () -> node().get("nope", List.of("1")));
        assertTells(
                "has no index nope; it has primary, by_owner, by_balance", () -> scan("nope", List.of(), List.of(), 1));
        assertTells("has the columns (id); give one value for each", () -> node().get("accounts", List.of("1", "2")));
        assertTells("column id INT8: 'x'", () -> node().get("accounts", List.of("x")));
        assertTells("2 values were given", () -> scan("by_owner", List.of("a", "b"), List.of(), 1));
    }

    private static void assertTells(String part, Executable call) {
        BadInputException e = assertThrows(BadInputException.class, call);
        assertTrue(String.valueOf(e.getMessage()).contains(part), e.getMessage());
    }

    @Test
    void tableNameIsUnique() throws Exception {
        try (ImportSession first =
                node().beginImport(ImportRequest.of(TestTables.accounts("accounts"), IngestTiming.AT_END))) {
            assertTells("is being imported already", () -> node().beginImport(
                            ImportRequest.of(TestTables.accounts("accounts"), IngestTiming.AT_END)));
            first.publish(List.of());
        }
        assertTells("table accounts already exists; drop it, or import into another store", () -> node().beginImport(
                        ImportRequest.of(TestTables.accounts("accounts"), IngestTiming.AT_END)));
    }

    @Test
    void refusalNamesTheCommandsThatEndAnUnfinishedImport() throws Exception {
        ImportRequest one = new ImportRequest(TestTables.customers(), IngestTiming.ON_ARRIVAL, UUID.fromString(ID), 0);
        ImportRequest other = new ImportRequest(TestTables.customers(), IngestTiming.ON_ARRIVAL, UUID.randomUUID(), 0);
        try (ImportSession interrupted = node().beginImport(one)) {
            interrupted.detach();
        }
        assertTells("--job-id " + ID + ", and Ctrl-C then undoes it", () -> node().beginImport(other));
        assertTells("sluice jobs cancel", () -> node().beginImport(other));
    }

    @Test
    void closingAnUnpublishedImportLeavesNothing() throws Exception {
        for (boolean ingest : new boolean[] {false, true}) {
            try (ImportSession session =
                    node().beginImport(ImportRequest.of(TestTables.accounts("accounts"), IngestTiming.AT_END))) {
                TestSsts.shipAll(session, TestTables.accountRows(10), ssts);
                if (ingest) {
                    session.finalizeIngest();
                }
            }
            assertNull(node().table("accounts"));
            assertEquals(List.of(), filesIn(temp.resolve("store/staging")));
            assertEquals(List.of(), sstsIn(temp.resolve("store/db")));
        }
        assertEquals(List.of(), reopened().recovered());
        try (ImportSession session =
                node().beginImport(ImportRequest.of(TestTables.accounts("accounts"), IngestTiming.AT_END))) {
            assertEquals(3, session.table().id(), "an id was used twice");
        }
    }

    @Test
    void checksumsOfSeveralIngestsAddUp() throws Exception {
        try (ImportSession session =
                node().beginImport(ImportRequest.of(TestTables.accounts("accounts"), IngestTiming.AT_END))) {
            List<List<@Nullable String>> rows = TestTables.accountRows(60);
            TestSsts.build(session.table(), rows.subList(0, 30), ssts).forEach(session::ship);
            session.finalizeIngest();
            TestSsts.build(session.table(), rows.subList(30, 60), ssts).forEach(session::ship);
            assertThrows(OperationFailedException.class, () -> session.publish(List.of()));
            session.finalizeIngest();
            assertEquals(60, session.present().get(0).sum().count());
            assertEquals(session.present(), session.readBack().indexes());
        }
    }

    @Test
    void droppedTableEndsItsCursors() throws Exception {
        TestSsts.importTable(node(), TestTables.accounts("accounts"), TestTables.accountRows(100), ssts);
        try (RowCursor cursor = node().scan(all("accounts"))) {
            assertNotNull(cursor.next());
            node().drop("accounts");
            RuntimeException e = assertThrows(RuntimeException.class, cursor::next);
            assertEquals("the table was dropped meanwhile", e.getMessage());
        }
        assertNull(node().table("accounts"));
        assertEquals(List.of(), sstsIn(temp.resolve("store/db")));
        assertTells("the store has no tables", () -> node().drop("accounts"));
        assertEquals(List.of(), reopened().recovered());
    }

    @Test
    void interleavedTableSharesItsParentsColumnFamily() throws Exception {
        List<List<@Nullable String>> customers = TestTables.customerRows(20);
        List<List<@Nullable String>> orders = TestTables.orderRows(20);
        assertTells("which does not exist; import the parent first", () -> node().beginImport(
                        ImportRequest.of(TestTables.orders(), IngestTiming.AT_END)));
        List<IndexChecksum> parentSums = TestSsts.importTable(node(), TestTables.customers(), customers, ssts);
        try (ImportSession session = node().beginImport(ImportRequest.of(TestTables.orders(), IngestTiming.AT_END))) {
            List<IndexChecksum> sums = TestSsts.shipAll(session, orders, ssts);
            assertEquals(0, session.present().get(0).sum().count());
            session.finalizeIngest();
            assertEquals(sums, session.present());
            assertEquals(sums, session.readBack().indexes());
            assertTells("orders (being imported)", () -> node().drop("customers"));
            session.publish(sums);
        }
        assertEquals(parentSums, node().digest("customers").indexes());
        assertEquals(customers, read(node(), all("customers")));
        assertEquals(orders, read(node(), all("orders")));
        assertEquals(orders.get(4), node().get("orders", List.of("2", "2")));
        ScanRequest ofCustomer3 = new ScanRequest("orders", null, List.of("3"), List.of("4"), 10);
        assertEquals(orders.subList(6, 9), read(node(), ofCustomer3));

        assertTells("table customers has tables interleaved in it: orders; drop those first", () -> node().drop(
                        "customers"));
        node().drop("orders");
        reopened();
        assertNull(node().table("orders"));
        assertEquals(parentSums, node().digest("customers").indexes());
        List<IndexChecksum> again = TestSsts.importTable(node(), TestTables.orders(), TestTables.orderRows(7), ssts);
        assertEquals(again, node().digest("orders").indexes(), "the orphaned rows were counted");
        node().drop("orders");
        node().drop("customers");
        node().close();
        assertEquals(List.of("default", "meta"), familiesIn(temp.resolve("store/db")));
    }

    @Test
    void callsAfterCloseFailWithoutACrash() throws Exception {
        TestSsts.importTable(node(), TestTables.accounts("accounts"), TestTables.accountRows(10), ssts);
        RowCursor cursor = node().scan(all("accounts"));
        ImportSession session = node().beginImport(ImportRequest.of(TestTables.accounts("more"), IngestTiming.AT_END));
        node().close();
        assertThrows(IllegalStateException.class, cursor::next);
        cursor.close();
        assertThrows(IllegalStateException.class, () -> node().tables());
        assertThrows(IllegalStateException.class, () -> node().digest("accounts"));
        assertThrows(IllegalStateException.class, session::finalizeIngest);
        session.close();
        node().close();
        reopened();
        assertEquals(
                List.of("removed what an unfinished import of table more had left; import it again"),
                node().recovered());
        assertFalse(node().tables().isEmpty());
    }

    private static List<String> familiesIn(Path db) throws Exception {
        try (Options options = new Options()) {
            return RocksDB.listColumnFamilies(options, db.toString()).stream()
                    .map(name -> new String(name, StandardCharsets.UTF_8))
                    .sorted()
                    .toList();
        }
    }

    private static List<String> filesIn(Path directory) throws Exception {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(path -> String.valueOf(path.getFileName()))
                    .sorted()
                    .toList();
        }
    }

    private static List<String> sstsIn(Path directory) throws Exception {
        return filesIn(directory).stream().filter(name -> name.endsWith(".sst")).toList();
    }
}
