package io.sluice.sql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.api.node.ScanRequest;
import io.sluice.api.node.TableDigest;
import io.sluice.api.node.TableStatus;
import io.sluice.model.error.NodeUnreachableException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.sql.apply.ChangeLogs;
import io.sluice.sql.distributed.ClusterSnapshot;
import io.sluice.sql.distributed.SnapshotScan;
import io.sluice.testing.Await;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Statements on tables with replicas while the cluster loses a node: it goes on without it. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class LostNodeTest {
    private static final String ALL = "SELECT balance FROM account WHERE id IN (5, 15, 25)";
    private static final String CHANGE = "BEGIN; UPDATE account SET balance = balance + 1 WHERE id < 30; COMMIT";
    private static final long ASK_AFTER_MILLIS = 200;
    private static final long BARRIER_SECONDS = 10;

    @TempDir
    Path directory;

    private DistributedStores stores;

    private void create(int replicas) throws Exception {
        stores = new DistributedStores(directory, replicas, ASK_AFTER_MILLIS);
        stores.cluster = true;
        stores.create("CREATE TABLE account (id INT PRIMARY KEY, balance INT)");
        assertEquals("3", stores.run("INSERT INTO account VALUES (5, 100), (15, 100), (25, 100)"));
    }

    @AfterEach
    void close() {
        stores.steps = step -> {};
        stores.close();
    }

    private void awaitDecided(int... nodes) throws Exception {
        for (int node : nodes) {
            Await.until(() -> stores.participant(node).inDoubtCount() == 0, () -> "in doubt at node " + node);
        }
    }

    private static NodeUnreachableException noAnswer() {
        return new NodeUnreachableException("a node", "no route", new IllegalStateException("no route"));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void writesGoOnWithoutALostReplica(boolean fresh) throws Exception {
        create(2);
        stores.end(1);
        if (fresh) {
            stores.replaceCoordinator();
        }
        assertEquals("3", stores.run("UPDATE account SET balance = balance + 1 WHERE id < 30"));
        assertEquals("1", stores.run("UPDATE account SET balance = balance + 1 WHERE id = 5"));
        assertEquals("[102 | 101 | 101]", stores.run(ALL));
        assertTrue(stores.node(0).tables().get(0).directory().missing() > 0);
        stores.begin(1);
        assertEquals("[102 | 101 | 101]", stores.run(ALL));
    }

    /** Each request to a silent node takes some seconds. */
    @Test
    void silentNodeIsNotAskedAgainForItsTables() throws Exception {
        create(2);
        String id = stores.node(1).status().id();
        stores.end(1);
        stores.replaceCoordinator();
        assertEquals("[100 | 100 | 100]", stores.run(ALL));
        assertEquals(Set.of(id), stores.notAsked);
    }

    @Test
    void allNodesAreAskedAtOnce() throws Exception {
        create(2);
        stores.replaceCoordinator();
        CyclicBarrier asked = new CyclicBarrier(DistributedStores.NODES);
        stores.beforeRead = number -> {
            try {
                asked.await(BARRIER_SECONDS, TimeUnit.SECONDS);
            } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
                throw new AssertionError(e);
            }
        };
        String answer = stores.run("SELECT * FROM unknown");
        assertTrue(answer.contains("unknown"), answer);
    }

    /** A read that met the loss first has only found that others must be read. */
    @Test
    void writeThatMeetsALossAfterAReadStillLeavesTheNodeOut() throws Exception {
        create(2);
        try (SqlSession writer = stores.engine().open();
                SqlSession reader = stores.engine().open()) {
            assertEquals("begin\n3", SqlStore.run(writer, "BEGIN; UPDATE account SET balance = 7 WHERE id < 30"));
            stores.end(1);
            String read = SqlStore.run(reader, "BEGIN; " + ALL);
            assertTrue(read.contains("did not answer"), read);
            String written = SqlStore.run(writer, "COMMIT");
            assertTrue(written.contains("did not answer"), written);
        }
        assertTrue(stores.node(0).tables().get(0).directory().missing() > 0);
        assertEquals("[100 | 100 | 100]", stores.run(ALL));
    }

    /** The rest is of another moment, which the user learns. */
    @ParameterizedTest
    @ValueSource(strings = {"primary", "by_balance"})
    void scanGoesOnAfterItsLastRowWhenANodeIsLost(String index) throws Exception {
        stores = new DistributedStores(directory, 3, ASK_AFTER_MILLIS);
        stores.cluster = true;
        stores.create("CREATE TABLE account (id INT PRIMARY KEY, balance INT, INDEX by_balance (balance))");
        assertEquals(
                "6", stores.run("INSERT INTO account VALUES (5, 5), (6, 6), (15, 15), (16, 16), (25, 25), (26, 26)"));
        ScanRequest request =
                new ScanRequest("account", index.equals("primary") ? null : index, List.of(), List.of(), 5);
        List<String> told = new ArrayList<>();
        List<String> ids = new ArrayList<>();
        try (SnapshotScan rows = new SnapshotScan(
                ClusterSnapshot.take(stores.tables(), List.of("account"), stores.node(1)),
                request,
                stores.node(1)::scan,
                told::add)) {
            for (List<String> row = rows.next(); row != null; row = rows.next()) {
                ids.add(row.get(0));
                stores.beforeRead = number -> {
                    throw noAnswer();
                };
            }
        }
        assertEquals(List.of("5", "6", "15", "16", "25"), ids);
        assertEquals(1, told.size());
        assertTrue(told.get(0).startsWith("the rows that follow may be of different moments: node "), told.get(0));
    }

    /** Another replica has a snapshot of the same moment; without one, there is nothing of that moment to read. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void snapshotIsReadFromAnotherReplicaWhenANodeIsLost(int replicas) throws Exception {
        create(replicas);
        try (ClusterSnapshot snapshot = ClusterSnapshot.take(stores.tables(), List.of("account"), stores.node(0))) {
            TableDigest before = snapshot.digest("account");
            assertTrue(stores.run(CHANGE).endsWith("commit"));
            stores.end(1);
            if (replicas == 1) {
                OperationFailedException lost =
                        assertThrows(OperationFailedException.class, () -> snapshot.digest("account"));
                assertTrue(String.valueOf(lost.getMessage()).contains("did not answer"), lost.toString());
            } else {
                assertEquals(before, snapshot.digest("account"));
            }
        }
    }

    /** Without another replica nothing can go on; the node comes back with all its rows. */
    @Test
    void theOnlyReplicaIsNotLeftOut() throws Exception {
        create(1);
        stores.end(1);
        String unused = stores.run("SELECT count(*) FROM account");
        String refused = stores.run("UPDATE account SET balance = 0 WHERE id = 5");
        assertTrue(refused.contains("node 1 is closed"), refused);
        assertEquals("1", stores.run("UPDATE account SET balance = 7 WHERE id = 15"));
        stores.begin(1);
        stores.replaceCoordinator();
        assertEquals("[100 | 7 | 100]", stores.run(ALL));
    }

    /**
     * A node and the coordinator are lost around the decision; with one replica, the node's rows are lost, too.
     *
     * @param step the last step before they are
     */
    @ParameterizedTest
    @CsvSource({
        "1, before decision, 100, false",
        "1, after decision, 101, false",
        "2, before decision, 100, true",
        "2, after decision, 101, false",
        "3, after decision, 101, true",
        "3, after decide, 101, false"
    })
    void outcomeIsInTheLogWhicheverNodeIsLost(int replicas, String step, int balance, boolean restarted)
            throws Exception {
        create(replicas);
        List<Integer> nodes = stores.byId();
        stores.steps = now -> {
            if (now.equals(step)) {
                stores.steps = later -> {
                    throw new DistributedStores.Gone();
                };
                throw new DistributedStores.Gone();
            }
        };
        try {
            String unused = stores.run(CHANGE);
        } catch (DistributedStores.Gone | IllegalStateException e) {
            // The coordinator tells no node, or one of them.
        }
        stores.steps = now -> {};
        stores.end(nodes.get(0));
        stores.replaceCoordinator();
        if (restarted) {
            stores.restart(nodes.get(1));
            stores.restart(nodes.get(2));
        }
        awaitDecided(nodes.get(1), nodes.get(2));
        int readable = 0;
        for (int id : List.of(5, 15, 25)) {
            String row = stores.run("SELECT balance FROM account WHERE id = " + id);
            if (!row.contains("some of the rows are on a node that cannot be read: node ")) {
                readable++;
                assertEquals("[" + balance + "]", row);
                assertEquals("1", stores.run("UPDATE account SET balance = balance + 1 WHERE id = " + id));
            }
        }
        assertEquals(replicas == 1 ? 2 : 3, readable);
        // It is back: it reads in the log what became of its branch.
        stores.begin(nodes.get(0));
        awaitDecided(nodes.get(0));
        Await.until(() -> stores.decisions.commits() == 0, () -> "decisions are not forgotten");
    }

    /** The log has it, so the node does not need to. */
    @Test
    void commitIsAnsweredThoughANodeIsLostAfterTheDecision() throws Exception {
        create(3);
        List<Integer> nodes = stores.byId();
        stores.steps = step -> {
            if (step.equals("after decision")) {
                stores.end(nodes.get(2));
            }
        };
        assertTrue(stores.run(CHANGE).endsWith("commit"));
        stores.steps = step -> {};
        assertEquals(0, stores.participant(nodes.get(1)).inDoubtCount());
        stores.end(nodes.get(0));
        assertEquals("[101 | 101 | 101]", stores.run(ALL));
    }

    /** If it were only slow, it would serve its rows without the commit. */
    @Test
    void nodeThatMissesACommitIsLeftOutThoughTheNodesAreListedAnewMeanwhile() throws Exception {
        create(3);
        List<Integer> nodes = stores.byId();
        int lost = nodes.get(2);
        String id = stores.node(lost).status().id();
        stores.steps = step -> {
            if (step.equals("after decision")) {
                stores.steps = later -> {};
                stores.end(lost);
                assertTrue(stores.run("SELECT * FROM unknown").contains("unknown"));
            }
        };
        assertTrue(stores.run(CHANGE).endsWith("commit"));
        TableStatus account = Objects.requireNonNull(stores.node(nodes.get(0)).table("account"));
        assertFalse(account.directory().nodes().contains(id));
    }

    /** A node that is back serves rows of a transaction whose client has its answer, and no one told the node. */
    @Test
    void branchesAreEndedByWhatTheNodeKnowsOfTheLog() throws Exception {
        create(3);
        stores.steps = step -> {
            if (step.equals("after decision")) {
                throw noAnswer();
            }
        };
        String unused = stores.run(CHANGE);
        stores.steps = step -> {};
        for (int node = 0; node < DistributedStores.NODES; node++) {
            assertEquals(Map.of(), stores.participant(node).endDecided(stores.decisions::outcome));
            assertEquals(0, stores.participant(node).inDoubtCount());
        }
        assertEquals("[101 | 101 | 101]", stores.run(ALL));
    }

    /** The coordinator does not know the outcome, which is in the log all the same. */
    @Test
    void lostAnswerOfTheLogLeavesTheOutcomeOpen() throws Exception {
        create(2);
        stores.steps = step -> {
            if (step.equals("after decision")) {
                throw noAnswer();
            }
        };
        String answer = stores.run(CHANGE);
        assertTrue(answer.contains("not known yet"), answer);
        stores.steps = step -> {};
        awaitDecided(0, 1, 2);
        assertEquals("[101 | 101 | 101]", stores.run(ALL));
    }

    /** The nodes ask before the coordinator decides, and so abort the transaction; it is run again. */
    @Test
    void nodesThatAskFirstAbortTheTransaction() throws Exception {
        create(2);
        stores.steps = step -> {
            if (step.equals("before decision")) {
                stores.steps = later -> {};
                awaitDecidedUninterruptibly();
            }
        };
        String answer = stores.run(CHANGE);
        assertTrue(answer.contains("asked for the outcome"), answer);
        assertEquals("[100 | 100 | 100]", stores.run(ALL));
        assertTrue(stores.run(CHANGE).endsWith("commit"));
        assertEquals("[101 | 101 | 101]", stores.run(ALL));
    }

    /** The log of the cluster has the position of a change log: no node is needed for it, above all not the first. */
    @Test
    void changeLogGoesOnWithoutALostNode() throws Exception {
        create(2);
        Path log = Files.writeString(directory.resolve("changes.jsonl"), insert(1) + insert(11) + insert(21));
        ChangeLogs.Settings settings = new ChangeLogs.Settings(1, 2, false, false, "changes");
        assertEquals(
                3,
                new ChangeLogs(stores.engine(), Clock.systemUTC())
                        .apply(log, settings)
                        .changes());
        stores.end(stores.byId().get(0));
        stores.replaceCoordinator();
        Files.writeString(log, insert(2) + insert(12), StandardOpenOption.APPEND);
        for (int changes : List.of(2, 0)) {
            ChangeLogs.Report report = new ChangeLogs(stores.engine(), Clock.systemUTC()).apply(log, settings);
            assertEquals(5 - changes, report.skipped());
            assertEquals(changes, report.changes());
        }
        assertEquals("[5]", stores.run("SELECT count(*) FROM account WHERE balance = 1"));
    }

    /** A read of a batch meets the loss; the batch is written again, from its first line. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void changeLogGoesOnWhenANodeIsLostMeanwhile(int workers) throws Exception {
        create(2);
        Path log = Files.writeString(directory.resolve("changes.jsonl"), insert(1) + insert(11) + insert(21));
        assertEquals("[100 | 100 | 100]", stores.run(ALL));
        AtomicInteger reads = new AtomicInteger();
        stores.beforeRead = number -> {
            // The first reads ask each node for the position.
            if (reads.incrementAndGet() == DistributedStores.NODES + 1) {
                String lost = stores.node(0).status().id();
                stores.end(0);
                stores.leaveOut(lost);
            }
        };
        ChangeLogs.Settings settings = new ChangeLogs.Settings(workers, 10, false, false, "changes");
        ChangeLogs.Report report = new ChangeLogs(stores.engine(), Clock.systemUTC()).apply(log, settings);
        assertEquals(3, report.changes());
        assertEquals("[3]", stores.run("SELECT count(*) FROM account WHERE balance = 1"));
    }

    @Test
    void positionOfAChangeLogIsReadWithoutALostNode() throws Exception {
        create(2);
        Path log = Files.writeString(directory.resolve("changes.jsonl"), insert(1));
        ChangeLogs.Settings settings = new ChangeLogs.Settings(1, 2, false, false, "changes");
        assertEquals(
                1,
                new ChangeLogs(stores.engine(), Clock.systemUTC())
                        .apply(log, settings)
                        .changes());
        stores.end(0);
        assertEquals(
                1,
                new ChangeLogs(stores.engine(), Clock.systemUTC())
                        .apply(log, settings)
                        .skipped());
    }

    private static String insert(int id) {
        return "{\"table\":\"account\",\"op\":\"insert\",\"row\":{\"id\":" + id + ",\"balance\":1}}\n";
    }

    private void awaitDecidedUninterruptibly() {
        try {
            awaitDecided(0, 1, 2);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
