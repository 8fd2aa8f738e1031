package io.sluice.node.cluster;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.api.node.RangeDirectory;
import io.sluice.api.transaction.Decision;
import io.sluice.api.transaction.Outcome;
import io.sluice.api.wire.ClusterBody.Member;
import io.sluice.api.wire.ClusterChange;
import io.sluice.client.RemoteSettings;
import io.sluice.model.error.OperationFailedException;
import io.sluice.sql.distributed.Decisions;
import io.sluice.testing.Await;
import io.sluice.testing.FreePorts;
import io.sluice.testing.SomeTests;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.apache.ratis.client.RaftClient;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RaftGroupIdProto;
import org.apache.ratis.proto.RaftProtos.RaftPeerRole;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.proto.RaftProtos.StateMachineLogEntryProto;
import org.apache.ratis.proto.RaftProtos.TermIndexProto;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.exceptions.ReconfigurationTimeoutException;
import org.apache.ratis.retry.RetryPolicies;
import org.apache.ratis.server.RaftConfiguration;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.util.CodeInjectionForTesting;
import org.apache.ratis.util.LifeCycle;
import org.apache.ratis.util.TimeDuration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests how members become voters, with real servers of Ratis on loopback. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
@SomeTests(4)
class RaftNodeTest {
    private static final long WAIT_SECONDS = 60;
    /** The shortest time after which voters elect another leader; this one steps down after twice as long. */
    private static final long ELECTION_MILLIS = 1_000;
    /** Longer than a voter that is there is silent on a busy machine. */
    private static final long LOST_MILLIS = 5_000;

    @TempDir
    Path directory;

    private final List<RaftNode> nodes = new ArrayList<>();
    private final List<Member> members = new ArrayList<>();
    private final List<ClusterMember.Settings> settings = new ArrayList<>();

    @AfterEach
    void stop() throws IOException {
        for (RaftNode node : nodes) {
            node.close();
        }
    }

    private void create(String name) throws IOException {
        create(name, moved -> {});
    }

    private void create(String name, Consumer<ClusterChange.Moved> moved) throws IOException {
        InetSocketAddress raft = new InetSocketAddress(InetAddress.getLoopbackAddress(), FreePorts.next());
        ClusterMember.Settings one = new ClusterMember.Settings(
                name,
                List.of(),
                raft,
                directory.resolve(name),
                null,
                RemoteSettings::of,
                ClusterMember.CONTACT_MILLIS,
                ClusterMember.CONTACT_MILLIS);
        ClusterState state = new ClusterState(moved, (at, owners) -> {}, dropped -> {}, published -> {});
        Member member = new Member(UUID.randomUUID().toString(), name, "http://" + name, one.raftAddress());
        nodes.add(new RaftNode(one, member.id(), state));
        members.add(member);
        settings.add(one);
    }

    /** Creates the nodes of a cluster, and has them join; returns the leader. */
    private RaftNode cluster(int size) throws IOException {
        for (int i = 0; i < size; i++) {
            create("n" + i);
        }
        return join();
    }

    /** Has the first node found a cluster, and all join it; returns the leader. */
    private RaftNode join() throws IOException {
        RaftNode leader = nodes.get(0);
        String cluster = leader.server().found(members.get(0));
        for (int i = 0; i < nodes.size(); i++) {
            nodes.get(i).server().await(cluster);
            leader.write(ClusterChange.adding(members.get(i)));
        }
        return leader;
    }

    /** The node after a restart, which the caller starts. */
    private RaftNode reopen(int i) {
        ClusterState state = new ClusterState(moved -> {}, (at, owners) -> {}, dropped -> {}, published -> {});
        RaftNode node = new RaftNode(settings.get(i), members.get(i).id(), state);
        nodes.add(node);
        return node;
    }

