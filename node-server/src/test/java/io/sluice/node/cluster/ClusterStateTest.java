package io.sluice.node.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.api.node.RangeDirectory;
import io.sluice.api.transaction.Decision;
import io.sluice.api.transaction.Outcome;
import io.sluice.api.wire.ClusterBody.Member;
import io.sluice.api.wire.ClusterBody.Suspect;
import io.sluice.api.wire.ClusterChange;
import io.sluice.api.wire.ClusterChange.Dropped;
import io.sluice.api.wire.ClusterChange.Freeze;
import io.sluice.api.wire.ClusterChange.Moved;
import io.sluice.api.wire.ClusterChange.Published;
import io.sluice.model.error.OperationFailedException;
import io.sluice.sql.distributed.Decisions;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.ratis.io.MD5Hash;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerConfigKeys.Log.CorruptionPolicy;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.server.storage.StorageImplUtils;
import org.apache.ratis.statemachine.impl.SimpleStateMachineStorage;
import org.apache.ratis.util.MD5FileUtil;
import org.apache.ratis.util.SizeInBytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the entries about members that may be lost. */
class ClusterStateTest {
    private static final RangeDirectory PLACES =
            new RangeDirectory(3, List.of(new RangeDirectory.Range(new byte[0], List.of("a", "b"))));
    private static final RangeDirectory WITHOUT = PLACES.leavingOut("b", Set.of("a", "c"));

    private final Map<Integer, RangeDirectory> moved = new HashMap<>();
    private final Map<Integer, UUID> published = new HashMap<>();
    private final ClusterState state = state();
    private long index;

    private ClusterState state() {
        return new ClusterState(
                table -> moved.put(table.tableId(), table.directory().toDirectory()),
                (at, owners) -> {},
                table -> {},
                table -> published.put(table.tableId(), table.importId()));
    }

    private String apply(ClusterChange change) {
        index++;
        return state.apply(index, change);
    }

    private void addMembers() {
        for (String id : List.of("a", "b", "c")) {
            assertEquals("", apply(ClusterChange.adding(new Member(id, id, "http://" + id + ":1", id + ":2"))));
        }
    }

    private String raise(String node) {
        ClusterChange change = ClusterChange.suspecting(node);
        assertEquals("", apply(change));
        return change.suspicion() == null ? "" : change.suspicion().token();
    }

    private static ClusterChange confirmed(String token) {
        return ClusterChange.leavingOut("b", token, List.of(Moved.of(7, WITHOUT, List.of())));
    }

    @Test
    void suspectedMemberIsLeftOutUntilItIsBack() throws Exception {
        addMembers();
        String token = raise("b");
        assertEquals(List.of(new Suspect("b", token, true, false)), state.suspects());
        // Another process needs it, too.
        String second = raise("b");
        assertEquals(List.of(new Suspect("b", token, true, false)), state.suspects());
        assertTrue(apply(confirmed(second)).contains("the node is back"));
        assertEquals("", apply(confirmed(token)));
        assertEquals(Map.of(7, WITHOUT), moved);
        assertEquals(List.of(new Suspect("b", token, false, true)), state.suspects());

        // A later table needs it: it is still left out.
        String later = raise("b");
        assertEquals(List.of(new Suspect("b", later, true, true)), state.suspects());
        // It has seen the first suspicion only.
        assertEquals("", apply(ClusterChange.clearing("b", token)));
        assertEquals(1, state.suspects().size());

        ClusterState copy = state();
        copy.restore(state.snapshot(), index);
        assertEquals(state.suspects(), copy.suspects());

        assertEquals("", apply(ClusterChange.clearing("b", later)));
        assertEquals(List.of(), state.suspects());
        assertNull(state.suspect("b"));
    }

