package io.sluice.sql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.api.transaction.Changes;
import io.sluice.api.transaction.LastAgent;
import io.sluice.api.transaction.Outcome;
import io.sluice.api.transaction.ReadRequest;
import io.sluice.api.transaction.TableChanges;
import io.sluice.grammar.StatementException;
import io.sluice.model.error.NodeUnreachableException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.sql.distributed.TransactionParticipant;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Statements on tables with replicas while the cluster loses a node: it goes on without it. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class LostNodeTest {
    private static final String ALL = "SELECT balance FROM account WHERE id IN (5, 15, 25)";
    private static final String CHANGE = "BEGIN; UPDATE account SET balance = balance + 1 WHERE id < 30; COMMIT";
    private static final long POLL_MILLIS = 10;
    private static final long ASK_AFTER_MILLIS = 200;

    @TempDir
    Path directory;

    private DistributedStores stores;

    /** The coordinator is gone: nothing after it is done. */
    private static final class Gone extends Error {
        private static final long serialVersionUID = 1L;
    }

    private void create(int replicas) throws Exception {
        stores = new DistributedStores(directory, replicas, ASK_AFTER_MILLIS);
        stores.cluster = true;
        stores.create("CREATE TABLE account (id INT PRIMARY KEY, balance INT)");
        assertEquals("3", run("INSERT INTO account VALUES (5, 100), (15, 100), (25, 100)"));
    }

    @AfterEach
    void close() {
        stores.steps = step -> {};
        stores.close();
    }

    private String run(String sql) {
        try (SqlSession session = stores.engine().open()) {
            return SqlStore.run(session, sql);
        }
    }

    /** Nodes in the order of their ids: the last agent of a transaction on all of them is the first. */
    private List<Integer> byId() {
        return Stream.of(0, 1, 2)
                .sorted(Comparator.comparing(node -> stores.node(node).status().id()))
                .toList();
    }

    private void awaitDecided(int... nodes) throws InterruptedException {
        for (int node : nodes) {
            while (stores.participant(node).inDoubtCount() > 0) {
                Thread.sleep(POLL_MILLIS);
            }
        }
    }

    private void assertEqualReplicas(int... nodes) {
        Set<String> digests = new HashSet<>();
        for (int node : nodes) {
            digests.add(stores.node(node).digest("account").digest());
        }
        assertEquals(1, digests.size());
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
        assertEquals("3", run("UPDATE account SET balance = balance + 1 WHERE id < 30"));
        assertEquals("1", run("UPDATE account SET balance = balance + 1 WHERE id = 5"));
        assertEquals("[102 | 101 | 101]", run(ALL));
        assertTrue(stores.node(0).tables().get(0).directory().missing() > 0);
        stores.begin(1);
        assertEquals("[102 | 101 | 101]", run(ALL));
    }

    /** Without another replica nothing can go on; the node comes back with all its rows. */
    @Test
    void theOnlyReplicaIsNotLeftOut() throws Exception {
        create(1);
        stores.end(1);
        String unused = run("SELECT count(*) FROM account");
        String refused = run("UPDATE account SET balance = 0 WHERE id = 5");
        assertTrue(refused.contains("node 1 is closed"), refused);
        assertEquals("1", run("UPDATE account SET balance = 7 WHERE id = 15"));
        stores.begin(1);
        stores.replaceCoordinator();
        assertEquals("[100 | 7 | 100]", run(ALL));
    }

    /** The coordinator does not know the outcome, and the other nodes abort the transaction. */
    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void transactionOfALostLastAgentIsAborted(int replicas) throws Exception {
        create(replicas);
        List<Integer> nodes = byId();
        stores.steps = step -> {
            if (step.equals("after commit")) {
                stores.end(nodes.get(0));
                throw noAnswer();
            }
        };
        String answer = run(CHANGE);
        assertTrue(answer.contains("not known yet"), answer);
        stores.steps = step -> {};
        awaitDecided(nodes.get(1), nodes.get(2));
        assertEquals("[100 | 100 | 100]", run(ALL));
        assertTrue(run(CHANGE).endsWith("commit"));
        assertEquals("[101 | 101 | 101]", run(ALL));
        // It is back, with what it had committed alone: no one reads that.
        stores.begin(nodes.get(0));
        stores.replaceCoordinator();
        assertEquals("[101 | 101 | 101]", run(ALL));
    }

    /** The coordinator has told one of the others of the commit, then it is gone, and so is the last agent. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatOneOfTheOthersHasCommittedIsCommitted(boolean restarted) throws Exception {
        create(3);
        List<Integer> nodes = byId();
        String lost = stores.node(nodes.get(0)).status().id();
        AtomicInteger told = new AtomicInteger();
        stores.steps = step -> {
            if (step.equals("before decide") && told.incrementAndGet() > 1) {
                throw new Gone();
            }
            if (step.startsWith("before forget")) {
                throw new Gone();
            }
        };
        try {
            String unused = run(CHANGE);
        } catch (Gone | IllegalStateException e) {
            // The second one is not told.
        }
        stores.steps = step -> {};
        stores.end(nodes.get(0));
        stores.replaceCoordinator();
        if (restarted) {
            stores.restart(nodes.get(1));
            stores.restart(nodes.get(2));
        }
        stores.leaveOut(lost);
        awaitDecided(nodes.get(1), nodes.get(2));
        assertEquals("[101 | 101 | 101]", run(ALL));
        assertEqualReplicas(nodes.get(1), nodes.get(2));
    }

    /** Or else the last agent alone would have it, and its loss would undo it. */
    @Test
    void commitIsAnsweredWhenAllNodesHaveItThatAreNotLost() throws Exception {
        create(3);
        List<Integer> nodes = byId();
        stores.steps = step -> {
            if (step.equals("after commit")) {
                stores.end(nodes.get(2));
            }
        };
        assertTrue(run(CHANGE).endsWith("commit"));
        stores.steps = step -> {};
        assertEquals(0, stores.participant(nodes.get(1)).inDoubtCount());
        stores.end(nodes.get(0));
        assertEquals("[101 | 101 | 101]", run(ALL));
    }

    @Test
    void orphanedBranchIsNotCommittedByALateDecision() throws Exception {
        create(3);
        List<Integer> nodes = byId();
        String lost = stores.node(nodes.get(0)).status().id();
        LastAgent agent = new LastAgent(lost, "node" + nodes.get(0));
        LastAgent other = new LastAgent(stores.node(nodes.get(2)).status().id(), "node" + nodes.get(2));
        TransactionParticipant one = stores.participant(nodes.get(1));
        UUID transaction = UUID.randomUUID();
        stores.end(nodes.get(0));
        stores.end(nodes.get(2));
        Changes changes = new Changes(
                one.read(ReadRequest.NOTHING).snapshot(),
                List.of(new TableChanges(1, List.of(new byte[] {1}), List.of(new byte[] {2}))),
                List.of(),
                List.of(),
                null);
        one.prepare(transaction, agent, changes, List.of(other));
        assertEquals(Outcome.UNKNOWN, one.branchOutcome(transaction));
        stores.leaveOut(lost);
        assertEquals(Outcome.ABORTED, one.branchOutcome(transaction));
        assertThrows(OperationFailedException.class, () -> one.decide(transaction, true));
        stores.restart(nodes.get(1));
        TransactionParticipant again = stores.participant(nodes.get(1));
        assertEquals(Outcome.ABORTED, again.branchOutcome(transaction));
        assertThrows(OperationFailedException.class, () -> again.decide(transaction, true));
        assertEquals(1, again.inDoubtCount());
        // The other one answers: it has no such branch.
        stores.begin(nodes.get(2));
        awaitDecided(nodes.get(1));
        assertThrows(OperationFailedException.class, () -> again.decide(transaction, true));
        again.decide(transaction, false);
    }

    /** It would lock rows until the node is back. */
    @Test
    void suspectedNodeIsNoLastAgent() throws Exception {
        create(2);
        TransactionParticipant one = stores.participant(1);
        one.suspects(Map.of("lost", false));
        UUID snapshot = one.read(ReadRequest.NOTHING).snapshot();
        Changes changes = new Changes(snapshot, List.of(), List.of(), List.of(), null);
        StatementException refused = assertThrows(
                StatementException.class,
                () -> one.prepare(UUID.randomUUID(), new LastAgent("lost", "node9"), changes, null));
        assertTrue(refused.text().contains("did not answer"), refused.text());
    }
}