    /** Three members were added while two nodes were voters, and could not become voters. */
    @Test
    void moreMembersThanVotersBecomeVoters() throws Exception {
        for (int i = 0; i < 5; i++) {
            create("n" + i);
        }
        RaftNode leader = nodes.get(0);
        String cluster = leader.server().found(members.get(0));
        leader.write(ClusterChange.adding(members.get(0)));
        nodes.get(1).server().await(cluster);
        leader.write(ClusterChange.adding(members.get(1)));
        // The leader was interrupted after each of these, or the new member did not answer.
        for (int i = 2; i < 5; i++) {
            leader.replicate(ClusterChange.adding(members.get(i)));
        }
        // A change of something else does not wait for the voters.
        leader.write(ClusterChange.freezing(new ClusterChange.Freeze(7, "copy", 1)));
        for (int i = 2; i < 5; i++) {
            nodes.get(i).server().await(cluster);
        }
        leader.updateVoters();
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(WAIT_SECONDS);
        for (RaftNode node : nodes) {
            while (!node.catchUp(1_000)) {
                assertTrue(System.nanoTime() - end < 0, "a member does not follow the log");
            }
        }
    }

    /** Five members vote; two more learn, follow when the leader is lost, and take the place of a removed voter. */
    @Test
    void membersBeyondFiveLearn() throws Exception {
        RaftNode leader = cluster(7);
        assertEquals(List.of(5, 2), roles(leader));
        // One that shares in no election goes on without a start for some time.
        nodes.get(5).learn();
        assertNull(nodes.get(5).server().failure());
        for (int i = 5; i < 7; i++) {
            nodes.get(i).learn(0);
            awaitRole(nodes.get(i), "LISTENER");
        }
        awaitAll(nodes);

        // The leader and another voter are lost: a learner goes on, and stands for no election.
        nodes.get(0).close();
        nodes.get(1).close();
        List<RaftNode> rest = nodes.subList(2, 7);
        awaitAll(rest);
        assertEquals(
                List.of(Outcome.ABORTED),
                nodes.get(6).decide(new Decisions.Entry(List.of(Decision.abort(UUID.randomUUID(), 0)), null)));

        // They are removed: the learners vote.
        RaftNode next = nodes.get(2);
        next.write(ClusterChange.removing(
                List.of(members.get(0).id(), members.get(1).id()), List.of(), 1_000));
        assertEquals(List.of(5, 0), roles(next));
        awaitRole(nodes.get(5), "FOLLOWER");
        awaitRole(nodes.get(6), "FOLLOWER");
        awaitAll(rest);
        nodes.get(3).close();
        nodes.get(4).close();
        awaitAll(List.of(nodes.get(2), nodes.get(5), nodes.get(6)));
    }

    /** A learner that started again while it took the place of a removed voter started again and again. */
    @Test
    void learnerStartsWhileItTakesThePlaceOfAVoter() throws Exception {
        RaftNode leader = cluster(6);
        nodes.get(4).close();
        RaftNode learner = nodes.get(5);
        learner.learn(0);
        leader.write(ClusterChange.removing(List.of(members.get(4).id()), List.of(), 1_000));
        assertEquals(List.of(5, 0), roles(leader));
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(WAIT_SECONDS);
        while (!learner.catchUp(20)) {
            assertTrue(
                    System.nanoTime() - end < 0,
                    "it does not follow the log: " + learner.server().failure());
            learner.learn(0);
        }
        assertEquals(
                LifeCycle.State.RUNNING,
                Objects.requireNonNull(learner.server().joined())
                        .division()
                        .getInfo()
                        .getLifeCycleState());
    }

    /** Voters that are lost for some time give their places to learners, and learn when they are back. */
    @Test
    void learnersTakeThePlacesOfLostVoters() throws Exception {
        RaftNode leader = cluster(7);
        for (int i = 5; i < 7; i++) {
            nodes.get(i).learn(0);
            awaitRole(nodes.get(i), "LISTENER");
        }
        awaitAll(nodes);
        nodes.get(1).close();
        nodes.get(2).close();
        long replaced = System.nanoTime() + TimeUnit.SECONDS.toNanos(WAIT_SECONDS);
        do {
            assertTrue(System.nanoTime() - replaced < 0, "lost voters keep their places");
            TimeUnit.MILLISECONDS.sleep(100);
            leader.updateVoters(LOST_MILLIS);
        } while (isVoter(1, leader) || isVoter(2, leader));
        assertEquals(List.of(5, 2), roles(leader));
        awaitRole(nodes.get(5), "FOLLOWER");
        awaitRole(nodes.get(6), "FOLLOWER");

        // Another two may be lost now, the leader among them.
        nodes.get(0).close();
        nodes.get(3).close();
        List<RaftNode> rest = List.of(nodes.get(4), nodes.get(5), nodes.get(6));
        awaitAll(rest);

        // One of the first is back: its log says that it votes.
        RaftNode back = reopen(1);
        assertTrue(back.server().recover());
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(WAIT_SECONDS);
        while (!back.catchUp(1_000) || !roles(back).equals(List.of(5, 2))) {
            assertTrue(System.nanoTime() - end < 0, "a member that is back does not follow the log");
        }
        back.learn(0);
        awaitRole(back, "LISTENER");
        awaitAll(List.of(back));
    }

