package io.sluice.node;

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
import io.sluice.api.node.IngestTiming;
import io.sluice.api.node.RangeDirectory;
import io.sluice.api.node.ShipAnswer;
import io.sluice.api.node.SstFile;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.schema.TableDef;
import io.sluice.node.ingest.Admission;
import io.sluice.node.ingest.FaultPoints;
import io.sluice.node.ingest.IngestSettings;
import io.sluice.node.ingest.NodeSession;
import io.sluice.node.ingest.Progress;
import io.sluice.testing.TestSsts;
import io.sluice.testing.TestTables;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests attempts, fencing and leases of imports, and the calls that only a server makes. */
@ParameterizedClass
@EnumSource(
        value = IngestTiming.class,
        names = {"AT_END", "ON_ARRIVAL"})
class SessionsTest {
    private static final UUID ID = new UUID(1, 2);
    private static final Instant NOON = Instant.parse("2026-03-01T12:00:00Z");
    private static final NodeSettings SETTINGS = NodeSettings.defaults()
            .withIngest(IngestSettings.defaults().withSmallSstBytes(0))
            .withClock(Clock.fixed(NOON, ZoneOffset.UTC));

    @Parameter
    private IngestTiming timing = IngestTiming.AT_END;

    private Path temp = Path.of("");
    private @Nullable StorageNode node;

    @BeforeEach
    void open(@TempDir Path directory) {
        temp = directory;
        reopen(SETTINGS);
    }

    @AfterEach
    void close() {
        node().close();
    }

    private StorageNode node() {
        return Objects.requireNonNull(node);
    }

    private void reopen(NodeSettings settings) {
        if (node != null) {
            node.close();
        }
        node = StorageNode.open(temp.resolve("store"), settings);
    }

    private ImportRequest request(TableDef table, @Nullable UUID id, int tableId) {
        return new ImportRequest(table, timing, id, tableId);
    }

    private NodeSession begin() {
        return node().beginImport(request(TestTables.customers(), ID, 0));
    }

    /** A cancelled job left its import behind, and the next job of the table was refused. */
    @Test
    void beginThatIsInterruptedLeavesNothing() {
        Thread.currentThread().interrupt();
        assertThrows(OperationFailedException.class, this::begin);
        assertTrue(Thread.interrupted());
        try (NodeSession other = node().beginImport(request(TestTables.customers(), new UUID(5, 6), 0))) {
            assertFalse(other.table().name().isEmpty());
        }
    }

    /** Its process ended in the middle of the removal, and the next one kept it, and the name of its table. */
    @Test
    void removalIsFinishedByTheNextProcess() {
        for (String point : List.of(FaultPoints.REMOVING, FaultPoints.REMOVED)) {
            Path copy = temp.resolve(point);
            reopen(SETTINGS.withFaults(passed -> {
                if (passed.equals(point)) {
                    StoreCopy.take(temp.resolve("store"), copy);
                }
            }));
            begin().close();
            try (StorageNode next = StorageNode.openExisting(copy, SETTINGS)) {
                assertEquals(
                        List.of("removed import " + ID + " of table customers, which cannot be resumed: its removal"
                                + " had begun; import it again"),
                        next.recovered());
                next.beginImport(request(TestTables.customers(), new UUID(5, 6), 0))
                        .close();
            }
        }
    }

    private SstFile sst(NodeSession session, int from, int to) throws Exception {
        return TestSsts.build(session.table(), TestTables.customerRows(to).subList(from, to), temp)
                .get(0);
    }

    private static String failure(Runnable call) {
        return String.valueOf(
                assertThrows(OperationFailedException.class, call::run).getMessage());
    }

