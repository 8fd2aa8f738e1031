package io.sluice.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.IngestTiming;
import io.sluice.api.node.RangeDirectory;
import io.sluice.api.node.ShipAnswer;
import io.sluice.api.node.SstFile;
import io.sluice.model.schema.TableDef;
import io.sluice.node.ingest.FaultPoints;
import io.sluice.node.ingest.IngestSettings;
import io.sluice.node.ingest.NodeSession;
import io.sluice.node.ingest.Progress;
import io.sluice.testing.Cases;
import io.sluice.testing.TestSsts;
import io.sluice.testing.TestTables;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests a node that ends at any durable step of a resumable import and is opened again. It has all acknowledged SSTs,
 * and the resumed import publishes the same table as an undisturbed one. The end is simulated by a copy of the store at
 * that step.
 */
class ResumeTest {
    private static final UUID ID = new UUID(7, 7);
    private static final int ROWS = 60;
    private static final long SEED = Long.getLong("sluice.seed", System.nanoTime());

    /** The paths of SSTs into the tree. */
    private enum Way {
        AT_END(IngestTiming.AT_END, false, 0),
        AT_END_INTERLEAVED(IngestTiming.AT_END, true, 0),
        FILES(IngestTiming.ON_ARRIVAL, false, 0),
        PUTS(IngestTiming.ON_ARRIVAL, false, 1 << 20);

        final IngestTiming timing;
        final boolean interleaved;
        final long smallSstBytes;

        Way(IngestTiming timing, boolean interleaved, long smallSstBytes) {
            this.timing = timing;
            this.interleaved = interleaved;
            this.smallSstBytes = smallSstBytes;
        }

        TableDef table() {
            return interleaved ? TestTables.orders() : TestTables.accounts("accounts");
        }

        List<List<@Nullable String>> rows() {
            return interleaved ? TestTables.orderRows(ROWS / 3) : TestTables.accountRows(ROWS);
        }

        List<String> points() {
            List<String> points = new ArrayList<>(List.of(
                    FaultPoints.BEGUN,
                    FaultPoints.ASSIGNED,
                    FaultPoints.CHECKPOINT,
                    FaultPoints.MOVED,
                    FaultPoints.VERIFIED,
                    FaultPoints.SHIPPED,
                    FaultPoints.RECEIPT,
                    FaultPoints.FINALIZED,
                    FaultPoints.BEFORE_PUBLISH,
                    FaultPoints.PUBLISHED));
            switch (this) {
                case AT_END, AT_END_INTERLEAVED ->
                    points.addAll(List.of(FaultPoints.SYNCED, FaultPoints.INTENT, FaultPoints.INGESTED));
                case FILES -> points.addAll(List.of(FaultPoints.INGESTED, FaultPoints.MERGE));
                case PUTS -> points.addAll(List.of(FaultPoints.FLUSHED, FaultPoints.FLUSH_INGESTED));
            }
            return points;
        }

        NodeSettings settings() {
            return NodeSettings.defaults()
                    .withReadThreads(2)
                    .withIngest(IngestSettings.defaults().withSmallSstBytes(smallSstBytes));
        }
    }

    static Stream<Arguments> ends() {
        List<Arguments> all = Stream.of(Way.values())
                .flatMap(way -> way.points().stream()
                        .flatMap(point -> Stream.of(1, 4).map(nth -> Arguments.of(way, point, nth))))
                .toList();
        return Cases.some(SEED, 40, all).stream();
    }

    /** Copies the store when a point is reached for the nth time, with the SSTs acknowledged by then. */
    private static final class CopyAt implements FaultPoints {
        final Path store;
        final Path copy;
        final String point;
        final Set<UUID> acknowledged = new HashSet<>();
        Set<UUID> atCopy = Set.of();
        int left;

        CopyAt(Path store, Path copy, String point, int nth) {
            this.store = store;
            this.copy = copy;
            this.point = point;
            left = nth;
        }

