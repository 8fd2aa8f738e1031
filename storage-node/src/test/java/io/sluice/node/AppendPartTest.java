package io.sluice.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.api.node.AppendPart;
import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.IngestReport;
import io.sluice.api.node.IngestTiming;
import io.sluice.api.node.OverlapReport;
import io.sluice.api.node.RangeDirectory;
import io.sluice.api.node.ShipAnswer;
import io.sluice.api.node.SstFile;
import io.sluice.engine.store.Family;
import io.sluice.engine.store.LsmFile;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.error.TableBusyException;
import io.sluice.model.kv.IndexKeys;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.kv.KvChecksum;
import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.Table;
import io.sluice.model.schema.TableDef;
import io.sluice.node.ingest.FaultPoints;
import io.sluice.node.ingest.NodeSession;
import io.sluice.testing.MovableClock;
import io.sluice.testing.TestSsts;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The parts of an append on two nodes. Both have the range of the first rows; one has the other rows, and one the
 * index. The test takes the place of the cluster's log.
 */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class AppendPartTest {
    private static final UUID ID = new UUID(8, 8);
    private static final int TABLE_ID = 7;
    private static final String OWNER = "owner";
    private static final TableDef PAIRS = Ddl.parse(
                    "CREATE TABLE pairs (id INT8 PRIMARY KEY, name STRING, UNIQUE INDEX by_name (name))", "test")
            .get(0);

    @TempDir
    Path directory;

    private StorageNode a;
    private StorageNode b;
    private RangeDirectory ranges;
    private List<IndexChecksum> before;

    @BeforeEach
    void importTable() throws Exception {
        a = open("a", Clock.systemUTC());
        b = open("b", Clock.systemUTC());
        ImportRequest request = new ImportRequest(PAIRS, IngestTiming.AT_END, new UUID(1, 1), TABLE_ID);
        Table table;
        try (ImportSession onA = a.beginImport(request);
                ImportSession onB = b.beginImport(request)) {
            table = onA.table();
            List<SstFile> border = TestSsts.build(table, rows(50, 51), directory);
            ranges = new RangeDirectory(
                    3,
                    List.of(
                            new RangeDirectory.Range(
                                    new byte[0],
                                    List.of(a.status().id(), b.status().id())),
                            new RangeDirectory.Range(
                                    border.get(0).smallestKey(),
                                    List.of(b.status().id())),
                            new RangeDirectory.Range(
                                    new IndexKeys(table).span(1).start(),
                                    List.of(a.status().id()))));
            List<KvChecksum> sums = new ArrayList<>(List.of(KvChecksum.EMPTY, KvChecksum.EMPTY));
            for (ImportSession session : List.of(onA, onB)) {
                session.assign(ranges);
            }
            ship(table, onA, onB, rows(0, 50), sums);
            ship(table, onA, onB, rows(50, 100), sums);
            before = named(table, sums);
            for (ImportSession session : List.of(onA, onB)) {
                session.finalizeIngest();
                session.publish(before);
            }
        }
    }

    private StorageNode open(String name, Clock clock) {
        return StorageNode.open(directory.resolve(name), NodeSettings.defaults().withClock(clock));
    }

    @AfterEach
    void close() {
        a.close();
        b.close();
    }

    private static List<IndexChecksum> named(Table table, List<KvChecksum> sums) {
        return IntStream.range(0, sums.size())
                .mapToObj(i -> new IndexChecksum(table.indexes().get(i).def().name(), sums.get(i)))
                .toList();
    }

    private static List<List<@Nullable String>> rows(int from, int to) {
        return IntStream.range(from, to)
                .mapToObj(id -> List.<@Nullable String>of(Integer.toString(id), String.format("n%06d", 100_000 - id)))
                .toList();
    }

    /** Ships rows of one range to the nodes that hold their KVs, and adds the checksums. */
    private void ship(
            Table table, ImportSession onA, ImportSession onB, List<List<@Nullable String>> rows, List<KvChecksum> sums)
            throws Exception {
        List<SstFile> ssts = TestSsts.build(table, rows, directory);
        boolean low = ranges.rangeOf(ssts.get(0).smallestKey()) == 0;
        if (low) {
            assertEquals(new ShipAnswer.Taken(), onA.ship(TestSsts.copy(ssts.get(0)), ranges.epoch()));
        }
        assertEquals(new ShipAnswer.Taken(), onB.ship(ssts.get(0), ranges.epoch()));
        assertEquals(new ShipAnswer.Taken(), onA.ship(ssts.get(1), ranges.epoch()));
        for (int i = 0; i < 2; i++) {
            sums.set(i, sums.get(i).plus(ssts.get(i).sum()));
        }
    }

    private static ImportRequest request() {
        return ImportRequest.append(PAIRS).withImportId(ID).ofRanges(TABLE_ID);
    }

    private static AppendPart part(ImportSession session) {
        return (AppendPart) Objects.requireNonNull(session.append());
    }

    /** Begins an append of twenty new rows, one of which takes the name of row 70, and ten that are there. */
    private List<IndexChecksum> stage(ImportSession onA, ImportSession onB) throws Exception {
        Table table = onA.table();
        List<KvChecksum> unused = new ArrayList<>(List.of(KvChecksum.EMPTY, KvChecksum.EMPTY));
        ship(table, onA, onB, rows(40, 50), unused);
        List<List<@Nullable String>> comes = new ArrayList<>(rows(100, 120));
        comes.add(List.of("120", "n099930"));
        ship(table, onA, onB, comes, unused);
        AppendPart partA = part(onA);
        AppendPart partB = part(onB);
        OverlapReport there = partA.checkOverlap(10);
        assertEquals(1, there.collided(), "the name of row 70");
        assertEquals(0, partB.checkOverlap(10).collided());
        OverlapReport.Holder away =
                Objects.requireNonNull(partA.holders(there.collisions()).get(0));
        assertEquals(0, away.value().length, "the other node has the row");
        OverlapReport.Holder row =
                Objects.requireNonNull(partB.holders(List.of(new OverlapReport.IndexKey(0, away.key())))
                        .get(0));
        partA.replaceRows(1, true, List.of(row));
        partB.replaceRows(1, true, List.of(row));
        List<KvChecksum> after =
                new ArrayList<>(before.stream().map(IndexChecksum::sum).toList());
        for (AppendPart part : List.of(partA, partB)) {
            OverlapReport report = part.checkOverlap(10);
            assertEquals(0, report.collided());
            for (int i = 0; i < 2; i++) {
                after.set(i, after.get(i).plus(report.after().get(i).sum()));
            }
        }
        assertEquals(120, after.get(0).count(), "100 and 21, without row 70");
        return named(table, after);
    }

    private List<OverlapReport.Holder> holders(ImportSession session, int row) throws Exception {
        byte[] key = TestSsts.build(session.table(), rows(row, row + 1), directory)
                .get(0)
                .smallestKey();
        return List.of(Objects.requireNonNull(part(session)
                .holders(List.of(new OverlapReport.IndexKey(0, key)))
                .get(0)));
    }

    private void freeze(long index, Map<Integer, String> owners) {
        a.catalog().freeze(index, owners);
        b.catalog().freeze(index, owners);
    }

    private void decide(StorageNode node, List<IndexChecksum> after, boolean first) {
        String done = node.publishDecided(ID, TABLE_ID, after);
        assertEquals(first, done != null, done);
        node.catalog().move(TABLE_ID, ranges.atEpoch(4), after);
    }

    /** The checksums of what both nodes have together, each range once. */
    private List<IndexChecksum> present(Table table) {
        KeySpan middle = ranges.span(1);
        List<KvChecksum> sums = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            sums.add(a.digest("pairs")
                    .indexes()
                    .get(i)
                    .sum()
                    .plus(b.digest("pairs", List.of(middle)).indexes().get(i).sum()));
        }
        return named(table, sums);
    }

    @Test
    void preparedPartsArePublishedByTheLogAlone() throws Exception {
        ImportSession onA = a.beginImport(request());
        ImportSession onB = b.beginImport(request());
        Table table = onA.table();
        List<IndexChecksum> after = stage(onA, onB);
        assertThrows(TableBusyException.class, () -> part(onA).prepare(OWNER, after), "the freeze is not here yet");
        assertThrows(OperationFailedException.class, () -> onA.publish(after));
        freeze(1, Map.of(TABLE_ID, OWNER));
        part(onA).prepare(OWNER, after);
        part(onB).prepare(OWNER, after);
        assertThrows(TableBusyException.class, onA::close);
        assertThrows(TableBusyException.class, () -> onA.publish(after));
        assertEquals(before, present(table), "visible before the entry");

        a.close();
        a = open("a", Clock.offset(Clock.systemUTC(), Duration.ofHours(1)));
        b.close();
        b = open("b", Clock.offset(Clock.systemUTC(), Duration.ofHours(1)));
        a.removeExpiredImports();
        assertThrows(TableBusyException.class, () -> Objects.requireNonNull(a.session(ID))
                .close());
        decide(a, after, true);
        freeze(2, Map.of());
        decide(a, after, false);
        decide(b, after, true);
        assertEquals(after, present(table));
        for (StorageNode node : List.of(a, b)) {
            assertEquals(after, Objects.requireNonNull(node.table("pairs")).imported());
            assertEquals(
                    4, Objects.requireNonNull(node.table("pairs")).directory().epoch());
            assertEquals(List.of(), node.catalog().imports().all());
            // The client learns of it.
            Objects.requireNonNull(node.session(ID)).publish(after);
        }
        assertNull(b.get("pairs", List.of("70")));
        assertNotNull(b.get("pairs", List.of("120")));
        try (var staged = Files.list(directory.resolve("a/staging"))) {
            assertEquals(0, staged.count());
        }
    }

    /** The record of the table could not be written, since the disk was full: the entry is applied again. */
    @Test
    void publicationThatFailsAfterTheIngestIsRepeated() throws Exception {
        b.close();
        AtomicBoolean full = new AtomicBoolean(true);
        b = StorageNode.open(directory.resolve("b"), NodeSettings.defaults().withFaults(point -> {
            if (point.equals(FaultPoints.INGESTED) && full.get()) {
                throw new OperationFailedException("no space left");
            }
        }));
        ImportSession onA = a.beginImport(request());
        ImportSession onB = b.beginImport(request());
        Table table = onA.table();
        List<IndexChecksum> after = stage(onA, onB);
        freeze(1, Map.of(TABLE_ID, OWNER));
        part(onA).prepare(OWNER, after);
        part(onB).prepare(OWNER, after);
        assertFalse(b.catalog().isPublishing(TABLE_ID), "a freeze alone keeps no reader away");
        decide(a, after, true);
        assertThrows(OperationFailedException.class, () -> b.publishDecided(ID, TABLE_ID, after));
        assertTrue(b.catalog().isPublishing(TABLE_ID), "the rows are visible, and the record does not say so");
        full.set(false);
        decide(b, after, true);
        assertTrue(b.catalog().isPublishing(TABLE_ID), "the directory comes next, in the same entry");
        freeze(2, Map.of());
        assertFalse(b.catalog().isPublishing(TABLE_ID));
        assertEquals(after, present(table));
    }

    /** Compactions go on when the client has left, and join the files of the append with others. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void appendWhoseRowsAreInTheTreeStaysInTheTable(boolean undone) throws Exception {
        AtomicBoolean full = new AtomicBoolean();
        NodeSettings settings = NodeSettings.defaults().withFaults(point -> {
            if (point.equals(FaultPoints.INGESTED) && full.get()) {
                throw new OperationFailedException("no space left");
            }
        });
        try (StorageNode node = StorageNode.open(directory.resolve("c"), settings)) {
            TestSsts.importTable(node, PAIRS, rows(0, 100), directory);
            NodeSession session = node.beginImport(ImportRequest.append(PAIRS).withImportId(ID));
            for (SstFile sst : TestSsts.build(session.table(), rows(100, 120), directory)) {
                assertEquals(new ShipAnswer.Taken(), session.ship(sst));
            }
            IngestReport unused = session.finalizeIngest();
            List<IndexChecksum> after = part(session).checkOverlap(1).after();
            full.set(true);
            assertThrows(OperationFailedException.class, () -> session.publish(after));
            full.set(false);
            if (undone) {
                session.close();
            } else {
                session.detach();
            }
            Family tree = node.store().family(node.catalog().require("pairs").family());
            List<String> files = tree.files().stream().map(LsmFile::name).toList();
            int lowest = tree.files().stream().mapToInt(LsmFile::level).max().orElseThrow();
            assertNotNull(tree.merge(files, lowest, Long.MAX_VALUE, 1));
            Objects.requireNonNull(node.session(ID)).publish(after);
            assertEquals(after, Objects.requireNonNull(node.table("pairs")).imported());
            assertEquals(after, node.digest("pairs").indexes());
            assertEquals(List.of(), node.catalog().imports().all());
        }
    }

    @Test
    void preparedPartOutlivesItsLeaseWhileItsFreezeLasts() throws Exception {
        MovableClock clock = new MovableClock();
        a.close();
        a = open("a", clock);
        ImportSession onA = a.beginImport(request());
        ImportSession onB = b.beginImport(request());
        List<IndexChecksum> after = stage(onA, onB);
        freeze(1, Map.of(TABLE_ID, OWNER));
        part(onA).prepare(OWNER, after);
        part(onB).prepare(OWNER, after);
        clock.move(Duration.ofHours(1));
        // It would fail if it tried to remove the part.
        a.removeExpiredImports();
        assertEquals(1, a.catalog().imports().all().size());
        freeze(2, Map.of());
        a.removeExpiredImports();
        assertEquals(List.of(), a.catalog().imports().all());
    }

    @Test
    void partWhoseFreezeHasEndedIsUndone() throws Exception {
        ImportSession onA = a.beginImport(request());
        ImportSession onB = b.beginImport(request());
        List<IndexChecksum> after = stage(onA, onB);
        freeze(1, Map.of(TABLE_ID, OWNER));
        part(onA).prepare(OWNER, after);
        part(onB).prepare(OWNER, after);
        freeze(2, Map.of(TABLE_ID, "another owner"));
        onA.close();
        b.close();
        b = open("b", Clock.systemUTC());
        assertEquals(1, b.catalog().imports().all().size(), "its client may be waiting");
        b.close();
        b = open("b", Clock.offset(Clock.systemUTC(), Duration.ofMinutes(2)));
        b.removeExpiredImports();
        assertEquals(1, b.catalog().imports().all().size(), "a restart begins its time anew");
        Objects.requireNonNull(b.session(ID)).close();
        assertEquals(List.of(), b.catalog().imports().all());
        assertEquals(before, present(onA.table()));
        assertNull(a.publishDecided(ID, TABLE_ID, after));
        assertEquals(before, present(onA.table()));
    }

    /** The disk was full in the middle of a write, and the client sends the rows again. */
    @Test
    void replacedRowsAreWholeAfterAWriteThatFailedInTheMiddle() throws Exception {
        ImportSession onA = a.beginImport(request());
        ImportSession onB = b.beginImport(request());
        List<IndexChecksum> unused = stage(onA, onB);
        List<OverlapReport.Holder> row71 = holders(onB, 71);
        Path file = directory
                .resolve("b/staging")
                .resolve(Integer.toString(b.catalog().imports().all().get(0).id()))
                .resolve("replaced.rows");
        Files.write(file, new byte[] {0, 0, 0, 9, 1}, StandardOpenOption.APPEND);
        // Files cannot be written by an interrupted thread.
        Thread.currentThread().interrupt();
        assertThrows(OperationFailedException.class, () -> part(onB).replaceRows(1, false, row71));
        assertTrue(Thread.interrupted());
        part(onB).replaceRows(1, false, row71);
        OverlapReport before = part(onB).checkOverlap(10);
        b.close();
        b = open("b", Clock.systemUTC());
        OverlapReport again = part(b.beginImport(request())).checkOverlap(10);
        assertEquals(before.after(), again.after());
    }

    /** The answer to the first request was late, the client sent it again, and the first one comes after all others. */
    @Test
    void lateRepetitionOfTheFirstReplacedRowsKeepsTheOthers() throws Exception {
        ImportSession onA = a.beginImport(request());
        ImportSession onB = b.beginImport(request());
        List<IndexChecksum> unused = stage(onA, onB);
        List<OverlapReport.Holder> first = holders(onB, 70);
        part(onB).replaceRows(2, true, first);
        part(onB).replaceRows(2, false, holders(onB, 71));
        OverlapReport whole = part(onB).checkOverlap(10);
        part(onB).replaceRows(2, true, first);
        assertEquals(whole.after(), part(onB).checkOverlap(10).after());
        assertThrows(OperationFailedException.class, () -> part(onB).replaceRows(1, true, first));
        assertEquals(whole.after(), part(onB).checkOverlap(10).after());
        part(onB).replaceRows(3, true, first);
        assertNotEquals(whole.after(), part(onB).checkOverlap(10).after(), "a later list begins anew");
        part(onB).replaceRows(AppendPart.UNNUMBERED, false, holders(onB, 71));
        assertEquals(whole.after(), part(onB).checkOverlap(10).after());
        part(onB).replaceRows(AppendPart.UNNUMBERED, true, first);
        assertNotEquals(whole.after(), part(onB).checkOverlap(10).after(), "an earlier build begins anew with each");
    }

    @Test
    void oneNodeDoesNotAddToAPartOfATable() {
        BadInputException refused =
                assertThrows(BadInputException.class, () -> a.beginImport(ImportRequest.append(PAIRS)));
        assertTrue(String.valueOf(refused.getMessage()).contains("split into key ranges"), refused.getMessage());
        assertThrows(
                BadInputException.class,
                () -> a.beginImport(ImportRequest.append(PAIRS).withImportId(ID).ofRanges(TABLE_ID + 1)));
    }
}