    @Test
    void laterAttemptFencesTheEarlierOne() throws Exception {
        NodeSession first = begin();
        SstFile sst = sst(first, 0, 10);
        first.ship(sst);
        assertFalse(first.resumed());
        assertEquals(1, first.attempt());

        NodeSession second = begin();
        assertTrue(second.resumed());
        assertEquals(2, second.attempt());
        assertTrue(first.superseded());
        assertFalse(second.superseded());
        SstFile more = sst(second, 10, 20);
        assertTrue(failure(() -> first.ship(more)).contains("attempt 1 at import " + ID), "no reason was given");
        failure(first::finalizeIngest);
        failure(first::detach);
        failure(() -> first.publish(List.of()));
        first.close();
        assertEquals(Progress.UNKNOWN, second.progress(more.id()), "closing a stale session undid the import");
        assertTrue(Files.exists(more.path()), "a file that was not taken is the sender's");
        assertEquals(new ShipAnswer.Taken(), second.ship(sst), "taken in the first attempt");

        NodeSession stale = node().session(ID, 1);
        assertTrue(stale != null && stale.superseded());
        second.ship(more);
        second.finalizeIngest();
        List<IndexChecksum> sums = second.present();
        assertEquals(20, sums.get(0).sum().count());
        second.publish(sums);
        assertEquals(sums, node().digest("customers").indexes());
    }

    @Test
    void detachedImportIsFoundAgain() throws Exception {
        NodeSession first = begin();
        first.ship(sst(first, 0, 10));
        first.finalizeIngest();
        first.putCheckpoint("a/b", new byte[] {1});
        first.putCheckpoint("a/b", new byte[] {2});
        first.detach();
        first.close();
        NodeSession known = Objects.requireNonNull(node().session(ID));
        assertEquals(1, known.attempt());
        assertEquals(10, known.present().get(0).sum().count());

        reopen(SETTINGS);
        assertEquals(
                List.of("kept import " + ID + " of table customers, which is not finished; resume it within 24"
                        + " hours, or it is removed"),
                node().recovered());
        NodeSession found = Objects.requireNonNull(node().session(ID));
        assertEquals(1, found.attempt(), "a restart is no new attempt");
        assertEquals(10, found.present().get(0).sum().count(), "it was finalized, and is still");
        Map<String, byte[]> notes = found.checkpoints();
        assertArrayEquals(new byte[] {1}, notes.get("a/b"), "notes never change");
        assertEquals(1, notes.size());
        found.close();
        assertNull(node().session(ID));
        assertNull(node().session(ID, 1));
        assertNotNull(begin(), "undone, it can begin again");
        assertEquals(1, Objects.requireNonNull(node().session(ID)).attempt());
    }

    @Test
    void anotherDefinitionIsRefused() {
        int tableId = begin().table().id();
        assertThrows(
                BadInputException.class, () -> node().beginImport(request(TestTables.accounts("customers"), ID, 0)));
        assertEquals(
                tableId,
                node().beginImport(request(TestTables.customers(), ID, 9))
                        .table()
                        .id(),
                "a resuming client may not know its id yet");
        BadInputException taken = assertThrows(
                BadInputException.class, () -> node().beginImport(request(TestTables.customers(), new UUID(3, 4), 0)));
        assertTrue(String.valueOf(taken.getMessage()).contains("by import " + ID), taken.getMessage());
        assertThrows(BadInputException.class, () -> node().beginImport(request(TestTables.customers(), null, 0)));
    }

    @Test
    void expiredImportIsRemoved() throws Exception {
        NodeSession session = begin();
        session.ship(sst(session, 0, 10));
        reopen(SETTINGS.withClock(Clock.fixed(NOON.plus(Duration.ofHours(24)), ZoneOffset.UTC)));
        assertNotNull(node().session(ID), "the lease has a moment left");

        reopen(SETTINGS.withClock(Clock.fixed(NOON.plus(Duration.ofHours(25)), ZoneOffset.UTC)));
        assertNull(node().session(ID));
        assertEquals(
                List.of("removed import " + ID + " of table customers, which no client had resumed for 24 hours;"
                        + " import it again"),
                node().recovered());
        reopen(SETTINGS);
        assertEquals(List.of(), node().recovered());
    }

    /** The undo failed before it could remove the record, for want of disk space for example. */
    @Test
    void undoThatFailedGoesOnWithTheNextCall() throws Exception {
        NodeSession session = begin();
        session.ship(sst(session, 0, 10));
        reopen(SETTINGS);
        node().store().dropFamily(node().catalog().imports().all().get(0).family());
        assertNull(node().session(ID));
        assertEquals(List.of(), node().catalog().imports().all());
        assertFalse(begin().resumed());
    }