    /** Nodes that are down when a snapshot takes the place of the entries must learn the outcomes. */
    @Test
    void decisionsAreInTheSnapshotUntilTheirNodesHaveReported() throws Exception {
        addMembers();
        Decision commit = new Decision(UUID.randomUUID(), List.of("a", "b"), 0, null);
        Decision abort = Decision.abort(UUID.randomUUID(), 0);
        index++;
        byte[] entry = ClusterState.entry(new Decisions.Entry(List.of(commit, abort), null));
        assertEquals(List.of(Outcome.COMMITTED, Outcome.ABORTED), ClusterState.outcomes(state.apply(index, entry)));
        ClusterState copy = state();
        copy.restore(state.snapshot(), index);
        assertEquals(Outcome.COMMITTED, copy.decisions().outcome(commit.transaction()));
        assertEquals(Outcome.ABORTED, copy.decisions().outcome(abort.transaction()));
        assertEquals(index, copy.decisions().unreported("b"));
        Decisions.Entry report = new Decisions.Entry(List.of(), new Decisions.Report("a", index));
        assertEquals("", copy.apply(index + 1, ClusterState.entry(report)));
        assertEquals("", copy.apply(index + 2, ClusterState.entry(ClusterChange.removing(List.of("b"), List.of(), 0))));
        assertEquals(0, copy.decisions().commits());
        // A snapshot of before there were decisions.
        String old = new String(state.snapshot(), StandardCharsets.UTF_8).replaceFirst(",\"decisions\":.*", "}");
        copy.restore(old.getBytes(StandardCharsets.UTF_8), index);
        assertEquals(state.members(), copy.members());
        assertEquals(Outcome.UNKNOWN, copy.decisions().outcome(abort.transaction()));
    }

    @Test
    void memberThatIsBackInTimeKeepsItsTables() {
        addMembers();
        String token = raise("b");
        assertEquals("", apply(ClusterChange.clearing("b", token)));
        assertTrue(apply(confirmed(token)).contains("the node is back"));
        assertEquals(Map.of(), moved);
        assertTrue(apply(ClusterChange.suspecting("unknown")).contains("no such node"));
    }

    /** A copy is about to move it; the leader lists it again. */
    @Test
    void frozenOrMovedTableIsNotMoved() {
        addMembers();
        String token = raise("b");
        Freeze freeze = new Freeze(7, "copy", 3);
        assertEquals("", apply(ClusterChange.freezing(freeze)));
        assertTrue(apply(confirmed(token)).contains("being moved"));
        RangeDirectory copied = PLACES.with(0, "c", "c:1").atEpoch(4);
        assertEquals("", apply(ClusterChange.moving(Moved.of(7, copied, List.of()), freeze)));
        assertTrue(apply(confirmed(token)).contains("try again"));
        assertEquals(Map.of(7, copied), moved);
        assertTrue(state.suspects().get(0).pending());
    }

    /** The nodes that ranges have left may not know it yet: nothing is written until they do. */
    @Test
    void movedTableMayStayFrozen() {
        addMembers();
        Freeze freeze = new Freeze(7, "copy", 3);
        Freeze again = new Freeze(7, "copy", 4);
        RangeDirectory replaced = PLACES.replacing(0, "b", "c", "c:1").atEpoch(4);
        assertEquals(List.of("a", "c"), replaced.ranges().get(0).nodes());
        ClusterChange move = ClusterChange.moving(Moved.of(7, replaced, List.of()), freeze, again);
        assertTrue(apply(move).contains("took too long"), "it is not frozen");
        assertEquals("", apply(ClusterChange.freezing(freeze)));
        assertEquals("", apply(move));
        assertEquals(Map.of(7, replaced), moved);
        assertEquals(List.of(again), state.frozen());
        assertTrue(apply(move).contains("being moved"), "it is repeated");
        String busy = apply(ClusterChange.freezing(new Freeze(7, "other", 4)));
        assertTrue(busy.contains("another command"), busy);
        assertTrue(Objects.requireNonNull(ClusterState.refused(busy)).frozen(), busy);
        assertTrue(Objects.requireNonNull(ClusterState.refused(apply(move))).frozen(), "it is repeated");
        assertEquals("", apply(ClusterChange.thawing(again)));
        String moved = apply(ClusterChange.freezing(new Freeze(7, "other", 3)));
        assertTrue(moved.contains("were moved"), moved);
        assertFalse(Objects.requireNonNull(ClusterState.refused(moved)).frozen(), moved);
        assertEquals(List.of(), state.frozen());
    }

