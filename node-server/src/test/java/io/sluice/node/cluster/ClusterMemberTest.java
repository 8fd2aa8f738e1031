package io.sluice.node.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.RangeDirectory;
import io.sluice.api.transaction.Decision;
import io.sluice.api.transaction.Outcome;
import io.sluice.api.wire.ClusterBody;
import io.sluice.api.wire.ClusterChange;
import io.sluice.client.RemoteSettings;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.ChangeRefusedException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.error.SluiceException;
import io.sluice.testing.Await;
import io.sluice.testing.FreePorts;
import io.sluice.testing.SomeTests;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.ratis.client.RaftClient;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests a cluster of one node: what is kept when it starts again. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
@SomeTests(3)
class ClusterMemberTest {
    private static final String URL = "http://127.0.0.1:7001";
    private static final long WAIT_SECONDS = 60;
    private static final long THAW_AFTER_MILLIS = 500;

    @TempDir
    Path directory;

    private static final UUID IMPORT = UUID.fromString("6c0a7e52-58a1-4a52-9d5b-0d3a4a6f2c11");

    private final String id = UUID.randomUUID().toString();
    private final Map<Integer, RangeDirectory> moved = new ConcurrentHashMap<>();
    private final AtomicReference<Map<Integer, String>> frozen = new AtomicReference<>(Map.of());
    private final Map<UUID, RangeDirectory> imports = new ConcurrentHashMap<>();
    private final Map<Integer, String> dropped = new ConcurrentHashMap<>();
    private final Map<Integer, UUID> published = new ConcurrentHashMap<>();
    private final List<String> ends = new CopyOnWriteArrayList<>();
    /** Outcomes of a transaction when the host ended its branches. */
    private final List<Outcome> ended = new CopyOnWriteArrayList<>();

    private final AtomicReference<@Nullable String> broken = new AtomicReference<>();
    private final AtomicBoolean diskFull = new AtomicBoolean();
    /** Changes that the host has refused. */
    private final AtomicInteger refused = new AtomicInteger();

    private ClusterMember.Settings settings(InetSocketAddress raft) {
        return new ClusterMember.Settings(
                "one",
                List.of("127.0.0.1:7001"),
                raft,
                directory.resolve("cluster"),
                null,
                RemoteSettings::of,
                THAW_AFTER_MILLIS,
                ClusterMember.CONTACT_MILLIS);
    }

    private ClusterMember member(InetSocketAddress raft) {
        return new ClusterMember(settings(raft), id, new ClusterMember.Host() {
            @Override
            public void log(String line) {}

            @Override
            public void moved(int tableId, RangeDirectory directory, List<IndexChecksum> published) {
                if (diskFull.get()) {
                    refused.incrementAndGet();
                    throw new OperationFailedException("no space left");
                }
                moved.put(tableId, directory);
            }

            @Override
            public void frozen(long index, Map<Integer, String> owners) {
                frozen.set(owners);
            }

            @Override
            public void importMoved(UUID importId, int tableId, RangeDirectory directory) {
                imports.put(importId, directory);
            }

            @Override
            public void published(UUID importId, int tableId, List<IndexChecksum> sums) {
                published.put(tableId, importId);
            }

            @Override
            public void dropped(int tableId, String name) {
                dropped.put(tableId, name);
            }

            @Override
            public void endDecided(Function<UUID, Outcome> outcomes) {
                ended.add(outcomes.apply(IMPORT));
            }

            @Override
            public @Nullable String failure() {
                return broken.get();
            }

            @Override
            public void end(SluiceException why) {
                ends.add(String.valueOf(why.getMessage()));
            }
        });
    }