    @Test
    void undoThatWasInterruptedGoesOnAtTheNextStart() throws Exception {
        NodeSession session = begin();
        session.ship(sst(session, 0, 10));
        node().store().dropFamily(node().catalog().imports().all().get(0).family());
        reopen(SETTINGS);
        assertEquals(
                List.of("removed import " + ID + " of table customers, which cannot be resumed: it was being removed;"
                        + " import it again"),
                node().recovered());
        assertNull(node().session(ID));
    }

    /** An entry of the cluster's log may have published it while the node was down. */
    @Test
    void finishedPartOutlivesItsLeaseWhileTheNodeIsDown() throws Exception {
        NodeSession session = begin();
        session.assign(new RangeDirectory(
                1,
                List.of(new RangeDirectory.Range(
                        new byte[0], List.of(node().status().id(), "another")))));
        session.ship(sst(session, 0, 10), 1);
        session.finalizeIngest();
        session.putCheckpoint(ImportSession.FINISHED, new byte[] {1});
        List<IndexChecksum> sums = session.present();
        reopen(SETTINGS.withClock(Clock.fixed(NOON.plus(Duration.ofHours(25)), ZoneOffset.UTC)));
        node().removeExpiredImports();
        assertNotNull(node().publishDecided(ID, session.table().id(), sums));
        assertEquals(sums, node().digest("customers").indexes());
    }

    @Test
    void publicationCanBeRepeated() throws Exception {
        NodeSession session = begin();
        session.putCheckpoint("k", new byte[] {5});
        session.ship(sst(session, 0, 10));
        session.finalizeIngest();
        List<IndexChecksum> sums = session.present();
        session.publish(sums);
        session.publish(sums);
        session.close();

        reopen(SETTINGS);
        NodeSession again = Objects.requireNonNull(node().session(ID, 1));
        again.finalizeIngest();
        assertEquals(sums, again.present());
        assertEquals(sums, again.readBack().indexes());
        again.publish(sums);
        again.detach();
        assertArrayEquals(new byte[] {5}, again.checkpoints().get("k"));
        SstFile late = sst(again, 0, 10);
        assertTrue(failure(() -> again.ship(late)).contains("table customers is published"), "no reason was given");
        try (NodeSession begun = begin()) {
            assertTrue(begun.resumed());
        }
        assertEquals(sums, node().digest("customers").indexes(), "closing it removed the table");

        reopen(SETTINGS.withClock(Clock.fixed(NOON.plus(Duration.ofHours(25)), ZoneOffset.UTC)));
        assertNull(node().session(ID), "remembered for a lease only");
        assertThrows(BadInputException.class, this::begin);
    }

    @Test
    void requestedTableIdsAreNotReused() {
        assertEquals(1, node().status().nextTableId());
        try (NodeSession session = node().beginImport(request(TestTables.customers(), ID, 7))) {
            assertEquals(7, session.table().id());
        }
        assertEquals(8, node().status().nextTableId());
        BadInputException e =
                assertThrows(BadInputException.class, () -> node().beginImport(request(TestTables.customers(), ID, 7)));
        assertTrue(String.valueOf(e.getMessage()).contains("cannot have the id 7"), e.getMessage());
        assertThrows(BadInputException.class, () -> node().beginImport(request(TestTables.customers(), ID, -1)));
        String id = node().status().id();
        reopen(SETTINGS);
        assertEquals(id, node().status().id(), "the node's name has changed");
    }

    /** Its client did not hear that it was begun here, and the other nodes have agreed on a greater table id. */
    @Test
    void importThatGoesOnWithoutTheNodeIsRemoved() {
        int id = begin().table().id();
        RangeDirectory elsewhere = new RangeDirectory(
                        1, List.of(new RangeDirectory.Range(new byte[0], List.of("other"))))
                .at(Map.of("other", "127.0.0.1:1"));
        assertNull(node().importMoved(ID, id - 1, elsewhere), "removed by the entry of an earlier attempt");
        assertNotNull(node().session(ID));
        assertNotNull(node().importMoved(ID, id + 40, elsewhere));
        assertNull(node().session(ID));
    }