    /** A node that comes back late publishes by the snapshot; a dropped table stays dropped. */
    @Test
    void publicationIsKeptUntilTheTableIsDropped() throws Exception {
        UUID id = new UUID(1, 2);
        ClusterChange publication = ClusterChange.publishing(Published.of(id, 7, List.of()));
        assertEquals("", apply(publication));
        assertEquals("", apply(publication), "its answer was lost, and it was repeated");
        assertEquals(Map.of(7, id), published);
        ClusterChange other = ClusterChange.publishing(Published.of(new UUID(3, 4), 7, List.of()));
        assertTrue(apply(other).contains("by another import"));
        byte[] snapshot = state.snapshot();
        published.clear();
        state().restore(snapshot, index);
        assertEquals(Map.of(7, id), published);

        Freeze freeze = new Freeze(7, "drop", 0);
        assertEquals("", apply(ClusterChange.freezing(freeze)));
        assertEquals("", apply(ClusterChange.dropping(new ClusterChange.Dropped(7, "t"), freeze)));
        assertTrue(apply(publication).contains("was dropped"));
        published.clear();
        state().restore(state.snapshot(), index);
        assertEquals(Map.of(), published);
    }

    /** Its importer waits for a node that does not answer, of a table whose places are others by now. */
    @Test
    void importDoesNotMoveATableThatWasMovedSinceItsPublication() {
        UUID id = new UUID(1, 2);
        addMembers();
        ClusterChange left = ClusterChange.moving(Moved.ofImport(id, 7, PLACES));
        assertEquals("", apply(left));
        assertEquals("", apply(ClusterChange.publishing(Published.of(id, 7, List.of()))));
        assertEquals("", apply(confirmed(raise("b"))));
        RangeDirectory later = PLACES.without("b").atEpoch(WITHOUT.epoch() + 1);
        String refusal = apply(ClusterChange.moving(Moved.ofImport(id, 7, later)));
        assertTrue(refusal.contains("is published, and its ranges were moved since"), refusal);
        assertEquals(Map.of(7, WITHOUT), moved);
        assertEquals("", apply(left), "its answer was lost, and it was repeated");
    }

    /** Two leaders after each other have checked them. */
    @Test
    void changesOfMembersThatComeLateAreRefused() {
        addMembers();
        assertEquals("", apply(ClusterChange.removing(List.of("b"), List.of(), 0)));
        String late = apply(ClusterChange.adding(new Member("b", "b", "http://b:3", "b:4")));
        assertTrue(late.contains("was removed"), late);
        assertEquals(List.of("a", "c"), state.members().stream().map(Member::id).toList());
        late = apply(ClusterChange.adding(new Member("d", "c", "http://d:3", "d:4")));
        assertTrue(late.contains("has a node c already"), late);
        late = apply(ClusterChange.removing(List.of("a", "c"), List.of(), index));
        assertTrue(late.contains("at least one must stay"), late);
        assertEquals("", apply(ClusterChange.adding(new Member("c", "c", "http://c:3", "c:4"))), "another address");
    }

    /** Its answer was lost, and the table was dropped meanwhile. */
    @Test
    void removalThatIsRepeatedDoesNotBringATableBack() {
        addMembers();
        ClusterChange removal = ClusterChange.removing(List.of("b"), List.of(Moved.of(7, WITHOUT, List.of())), 0);
        assertEquals("", apply(removal));
        Freeze freeze = new Freeze(7, "drop", WITHOUT.epoch());
        assertEquals("", apply(ClusterChange.freezing(freeze)));
        assertEquals("", apply(ClusterChange.dropping(new Dropped(7, "t"), freeze)));
        long seen = index;
        assertEquals("", apply(removal));
        assertEquals("", apply(ClusterChange.removing(List.of("a"), List.of(), seen)), "no removal lists the table");
    }

    /** A node that follows the log with some delay gets a snapshot while it serves rows. */
    @Test
    void readersSeeAStateWhileASnapshotTakesItsPlace() throws Exception {
        addMembers();
        String token = raise("b");
        assertEquals("", apply(ClusterChange.adding(new Member("d", "d", "http://d:1", "d:2"))));
        assertEquals("", apply(confirmed(token)));
        Decision commit = new Decision(UUID.randomUUID(), List.of("a", "b"), 0, null);
        index++;
        String unused = state.apply(index, ClusterState.entry(new Decisions.Entry(List.of(commit), null)));
        List<Object> seen = new ArrayList<>();
        List<ClusterState> states = new ArrayList<>();
        states.add(new ClusterState(
                table -> {
                    for (ClusterState read : states) {
                        seen.add(read.suspect("b"));
                        seen.add(read.members().size());
                        seen.add(read.decisions().outcome(commit.transaction()));
                    }
                },
                (at, owners) -> {},
                table -> {},
                table -> {}));
        ClusterState copy = states.get(0);
        copy.restore(state.snapshot(), index);
        seen.clear();
        copy.restore(state.snapshot(), index);
        assertEquals(List.of(new Suspect("b", token, false, true), 4, Outcome.COMMITTED), seen);
    }

