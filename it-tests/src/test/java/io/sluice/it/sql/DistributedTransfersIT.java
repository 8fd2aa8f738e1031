package io.sluice.it.sql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.client.RemoteNode;
import io.sluice.client.RemoteSettings;
import io.sluice.client.cluster.ClusterParticipants;
import io.sluice.it.support.DistributedCluster;
import io.sluice.it.support.NodeProcess;
import io.sluice.it.support.NodeProcesses;
import io.sluice.it.support.Seeds;
import io.sluice.it.support.SluiceProcess;
import io.sluice.it.support.SluiceProcess.Result;
import io.sluice.sql.SqlEngine;
import io.sluice.sql.SqlSession;
import io.sluice.sql.SqlSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Transfers on three nodes, each a process, of which one is killed in the middle: no money comes or goes. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class DistributedTransfersIT {
    private static final int ACCOUNTS = 600;
    private static final int BALANCE = 100;
    /** Kills; profile {@code long} sets more. */
    private static final int ROUNDS = Integer.getInteger("sluice.it.kills", 2);

    /** So many are done before a node is killed in the middle of another one. */
    private static final int TRANSFERS = 15;

    private static final long SEED = Seeds.of(DistributedTransfersIT.class);
    private static final long POLL_MILLIS = 5;
    /** For so long, a transfer is run again after conflicts: the rows of one before may wait for their decision. */
    private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(1);

    private static final long AGAIN_MILLIS = 100;

    @TempDir
    Path directory;

    @Test
    void transferIsOnAllNodesOrOnNone() throws Exception {
        Random random = new Random(SEED);
        List<NodeProcess> nodes =
                new ArrayList<>(NodeProcesses.start(directory, 3).all());
        try {
            String addresses = addresses(nodes);
            importTable(addresses, "account", "id INT PRIMARY KEY, balance INT", i -> i + "," + BALANCE);
            importTable(addresses, "transfer", "id INT PRIMARY KEY, amount INT", i -> i + ",0");
            for (int round = 0; round < ROUNDS; round++) {
                int killed = random.nextInt(nodes.size());
                transferUntilKilled(nodes, nodes.get(killed), random);
                nodes.set(killed, nodes.get(killed).startAgain());
            }
            // Every account once, whatever still waits for a decision being decided by that.
            Result touched = sql(addresses, "UPDATE account SET balance = balance + 0");
            for (int tries = 0; tries < 30 && touched.exitCode() != 0; tries++) {
                Thread.sleep(1_000);
                touched = sql(addresses, "UPDATE account SET balance = balance + 0");
            }
            assertEquals(0, touched.exitCode(), touched.toString());
            Result all =
                    sql(addresses, "SELECT balance FROM account; SELECT count(*) FROM transfer WHERE id >= 100000");
            assertEquals(0, all.exitCode(), all.toString());
            List<String> lines = all.out().lines().toList();
            long sum = lines.subList(1, ACCOUNTS + 1).stream()
                    .mapToLong(line -> Long.parseLong(line.strip()))
                    .sum();
            assertEquals((long) ACCOUNTS * BALANCE, sum, "seed " + SEED);
            long done = Long.parseLong(lines.get(ACCOUNTS + 2).strip());
            assertTrue(
                    done >= committed.get() && done <= committed.get() + unknown.get(),
                    "seed " + SEED + ": " + done + " are there, " + committed + " were committed, and of " + unknown
                            + " it is not known");
        } finally {
            nodes.forEach(NodeProcess::close);
        }
    }

    private final AtomicInteger committed = new AtomicInteger();
    private final AtomicInteger unknown = new AtomicInteger();
    private int next;
    private volatile String failure = "none";

    private static String addresses(List<NodeProcess> nodes) {
        return String.join(",", nodes.stream().map(NodeProcess::address).toList());
    }

    private static Result sql(String addresses, String statements) {
        return SluiceProcess.call("sql", "--nodes", addresses, "-e", statements);
    }

    /** One transfer after the other by this process, of which one fails because a node is gone. */
    private void transferUntilKilled(List<NodeProcess> nodes, NodeProcess victim, Random random) throws Exception {
        Map<String, RemoteNode> clients = new LinkedHashMap<>();
        for (NodeProcess node : nodes) {
            RemoteSettings settings = RemoteSettings.of(node.address()).withPatience(1_000, 1_000);
            clients.put(settings.name(), new RemoteNode(settings));
        }
        int before = committed.get();
        try (SqlEngine engine =
                        SqlEngine.onNodes(new ClusterParticipants(clients), SqlSettings.forNodes(), Clock.systemUTC());
                SqlSession session = engine.open()) {
            Thread transfers = new Thread(() -> {
                // A node may hold so little that many transfers do without it.
                while (committed.get() < before + 3 * TRANSFERS) {
                    if (!transferred(session, random)) {
                        unknown.incrementAndGet();
                        return;
                    }
                    committed.incrementAndGet();
                }
            });
            transfers.start();
            while (committed.get() < before + TRANSFERS && transfers.isAlive()) {
                Thread.sleep(POLL_MILLIS);
            }
            victim.kill();
            transfers.join();
        }
        assertTrue(
                committed.get() >= before + TRANSFERS,
                "seed " + SEED + ": a transfer failed before anything was killed: " + failure);
    }

    /** Runs one transfer, again after each conflict; returns whether it was committed. */
    private boolean transferred(SqlSession session, Random random) {
        int from = random.nextInt(ACCOUNTS);
        int to = (from + 1 + random.nextInt(ACCOUNTS - 1)) % ACCOUNTS;
        String transfer = "BEGIN;INSERT INTO transfer VALUES (" + (100_000 + next++)
                + ", 1) RETURNING NOTHING;UPDATE account SET balance = balance - 1 WHERE id = " + from
                + " RETURNING NOTHING;UPDATE account SET balance = balance + 1 WHERE id = " + to
                + " RETURNING NOTHING;COMMIT;";
        long end = System.nanoTime() + PATIENCE_NANOS;
        while (true) {
            List<String> results = DistributedCluster.run(session, transfer);
            String last = results.get(results.size() - 1);
            if (last.equals("commit")) {
                return true;
            }
            failure = last;
            if (!last.startsWith("conflict: ") || System.nanoTime() - end > 0) {
                return false;
            }
            List<String> unused = DistributedCluster.run(session, "ROLLBACK;");
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(AGAIN_MILLIS));
        }
    }

    /** A line of an input. */
    private interface Lines {
        String line(int number);
    }

    private void importTable(String addresses, String name, String columns, Lines lines) throws Exception {
        Path schema =
                Files.writeString(directory.resolve(name + ".sql"), "CREATE TABLE " + name + " (" + columns + ");");
        List<String> rows = new ArrayList<>();
        for (int i = 0; i < ACCOUNTS; i++) {
            rows.add(lines.line(i));
        }
        Path input = Files.write(directory.resolve(name + ".csv"), rows);
        Result imported = SluiceProcess.call(
                "import", "--nodes", addresses, "--schema", schema.toString(), "--quiet", input.toString());
        assertEquals(0, imported.exitCode(), imported.toString());
    }
}
