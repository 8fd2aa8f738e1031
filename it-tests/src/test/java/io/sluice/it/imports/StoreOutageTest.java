package io.sluice.it.imports;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.importer.conflict.ConflictPolicy;
import io.sluice.importer.job.ImportControl;
import io.sluice.importer.job.ImportProgress;
import io.sluice.importer.job.staged.SetPlace;
import io.sluice.importer.job.staged.StagedIngest;
import io.sluice.importer.job.staged.StagedSet;
import io.sluice.importer.source.remote.S3Settings;
import io.sluice.it.support.StagedSets;
import io.sluice.model.error.ImportPausedException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.node.NodeSettings;
import io.sluice.node.StorageNode;
import io.sluice.node.ingest.FaultPoints;
import io.sluice.testing.ObjectStore;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The object store of a staged set stops while the set is read, and is started again. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class StoreOutageTest {
    private static final String DDL = "CREATE TABLE t (a INT8 PRIMARY KEY, b STRING, INDEX i (b));";
    private static final String PLACE = "s3://bucket/sets/t";

    @TempDir
    Path directory;

    private ObjectStore store;
    private StorageNode node;
    private volatile FaultPoints faults = FaultPoints.none();

    @BeforeEach
    void build() throws Exception {
        startStore();
        store.createBucket("bucket");
        StagedSet unused = StagedSets.build(place(), DDL, Files.writeString(directory.resolve("t.csv"), "1,x\n2,y\n"));
        node = StorageNode.open(
                directory.resolve("store"), NodeSettings.defaults().withFaults(point -> faults.reached(point)));
    }

    @AfterEach
    void close() {
        node.close();
        store.close();
        store.forgetCredentials();
    }

    private void startStore() throws Exception {
        store = new ObjectStore(Files.createDirectories(directory.resolve("objects")));
        store.useCredentials();
    }

    private SetPlace place() {
        return SetPlace.of(PLACE, new S3Settings(URI.create(store.url()), null, true));
    }

    private StagedIngest ingest(StagedSet set) throws Exception {
        Path work = Files.createTempDirectory(directory, "work");
        return new StagedIngest(set, node, work, 1, false, new ImportControl(), new ImportProgress());
    }

    private void stopStoreAt(String when) {
        faults = point -> {
            if (point.equals(when)) {
                faults = FaultPoints.none();
                store.close();
            }
        };
    }

    @Test
    void ingestPausesAndGoesOn() throws Exception {
        StagedSet set = StagedSet.open(place());
        assertEquals(2, set.manifest().ssts().size());
        // The node has the first SST.
        stopStoreAt(FaultPoints.RECEIPT);
        ImportPausedException paused =
                assertThrows(ImportPausedException.class, () -> ingest(set).run());
        assertFalse(paused.requested());
        String message = String.valueOf(paused.getMessage());
        assertTrue(message.startsWith("the ingest is paused: " + PLACE), message);
        assertTrue(message.endsWith("Nodes keep what they have. Run the same command again to resume it"), message);
        assertNotNull(node.session(set.manifest().setId()));
        startStore();
        StagedIngest.Result done = ingest(StagedSet.open(place())).run();
        assertEquals("ingested", done.state());
        assertEquals(2, node.digest("t").rows());
    }

    @Test
    void pausedAppendSaysThatNodesKeepNothing() throws Exception {
        ingest(StagedSet.open(place())).run();
        stopStoreAt(FaultPoints.BEGUN);
        StagedSet set = StagedSet.open(place());
        ImportPausedException paused =
                assertThrows(ImportPausedException.class, () -> ingest(set).append(ConflictPolicy.ERROR));
        String message = String.valueOf(paused.getMessage());
        assertTrue(message.contains("\nNodes keep nothing of an append. "), message);
        startStore();
        assertEquals(
                "appended",
                ingest(StagedSet.open(place())).append(ConflictPolicy.ERROR).state());
    }

    @Test
    void requestedPauseOfAnAppendUndoesIt() throws Exception {
        ingest(StagedSet.open(place())).run();
        ImportControl control = new ImportControl();
        faults = point -> {
            if (point.equals(FaultPoints.BEGUN)) {
                assertTrue(control.pause());
            }
        };
        Path work = Files.createTempDirectory(directory, "work");
        StagedIngest stopped =
                new StagedIngest(StagedSet.open(place()), node, work, 1, false, control, new ImportProgress());
        ImportPausedException paused =
                assertThrows(ImportPausedException.class, () -> stopped.append(ConflictPolicy.ERROR));
        assertTrue(paused.requested());
        assertTrue(paused.undone());
        assertTrue(String.valueOf(paused.getMessage()).contains("Nodes keep nothing"), paused.getMessage());
    }

    /** The answer of the publication is lost, after the rows are in the table. */
    @Test
    void appendThatIsPublishedSucceeds() throws Exception {
        ingest(StagedSet.open(place())).run();
        faults = point -> {
            if (point.equals(FaultPoints.PUBLISHED)) {
                throw new OperationFailedException("the answer is lost");
            }
        };
        StagedIngest.Result done = ingest(StagedSet.open(place())).append(ConflictPolicy.ERROR);
        assertEquals("appended", done.state());
        assertTrue(done.report().outcome().warnings().get(0).endsWith("failed: the answer is lost"));
    }

    @Test
    void storeThatDoesNotAnswerIsNoDamage() throws Exception {
        StagedSet set = StagedSet.open(place());
        SetPlace.Comparison stopping = sst -> {
            store.close();
            return true;
        };
        OperationFailedException failure =
                assertThrows(OperationFailedException.class, () -> set.place().problems(set.manifest(), stopping, 1));
        String message = String.valueOf(failure.getMessage());
        assertTrue(message.startsWith(PLACE + "/"), message);
        assertTrue(message.contains("no answer from the store"), message);
        assertTrue(message.endsWith("2 of 2 files could not be compared with the manifest; no other one is damaged"));
    }
}
