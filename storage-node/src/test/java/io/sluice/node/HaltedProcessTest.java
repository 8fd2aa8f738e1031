package io.sluice.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.IngestTiming;
import io.sluice.api.node.SstFile;
import io.sluice.node.ingest.FaultPoints;
import io.sluice.node.ingest.NodeSession;
import io.sluice.node.ingest.Progress;
import io.sluice.testing.TestSsts;
import io.sluice.testing.TestTables;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Halts the process of one import at each durable step in turn, and resumes the import in the next process.
 * Acknowledged SSTs stay acknowledged, and the table is complete at the end.
 */
class HaltedProcessTest {
    private static final int PUTS = 1 << 20;

    static List<Arguments> ways() {
        return List.of(
                Arguments.of(
                        IngestTiming.AT_END,
                        0,
                        List.of(
                                FaultPoints.BEGUN,
                                FaultPoints.MOVED,
                                FaultPoints.SYNCED,
                                FaultPoints.RECEIPT,
                                FaultPoints.INTENT,
                                FaultPoints.INGESTED,
                                FaultPoints.BEFORE_PUBLISH)),
                Arguments.of(
                        IngestTiming.ON_ARRIVAL,
                        0,
                        List.of(
                                FaultPoints.CHECKPOINT,
                                FaultPoints.VERIFIED,
                                FaultPoints.INGESTED,
                                FaultPoints.RECEIPT,
                                FaultPoints.FINALIZED)),
                Arguments.of(
                        IngestTiming.ON_ARRIVAL,
                        PUTS,
                        List.of(FaultPoints.RECEIPT, FaultPoints.FLUSHED, FaultPoints.FLUSH_INGESTED)));
    }

    @ParameterizedTest
    @MethodSource("ways")
    void resumedImportIsCompleteAfterEveryHalt(
            IngestTiming timing, long smallSstBytes, List<String> points, @TempDir Path temp) throws Exception {
        Set<String> acknowledged = new TreeSet<>();
        for (String point : points) {
            Process halted = OtherProcess.start(
                    HaltingResumable.class, temp.toString(), point, timing.name(), Long.toString(smallSstBytes));
            String out = new String(halted.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertEquals(HaltingImport.EXIT_CODE, halted.waitFor(), point);
            out.lines().forEach(acknowledged::add);
        }
        NodeSettings settings = HaltingResumable.settings(smallSstBytes);
        try (StorageNode node = StorageNode.openExisting(temp.resolve("store"), settings)) {
            assertNull(node.table("accounts"));
            NodeSession found = Objects.requireNonNull(node.session(HaltingResumable.ID));
            for (String sst : acknowledged) {
                assertNotEquals(Progress.UNKNOWN, found.progress(UUID.fromString(sst)), "acknowledged and lost");
            }
            NodeSession session = node.beginImport(
                    new ImportRequest(TestTables.accounts("accounts"), timing, HaltingResumable.ID, 0));
            assertEquals(points.size() + 1, session.attempt());
            List<SstFile> ssts = HaltingResumable.ssts(session, Files.createTempDirectory(temp, "ssts"));
            ssts.forEach(session::ship);
            session.finalizeIngest();
            List<IndexChecksum> sums = TestSsts.sums(session.table(), ssts);
            assertEquals(sums, session.present());
            session.publish(sums);
            assertEquals(sums, node.digest("accounts").indexes());
        }
        try (StorageNode node = StorageNode.openExisting(temp.resolve("store"), settings)) {
            assertEquals(List.of(), node.recovered());
        }
    }
}