    @Test
    void removedMemberIsNoLongerSuspected() {
        addMembers();
        String token = raise("b");
        assertEquals("", apply(ClusterChange.removing(List.of("b"), List.of(), index)));
        assertEquals(List.of(), state.suspects());
        assertTrue(apply(confirmed(token)).contains("no such node"));
    }

    /** A range without another replica that answers stays where it is. */
    @Test
    void onlyRangesWithAnotherReplicaAreMoved() {
        RangeDirectory places = new RangeDirectory(
                1,
                List.of(
                        new RangeDirectory.Range(new byte[0], List.of("a", "b")),
                        new RangeDirectory.Range(new byte[] {1}, List.of("b")),
                        new RangeDirectory.Range(new byte[] {2}, List.of("b", "c"))));
        RangeDirectory next = places.leavingOut("b", Set.of("a"));
        assertEquals(
                List.of(List.of("a"), List.of("b"), List.of("b", "c")),
                next.ranges().stream().map(RangeDirectory.Range::nodes).toList());
        assertEquals(2, next.epoch());
        assertEquals(Set.of("b"), next.uncounted());
        assertEquals(places, places.leavingOut("b", Set.of()));
    }

    @Test
    void entryOfALaterVersionIsNotApplied() {
        byte[] entry = "{\"version\":2,\"removed\":[\"a\"]}".getBytes(StandardCharsets.UTF_8);
        OperationFailedException refused = assertThrows(OperationFailedException.class, () -> state.apply(1, entry));
        assertTrue(String.valueOf(refused.getMessage()).endsWith("; upgrade the node"), refused.getMessage());
        byte[] unknown = "{\"removed\":[\"a\"],\"more\":1}".getBytes(StandardCharsets.UTF_8);
        assertThrows(IOException.class, () -> state.apply(1, unknown));
    }

    /** The disk may be full when a node gets the leader's snapshot: it says so, and reads the log again later. */
    @Test
    void snapshotThatCannotBeAppliedIsReported(@TempDir Path directory) throws Exception {
        AtomicBoolean diskFull = new AtomicBoolean();
        ClusterState full = new ClusterState(
                table -> {
                    if (diskFull.get()) {
                        throw new OperationFailedException("no space left");
                    }
                },
                (at, owners) -> {},
                table -> {},
                table -> {});
        RaftStorage storage = StorageImplUtils.newRaftStorage(
                directory.toFile(), SizeInBytes.ZERO, RaftStorage.StartupOption.FORMAT, CorruptionPolicy.EXCEPTION);
        storage.initialize();
        List<String> failures = new ArrayList<>();
        ClusterStateMachine machine = new ClusterStateMachine(full, failures::add);
        RaftServer server = (RaftServer) Proxy.newProxyInstance(
                RaftServer.class.getClassLoader(),
                new Class<?>[] {RaftServer.class},
                (proxy, method, arguments) -> method.getName().equals("getId") ? RaftPeerId.valueOf("a") : null);
        machine.initialize(server, RaftGroupId.randomId(), storage);
        assertEquals("", full.apply(5, ClusterChange.removing(List.of(), List.of(Moved.of(7, PLACES, List.of())), 0)));
        SimpleStateMachineStorage snapshots = (SimpleStateMachineStorage) machine.getStateMachineStorage();
        File file = snapshots.getSnapshotFile(1, 5);
        Files.write(file.toPath(), full.snapshot());
        MD5Hash unused = MD5FileUtil.computeAndSaveMd5ForFile(file);
        diskFull.set(true);
        assertThrows(OperationFailedException.class, machine::reinitialize);
        assertEquals(List.of("a snapshot of the cluster's log could not be applied: no space left"), failures);
        diskFull.set(false);
        machine.reinitialize();
        assertEquals(1, failures.size());
        storage.close();
    }
}