    /** A client that is gone has begun the step, and the cluster's log waits for the publication. */
    @Test
    void decisionDoesNotWaitForARunningStep() throws Exception {
        CountDownLatch held = new CountDownLatch(1);
        reopen(SETTINGS.withFaults(point -> {
            if (point.equals(FaultPoints.FINALIZED)) {
                held.countDown();
                try {
                    assertTrue(new CountDownLatch(1).await(60, TimeUnit.SECONDS));
                } catch (InterruptedException e) {
                    throw new OperationFailedException("cancelled", e);
                }
            }
        }));
        NodeSession session = begin();
        SstFile sst = sst(session, 0, 10);
        List<IndexChecksum> sums = TestSsts.sums(session.table(), List.of(sst));
        session.ship(sst);
        CompletableFuture<String> step = new CompletableFuture<>();
        new Thread(() -> step.complete(failure(session::finalizeIngest))).start();
        assertTrue(held.await(30, TimeUnit.SECONDS));
        int id = session.table().id();
        CompletableFuture<@Nullable String> decided = new CompletableFuture<>();
        new Thread(() -> decided.complete(node().publishDecided(ID, id, sums))).start();
        assertNotNull(decided.get(30, TimeUnit.SECONDS));
        assertEquals("cancelled", step.get(30, TimeUnit.SECONDS));
        assertEquals(sums, node().digest("customers").indexes());
    }

    /** Its importer gives a node up that was lost after the publication. Statements may have changed rows before. */
    @Test
    void countsLackThoseOfANodeThatIsLostAfterThePublication() throws Exception {
        NodeSession session = begin();
        String self = node().status().id();
        RangeDirectory both =
                new RangeDirectory(1, List.of(new RangeDirectory.Range(new byte[0], List.of("lost", self))));
        session.assign(both.at(Map.of(self, "127.0.0.1:1", "lost", "127.0.0.1:2")));
        session.ship(sst(session, 0, 10), 1);
        session.finalizeIngest();
        List<IndexChecksum> sums = session.present();
        int id = session.table().id();
        assertNotNull(node().publishDecided(ID, id, sums));
        RangeDirectory next = both.without("lost").atEpoch(2).at(Map.of(self, "127.0.0.1:1"));
        Objects.requireNonNull(node().session(ID)).assign(next);
        assertNull(node().importMoved(ID, id, next));
        RangeDirectory now = Objects.requireNonNull(node().table("customers")).directory();
        assertEquals(List.of(2L, Set.of("lost")), List.of(now.epoch(), now.uncounted()));
    }

    @Test
    void sstIsAdmittedBeforeItsFileArrives() throws Exception {
        NodeSession session = begin();
        SstFile sst = sst(session, 0, 10);
        try (Admission.Room room = room(session.admit(sst, 0));
                Admission.Room rival = room(session.admit(sst, 0))) {
            assertEquals(2 * sst.fileBytes(), node().status().load().stagedBytes());
            Files.copy(sst.path(), room.file());
            Files.copy(sst.path(), rival.file());
            assertEquals(new ShipAnswer.Taken(), room.ship());
            assertEquals(new ShipAnswer.Taken(), rival.ship(), "the same SST, at the same time");
        }
        assertEquals(0, node().status().load().stagedBytes());
        assertEquals(
                new Admission.Answered(new ShipAnswer.Taken()), session.admit(sst, 0), "what was taken needs no body");

        SstFile broken = sst(session, 10, 20);
        Path part;
        try (Admission.Room room = room(session.admit(broken, 0))) {
            part = room.file();
            Files.write(part, new byte[7]);
            assertTrue(failure(room::ship).contains("it has 7 bytes"), "no reason was given");
        }
        try (Admission.Room room = room(session.admit(broken, 0))) {
            part = room.file();
            Files.write(part, new byte[7]);
        }
        assertFalse(Files.exists(part), "an interrupted upload left its file");
        assertEquals(0, node().status().load().stagedBytes());
        session.ship(broken);
        session.finalizeIngest();
        assertEquals(20, session.present().get(0).sum().count());
    }