        @Override
        public synchronized void reached(String passed) {
            if (!passed.equals(point) || --left != 0) {
                return;
            }
            StoreCopy.take(store, copy);
            atCopy = Set.copyOf(acknowledged);
        }

        synchronized void acknowledge(UUID sst) {
            acknowledged.add(sst);
        }
    }

    @ParameterizedTest
    @MethodSource("ends")
    void acknowledgedSstsStayAndTheRestIsRepeated(Way way, String point, int nth, @TempDir Path temp) throws Exception {
        Path store = temp.resolve("store");
        Path ssts = Files.createDirectory(temp.resolve("ssts"));
        CopyAt end = new CopyAt(store, temp.resolve("copy"), point, nth);
        try (StorageNode node = StorageNode.open(store, way.settings())) {
            TestSsts.importTable(node, TestTables.customers(), TestTables.customerRows(20), ssts);
        }
        List<IndexChecksum> sums;
        try (StorageNode node = StorageNode.open(store, way.settings().withFaults(end))) {
            sums = importAll(node, way, ssts, end);
            assertEquals(sums, node.digest(way.table().name()).indexes());
        }
        if (!Files.exists(end.copy)) {
            assertNotEquals(1, nth, "the point was never passed");
            return;
        }
        for (int again = 0; again < 2; again++) {
            // A second time, because recovery must be idempotent.
            StorageNode.openExisting(end.copy, way.settings()).close();
        }
        try (StorageNode node = StorageNode.openExisting(end.copy, way.settings())) {
            NodeSession found = node.session(ID);
            if (node.table(way.table().name()) == null && found != null) {
                for (UUID sst : end.atCopy) {
                    assertNotEquals(Progress.UNKNOWN, found.progress(sst), "acknowledged and lost");
                }
            }
            assertEquals(sums, importAll(node, way, ssts, end));
            assertEquals(sums, node.digest(way.table().name()).indexes());
            assertEquals(20, node.digest("customers").rows(), "another table suffered");
        }
        try (StorageNode node = StorageNode.openExisting(end.copy, way.settings())) {
            assertEquals(List.of(), node.recovered());
            assertEquals(sums, node.digest(way.table().name()).indexes());
            try (Stream<Path> staged = Files.list(end.copy.resolve("staging"))) {
                assertEquals(List.of(), staged.toList());
            }
        }
    }

    /** Runs all steps of an import, including those done before. */
    private static List<IndexChecksum> importAll(StorageNode node, Way way, Path ssts, CopyAt end) throws Exception {
        try (NodeSession session = node.beginImport(new ImportRequest(way.table(), way.timing, ID, 0))) {
            List<SstFile> files = files(session, way, ssts);
            List<IndexChecksum> sums = TestSsts.sums(session.table(), files);
            if (node.table(way.table().name()) == null) {
                session.assign(new RangeDirectory(1, List.of()));
                session.putCheckpoint("sums", new byte[] {1, 2, 3});
                for (SstFile sst : files) {
                    assertEquals(new ShipAnswer.Taken(), session.ship(sst, 1));
                    end.acknowledge(sst.id());
                }
            }
            session.finalizeIngest();
            assertEquals(sums, session.present());
            assertEquals(sums, session.readBack().indexes());
            session.publish(sums);
            session.publish(sums);
            return sums;
        }
    }

    /** The same SSTs every time, with the same ids; the node consumes copies. */
    private static List<SstFile> files(NodeSession session, Way way, Path ssts) throws Exception {
        List<SstFile> files = new ArrayList<>();
        int number = 0;
        List<List<@Nullable String>> rows = way.rows();
        for (int from = 0; from < rows.size(); from += 20) {
            for (SstFile built : TestSsts.build(session.table(), rows.subList(from, from + 20), ssts)) {
                files.add(TestSsts.renamed(built, new UUID(9, number++)));
            }
        }
        assertTrue(number >= 3);
        return files;
    }
}
