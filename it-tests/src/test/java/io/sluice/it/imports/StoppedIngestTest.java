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
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An ingest that an earlier run has finished, and that is only to be published: what a stop does then. */
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
        Path work = Files.createTempDirectory(directory, "work");
        return new StagedIngest(set, node, work, 1, false, control, new ImportProgress())
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
}
