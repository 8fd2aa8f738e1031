package io.sluice.it.cluster;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.IngestReport;
import io.sluice.api.node.IngestTiming;
import io.sluice.api.node.NodeClient;
import io.sluice.api.node.OverlapReport;
import io.sluice.api.node.RangeDirectory;
import io.sluice.api.node.RowCursor;
import io.sluice.api.node.ScanRequest;
import io.sluice.api.node.ScanRequest.Content;
import io.sluice.api.node.ShipAnswer;
import io.sluice.api.node.ShuffleBatch;
import io.sluice.api.node.SstFile;
import io.sluice.api.node.TableTuning;
import io.sluice.api.node.TuningStatus;
import io.sluice.it.support.Seeds;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.kv.IndexDigest;
import io.sluice.model.kv.IndexKeys;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.kv.KvChecksum;
import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.Table;
import io.sluice.model.schema.TableDef;
import io.sluice.testing.TestBatches;
import io.sluice.testing.TestSsts;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The contract of {@link NodeClient}, for nodes in this process and across a network. Subclasses provide one over an
 * empty store, which takes small SSTs as files or as Puts. {@link #assignsRangesItself} is true for a client of several
 * nodes that assigns key ranges itself.
 */
abstract class NodeClientContract {
    private static final long SEED = Seeds.of(NodeClientContract.class);
    private static final UUID ID = new UUID(5, 6);
    private static final TableDef TABLE = Ddl.parse(
                    "CREATE TABLE pairs (id INT8 PRIMARY KEY, name STRING, INDEX by_name (name))", "test")
            .get(0);

    private Path temp = Path.of("");
    private @Nullable NodeClient client;

    /**
     * Opens a client.
     *
     * @param directory empty when it is called for the first time; called again with the same one after the client was
     *     closed, it must find what was there
     */
    abstract NodeClient open(Path directory) throws Exception;

    /** Whether the client assigns directories itself, so that its callers cannot. */
    boolean assignsRangesItself() {
        return false;
    }

    @BeforeEach
    void begin(@TempDir Path directory) throws Exception {
        temp = Files.createDirectory(directory.resolve("ssts"));
        client = open(Files.createDirectory(directory.resolve("node")));
    }

    @AfterEach
    void end() {
        client().close();
    }

    private NodeClient client() {
        return Objects.requireNonNull(client);
    }

    private ImportSession session(IngestTiming timing) {
        return client().beginImport(new ImportRequest(TABLE, timing, ID, 0));
    }

    /** Rows of ids {@code from} to {@code to}, names the other way round. */
    private static List<List<String>> rows(int from, int to) {
        return IntStream.range(from, to)
                .mapToObj(id -> List.of(Integer.toString(id), String.format("n%06d", 100_000 - id)))
                .toList();
    }

    private List<SstFile> ssts(ImportSession session, int parts, int rowsPerPart) throws Exception {
        List<SstFile> ssts = new ArrayList<>();
        for (int part = 0; part < parts; part++) {
            ssts.addAll(TestSsts.build(
                    session.table(), rows(part * rowsPerPart, (part + 1) * rowsPerPart), temp, part + 1));
        }
        return ssts;
    }

    private List<IndexChecksum> publishRows(int parts, int rowsPerPart) throws Exception {
        try (ImportSession session = session(IngestTiming.AT_END)) {
            List<SstFile> ssts = ssts(session, parts, rowsPerPart);
            for (SstFile sst : ssts) {
                assertEquals(
                        new ShipAnswer.Taken(),
                        session.ship(sst, session.directory().epoch()));
            }
            session.finalizeIngest();
            List<IndexChecksum> sums = TestSsts.sums(session.table(), ssts);
            session.publish(sums);
            return sums;
        }
    }

    @Test
    void aTableIsTuned() throws Exception {
        publishRows(2, 10);
        assertEquals(TableTuning.USUAL, client().tuning("pairs").tuning());
        TuningStatus tuned = client().tune("pairs", new TableTuning(8));
        assertEquals(8, tuned.tuning().tombstoneConversion());
        assertTrue(tuned.inForce());
        assertEquals(tuned, client().tuning("pairs"));
        assertThrows(RuntimeException.class, () -> client().tuning("nobody"));
    }

    /** A page has 1 MiB, so there are several of each index. */
    @Test
    void kvsOfASpanAreReadPageByPage() throws Exception {
        List<IndexChecksum> sums = publishRows(5, 20_000);
        Table table = Objects.requireNonNull(client().table("pairs")).table();
        for (int i = 0; i < sums.size(); i++) {
            KeySpan span = new IndexKeys(table).span(i);
            KvChecksum.Accumulator sum = new KvChecksum.Accumulator(IndexDigest.of(table, i));
            List<byte[]> ends = new ArrayList<>();
            client().readKvs("pairs", span, page -> {
                for (int kv = 0; kv < page.keys().size(); kv++) {
                    assertTrue(sum.addIntact(
                            page.keys().get(kv),
                            Objects.requireNonNull(page.values().get(kv))));
                }
                ends.add(page.end());
                return true;
            });
            assertEquals(sums.get(i).sum(), sum.sum());
            assertTrue(ends.size() > 1, "one page only");
            List<byte[]> first = new ArrayList<>();
            client().readKvs("pairs", span, page -> {
                first.add(page.end());
                return false;
            });
            assertEquals(1, first.size());
            assertArrayEquals(ends.get(0), first.get(0));
        }
        assertThrows(BadInputException.class, () -> client().readKvs("nobody", KeySpan.ALL, page -> true));
    }

    private List<List<@Nullable String>> scan(ScanRequest request) {
        List<List<@Nullable String>> rows = new ArrayList<>();
        try (RowCursor cursor = client().scan(request)) {
            for (List<@Nullable String> row = cursor.next(); row != null; row = cursor.next()) {
                rows.add(row);
            }
        }
        return rows;
    }

    @ParameterizedTest
    @EnumSource(
            value = IngestTiming.class,
            names = {"AT_END", "ON_ARRIVAL"})
    void deliveriesRepeatedReorderedAndAtTheSameTimeCountOnce(IngestTiming timing) throws Exception {
        ExecutorService senders = Executors.newFixedThreadPool(4);
        try (ImportSession session = session(timing)) {
            assertNull(client().table("pairs"), "visible before it was published");
            List<SstFile> ssts = ssts(session, 6, 50);
            List<SstFile> deliveries = new ArrayList<>();
            for (SstFile sst : ssts) {
                for (int copy = 0; copy < 3; copy++) {
                    deliveries.add(TestSsts.copy(sst));
                }
            }
            Collections.shuffle(deliveries, new Random(SEED));
            List<Future<ShipAnswer>> answers = new ArrayList<>();
            long epoch = session.directory().epoch();
            for (SstFile each : deliveries) {
                answers.add(senders.submit(() -> session.ship(each, epoch)));
            }
            for (Future<ShipAnswer> answer : answers) {
                assertEquals(new ShipAnswer.Taken(), answer.get(), "seed " + SEED);
            }
            session.finalizeIngest();
            List<IndexChecksum> sums = TestSsts.sums(session.table(), ssts);
            assertEquals(sums, session.present(), "seed " + SEED);
            session.finalizeIngest();
            assertEquals(sums, session.present(), "asked again");
            assertEquals(sums, session.readBack().indexes());
            session.publish(sums);
            session.publish(sums);
            assertEquals(sums, client().digest("pairs").indexes());
            assertEquals(sums, Objects.requireNonNull(client().table("pairs")).imported());
        } finally {
            senders.shutdownNow();
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = IngestTiming.class,
            names = {"AT_END", "ON_ARRIVAL"})
    void detachedImportResumes(IngestTiming timing) throws Exception {
        List<SstFile> ssts;
        try (ImportSession first = session(timing)) {
            assertFalse(first.resumed());
            ssts = ssts(first, 4, 50);
            for (SstFile sst : ssts.subList(0, 4)) {
                first.ship(TestSsts.copy(sst), first.directory().epoch());
            }
            first.putCheckpoint("watermark", new byte[] {0, -1, 7});
            first.putCheckpoint("watermark", new byte[] {1});
            first.detach();
        }
        client().close();
        client = open(temp.resolveSibling("node"));
        try (ImportSession second = session(timing)) {
            assertTrue(second.resumed());
            assertArrayEquals(new byte[] {0, -1, 7}, second.checkpoints().get("watermark"));
            assertEquals(
                    ssts.get(0).indexId(), second.table().indexes().get(0).def().id());
            for (SstFile sst : ssts) {
                assertEquals(
                        new ShipAnswer.Taken(),
                        second.ship(TestSsts.copy(sst), second.directory().epoch()));
            }
            second.finalizeIngest();
            List<IndexChecksum> sums = TestSsts.sums(second.table(), ssts);
            assertEquals(sums, second.present());
            second.publish(sums);
            second.detach();
            assertEquals(sums, client().digest("pairs").indexes());
        }
        assertNotNull(client().table("pairs"), "closing a session that has published removed the table");
        try (ImportSession third = session(timing)) {
            third.publish(List.of());
        }
        assertEquals(200, client().digest("pairs").rows(), "publishing again changed the table");
    }

    @Test
    void batchesRepeatedReorderedAndAtTheSameTimeCountOnce() throws Exception {
        ExecutorService senders = Executors.newFixedThreadPool(4);
        try (ImportSession session = session(IngestTiming.SHUFFLED)) {
            List<ShuffleBatch> batches = TestBatches.of(session.table(), rows(0, 300), 50);
            List<ShuffleBatch> deliveries = new ArrayList<>();
            for (int copy = 0; copy < 3; copy++) {
                deliveries.addAll(batches);
            }
            Collections.shuffle(deliveries, new Random(SEED));
            List<Future<?>> taken = new ArrayList<>();
            for (ShuffleBatch each : deliveries) {
                taken.add(senders.submit(() -> TestBatches.send(session, each)));
            }
            for (Future<?> each : taken) {
                each.get();
            }
            IngestReport report = session.finalizeIngest();
            assertTrue(report.maxHeight() <= 1, "seed " + SEED + ": " + report);
            List<IndexChecksum> sums = TestBatches.sums(session.table(), batches);
            assertEquals(sums, session.present(), "seed " + SEED);
            session.finalizeIngest();
            assertEquals(sums, session.present(), "asked again");
            assertEquals(sums, session.readBack().indexes());
            session.publish(sums);
            assertEquals(sums, client().digest("pairs").indexes());
            assertEquals(List.of("7", "n099993"), client().get("pairs", List.of("7")));
        } finally {
            senders.shutdownNow();
        }
    }

    @Test
    void shuffledImportRefusesSsts() throws Exception {
        try (ImportSession session = session(IngestTiming.SHUFFLED)) {
            SstFile sst = ssts(session, 1, 50).get(0);
            assertThrows(OperationFailedException.class, () -> {
                ShipAnswer answer = session.ship(sst, session.directory().epoch());
                throw new AssertionError(answer.toString());
            });
        }
    }

    @Test
    void laterAttemptFencesTheEarlierOne() throws Exception {
        ImportSession first = session(IngestTiming.ON_ARRIVAL);
        SstFile sst = ssts(first, 1, 50).get(0);
        ImportSession second = session(IngestTiming.ON_ARRIVAL);
        long epoch = second.directory().epoch();
        assertThrows(OperationFailedException.class, () -> first.ship(TestSsts.copy(sst), epoch));
        assertThrows(OperationFailedException.class, () -> first.publish(List.of()));
        first.close();
        assertEquals(new ShipAnswer.Taken(), second.ship(TestSsts.copy(sst), epoch));
        second.close();
        assertNull(client().table("pairs"));
        try (ImportSession afresh = session(IngestTiming.ON_ARRIVAL)) {
            assertFalse(afresh.resumed(), "closing it did not undo it");
        }
    }

    @Test
    void sstThatDiffersFromItsDescriptionIsRefused() throws Exception {
        try (ImportSession session = session(IngestTiming.ON_ARRIVAL)) {
            SstFile good = ssts(session, 1, 50).get(0);
            long epoch = session.directory().epoch();
            SstFile miscounted = TestSsts.copy(good);
            KvChecksum sum = good.sum();
            SstFile wrong = new SstFile(
                    good.id(),
                    miscounted.path(),
                    good.indexId(),
                    good.smallestKey(),
                    good.largestKey(),
                    good.fileBytes(),
                    new KvChecksum(sum.count() + 1, sum.bytes(), sum.crcSum()));
            assertThrows(OperationFailedException.class, () -> session.ship(wrong, epoch));
            assertEquals(new ShipAnswer.Taken(), session.ship(good, epoch), "the good one after the bad one");
            session.finalizeIngest();
            assertEquals(50, session.present().get(0).sum().count());
        }
    }

    @Test
    void sstsOfAnotherEpochAreRefused() throws Exception {
        if (assignsRangesItself()) {
            return;
        }
        try (ImportSession session = session(IngestTiming.ON_ARRIVAL)) {
            assertEquals(RangeDirectory.SINGLE_NODE, session.directory());
            List<SstFile> ssts = ssts(session, 2, 50);
            String self = client().status().id();
            RangeDirectory directory = new RangeDirectory(
                    1,
                    List.of(
                            new RangeDirectory.Range(new byte[0], List.of(self)),
                            new RangeDirectory.Range(ssts.get(2).smallestKey(), List.of("elsewhere"))));
            session.assign(directory);
            session.assign(directory);
            assertEquals(directory, session.directory());
            assertEquals(new ShipAnswer.Moved(directory), session.ship(ssts.get(0), 0));
            assertEquals(new ShipAnswer.Taken(), session.ship(ssts.get(0), 1));
            assertInstanceOf(ShipAnswer.Refused.class, session.ship(ssts.get(2), 1));
            assertTrue(Files.exists(ssts.get(2).path()), "it was not taken, so it is the sender's");
            assertThrows(OperationFailedException.class, () -> session.assign(new RangeDirectory(1, List.of())));
            session.finalizeIngest();
            session.publish(session.present());
            assertEquals(
                    directory, Objects.requireNonNull(client().table("pairs")).directory());
        }
    }

    @Test
    void appendAddsRowsAtOnce() throws Exception {
        List<IndexChecksum> before = publishRows(2, 50);
        if (assignsRangesItself()) {
            BadInputException refused =
                    assertThrows(BadInputException.class, () -> client().beginImport(ImportRequest.append(TABLE)));
            assertTrue(String.valueOf(refused.getMessage()).contains("split into key ranges"), refused.getMessage());
            return;
        }
        try (ImportSession session = client().beginImport(ImportRequest.append(TABLE))) {
            for (SstFile sst : TestSsts.build(session.table(), rows(50, 150), temp, 77)) {
                assertEquals(new ShipAnswer.Taken(), session.ship(sst));
            }
            session.finalizeIngest();
            OverlapReport overlap = Objects.requireNonNull(session.append()).checkOverlap(10);
            assertEquals(0, overlap.collided());
            assertEquals(50, overlap.repeated().get(0).sum().count());
            assertEquals(overlap.after(), session.readBack().indexes());
            assertEquals(before, client().digest("pairs").indexes(), "visible before it was published");
            session.publish(overlap.after());
            session.publish(overlap.after());
            assertEquals(overlap.after(), client().digest("pairs").indexes());
            assertEquals(
                    overlap.after(),
                    Objects.requireNonNull(client().table("pairs")).imported());
            assertEquals(150, client().digest("pairs").rows());
        }
        // Closing it without a publication undoes it.
        client().beginImport(ImportRequest.append(TABLE)).close();
        assertEquals(150, client().digest("pairs").rows());
        client().drop("pairs");
        assertThrows(BadInputException.class, () -> client().beginImport(ImportRequest.append(TABLE)));
    }

    @Test
    void spansOfATableAddUpToIt() throws Exception {
        List<IndexChecksum> sums = publishRows(4, 100);
        List<byte[]> cuts = new ArrayList<>();
        cuts.add(new byte[0]);
        for (SstFile sst :
                TestSsts.build(Objects.requireNonNull(client().table("pairs")).table(), rows(150, 151), temp, 99)) {
            cuts.add(sst.smallestKey());
        }
        cuts.add(KeySpan.prefixEnd(new byte[0]));
        List<KeySpan> spans = IntStream.range(0, cuts.size() - 1)
                .mapToObj(i -> new KeySpan(cuts.get(i), cuts.get(i + 1)))
                .toList();
        assertEquals(sums, client().digest("pairs", spans).indexes());
        KvChecksum added = KvChecksum.EMPTY;
        for (KeySpan span : spans) {
            added = added.plus(client().digest("pairs", List.of(span)).total());
        }
        assertEquals(client().digest("pairs").total(), added);
        assertEquals(150, client().digest("pairs", spans.subList(0, 1)).rows());
        assertEquals(KvChecksum.EMPTY, client().digest("pairs", List.of()).total());
        assertThrows(BadInputException.class, () -> client().digest("pairs", List.of(spans.get(0), spans.get(0))));
    }

    @Test
    void splitKeysCutATableIntoPartsOfSimilarSize() throws Exception {
        publishRows(4, 2_000);
        for (int parts : new int[] {1, 2, 5}) {
            List<byte[]> bounds = new ArrayList<>();
            bounds.add(new byte[0]);
            bounds.addAll(client().splitKeys("pairs", parts));
            bounds.add(KeySpan.prefixEnd(new byte[0]));
            assertEquals(parts, bounds.size() - 1);
            List<List<@Nullable String>> rows = new ArrayList<>();
            for (int i = 0; i < parts; i++) {
                KeySpan part = new KeySpan(bounds.get(i), bounds.get(i + 1));
                List<List<@Nullable String>> found =
                        scan(new ScanRequest("pairs", null, List.of(), List.of(), Long.MAX_VALUE).within(part));
                assertTrue(found.size() > 8_000 / parts / 4, i + " of " + parts + " has " + found.size());
                rows.addAll(found);
            }
            assertEquals(rows(0, 8_000), rows);
        }
        assertThrows(BadInputException.class, () -> client().splitKeys("none", 2));
    }

    @Test
    void rowsByKeyByIndexAndWithinASpan() throws Exception {
        publishRows(2, 50);
        assertEquals(List.of("7", "n099993"), client().get("pairs", List.of("7")));
        assertNull(client().get("pairs", List.of("100")));
        assertEquals(
                List.of(List.of("98", "n099902"), List.of("99", "n099901")),
                scan(new ScanRequest("pairs", null, List.of("98"), List.of(), 10)));
        assertEquals(
                List.of(List.of("99", "n099901"), List.of("98", "n099902")),
                scan(new ScanRequest("pairs", "by_name", List.of(), List.of(), 2)));
        KeySpan within = null;
        for (SstFile sst :
                TestSsts.build(Objects.requireNonNull(client().table("pairs")).table(), rows(10, 13), temp, 98)) {
            within = new KeySpan(sst.smallestKey(), sst.largestKey());
        }
        assertEquals(
                List.of(List.of("12"), List.of("11")),
                scan(new ScanRequest("pairs", "by_name", List.of(), List.of(), 10, within, Content.KEY)));
        assertEquals(
                List.of(List.of("12", "n099988"), List.of("11", "n099989")),
                scan(new ScanRequest("pairs", "by_name", List.of(), List.of(), 10)
                        .within(Objects.requireNonNull(within))));
        assertEquals(
                List.of(),
                scan(new ScanRequest("pairs", null, List.of(), List.of(), 10).within(Objects.requireNonNull(within))),
                "other keys");
        assertEquals(
                List.of(List.of("0"), List.of("1")),
                scan(new ScanRequest("pairs", null, List.of(), List.of(), 2, null, Content.KEY)));
    }

    @Test
    void missingAndExistingTablesAreReported() throws Exception {
        assertThrows(BadInputException.class, () -> client().digest("pairs"));
        assertThrows(BadInputException.class, () -> client().drop("pairs"));
        publishRows(1, 10);
        assertThrows(BadInputException.class, () -> client().beginImport(
                        new ImportRequest(TABLE, IngestTiming.AT_END, new UUID(8, 8), 0)));
        client().drop("pairs");
        assertEquals(List.of(), client().tables());
        int next = client().status().nextTableId();
        try (ImportSession session =
                client().beginImport(new ImportRequest(TABLE, IngestTiming.AT_END, ID, next + 5))) {
            assertEquals(next + 5, session.table().id());
        }
        assertEquals(next + 6, client().status().nextTableId());
        assertThrows(BadInputException.class, () -> client().beginImport(
                        new ImportRequest(TABLE, IngestTiming.AT_END, ID, next + 5)));
    }
}