    private static InetSocketAddress freePort() throws IOException {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), FreePorts.next());
    }

    private static ClusterBody await(ClusterMember member) throws Exception {
        AtomicReference<ClusterBody> found = new AtomicReference<>();
        Await.until(
                () -> {
                    ClusterBody cluster = member.cluster();
                    found.set(cluster);
                    return cluster != null && cluster.leader() != null;
                },
                () -> "no cluster");
        return Objects.requireNonNull(found.get());
    }

    private static void awaitContact(ClusterMember member) throws Exception {
        Await.until(() -> member.outdated() == null, () -> String.valueOf(member.outdated()));
    }

    private boolean takeSnapshot(ClusterBody cluster, InetSocketAddress raft) throws IOException {
        RaftGroupId group = RaftGroupId.valueOf(UUID.fromString(cluster.id()));
        RaftPeer peer = RaftPeer.newBuilder()
                .setId(id)
                .setAddress("127.0.0.1:" + raft.getPort())
                .build();
        try (RaftClient client = RaftClient.newBuilder()
                .setProperties(new RaftProperties())
                .setRaftGroup(RaftGroup.valueOf(group, peer))
                .build()) {
            return client.getSnapshotManagementApi(peer.getId())
                    .create(true, TimeUnit.SECONDS.toMillis(WAIT_SECONDS))
                    .isSuccess();
        }
    }

    private static ClusterBody.Member silent(String name, ServerSocket raft) {
        return new ClusterBody.Member(
                UUID.randomUUID().toString(), name, "http://127.0.0.1:1", "127.0.0.1:" + raft.getLocalPort());
    }

    /** Its process was killed between the two, before or after the election, which takes a second or two. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void nodeThatHasFoundedAClusterAddsItselfLater(boolean elected) throws Exception {
        InetSocketAddress raft = freePort();
        ClusterState state = new ClusterState(table -> {}, (at, owners) -> {}, table -> {}, table -> {});
        try (RaftNode founder = new RaftNode(settings(raft), id, state)) {
            assertNotNull(founder.server()
                    .found(new ClusterBody.Member(id, "one", URL, settings(raft).raftAddress())));
            if (elected) {
                awaitState(founder::leadsNoMembers, "no election");
            }
        }
        try (ClusterMember member = member(raft)) {
            member.start(URL);
            assertEquals(
                    List.of(id),
                    await(member).members().stream().map(ClusterBody.Member::id).toList());
        }
    }

    /** Two nodes joined and were lost before they became voters. */
    @Test
    void membersThatDoNotAnswerDelayNoOtherChangeAndAreSuspectedTogether() throws Exception {
        try (ServerSocket first = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                ServerSocket second = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                ClusterMember member = member(freePort())) {
            member.start(URL);
            ClusterBody unused = await(member);
            List<ClusterBody.Member> lost = List.of(silent("two", first), silent("three", second));
            List<CompletableFuture<ClusterBody>> adding = new ArrayList<>();
            for (ClusterBody.Member each : lost) {
                adding.add(CompletableFuture.supplyAsync(() -> member.change(ClusterChange.adding(each))));
                awaitState(() -> await(member).members().contains(each), each.name() + " is no member");
            }
            ClusterBody frozenNow = member.change(ClusterChange.freezing(new ClusterChange.Freeze(7, "copy", 1)));
            assertEquals(3, frozenNow.members().size());
            assertTrue(
                    adding.stream().noneMatch(CompletableFuture::isDone),
                    "the freeze waited until a member that does not answer was given up");
            ClusterBody suspecting =
                    member.change(ClusterChange.suspecting(lost.get(0).id()));
            assertEquals(3, suspecting.members().size());
            Set<String> ids = Set.of(lost.get(0).id(), lost.get(1).id());
            awaitState(
                    () -> await(member).suspects().stream()
                            .map(ClusterBody.Suspect::node)
                            .collect(Collectors.toSet())
                            .equals(ids),
                    "only the member that a statement met is suspected");
        }
    }

    /** The others go on without a node that is silent, not without one that refuses each write. */
    @Test
    void memberWhoseStoreTakesNoWritesEnds() throws Exception {
        try (ClusterMember member = member(freePort())) {
            member.start(URL);
            ClusterBody unused = await(member);
            awaitContact(member);
            assertEquals(List.of(), ends);
            broken.set("the store takes no writes");
            assertEquals("node one: the store takes no writes", member.outdated());
            awaitState(() -> !ends.isEmpty(), "the node goes on");
            assertEquals(List.of("the store takes no writes"), ends);
        }
    }

    private static void awaitState(Callable<Boolean> state, String problem) throws Exception {
        Await.until(state, () -> problem);
    }

    @Test
    void memberIsKeptInTheLogAndInASnapshot() throws Exception {
        InetSocketAddress raft = freePort();
        ClusterBody founded;
        RangeDirectory places =
                new RangeDirectory(3, List.of(new RangeDirectory.Range(new byte[0], List.of(id, "other"))));
        String gone = UUID.randomUUID().toString();
        try (ClusterMember member = member(raft)) {
            // What it had alone is not what the cluster has.
            assertTrue(member.joining());
            assertTrue(String.valueOf(member.outdated()).contains("has not joined its cluster yet"));
            member.start(URL);
            founded = await(member);
            awaitContact(member);
            assertFalse(member.joining());
            assertEquals(
                    List.of("one"),
                    founded.members().stream().map(ClusterBody.Member::name).toList());
            // A table moves, and a member that was added is removed again.
            ClusterBody changed = member.change(
                    ClusterChange.removing(List.of(gone), List.of(ClusterChange.Moved.of(7, places, List.of())), 0));
            assertEquals(founded.members(), changed.members());
            assertEquals(Map.of(7, places), moved);
            ClusterChange earlier = ClusterChange.removing(
                    List.of(),
                    List.of(ClusterChange.Moved.of(7, places.atEpoch(2).without(id), List.of())),
                    0);
            assertEquals(founded.members(), member.change(earlier).members());
            assertEquals(Map.of(7, places), moved);
            assertSuspectedMemberComesBack(member);
            assertNodesOfImportsChangeInOrder(member);
            ClusterBody unused =
                    member.change(ClusterChange.publishing(ClusterChange.Published.of(IMPORT, 11, List.of())));
            assertEquals(Map.of(11, IMPORT), published);
            assertDropNeedsItsFreeze(member);
            assertTrue(takeSnapshot(founded, raft));
        }
        try (Stream<Path> files = Files.list(directory.resolve("cluster/" + founded.id() + "/sm"))) {
            assertTrue(files.anyMatch(file -> file.getFileName().toString().startsWith("snapshot.")));
        }
        moved.clear();
        imports.clear();
        dropped.clear();
        published.clear();
        // The server cannot start, as long as the snapshot cannot be applied.
        diskFull.set(true);
        try (ClusterMember again = member(raft)) {
            assertTrue(String.valueOf(again.outdated()).contains("no contact with most nodes"));
            again.start(URL);
            awaitState(() -> refused.get() > 0, "the snapshot was not applied");
            diskFull.set(false);
            ClusterBody back = await(again);
            awaitContact(again);
            assertEquals(founded.id(), back.id());
            assertEquals(founded.members(), back.members());
            assertEquals(Map.of(7, places), moved);
            // The node may have slept while its import was published and moved: it gets both.
            assertEquals(List.of(IMPORT), List.copyOf(imports.keySet()));
            assertEquals(Map.of(9, "t"), dropped);
            assertEquals(Map.of(11, IMPORT), published);
            assertRemovalNeedsTheLatestPlaces(again, back);
            BadInputException outdated = assertThrows(
                    BadInputException.class,
                    () -> again.change(ClusterChange.adding(
                            new ClusterBody.Member(gone, "two", "http://127.0.0.1:7002", "127.0.0.1:7003"))));
            assertTrue(String.valueOf(outdated.getMessage()).contains("was removed from the cluster"));
            BadInputException taken = assertThrows(
                    BadInputException.class,
                    () -> again.change(ClusterChange.adding(new ClusterBody.Member(
                            UUID.randomUUID().toString(), "one", "http://127.0.0.1:7002", "127.0.0.1:7003"))));
            assertTrue(String.valueOf(taken.getMessage()).contains("needs another --name"));
        }
    }

    /** It serves no rows from the suspicion on until it has said that it is back. */
    private void assertSuspectedMemberComesBack(ClusterMember member) throws Exception {
        Decision commit = new Decision(IMPORT, List.of(id), member.seen(), null);
        assertEquals(Map.of(IMPORT, Outcome.COMMITTED), member.decide(List.of(commit)));
        ended.clear();
        List<ClusterBody.Suspect> pending =
                member.change(ClusterChange.suspecting(id)).suspects();
        String outdated = member.outdated();
        if (!pending.isEmpty() && outdated != null) {
            assertTrue(outdated.contains("says to its cluster that it is back"), outdated);
        }
        awaitContact(member);
        assertEquals(List.of(), Objects.requireNonNull(member.cluster()).suspects());
        assertEquals(List.of(Outcome.COMMITTED), ended, "before it is back");
    }

    /** An entry may be repeated when its answer was lost; one of another attempt is refused. */
    private void assertNodesOfImportsChangeInOrder(ClusterMember member) {
        RangeDirectory first =
                new RangeDirectory(2, List.of(new RangeDirectory.Range(new byte[0], List.of(id)))).at(Map.of(id, URL));
        ClusterChange change = ClusterChange.moving(ClusterChange.Moved.ofImport(IMPORT, 7, first));
        ClusterBody unused = member.change(change);
        unused = member.change(change);
        assertEquals(Map.of(IMPORT, first), imports);
        ClusterChange rival =
                ClusterChange.moving(ClusterChange.Moved.ofImport(IMPORT, 7, first.at(Map.of("other", URL))));
        ChangeRefusedException refused = assertThrows(ChangeRefusedException.class, () -> member.change(rival));
        assertTrue(String.valueOf(refused.getMessage()).contains("another attempt"));
        assertEquals(Map.of(IMPORT, first), imports);
    }

    /** Statements may have written after the freeze ended. After the drop, nothing brings the table back. */
    private void assertDropNeedsItsFreeze(ClusterMember member) {
        ClusterChange.Freeze freeze = new ClusterChange.Freeze(9, "drop", 3);
        ClusterChange drop = ClusterChange.dropping(new ClusterChange.Dropped(9, "t"), freeze);
        ChangeRefusedException early = assertThrows(ChangeRefusedException.class, () -> member.change(drop));
        assertTrue(String.valueOf(early.getMessage()).contains("drop it again"));
        assertEquals(Map.of(), dropped);
        ClusterBody unused = member.change(ClusterChange.freezing(freeze));
        unused = member.change(drop);
        // The answer may be lost, so that it is repeated.
        unused = member.change(drop);
        assertEquals(Map.of(9, "t"), dropped);
        assertEquals(Map.of(), frozen.get());
        RangeDirectory late =
                new RangeDirectory(4, List.of(new RangeDirectory.Range(new byte[0], List.of(id, "other"))));
        for (ClusterChange change : List.of(
                ClusterChange.freezing(freeze),
                ClusterChange.removing(List.of("other"), List.of(ClusterChange.Moved.of(9, late, List.of())), 0),
                ClusterChange.moving(ClusterChange.Moved.ofImport(UUID.randomUUID(), 9, late)))) {
            ChangeRefusedException gone = assertThrows(ChangeRefusedException.class, () -> member.change(change));
            assertTrue(String.valueOf(gone.getMessage()).contains("was dropped"));
            assertFalse(gone.frozen(), gone.getMessage());
        }
    }

    /**
     * A removal that lists no table is refused if its author cannot have seen that ranges are on the node. Otherwise
     * the table was dropped meanwhile.
     */
    private static void assertRemovalNeedsTheLatestPlaces(ClusterMember member, ClusterBody seen) {
        ChangeRefusedException late = assertThrows(
                ChangeRefusedException.class,
                () -> member.change(ClusterChange.removing(List.of("other"), List.of(), 0)));
        assertTrue(String.valueOf(late.getMessage()).contains("try again"));
        assertEquals(
                seen.members(),
                member.change(ClusterChange.removing(List.of("other"), List.of(), seen.applied()))
                        .members());
    }

    /** A node that cannot write where a table is now serves no rows and takes no changes until it can. */
    @Test
    void entryThatFailedIsAppliedAtTheNextStart() throws Exception {
        InetSocketAddress raft = freePort();
        RangeDirectory places =
                new RangeDirectory(3, List.of(new RangeDirectory.Range(new byte[0], List.of(id, "other"))));
        try (ClusterMember member = member(raft)) {
            member.start(URL);
            await(member);
            diskFull.set(true);
            ClusterChange move =
                    ClusterChange.removing(List.of(), List.of(ClusterChange.Moved.of(7, places, List.of())), 0);
            assertThrows(OperationFailedException.class, () -> member.change(move));
            String why = String.valueOf(member.outdated());
            assertTrue(why.contains("has left the log of its cluster for some seconds"), why);
            OperationFailedException refused = assertThrows(
                    OperationFailedException.class,
                    () -> member.change(
                            ClusterChange.removing(List.of(UUID.randomUUID().toString()), List.of(), 0)));
            assertTrue(String.valueOf(refused.getMessage()).contains("could not be applied"), refused.getMessage());
            assertEquals(Map.of(), moved);
        }
        diskFull.set(false);
        try (ClusterMember again = member(raft)) {
            again.start(URL);
            await(again);
            assertEquals(Map.of(7, places), moved);
        }
    }

    /** The command that froze it has died: the leader ends the freeze, and its late move is refused. */
    @Test
    void leaderThawsAbandonedFreeze() throws Exception {
        try (ClusterMember member = member(freePort())) {
            member.start(URL);
            await(member);
            ClusterChange.Freeze freeze = new ClusterChange.Freeze(7, "copy", 3);
            ClusterBody unused = member.change(ClusterChange.freezing(freeze));
            assertEquals(Map.of(7, "copy"), frozen.get());
            ClusterChange another = ClusterChange.freezing(new ClusterChange.Freeze(7, "another copy", 3));
            ChangeRefusedException busy = assertThrows(ChangeRefusedException.class, () -> member.change(another));
            assertTrue(busy.frozen(), busy.getMessage());
            awaitState(() -> Map.of().equals(frozen.get()), "the table stays frozen");
            RangeDirectory next =
                    new RangeDirectory(4, List.of(new RangeDirectory.Range(new byte[0], List.of(id, "other"))));
            ClusterChange late = ClusterChange.moving(ClusterChange.Moved.of(7, next, List.of()), freeze);
            ChangeRefusedException refused = assertThrows(ChangeRefusedException.class, () -> member.change(late));
            assertTrue(String.valueOf(refused.getMessage()).contains("the copy took too long"));
            assertFalse(refused.frozen(), refused.getMessage());
            assertEquals(Map.of(), moved);
            unused = member.change(another);
            assertEquals(Map.of(7, "another copy"), frozen.get());
        }
    }

    @Test
    void portInUseIsReportedBeforeTheStart() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            InetSocketAddress raft = new InetSocketAddress(InetAddress.getLoopbackAddress(), taken.getLocalPort());
            BadInputException refused = assertThrows(BadInputException.class, () -> member(raft));
            assertTrue(String.valueOf(refused.getMessage()).contains("--raft-listen"));
        }
    }
}
