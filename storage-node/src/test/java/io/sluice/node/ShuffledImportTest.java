package io.sluice.node;

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
import io.sluice.api.node.ShipAnswer;
import io.sluice.api.node.ShuffleBatch;
import io.sluice.engine.admit.AdmissionSettings;
import io.sluice.engine.store.Family;
import io.sluice.engine.store.LsmFile;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.kv.KvChecksum;
import io.sluice.model.schema.TableDef;
import io.sluice.node.catalog.ImportRecord;
import io.sluice.node.ingest.FaultPoints;
import io.sluice.node.ingest.NodeSession;
import io.sluice.testing.TestBatches;
import io.sluice.testing.TestSsts;
import io.sluice.testing.TestTables;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests imports of KVs in any order, which the node sorts. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class ShuffledImportTest {
    private static final long SEED = Long.getLong("sluice.seed", System.nanoTime());
    private static final NodeSettings SETTINGS = NodeSettings.defaults().withReadThreads(2);
    private static final int ROWS = 3000;

    @TempDir
    Path temp;

    private static List<List<@Nullable String>> shuffled() {
        List<List<@Nullable String>> rows = TestTables.accountRows(ROWS);
        Collections.shuffle(rows, new Random(SEED));
        return rows;
    }

    private static ImportSession begin(StorageNode node, TableDef table) {
        return node.beginImport(ImportRequest.of(table, IngestTiming.SHUFFLED));
    }

    @Test
    void unorderedKvsAreSortedIntoOneLevel() throws Exception {
        List<IndexChecksum> sums;
        try (StorageNode node = open(SETTINGS)) {
            try (ImportSession session = begin(node, TestTables.accounts("accounts"))) {
                List<ShuffleBatch> batches = TestBatches.of(session.table(), shuffled(), 100);
                for (ShuffleBatch batch : batches) {
                    TestBatches.send(session, batch);
                }
                IngestReport report = session.finalizeIngest();
                assertEquals(report, session.finalizeIngest(), "finalized twice");
                sums = TestBatches.sums(session.table(), batches);
                assertEquals(sums, session.present());
                assertEquals(sums, session.readBack().indexes());
                assertEquals(1, report.maxHeight());
                assertEquals(0, report.l0Files());
                assertEquals(0, report.puts());
                assertTrue(report.bytesWritten() > 0, report.toString());
                assertTrue(report.peakBufferBytes() > report.bytesIngested(), report.toString());
                assertEquals(List.of(), filesBelow("staging/1/buffer"));
                session.publish(sums);
            }
            assertEquals(sums, node.digest("accounts").indexes());
        }
        try (StorageNode node = open(SETTINGS)) {
            assertEquals(List.of(), node.recovered());
            assertEquals(sums, node.digest("accounts").indexes());
        }
    }

    @Test
    void anEmptyImportIsAnEmptyTable() {
        try (StorageNode node = open(SETTINGS);
                ImportSession session = begin(node, TestTables.customers())) {
            assertEquals(0, session.finalizeIngest().ssts());
            assertEquals(List.of(new IndexChecksum("primary", KvChecksum.EMPTY)), session.present());
            session.publish(session.present());
        }
    }

    @Test
    void interleavedTableIsSortedIntoItsParentsTree() throws Exception {
        try (StorageNode node = open(SETTINGS)) {
            TestSsts.importTable(node, TestTables.customers(), TestTables.customerRows(50), temp);
            try (ImportSession session = begin(node, TestTables.orders())) {
                List<ShuffleBatch> batches = TestBatches.of(session.table(), TestTables.orderRows(50), 7);
                Collections.shuffle(batches, new Random(SEED));
                for (ShuffleBatch batch : batches) {
                    TestBatches.send(session, batch);
                }
                session.finalizeIngest();
                List<IndexChecksum> sums = TestBatches.sums(session.table(), batches);
                assertEquals(sums, session.present());
                session.publish(sums);
                assertEquals(sums, node.digest("orders").indexes());
            }
            assertEquals(50, node.digest("customers").rows());
        }
    }

    /** A late request must not reopen an import that is being removed. */
    @Test
    void undoneImportIsNotReopenedByConcurrentRequests() throws Exception {
        UUID importId = new UUID(1, 2);
        try (StorageNode node = open(SETTINGS)) {
            for (int round = 0; round < 50; round++) {
                NodeSession session = node.beginImport(
                        new ImportRequest(TestTables.accounts("accounts"), IngestTiming.SHUFFLED, importId, 0));
                TestBatches.send(
                        session,
                        TestBatches.of(session.table(), shuffled(), ROWS).get(0));
                AtomicBoolean undone = new AtomicBoolean();
                inParallel(List.of(
                        () -> {
                            try {
                                session.close();
                            } finally {
                                undone.set(true);
                            }
                            return null;
                        },
                        () -> {
                            while (!undone.get()) {
                                node.session(importId, session.attempt());
                            }
                            return null;
                        }));
                assertNull(node.session(importId));
                assertEquals(List.of(), filesBelow("staging"), "round " + round);
            }
        }
    }

    @Test
    void repeatedAndConcurrentBatchesAreTakenOnce() throws Exception {
        try (StorageNode node = open(SETTINGS);
                ImportSession session = begin(node, TestTables.accounts("accounts"))) {
            List<ShuffleBatch> batches = TestBatches.of(session.table(), shuffled(), 50);
            List<ShuffleBatch> deliveries = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                deliveries.addAll(batches);
            }
            Collections.shuffle(deliveries, new Random(SEED));
            inParallel(deliveries.stream()
                    .map(batch -> (Callable<Void>) () -> {
                        TestBatches.send(session, batch);
                        return null;
                    })
                    .toList());
            session.finalizeIngest();
            assertEquals(TestBatches.sums(session.table(), batches), session.present(), "seed " + SEED);
            assertEquals(
                    TestBatches.sums(session.table(), batches),
                    session.readBack().indexes());
        }
    }

    private static void inParallel(List<Callable<Void>> works) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(4);
        try {
            for (Future<Void> work : pool.invokeAll(works)) {
                work.get();
            }
        } finally {
            pool.shutdownNow();
        }
    }

    @Test
    void duplicateKeysShowInTheCount() throws Exception {
        try (StorageNode node = open(SETTINGS);
                ImportSession session = begin(node, TestTables.customers())) {
            List<List<@Nullable String>> again = List.of(List.of("7", "another name"), List.of("8", "customer 8"));
            for (ShuffleBatch batch : TestBatches.of(session.table(), TestTables.customerRows(20), 5)) {
                TestBatches.send(session, batch);
            }
            TestBatches.send(session, TestBatches.of(session.table(), again, 5).get(0));
            session.finalizeIngest();
            assertEquals(20, session.present().get(0).sum().count());
        }
    }

    @Test
    void invalidBatchesAreRefused() throws Exception {
        try (StorageNode node = open(SETTINGS);
                ImportSession session = begin(node, TestTables.accounts("accounts"))) {
            ShuffleBatch good = TestBatches.of(session.table(), TestTables.accountRows(10), 10)
                    .get(0);
            byte[] longKey = good.kvs().clone();
            longKey[0] = 0x7f;
            byte[] foreignKey = good.kvs().clone();
            foreignKey[8] ^= 0x40;
            byte[] otherCrc = good.kvs().clone();
            otherCrc[8 + (good.kvs()[3] & 0xff)] ^= 1;
            List<ShuffleBatch> bad = List.of(
                    with(good, good.kvs(), good.lengthBytes() - 1, good.indexId()),
                    with(good, longKey, good.lengthBytes(), good.indexId()),
                    with(good, foreignKey, good.lengthBytes(), good.indexId()),
                    with(good, otherCrc, good.lengthBytes(), good.indexId()),
                    with(good, good.kvs(), good.lengthBytes(), good.indexId() + 1),
                    with(good, good.kvs(), good.lengthBytes(), 99));
            for (ShuffleBatch batch : bad) {
                String message =
                        String.valueOf(assertThrows(OperationFailedException.class, () -> session.shuffle(batch, 0))
                                .getMessage());
                assertTrue(message.contains("was refused"), message);
            }
            assertEquals(new ShipAnswer.Taken(), session.shuffle(good, 0), "of the same id as the bad ones");
            session.finalizeIngest();
            assertEquals(10, session.present().get(0).sum().count());
            assertThrows(OperationFailedException.class, () -> session.shuffle(good, 0), "after it was finalized");
        }
    }

    private static ShuffleBatch with(ShuffleBatch batch, byte[] kvs, int lengthBytes, int indexId) {
        return new ShuffleBatch(batch.id(), batch.part(), indexId, kvs, lengthBytes, batch.sum());
    }

    @Test
    void sstsAndBatchesDoNotMixInAnImport() throws Exception {
        try (StorageNode node = open(SETTINGS);
                ImportSession forKvs = begin(node, TestTables.customers());
                ImportSession forSsts =
                        node.beginImport(ImportRequest.of(TestTables.accounts("accounts"), IngestTiming.AT_END))) {
            var sst = TestSsts.build(forKvs.table(), TestTables.customerRows(5), temp)
                    .get(0);
            assertThrows(OperationFailedException.class, () -> forKvs.ship(sst));
            var batch = TestBatches.of(forSsts.table(), TestTables.accountRows(5), 5)
                    .get(0);
            assertThrows(OperationFailedException.class, () -> forSsts.shuffle(batch, 0));
        }
    }

    @Test
    void fullDiskDefersThenRefuses() {
        NodeSettings patient = withDiskLow(60_000);
        try (StorageNode node = open(patient);
                ImportSession session = begin(node, TestTables.customers())) {
            ShuffleBatch batch = TestBatches.of(session.table(), TestTables.customerRows(5), 5)
                    .get(0);
            ShipAnswer.Deferred later = assertInstanceOf(ShipAnswer.Deferred.class, session.shuffle(batch, 0));
            assertEquals("disk", later.limiter());
        }
        NodeSettings impatient = withDiskLow(0);
        try (StorageNode node = open(impatient);
                ImportSession session = begin(node, TestTables.customers())) {
            ShuffleBatch batch = TestBatches.of(session.table(), TestTables.customerRows(5), 5)
                    .get(0);
            assertInstanceOf(ShipAnswer.Refused.class, session.shuffle(batch, 0));
        }
    }

    private static NodeSettings withDiskLow(long patienceMillis) {
        AdmissionSettings usual = SETTINGS.ingest().admission();
        AdmissionSettings low = usual.withDisk(
                new AdmissionSettings.Disk(Long.MAX_VALUE / 4, usual.disk().reserveBytes()));
        return SETTINGS.withIngest(SETTINGS.ingest().withAdmission(low).withDiskPatienceMillis(patienceMillis));
    }

    @Test
    void undoingRemovesTheBuffer() throws Exception {
        try (StorageNode node = open(SETTINGS)) {
            try (ImportSession session = begin(node, TestTables.customers())) {
                send(session, 50);
                assertFalse(filesBelow("staging").isEmpty());
            }
            assertEquals(List.of(), filesBelow("staging"));
            assertNull(node.table("customers"));
        }
    }

    @Test
    void closingTheNodeReleasesTheBuffer() throws Exception {
        StorageNode node = open(SETTINGS);
        ImportSession session = begin(node, TestTables.customers());
        send(session, 50);
        node.close();
        assertThrows(
                IllegalStateException.class,
                () -> session.shuffle(
                        TestBatches.of(session.table(), TestTables.customerRows(5), 5)
                                .get(0),
                        0));
        session.close();
        try (StorageNode again = open(SETTINGS)) {
            assertEquals(1, again.recovered().size(), again.recovered().toString());
            assertEquals(List.of(), filesBelow("staging"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {FaultPoints.BUFFERED, FaultPoints.SORTED, FaultPoints.INTENT, FaultPoints.BEFORE_PUBLISH})
    void failedStepLeavesNoFiles(String point) throws Exception {
        NodeSettings faulty = SETTINGS.withFaults(passed -> {
            if (passed.equals(point)) {
                throw new UnsupportedOperationException(point);
            }
        });
        try (StorageNode node = open(faulty)) {
            try (ImportSession session = begin(node, TestTables.customers())) {
                assertThrows(UnsupportedOperationException.class, () -> {
                    send(session, 50);
                    session.finalizeIngest();
                    session.publish(session.present());
                });
            }
            assertEquals(List.of(), filesBelow("staging"));
        }
        try (StorageNode node = open(SETTINGS)) {
            assertEquals(List.of(), node.recovered());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {FaultPoints.BUFFERED, FaultPoints.SORTED, FaultPoints.INTENT, FaultPoints.INGESTED})
    void haltedProcessLeavesNoFiles(String point) throws Exception {
        Process importer = OtherProcess.start(HaltingShuffle.class, temp.toString(), point);
        assertEquals(HaltingShuffle.EXIT_CODE, importer.waitFor());
        assertFalse(filesBelow("staging").isEmpty());
        try (StorageNode node = open(SETTINGS)) {
            assertEquals(1, node.recovered().size(), node.recovered().toString());
            assertEquals(List.of(), filesBelow("staging"));
            assertNull(node.table("accounts"));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                FaultPoints.BUFFERED,
                FaultPoints.RECEIPT,
                FaultPoints.SORTED,
                FaultPoints.INTENT,
                FaultPoints.INGESTED,
                FaultPoints.FINALIZED
            })
    void resumableImportContinuesAfterAHalt(String point) throws Exception {
        UUID id = UUID.fromString(HaltingShuffle.IMPORT_ID);
        Process importer = OtherProcess.start(HaltingShuffle.class, temp.toString(), point, id.toString());
        assertEquals(HaltingShuffle.EXIT_CODE, importer.waitFor());
        try (StorageNode node = open(SETTINGS)) {
            ImportRequest request = new ImportRequest(TestTables.accounts("accounts"), IngestTiming.SHUFFLED, id, 0);
            try (ImportSession session = node.beginImport(request)) {
                assertTrue(session.resumed());
                List<ShuffleBatch> batches = HaltingShuffle.batches(session.table());
                if (point.equals(FaultPoints.BUFFERED)) {
                    for (ShuffleBatch batch : batches) {
                        TestBatches.send(session, batch);
                    }
                }
                IngestReport report = session.finalizeIngest();
                assertEquals(1, report.maxHeight(), point);
                List<IndexChecksum> sums = TestBatches.sums(session.table(), batches);
                assertEquals(sums, session.present(), point);
                assertEquals(sums, session.readBack().indexes(), point);
                session.publish(sums);
            }
            assertEquals(List.of(), filesBelow("staging"));
        }
    }

    /** Compactions of the table above go on when the store is opened again, or the client leaves the import. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void ingestIntoAParentsTreeIsFoundThoughItsFilesAreMerged(boolean reopened) throws Exception {
        AtomicBoolean failing = new AtomicBoolean();
        NodeSettings faulty = SETTINGS.withFaults(passed -> {
            if (passed.equals(FaultPoints.INGESTED) && failing.get()) {
                throw new UnsupportedOperationException(passed);
            }
        });
        ImportRequest request = new ImportRequest(TestTables.orders(), IngestTiming.SHUFFLED, new UUID(3, 4), 0);
        StorageNode node = open(faulty);
        try {
            TestSsts.importTable(node, TestTables.customers(), TestTables.customerRows(50), temp);
            NodeSession session = node.beginImport(request);
            List<ShuffleBatch> batches = TestBatches.of(session.table(), TestTables.orderRows(50), 7);
            for (ShuffleBatch batch : batches) {
                TestBatches.send(session, batch);
            }
            failing.set(true);
            assertThrows(UnsupportedOperationException.class, session::finalizeIngest);
            failing.set(false);
            if (reopened) {
                node.close();
                node = open(SETTINGS);
            } else {
                session.detach();
            }
            mergeAll(node, "customers");
            NodeSession resumed = node.beginImport(request);
            IngestReport unused = resumed.finalizeIngest();
            List<IndexChecksum> sums = TestBatches.sums(resumed.table(), batches);
            assertEquals(sums, resumed.present());
            resumed.publish(sums);
            assertEquals(sums, node.digest("orders").indexes());
            assertEquals(50, node.digest("customers").rows());
            assertEquals(List.of(), filesBelow("staging"));
        } finally {
            node.close();
        }
    }

    private static void mergeAll(StorageNode node, String table) {
        Family tree = node.store().family(node.catalog().require(table).family());
        List<LsmFile> files = tree.files();
        assertTrue(files.size() > 1);
        int lowest = files.stream().mapToInt(LsmFile::level).max().orElseThrow();
        assertNotNull(tree.merge(files.stream().map(LsmFile::name).toList(), lowest, Long.MAX_VALUE, 1));
    }

    /** Without its buffer, a resumed import would believe its checkpoint records, and end without these rows. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void interruptedUndoGoesOnAtTheNextStart(boolean interleaved) throws Exception {
        UUID id = new UUID(5, 5);
        TableDef table = interleaved ? TestTables.orders() : TestTables.accounts("accounts");
        ImportRequest request = new ImportRequest(table, IngestTiming.SHUFFLED, id, 0);
        try (StorageNode node = open(SETTINGS)) {
            TestSsts.importTable(node, TestTables.customers(), TestTables.customerRows(50), temp);
            ImportSession session = node.beginImport(request);
            List<List<@Nullable String>> rows = interleaved ? TestTables.orderRows(50) : TestTables.accountRows(50);
            for (ShuffleBatch batch : TestBatches.of(session.table(), rows, 7)) {
                TestBatches.send(session, batch);
            }
            session.putCheckpoint("0", new byte[] {1});
            // The first steps of an undo.
            ImportRecord running = node.catalog().imports().all().get(0);
            if (!interleaved) {
                node.store().dropFamily(running.family());
            }
            Path staged = temp.resolve("store/staging").resolve(Integer.toString(running.id()));
            Files.move(staged, staged.resolveSibling(running.id() + ".removed"));
        }
        try (StorageNode node = open(SETTINGS)) {
            assertEquals(1, node.recovered().size(), node.recovered().toString());
            assertTrue(
                    node.recovered().get(0).contains("it was being removed"),
                    node.recovered().toString());
            assertNull(node.session(id));
            assertEquals(List.of(), filesBelow("staging"));
        }
    }

    private static void send(ImportSession session, int rows) throws InterruptedException {
        for (ShuffleBatch batch : TestBatches.of(session.table(), TestTables.customerRows(rows), 10)) {
            TestBatches.send(session, batch);
        }
    }

    private StorageNode open(NodeSettings settings) {
        return StorageNode.open(temp.resolve("store"), settings);
    }

    private List<Path> filesBelow(String directory) throws IOException {
        Path root = temp.resolve("store").resolve(directory);
        if (!Files.exists(root)) {
            return List.of();
        }
        try (Stream<Path> files = Files.walk(root)) {
            return files.filter(path -> !path.equals(root)).toList();
        }
    }
}
