package io.sluice.it.imports;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.importer.job.ImportControl;
import io.sluice.importer.job.ImportProgress;
import io.sluice.importer.job.staged.SetPlace;
import io.sluice.importer.job.staged.StagedIngest;
import io.sluice.importer.job.staged.StagedSet;
import io.sluice.it.support.StagedSets;
import io.sluice.model.error.ImportPausedException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.node.NodeSettings;
import io.sluice.node.StorageNode;
import io.sluice.node.ingest.FaultPoints;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An ingest that ends before its publication, by a stop or a failure. */
@SuppressWarnings("NullAway.Init") // made before each test
class StoppedIngestTest {
    private static final String DDL = "CREATE TABLE t (a INT8 PRIMARY KEY);";

    @TempDir
    Path directory;

    private StagedSet set;
    /** Work of the node at a fault point. */
    private FaultPoints faults = FaultPoints.none();

    private StorageNode node;

    @BeforeEach
    void finishWithoutPublication() throws Exception {
        set = StagedSets.build(
                SetPlace.of(directory.resolve("set")), DDL, Files.writeString(directory.resolve("t.csv"), "1\n2\n"));
        node = StorageNode.open(
                directory.resolve("store"), NodeSettings.defaults().withFaults(point -> faults.reached(point)));
        faults = at(FaultPoints.BEFORE_PUBLISH, () -> {
            throw new OperationFailedException("the disk is full");
        });
        assertThrows(OperationFailedException.class, () -> ingest(new ImportControl()));
        assertNull(node.table("t"));
        faults = FaultPoints.none();
    }

    @AfterEach
    void close() {
        node.close();
    }

    private static FaultPoints at(String when, Runnable work) {
        return point -> {
            if (point.equals(when)) {
                work.run();
            }
        };
    }

    private String ingest(ImportControl control) throws Exception {
        return ingest(control, false);
    }

    private String ingest(ImportControl control, boolean readBack) throws Exception {
        Path work = Files.createTempDirectory(directory, "work");
        return new StagedIngest(set, node, work, 1, readBack, control, new ImportProgress())
                .run()
                .state();
    }

    @Test
    void pauseDuringThePublicationComesTooLate() throws Exception {
        ImportControl control = new ImportControl();
        List<Boolean> stops = new ArrayList<>();
        faults = at(FaultPoints.BEFORE_PUBLISH, () -> stops.add(control.pause()));
        assertEquals("already ingested", ingest(control));
        assertEquals(List.of(false), stops);
        assertFalse(Thread.interrupted());
        assertEquals(2, node.digest("t").rows());
    }

    /** Other nodes may have published it. */
    @Test
    void pauseBeforeThePublicationUndoesNothing() throws Exception {
        ImportControl control = new ImportControl();
        faults = at(FaultPoints.RESUMED, () -> assertTrue(control.pause()));
        assertThrows(ImportPausedException.class, () -> ingest(control));
        faults = FaultPoints.none();
        assertEquals("already ingested", ingest(new ImportControl()));
        assertEquals(2, node.digest("t").rows());
    }

    /** The manifest has another checksum of KVs than its SSTs. */
    @Test
    void otherKvsThanThoseOfTheManifestAreNotPublished() throws Exception {
        String sum = String.valueOf(set.manifest().totals().get(0).crcSum());
        Path file = directory.resolve("set").resolve("manifest.json");
        String text = Files.readString(file).replace(sum, "0123456789abcdef");
        int start = text.indexOf('\n') + 1;
        byte[] signed = MessageDigest.getInstance("SHA-256")
                .digest(text.substring(start, text.length() - 2).getBytes(StandardCharsets.UTF_8));
        Files.writeString(
                file,
                text.substring(0, start)
                                .replaceFirst("[0-9a-f]{64}", HexFormat.of().formatHex(signed))
                        + text.substring(start));
        set = StagedSet.open(set.place());
        node.close();
        node = StorageNode.open(directory.resolve("other"), NodeSettings.defaults());
        OperationFailedException failed =
                assertThrows(OperationFailedException.class, () -> ingest(new ImportControl(), true));
        assertTrue(
                String.valueOf(failed.getMessage())
                        .startsWith("verification failed\ntable t, index primary: in the manifest 2 KVs of "),
                failed.toString());
        assertNull(node.table("t"));
    }
}
