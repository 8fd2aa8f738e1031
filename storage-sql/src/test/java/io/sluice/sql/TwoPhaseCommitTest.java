package io.sluice.sql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.IngestTiming;
import io.sluice.api.node.RangeDirectory;
import io.sluice.api.node.TableStatus;
import io.sluice.api.transaction.Decision;
import io.sluice.api.transaction.Outcome;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.NodeUnreachableException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.error.TableBusyException;
import io.sluice.model.schema.TableDef;
import io.sluice.model.thread.Interrupts;
import io.sluice.node.StorageNode;
import io.sluice.node.catalog.Catalog;
import io.sluice.sql.distributed.DecisionLog;
import io.sluice.sql.distributed.Decisions;
import io.sluice.sql.distributed.Peers;
import io.sluice.sql.distributed.TransactionParticipant;
import io.sluice.testing.Await;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A transaction on three nodes that is broken off between any two steps is on all of them or on none. */
@Timeout(60)
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class TwoPhaseCommitTest {
    /** One row on each node. */
    private static final String ALL = "SELECT balance FROM account WHERE id IN (5, 15, 25)";

    private static final String CHANGE = """
            BEGIN;
            SELECT balance FROM account WHERE id IN (5, 15, 25);
            UPDATE account SET balance = balance - 2 WHERE id = 5;
            UPDATE account SET balance = balance + 1 WHERE id = 15;
            UPDATE account SET balance = balance + 1 WHERE id = 25;
            COMMIT""";
    private static final long ASK_AFTER_MILLIS = 200;

    @TempDir
    Path directory;

    private DistributedStores stores;

    @BeforeEach
    void create() throws Exception {
        stores = new DistributedStores(directory, 1, ASK_AFTER_MILLIS);
        stores.create("CREATE TABLE account (id INT PRIMARY KEY, balance INT)");
        assertEquals("3", stores.run("INSERT INTO account VALUES (5, 100), (15, 100), (25, 100)"));
        awaitEnded();
    }

    @AfterEach
    void close() {
        stores.steps = step -> {};
        stores.close();
    }

    private int inDoubtCount() {
        int inDoubtCount = 0;
        for (int i = 0; i < DistributedStores.NODES; i++) {
            inDoubtCount += stores.participant(i).inDoubtCount();
        }
        return inDoubtCount;
    }

    private void awaitEnded() throws Exception {
        Await.until(() -> inDoubtCount() == 0, () -> "branches stay in doubt");
    }

    static List<Arguments> breaks() {
        List<Arguments> breaks = new ArrayList<>();
        for (String step : List.of(
                "before prepare 1",
                "after prepare 1",
                "after prepare 2",
                "before commit 1",
                "after commit 1",
                "before decide 1",
                "after decide 1",
                "before forget 1")) {
            for (String restarted : List.of("", "0", "12", "012")) {
                breaks.add(Arguments.of(false, step, restarted));
            }
        }
        for (String step : List.of(
                "after prepare 1",
                "after prepare 2",
                "before decision 1",
                "after decision 1",
                "before decide 1",
                "after decide 2")) {
            for (String restarted : List.of("", "0", "012")) {
                breaks.add(Arguments.of(true, step, restarted));
            }
        }
        return breaks;
    }

    /**
     * The number after a step in {@code last} counts its occurrences: the coordinator fails at that one.
     *
     * @param log whether the log of a cluster decides, or the last agent
     */
    @ParameterizedTest
    @MethodSource("breaks")
    void aCoordinatorThatIsGoneLeavesAllOrNothing(boolean log, String last, String restarted) throws Exception {
        stores.cluster = log;
        AtomicInteger left = new AtomicInteger(last.charAt(last.length() - 1) - '0');
        String awaited = last.substring(0, last.length() - 2);
        boolean[] gone = {false};
        AtomicBoolean committed = new AtomicBoolean();
        stores.steps = step -> {
            synchronized (gone) {
                if (step.equals(log ? "after decision" : "after commit")) {
                    committed.set(true);
                }
                if (gone[0] || (step.equals(awaited) && left.decrementAndGet() == 0)) {
                    gone[0] = true;
                    throw new DistributedStores.Gone();
                }
            }
        };
        String answer;
        try {
            answer = stores.run(CHANGE);
        } catch (DistributedStores.Gone | IllegalStateException e) {
            answer = "gone";
        }
        stores.steps = step -> {};
        for (int i = 0; i < restarted.length(); i++) {
            stores.restart(restarted.charAt(i) - '0');
        }
        stores.replaceCoordinator();
        awaitEnded();
        String now = stores.run(ALL);
        // What follows the commit is done beside the answer: the coordinator may be gone before it has answered.
        assertTrue(committed.get() || !answer.endsWith("commit"), answer);
        assertEquals(committed.get() ? "[98 | 101 | 101]" : "[100 | 100 | 100]", now, answer);
        // Nothing is held any more, and nothing is kept.
        commit(CHANGE);
        Await.until(() -> stores.decisions.commits() == 0, () -> "decisions are not forgotten");
    }

    /** Commits. On a busy machine nodes may ask for the outcome before there is one, and so abort a transaction. */
    private void commit(String transaction) {
        String answer;
        do {
            answer = stores.run(transaction);
        } while (answer.contains("CONFLICT: "));
        assertTrue(answer.endsWith("commit"), answer);
    }

    @Test
    void aNodeThatIsDownAtTheDecisionLearnsTheOutcomeLater() throws Exception {
        stores.steps = step -> {
            if (step.equals("after commit")) {
                stores.end(1);
                stores.end(2);
            }
        };
        commit(CHANGE);
        stores.steps = step -> {};
        stores.begin(1);
        stores.begin(2);
        stores.replaceCoordinator();
        awaitEnded();
        assertEquals("[98 | 101 | 101]", stores.run(ALL));
    }

    @Test
    void aNodeThatIsDownAtPrepareAbortsTheTransaction() throws Exception {
        boolean[] ended = {false};
        stores.steps = step -> {
            // Both come at the same time: neither goes on before the node is down.
            synchronized (ended) {
                if (!ended[0]) {
                    ended[0] = true;
                    stores.end(2);
                }
            }
        };
        String answer = stores.run(CHANGE);
        assertFalse(answer.endsWith("commit"), answer);
        stores.steps = step -> {};
        stores.begin(2);
        stores.replaceCoordinator();
        awaitEnded();
        assertEquals("[100 | 100 | 100]", stores.run(ALL));
    }

    @Test
    void coordinatorSeesItsCommitThoughTheNotificationsWereLost() throws Exception {
        CountDownLatch forgotten = new CountDownLatch(1);
        AtomicInteger lost = new AtomicInteger(2);
        stores.steps = step -> {
            if (step.equals("before decide") && lost.getAndDecrement() > 0) {
                throw new NodeUnreachableException("a node", "no route", new IllegalStateException("no route"));
            }
            if (step.equals("after forget")) {
                forgotten.countDown();
            }
        };
        commit(CHANGE);
        Await.until(() -> lost.get() <= 0, () -> "decisions are not sent");
        assertEquals("[98 | 101 | 101]", stores.run(ALL));
        // The nodes answer again, so the decisions are sent again, and the last agent drops its record.
        assertTrue(forgotten.await(30, TimeUnit.SECONDS));
    }

    @Test
    void rowsOfABranchWhoseDecisionIsLateAreNotRead() throws Exception {
        stores.beforeAsking = lastAgent -> {
            throw new OperationFailedException("not now");
        };
        stores.steps = step -> {
            if (step.equals("after commit")) {
                throw new DistributedStores.Gone();
            }
        };
        assertThrows(DistributedStores.Gone.class, () -> stores.run(CHANGE));
        stores.steps = step -> {};
        stores.replaceCoordinator();
        for (int node = 0; node < DistributedStores.NODES; node++) {
            stores.restart(node);
        }
        String refused = stores.run("BEGIN; " + ALL);
        assertTrue(refused.contains("does not know yet whether transaction"), refused);
        try (SqlSession session = stores.engine().open()) {
            // A snapshot that was taken before the outcome came stays without it.
            String begun = SqlStore.run(session, "BEGIN; SELECT balance FROM account WHERE id IN (6, 16, 26)");
            assertTrue(begun.endsWith("[]"), begun);
            stores.beforeAsking = lastAgent -> {};
            awaitEnded();
            String later = SqlStore.run(session, ALL);
            assertTrue(later.contains("does not know yet whether transaction"), later);
        }
        assertEquals("[98 | 101 | 101]", stores.run(ALL));
    }

    /** With two replicas a row is on the nodes 1 and 2, 2 and 0, or 0 and 1. */
    @Test
    void onlyNodesThatTakePartMustBeUp(@TempDir Path other) throws Exception {
        try (DistributedStores pairs = new DistributedStores(other, 2, ASK_AFTER_MILLIS);
                SqlSession session = pairs.engine().open()) {
            pairs.create("CREATE TABLE account (id INT PRIMARY KEY, balance INT)");
            assertEquals("3", SqlStore.run(session, "INSERT INTO account VALUES (5, 100), (15, 100), (25, 100)"));
            for (boolean fresh : List.of(false, true)) {
                pairs.end(1);
                if (fresh) {
                    pairs.replaceCoordinator();
                }
                try (SqlSession now = pairs.engine().open()) {
                    // The first statement of a coordinator that knew the node may need it.
                    String unused = SqlStore.run(now, "SELECT balance FROM account");
                    assertEquals("1", SqlStore.run(now, "UPDATE account SET balance = balance + 1 WHERE id = 15"));
                    assertEquals("[100 | " + (fresh ? 102 : 101) + " | 100]", SqlStore.run(now, ALL));
                    String refused = SqlStore.run(now, "UPDATE account SET balance = 0 WHERE id = 5");
                    assertTrue(refused.contains("node 1 is closed"), refused);
                    pairs.begin(1);
                    assertEquals("1", SqlStore.run(now, "UPDATE account SET balance = 100 WHERE id = 5"));
                }
            }
        }
    }

    @Test
    void aPreparedBranchConflictsUntilItIsDecided() throws Exception {
        stores.steps = step -> {
            if (step.equals("before commit")) {
                throw new DistributedStores.Gone();
            }
        };
        try {
            String unused = stores.run(CHANGE);
        } catch (DistributedStores.Gone e) {
            stores.steps = step -> {};
        }
        // A statement that waits for it gets a conflict and is rerun, which statements of their own do by themselves.
        awaitEnded();
        assertEquals("1", stores.run("UPDATE account SET balance = 7 WHERE id = 15"));
    }

    @Test
    void onlyARefusalByTheLastAgentAbortsTheOthers() throws Exception {
        stores.steps = step -> {
            if (step.equals("after commit")) {
                throw new OperationFailedException("something else answered");
            }
        };
        String answer = stores.run(CHANGE);
        assertTrue(answer.contains("AMBIGUOUS: ") && answer.contains("not known yet"), answer);
        stores.steps = step -> {};
        awaitEnded();
        assertEquals("[98 | 101 | 101]", stores.run(ALL));
    }

    @Test
    void aCommitRepeatedAfterARestartIsAppliedOnce() throws Exception {
        AtomicInteger failures = new AtomicInteger(1);
        stores.steps = step -> {
            if (step.equals("after commit") && failures.getAndDecrement() > 0) {
                stores.restart(0);
                throw new OperationFailedException("the answer was lost");
            }
        };
        assertEquals("1", stores.run("UPDATE account SET balance = balance + 1 WHERE id = 5"));
        assertEquals("[101]", stores.run("SELECT balance FROM account WHERE id = 5"));
    }

    /** A row of a node: the second range is that of node 1. */
    private static int row(int node) {
        return 5 + 10 * ((node + 2) % DistributedStores.NODES);
    }

    /** Leaves branches in doubt on all nodes but the last agent. */
    private void leaveInDoubt(int... rows) {
        stores.steps = step -> {
            if (step.equals("before commit")) {
                throw new DistributedStores.Gone();
            }
        };
        StringBuilder statements = new StringBuilder("BEGIN");
        for (int row : rows) {
            statements.append("; UPDATE account SET balance = 0 WHERE id = ").append(row);
        }
        assertThrows(DistributedStores.Gone.class, () -> stores.run(statements + "; COMMIT"));
        stores.steps = step -> {};
    }

    @Test
    void oneSlowLastAgentDelaysNoOther() throws Exception {
        List<Integer> nodes = stores.byId();
        int shared = row(nodes.get(2));
        assertEquals("1", stores.run("INSERT INTO account VALUES (" + (shared + 1) + ", 100)"));
        String slow = stores.node(nodes.get(0)).status().id();
        CountDownLatch over = new CountDownLatch(1);
        stores.beforeAsking = lastAgent -> {
            if (lastAgent.id().equals(slow)) {
                Interrupts.outlast(over::await);
            }
        };
        TransactionParticipant held = stores.participant(nodes.get(2));
        leaveInDoubt(row(nodes.get(0)), shared);
        leaveInDoubt(row(nodes.get(1)), shared + 1);
        Await.until(() -> held.inDoubtCount() <= 1, () -> "in doubt: " + held.inDoubt());
        assertEquals(
                slow, Objects.requireNonNull(held.inDoubt().get(0).lastAgent()).id());
        over.countDown();
        awaitEnded();
        assertEquals("[100 | 100 | 100]", stores.run(ALL));
    }

    /** Each transaction takes a snapshot of each node in the background. */
    @Test
    void nodeThatDoesNotAnswerHoldsNoTransactionOfOthers() throws Exception {
        List<Integer> nodes = stores.byId();
        int silent = nodes.get(2);
        stores.cluster = true;
        String update = "UPDATE account SET balance = balance + 1 WHERE id = ";
        assertEquals("1", stores.run(update + row(nodes.get(0))));
        CountDownLatch over = new CountDownLatch(1);
        stores.beforeRead = number -> {
            if (number == silent) {
                Interrupts.outlast(over::await);
            }
        };
        CompletableFuture<?> others = CompletableFuture.runAsync(() -> {
            for (int i = 0; i < 50; i++) {
                String unused = stores.run("BEGIN; " + update + row(nodes.get(0)) + "; ROLLBACK");
            }
            String unused =
                    stores.run("BEGIN; " + update + row(nodes.get(0)) + "; " + update + row(nodes.get(1)) + "; COMMIT");
        });
        try {
            Object unused = others.get(30, TimeUnit.SECONDS);
        } finally {
            over.countDown();
        }
        stores.beforeRead = number -> {};
        awaitEnded();
        assertEquals("303", stores.run("SELECT sum(balance) FROM account").replaceAll("\\D", ""));
    }

    /** The node on which rows were read does not see what changes them on another one after a move. */
    @ParameterizedTest
    @CsvSource({"'', 1", "freeze, conflict", "move, conflict"})
    void readsOfRangesThatAreMovedMeanwhileAreRefused(String change, String expected) throws Exception {
        stores.create("CREATE TABLE note (id INT PRIMARY KEY, n INT)");
        stores.replaceCoordinator();
        try (SqlSession session = stores.engine().open()) {
            assertEquals("begin\n[100]", SqlStore.run(session, "BEGIN; SELECT balance FROM account WHERE id = 5"));
            // Before the move, since a snapshot that is taken after it is refused at once.
            assertEquals("[0]", SqlStore.run(session, "SELECT count(*) FROM note"));
            for (int i = 0; i < DistributedStores.NODES; i++) {
                Catalog catalog = stores.node(i).catalog();
                TableStatus account = Objects.requireNonNull(stores.node(i).table("account"));
                int id = account.table().id();
                RangeDirectory ranges = account.directory();
                switch (change) {
                    case "freeze" -> catalog.freeze(1, Map.of(id, "a move"));
                    case "move" ->
                        catalog.move(id, new RangeDirectory(ranges.epoch() + 1, ranges.ranges()), account.published());
                    default -> {}
                }
            }
            assertEquals("1", SqlStore.run(session, "INSERT INTO note VALUES (25, 1)"));
            String end = SqlStore.run(session, "COMMIT");
            assertTrue(end.contains(expected.equals("conflict") ? "has read table account" : "commit"), end);
        }
        assertEquals(expected.equals("conflict") ? "[0]" : "[1]", stores.run("SELECT count(*) FROM note"));
        awaitEnded();
    }

    /** The snapshots of nodes that a transaction has not read yet are taken in the background. */
    @Test
    void rangeThatIsMovedBeforeTheSnapshotOfItsNodeIsNotReadThere() throws Exception {
        CountDownLatch moved = new CountDownLatch(1);
        AtomicBoolean first = new AtomicBoolean(true);
        stores.beforeRead = number -> {
            if (number == 1 && first.getAndSet(false)) {
                Interrupts.outlast(moved::await);
            }
        };
        try (SqlSession session = stores.engine().open()) {
            String begin = "BEGIN; SELECT balance FROM account WHERE id = " + row(2);
            assertEquals("begin\n[100]", SqlStore.run(session, begin));
            String to = stores.node(2).status().id();
            for (int i = 0; i < DistributedStores.NODES; i++) {
                TableStatus account = Objects.requireNonNull(stores.node(i).table("account"));
                RangeDirectory ranges = account.directory();
                RangeDirectory next =
                        ranges.replacing(1, ranges.ranges().get(1).nodes().get(0), to, "node2");
                stores.node(i)
                        .catalog()
                        .move(account.table().id(), next.atEpoch(ranges.epoch() + 1), account.published());
            }
            stores.replaceCoordinator();
            assertEquals("1", stores.run("INSERT INTO account VALUES (" + row(1) + ", 7)"));
            int before = stores.participant(1).snapshots();
            moved.countDown();
            Await.until(() -> stores.participant(1).snapshots() != before, () -> "the statement does not read");
            String read = SqlStore.run(session, "SELECT balance FROM account WHERE id = " + row(1));
            assertTrue(read.contains("CONFLICT: "), read);
        }
        assertEquals("[7]", stores.run("SELECT balance FROM account WHERE id = " + row(1)));
    }

    /** The row of an index entry is deleted between the reads of the two, which are on different nodes. */
    @Test
    void rowThatIsDeletedWhileItIsReadByAnIndexIsNoDamage() throws Exception {
        stores.create("CREATE TABLE note (id INT PRIMARY KEY, n INT, INDEX by_n (n))");
        stores.replaceCoordinator();
        for (int read = 1; read <= 6; read++) {
            assertEquals("3", stores.run("INSERT INTO note VALUES (5, 25), (15, 5), (25, 15)"));
            awaitEnded();
            AtomicInteger left = new AtomicInteger(read);
            stores.beforeRead = number -> {
                if (left.decrementAndGet() == 0) {
                    assertEquals("3", stores.run("DELETE FROM note"));
                }
            };
            String rows = stores.run("SELECT id FROM note WHERE n IN (5, 15, 25)");
            assertTrue(rows.startsWith("["), "deleted before read " + read + ": " + rows);
            stores.beforeRead = number -> {};
            String unused = stores.run("DELETE FROM note");
            awaitEnded();
        }
    }

    @Test
    void aTableInDoubtIsBusyAtOnce() {
        stores.beforeAsking = lastAgent -> {
            throw new OperationFailedException("not now");
        };
        leaveInDoubt(5, 15, 25);
        StorageNode node = stores.node(stores.byId().get(2));
        TableBusyException drop = assertThrows(TableBusyException.class, () -> node.drop("account"));
        assertTrue(String.valueOf(drop.getMessage()).contains("sluice transactions"), drop.getMessage());
        TableDef account = Objects.requireNonNull(node.table("account")).table().def();
        assertThrows(TableBusyException.class, () -> node.beginImport(ImportRequest.of(account, IngestTiming.AT_END)));
        assertEquals(1, node.tables().size());
        stores.beforeAsking = lastAgent -> {};
    }

    /** A branch that is in doubt does not keep a table that the cluster has dropped; its other rows are committed. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void decidedDropDoesNotWaitForABranchInDoubt(boolean restarted) throws Exception {
        stores.create("CREATE TABLE note (id INT PRIMARY KEY, n INT)");
        stores.replaceCoordinator();
        assertEquals("3", stores.run("INSERT INTO note VALUES (5, 1), (15, 1), (25, 1)"));
        awaitEnded();
        stores.beforeAsking = lastAgent -> {
            throw new OperationFailedException("not now");
        };
        stores.steps = step -> {
            if (step.equals("after commit")) {
                throw new DistributedStores.Gone();
            }
        };
        String change =
                "BEGIN; UPDATE account SET balance = 0 WHERE id < 30; UPDATE note SET n = 2 WHERE id < 30; COMMIT";
        assertThrows(DistributedStores.Gone.class, () -> stores.run(change));
        stores.steps = step -> {};
        assertEquals(2, inDoubtCount());
        for (int i = 0; i < DistributedStores.NODES; i++) {
            assertEquals(
                    "dropped table account, as the cluster has decided",
                    stores.node(i).dropDecided(1, "account"));
            assertNull(stores.node(i).dropDecided(1, "account"));
            assertNull(stores.node(i).table("account"));
            if (restarted) {
                stores.restart(i);
            }
        }
        stores.beforeAsking = lastAgent -> {};
        awaitEnded();
        stores.replaceCoordinator();
        assertEquals("[2 | 2 | 2]", stores.run("SELECT n FROM note"));
        for (int i = 0; i < DistributedStores.NODES; i++) {
            assertEquals(1, stores.node(i).tables().size());
        }
    }

    @Test
    void anOperatorCannotContradictTheLastAgent() throws Exception {
        stores.beforeAsking = lastAgent -> {
            throw new OperationFailedException("the resolver is not to ask");
        };
        leaveInDoubt(5, 15, 25);
        List<Integer> nodes = stores.byId();
        TransactionParticipant one = stores.participant(nodes.get(1));
        TransactionParticipant two = stores.participant(nodes.get(2));
        UUID transaction = one.inDoubt().get(0).id();
        assertEquals(List.of("account"), one.inDoubt().get(0).tables());
        Peers peers = stores.peers();
        BadInputException unknown =
                assertThrows(BadInputException.class, () -> one.resolve(UUID.randomUUID(), true, peers, null));
        assertTrue(String.valueOf(unknown.getMessage()).contains("in doubt"), unknown.getMessage());
        // It cannot be asked: the operator decides.
        assertEquals(Outcome.UNKNOWN, two.resolve(transaction, false, peers, null));
        assertEquals(0, two.inDoubtCount());
        stores.beforeAsking = lastAgent -> {};
        BadInputException aborted =
                assertThrows(BadInputException.class, () -> one.resolve(transaction, true, peers, null));
        assertTrue(String.valueOf(aborted.getMessage()).contains("aborted"), aborted.getMessage());
        awaitEnded();
        assertEquals("[100 | 100 | 100]", stores.run(ALL));
    }

    /** A node that lacks entries of the log gets no outcome from it at first. */
    @Test
    void anOperatorDoesNotDecideBeforeTheLogHasDone(@TempDir Path other) throws Exception {
        try (DistributedStores patient = new DistributedStores(other, 1, 60_000)) {
            patient.create("CREATE TABLE account (id INT PRIMARY KEY, balance INT)");
            patient.cluster = true;
            patient.steps = step -> {
                if (step.equals("before decision")) {
                    throw new DistributedStores.Gone();
                }
            };
            try (SqlSession session = patient.engine().open()) {
                assertThrows(
                        DistributedStores.Gone.class,
                        () -> SqlStore.run(session, "INSERT INTO account VALUES (5, 1), (15, 1)"));
            }
            TransactionParticipant one = patient.participant(1);
            UUID transaction = one.inDoubt().get(0).id();
            Decision forgotten = new Decision(UUID.randomUUID(), List.of("another"), 0, null);
            List<Outcome> unused = patient.decisions.apply(100, new Decisions.Entry(List.of(forgotten), null));
            unused = patient.decisions.apply(101, new Decisions.Entry(List.of(), new Decisions.Report("another", 100)));
            DecisionLog late = new LateLog(patient.decisions);
            BadInputException aborted =
                    assertThrows(BadInputException.class, () -> one.resolve(transaction, true, patient.peers(), late));
            assertTrue(String.valueOf(aborted.getMessage()).contains("was aborted"), aborted.getMessage());
            assertEquals(Outcome.ABORTED, one.resolve(transaction, false, patient.peers(), late));
        }
    }

    /** A node's log, of which it has applied little when it is asked first. */
    private static final class LateLog implements DecisionLog {
        private final Decisions decisions;
        private long seen = 1;
        private long entries = 200;

        LateLog(Decisions decisions) {
            this.decisions = decisions;
        }

        @Override
        public long seen() {
            long now = seen;
            seen = entries;
            return now;
        }

        @Override
        public Outcome applied(UUID transaction) {
            return Outcome.UNKNOWN;
        }

        @Override
        public byte @Nullable [] position(String log) {
            return null;
        }

        @Override
        public Map<UUID, Outcome> decide(List<Decision> all) {
            entries++;
            return Map.of(
                    all.get(0).transaction(),
                    decisions.apply(entries, new Decisions.Entry(all, null)).get(0));
        }

        @Override
        public long unreported() {
            return 0;
        }

        @Override
        public void report(long through) {}
    }
}
