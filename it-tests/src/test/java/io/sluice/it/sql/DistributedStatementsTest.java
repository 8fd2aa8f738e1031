package io.sluice.it.sql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.api.node.NodeClient;
import io.sluice.api.node.TableStatus;
import io.sluice.api.transaction.Participant;
import io.sluice.api.transaction.ReadRequest;
import io.sluice.api.transaction.ReadSet;
import io.sluice.client.RemoteNode;
import io.sluice.client.RemoteSettings;
import io.sluice.grammar.SqlErrorCode;
import io.sluice.grammar.StatementException;
import io.sluice.it.support.DistributedCluster;
import io.sluice.it.support.Imports;
import io.sluice.model.kv.IndexKeys;
import io.sluice.model.kv.KeySpan;
import io.sluice.sql.SqlEngine;
import io.sluice.sql.SqlSession;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Statements on tables that were imported to three nodes. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class DistributedStatementsTest {
    private static final int ACCOUNTS = 3000;
    private static final int TRANSFERS = 60;

    @TempDir
    static Path directory;

    private static DistributedCluster cluster;
    private static SqlEngine engine;

    @BeforeAll
    static void importTables() throws Exception {
        cluster = DistributedCluster.open(directory, 3, 1);
        List<String> accounts = new ArrayList<>();
        List<String> transfers = new ArrayList<>();
        for (int i = 0; i < ACCOUNTS; i++) {
            accounts.add(i + ",owner" + i + ",100");
            transfers.add(i + "," + i + ",1");
        }
        cluster.importRows(
                Imports.table("CREATE TABLE account (id INT PRIMARY KEY, owner STRING, balance INT,"
                        + " UNIQUE INDEX by_owner (owner))"),
                accounts);
        cluster.importRows(
                Imports.table("CREATE TABLE transfer (id INT PRIMARY KEY, account INT, amount INT,"
                        + " INDEX by_account (account), FOREIGN KEY (account) REFERENCES account (id))"),
                transfers);
        engine = cluster.engine();
    }

    @AfterAll
    static void end() {
        engine.close();
        cluster.close();
    }

    @Test
    void rowsAreReadWrittenAndCounted() {
        try (SqlSession session = engine.open()) {
            assertEquals(
                    List.of(
                            "[[" + ACCOUNTS + "]]",
                            "[[17, owner17, 100], [2900, owner2900, 100]]",
                            "[[5, owner5, 100]]"),
                    DistributedCluster.run(
                            session,
                            "SELECT count(*) FROM account; SELECT * FROM account WHERE id IN (17, 2900);"
                                    + " SELECT * FROM account WHERE owner = 'owner5'"));
            assertEquals(
                    List.of("begin", "1 changed", "1 changed", "3 changed", "[[99], [101]]", "commit"),
                    DistributedCluster.run(session, """
                            BEGIN;
                            UPDATE account SET balance = balance - 1 WHERE id = 100;
                            UPDATE account SET balance = balance + 1 WHERE id = 2000;
                            INSERT INTO transfer VALUES (10001, 100, 1), (10002, 2000, 1), (10003, 2000, 1);
                            SELECT balance FROM account WHERE id IN (100, 2000);
                            COMMIT"""));
            assertEquals(
                    List.of("[[99], [101]]", "[[2000], [10002], [10003]]"),
                    DistributedCluster.run(
                            session,
                            "SELECT balance FROM account WHERE id IN (100, 2000);"
                                    + " SELECT id FROM transfer WHERE account = 2000"));
        }
    }

    @Test
    void tableChecksumFollowsCommits() throws Exception {
        try (SqlSession session = engine.open();
                NodeClient client = cluster.client()) {
            assertEquals(
                    List.of("2 changed", "1 changed", "1 changed"),
                    DistributedCluster.run(
                            session,
                            "INSERT INTO transfer VALUES (20001, 7, 1), (29000, 8, 2);"
                                    + " UPDATE account SET owner = 'owner', balance = 1 WHERE id = 2001;"
                                    + " DELETE FROM transfer WHERE id = 29000"));
            cluster.awaitDecided();
            for (String table : List.of("account", "transfer")) {
                assertEquals(
                        client.digest(table).indexes(),
                        Objects.requireNonNull(client.table(table)).imported());
            }
        }
    }

    @Test
    void unsupportedStatementsAreRefused() {
        try (SqlSession session = engine.open()) {
            String taken = DistributedCluster.run(session, "INSERT INTO account VALUES (9000, 'owner7', 1)")
                    .get(0);
            assertTrue(taken.startsWith("unique: "), taken);
            String orphan = DistributedCluster.run(session, "INSERT INTO transfer VALUES (9001, 77777, 1)")
                    .get(0);
            assertTrue(orphan.startsWith("foreign_key: "), orphan);
            String referred = DistributedCluster.run(session, "DELETE FROM account WHERE id = 33")
                    .get(0);
            assertTrue(referred.startsWith("foreign_key: "), referred);
            String plan = DistributedCluster.run(session, "EXPLAIN DELETE FROM account WHERE id = 33")
                    .get(0);
            assertTrue(plan.contains("is distributed over several nodes"), plan);
        }
    }

    @Test
    void sumsBesideTransfersAreRight() throws Exception {
        String sum = "SELECT sum(balance) FROM account";
        try (SqlSession session = engine.open();
                SqlEngine other = cluster.engine();
                SqlSession transfers = other.open()) {
            List<String> right = DistributedCluster.run(session, sum);
            AtomicInteger left = new AtomicInteger(TRANSFERS);
            Thread client = new Thread(() -> {
                while (left.decrementAndGet() >= 0) {
                    List<String> unused = DistributedCluster.run(
                            transfers,
                            "BEGIN; UPDATE account SET balance = balance - 1 WHERE id = 400;"
                                    + " UPDATE account SET balance = balance + 1 WHERE id = 2400; COMMIT");
                }
            });
            client.start();
            do {
                assertEquals(right, DistributedCluster.run(session, sum));
            } while (left.get() > 0);
            client.join();
            assertNotEquals(
                    List.of("[[100]]"), DistributedCluster.run(session, "SELECT balance FROM account WHERE id = 400"));
        }
    }

    @Test
    void nodeTellsWhetherWhatWasReadIsUnchanged() throws Exception {
        List<KeySpan> all = List.of(KeySpan.ALL);
        try (RemoteNode node = new RemoteNode(RemoteSettings.of(cluster.address(0)));
                SqlSession session = engine.open()) {
            TableStatus account = Objects.requireNonNull(node.table("account"));
            int id = account.table().id();
            long epoch = account.directory().epoch();
            Participant participant = node.participant();
            UUID snapshot = participant.read(ReadRequest.NOTHING).snapshot();
            assertTrue(participant.ensureUnchanged(new ReadSet(snapshot, all, Map.of(id, epoch))));
            StatementException other = assertThrows(
                    StatementException.class,
                    () -> participant.ensureUnchanged(new ReadSet(snapshot, all, Map.of(id, epoch + 1))));
            assertEquals(SqlErrorCode.CONFLICT, other.code());
            assertTrue(other.text().contains("table account"), other.text());
            assertEquals(
                    List.of(ACCOUNTS + " changed"),
                    DistributedCluster.run(session, "UPDATE transfer SET amount = 2 WHERE id < " + ACCOUNTS));
            cluster.awaitDecided();
            StatementException changed = assertThrows(
                    StatementException.class,
                    () -> participant.ensureUnchanged(new ReadSet(snapshot, all, Map.of(id, epoch))));
            assertEquals(SqlErrorCode.CONFLICT, changed.code());
            assertTrue(participant.ensureUnchanged(
                    new ReadSet(snapshot, List.of(new IndexKeys(account.table()).span(0)), Map.of(id, epoch))));
        }
    }

    @Test
    void oneOfTwoConflictingTransactionsIsRefused() {
        try (SqlSession one = engine.open();
                SqlSession two = engine.open()) {
            DistributedCluster.run(one, "BEGIN; SELECT balance FROM account WHERE id = 500");
            DistributedCluster.run(two, "BEGIN; SELECT balance FROM account WHERE id = 2500");
            DistributedCluster.run(one, "UPDATE account SET balance = 0 WHERE id = 2500");
            DistributedCluster.run(two, "UPDATE account SET balance = 0 WHERE id = 500");
            // Each has read what the other writes: snapshot isolation would let both pass.
            assertEquals(List.of("commit"), DistributedCluster.run(one, "COMMIT"));
            String refused = DistributedCluster.run(two, "COMMIT").get(0);
            assertTrue(refused.startsWith("conflict: "), refused);
        }
    }
}