    private static Admission.Room room(Admission admission) {
        return assertInstanceOf(Admission.Room.class, admission);
    }

    @Test
    void roomOfAnEarlierAttemptIsRefused() throws Exception {
        NodeSession first = begin();
        SstFile sst = sst(first, 0, 10);
        try (Admission.Room room = room(first.admit(sst, 0))) {
            Files.copy(sst.path(), room.file());
            NodeSession second = begin();
            assertTrue(failure(room::ship).contains("stale"), "no reason was given");
            assertEquals(Progress.UNKNOWN, second.progress(sst.id()));
        }
        assertEquals(0, node().status().load().stagedBytes());
    }

    @Test
    void sstsOutsideTheNodesRangesAreRefused() throws Exception {
        NodeSession session = begin();
        String self = node().status().id();
        SstFile low = sst(session, 0, 10);
        SstFile middle = sst(session, 10, 20);
        SstFile crossing = sst(session, 5, 15);
        SstFile high = sst(session, 20, 30);
        RangeDirectory directory = new RangeDirectory(
                3,
                List.of(
                        new RangeDirectory.Range(new byte[0], List.of(self)),
                        new RangeDirectory.Range(middle.smallestKey(), List.of("other", self)),
                        new RangeDirectory.Range(high.smallestKey(), List.of("other"))));
        session.ship(low, 0);
        session.assign(directory);
        session.assign(directory);
        assertEquals(new ShipAnswer.Moved(directory), session.ship(middle, 0));
        assertEquals(new Admission.Answered(new ShipAnswer.Moved(directory)), session.admit(middle, 2));
        assertEquals(new ShipAnswer.Taken(), session.ship(low, 0), "what was taken stays taken");
        assertTrue(failure(() -> session.ship(middle, 4)).contains("assign it here first"), "no reason was given");
        ShipAnswer.Refused wide = assertInstanceOf(ShipAnswer.Refused.class, session.ship(crossing, 3));
        assertTrue(wide.reason().contains("several ranges"), wide.reason());
        ShipAnswer.Refused foreign = assertInstanceOf(ShipAnswer.Refused.class, session.ship(high, 3));
        assertTrue(foreign.reason().contains("does not hold"), foreign.reason());
        assertTrue(Files.exists(high.path()), "a file that was refused is the sender's");
        assertEquals(new ShipAnswer.Taken(), session.ship(middle, 3));

        RangeDirectory older = new RangeDirectory(2, directory.ranges());
        RangeDirectory rival = new RangeDirectory(3, List.of());
        RangeDirectory taking = new RangeDirectory(
                4,
                List.of(
                        new RangeDirectory.Range(new byte[0], List.of(self)),
                        new RangeDirectory.Range(middle.largestKey(), List.of("other"))));
        failure(() -> session.assign(older));
        failure(() -> session.assign(rival));
        assertTrue(failure(() -> session.assign(taking)).contains("would not hold all"), "no reason was given");

        reopen(SETTINGS);
        NodeSession again = begin();
        assertEquals(directory, again.directory());
        again.finalizeIngest();
        again.publish(again.present());
        assertEquals(
                directory, Objects.requireNonNull(node().table("customers")).directory());
        reopen(SETTINGS);
        assertEquals(
                directory, Objects.requireNonNull(node().table("customers")).directory());
    }

    @Test
    void missingStagedFileUndoesTheImport() throws Exception {
        if (timing == IngestTiming.ON_ARRIVAL) {
            return;
        }
        NodeSession session = begin();
        SstFile sst = sst(session, 0, 10);
        session.ship(sst);
        node().close();
        Files.delete(temp.resolve("store/staging/1/" + sst.id() + ".sst"));
        reopen(SETTINGS);
        assertTrue(node().recovered().get(0).contains("cannot be resumed: SST " + sst.id()), "not told");
        assertNull(node().session(ID));
    }
}