    private boolean isVoter(int member, RaftNode seen) throws IOException {
        return Objects.requireNonNull(seen.server().joined()).division().getRaftConf().getCurrentPeers().stream()
                .anyMatch(peer ->
                        peer.getId().toString().equals(members.get(member).id()));
    }

    private static List<Integer> roles(RaftNode node) throws IOException {
        RaftConfiguration now =
                Objects.requireNonNull(node.server().joined()).division().getRaftConf();
        return List.of(
                now.getCurrentPeers().size(),
                now.getCurrentPeers(RaftPeerRole.LISTENER).size());
    }

    private static void awaitRole(RaftNode node, String role) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(WAIT_SECONDS);
        String now;
        do {
            now = String.valueOf(Objects.requireNonNull(node.server().joined())
                    .division()
                    .getInfo()
                    .getCurrentRole());
            assertTrue(System.nanoTime() - end < 0, "a member is " + now + ", not " + role);
            TimeUnit.MILLISECONDS.sleep(20);
        } while (!now.equals(role) || node.server().failure() != null);
    }

    private static void awaitAll(List<RaftNode> following) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(WAIT_SECONDS);
        for (RaftNode node : following) {
            while (!node.catchUp(1_000)) {
                assertTrue(System.nanoTime() - end < 0, "a member does not follow the log");
            }
        }
    }

    /** Ratis answers reads of an idle leader and of its followers without asking the others. */
    @Test
    void readsFailOnceMostVotersMayFollowAnotherLeader() throws Exception {
        RaftNode leader = cluster(5);
        awaitAll(nodes);
        CompletableFuture<Void> closed = CompletableFuture.allOf(nodes.subList(2, 5).stream()
                .map(node -> CompletableFuture.runAsync(() -> assertDoesNotThrow(node::close)))
                .toArray(CompletableFuture[]::new));
        RaftServer.Division division =
                Objects.requireNonNull(leader.server().joined()).division();
        while (!closed.isDone() || Leadership.of(division).leads()) {
            for (RaftNode node : nodes.subList(0, 2)) {
                long silent = Leadership.of(division).unheardMillis();
                boolean read = node.catchUp(1_000);
                assertTrue(
                        !read || silent <= ELECTION_MILLIS, "a read, and no voter has answered for " + silent + " ms");
            }
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    /** The message had the whole request of Ratis, with ids for names. */
    @Test
    void failureNamesMembers() throws IOException {
        RaftPeer nobody = RaftPeer.newBuilder()
                .setId("p")
                .setAddress("localhost:" + FreePorts.next())
                .build();
        try (RaftClient client = RaftClient.newBuilder()
                .setProperties(new RaftProperties())
                .setRaftGroup(RaftGroup.valueOf(RaftGroupId.randomId(), nobody))
                .setRetryPolicy(RetryPolicies.retryUpToMaximumCountWithFixedSleep(1, TimeDuration.ONE_MILLISECOND))
                .build()) {
            IOException failed =
                    assertThrows(IOException.class, () -> client.io().send(Message.valueOf("entry")));
            assertTrue(failed.toString().contains("org.apache.ratis"), failed.toString());
            List<Member> two = List.of(
                    new Member("a", "n0", "http://n0", "localhost:1"),
                    new Member("b", "n1", "http://n1", "localhost:2"));
            String why = "not enough members answer, of n0 (localhost:1), n1 (localhost:2, which is no voter yet)";
            assertEquals(why, RaftFailures.reason(failed, two, Set.of("a")));
            assertEquals(
                    why,
                    RaftFailures.reason(
                            new ReconfigurationTimeoutException("SetConfigurationRequest:client-1"), two, Set.of("a")));
        }
    }

    /** A coordinator whose answer was lost asks another node, after the leader is gone. */
    @Test
    void decisionIsTheSameFromEachNodeAndAfterTheLeader() throws Exception {
        RaftNode leader = cluster(3);
        Decision commit = new Decision(UUID.randomUUID(), List.of("a", "b"), 0, null);
        Decision abort = Decision.abort(UUID.randomUUID(), 0);
        Decision late = Decision.abort(commit.transaction(), 0);
        assertEquals(List.of(Outcome.COMMITTED), leader.decide(new Decisions.Entry(List.of(commit), null)));
        List<Outcome> both = List.of(Outcome.COMMITTED, Outcome.ABORTED);
        assertEquals(both, nodes.get(1).decide(new Decisions.Entry(List.of(late, abort), null)));
        leader.close();
        for (int i = 1; i < 3; i++) {
            assertEquals(both, nodes.get(i).decide(new Decisions.Entry(List.of(commit, abort), null)));
        }
    }

    private static ClusterChange move(int table, long epoch) {
        RangeDirectory directory = new RangeDirectory(epoch, List.of(new RangeDirectory.Range(new byte[0], List.of())));
        return ClusterChange.moving(ClusterChange.Moved.ofImport(UUID.randomUUID(), table, directory));
    }

    /** A node whose disk was full skipped the entry, applied later ones, and served rows. */
    @Test
    void nodeThatCannotApplyAnEntryLeavesTheLogAndAppliesItLater() throws Exception {
        List<Integer> moved = new CopyOnWriteArrayList<>();
        AtomicBoolean full = new AtomicBoolean();
        Consumer<ClusterChange.Moved> receiver = table -> {
            if (full.get()) {
                throw new OperationFailedException("no space left on device");
            }
            moved.add(table.tableId());
        };
        create("n0");
        create("n1");
        create("n2", receiver);
        RaftNode leader = join();
        RaftNode third = nodes.get(2);
        leader.write(move(1, 1));
        assertTrue(third.catchUp(TimeUnit.SECONDS.toMillis(WAIT_SECONDS)));
        full.set(true);
        leader.write(move(2, 1));
        Await.until(() -> third.server().failure() != null, () -> "it does not say that it failed");
        String why = String.valueOf(third.server().failure());
        assertTrue(why.endsWith("of the cluster's log could not be applied: no space left on device"), why);
        leader.write(move(3, 1));
        assertFalse(third.catchUp(1_000), "it takes part");
        assertEquals(List.of(1), moved);
        full.set(false);
        Await.until(() -> third.catchUp(1_000), () -> "it does not follow the log");
        // The log of so few entries has no snapshot, and is applied from its start.
        assertEquals(List.of(1, 1, 2, 3), moved);
        assertNull(third.server().failure());
    }

    private static List<RaftPeer> peers(int from, int to) {
        return IntStream.range(from, to)
                .mapToObj(i -> RaftPeer.newBuilder()
                        .setId("p" + i)
                        .setAddress("localhost:" + (1_000 + i))
                        .build())
                .toList();
    }

    /** For all counts of voters that leave, stay and come: no step is one that Ratis refuses, and there is an end. */
    @Test
    void eachStepKeepsAMajorityThatKnowsTheLog() {
        for (int leave = 0; leave <= 3; leave++) {
            for (int stay = leave == 0 ? 1 : 0; stay <= 5; stay++) {
                for (int come = stay == 0 ? 1 : 0; come <= 5; come++) {
                    List<RaftPeer> voters = peers(0, leave + stay);
                    List<RaftPeer> wanted = peers(leave, leave + stay + come);
                    int steps = 0;
                    while (!new HashSet<>(voters).equals(Set.copyOf(wanted))) {
                        List<RaftPeer> next = RaftNode.nextVoters(voters, wanted);
                        List<RaftPeer> before = voters;
                        long added = next.stream()
                                .filter(peer -> !before.contains(peer))
                                .count();
                        assertTrue(
                                added < next.size() - added || (voters.size() == 1 && next.size() == 2),
                                voters + " to " + next);
                        voters = next;
                        steps++;
                        assertTrue(steps <= 6, leave + " leave, " + stay + " stay, " + come + " come");
                    }
                    assertEquals(new HashSet<>(wanted), new HashSet<>(voters));
                }
            }
        }
    }

    /** A leader sends entries again, alone and with later ones, while they are on their way. */
    @Test
    void entriesThatAreAcknowledgedAreInTheLog() throws Exception {
        create("n0");
        RaftNode follower = nodes.get(0);
        RaftGroupId group = RaftGroupId.randomId();
        follower.server().await(group.getUuid().toString());
        RaftServer server = StrictRaftRpc.strict(
                Objects.requireNonNull(follower.server().joined()).server());
        RaftLog log = server.getDivision(group).getRaftLog();
        int next = 0;
        for (int round = 0; round < 5; round++) {
            int first = next;
            next = first + 200;
            var earlier = server.appendEntriesAsync(entries(group, first, next));
            var again = server.appendEntriesAsync(entries(group, first, next)).get(WAIT_SECONDS, TimeUnit.SECONDS);
            assertEquals(next - 1, again.getMatchIndex());
            assertEquals(next - 1, log.getFlushIndex(), "entries were acknowledged that are not on disk");
            assertEquals(next - 1, earlier.get(WAIT_SECONDS, TimeUnit.SECONDS).getMatchIndex());

            earlier = server.appendEntriesAsync(entries(group, next, next + 200));
            again = server.appendEntriesAsync(entries(group, next, next + 202)).get(WAIT_SECONDS, TimeUnit.SECONDS);
            next += 202;
            assertEquals(next - 1, again.getMatchIndex());
            assertEquals(next, log.getNextIndex(), "the log lacks entries that were acknowledged");
            assertEquals(next - 1, log.getFlushIndex());
            assertEquals(next - 3, earlier.get(WAIT_SECONDS, TimeUnit.SECONDS).getMatchIndex());
        }
    }

    /** Otherwise it may vote in between for another leader that does not have the entries, and acknowledge them. */
    @Test
    void followerChecksAndAppendsUnderOneLock() throws Exception {
        create("n0");
        RaftGroupId group = RaftGroupId.randomId();
        nodes.get(0).server().await(group.getUuid().toString());
        RaftServer server = StrictRaftRpc.strict(
                Objects.requireNonNull(nodes.get(0).server().joined()).server());
        RaftServer.Division division = server.getDivision(group);
        List<Boolean> locked = new CopyOnWriteArrayList<>();
        // Ratis runs it after the append.
        CodeInjectionForTesting.put("RaftServerImpl.appendEntries.logComplete", (self, other, arguments) -> {
            locked.add(Thread.holdsLock(division));
            return true;
        });
        try {
            for (int term = 1; term <= 3; term++) {
                locked.clear();
                AppendEntriesRequestProto request = entries(group, term * 10 - 10, term * 10).toBuilder()
                        .setLeaderTerm(term)
                        .build();
                assertEquals(
                        term * 10 - 1,
                        server.appendEntriesAsync(request)
                                .get(WAIT_SECONDS, TimeUnit.SECONDS)
                                .getMatchIndex());
                assertTrue(locked.get(locked.size() - 1), "term " + term);
            }
        } finally {
            CodeInjectionForTesting.remove("RaftServerImpl.appendEntries.logComplete");
        }
    }

    /** A request of a leader with the entries from one index to before another. */
    private AppendEntriesRequestProto entries(RaftGroupId group, int from, int to) {
        AppendEntriesRequestProto.Builder request = AppendEntriesRequestProto.newBuilder()
                .setServerRequest(RaftRpcRequestProto.newBuilder()
                        .setRequestorId(ByteString.copyFromUtf8("leader"))
                        .setReplyId(ByteString.copyFromUtf8(members.get(0).id()))
                        .setRaftGroupId(RaftGroupIdProto.newBuilder().setId(group.toByteString())))
                .setLeaderTerm(1)
                .setLeaderCommit(-1);
        if (from > 0) {
            request.setPreviousLog(TermIndexProto.newBuilder().setTerm(1).setIndex(from - 1));
        }
        ByteString client = ClientId.randomId().toByteString();
        for (int index = from; index < to; index++) {
            request.addEntries(LogEntryProto.newBuilder()
                    .setTerm(1)
                    .setIndex(index)
                    .setStateMachineLogEntry(StateMachineLogEntryProto.newBuilder()
                            .setClientId(client)
                            .setCallId(index)
                            .setLogData(ByteString.copyFromUtf8("{}"))));
        }
        return request.build();
    }
}
