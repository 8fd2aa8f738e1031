package io.sluice.it.imports;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.client.RemoteSettings;
import io.sluice.client.cluster.NamedNodes;
import io.sluice.it.support.DistributedCluster;
import io.sluice.it.support.Seeds;
import io.sluice.it.support.SluiceProcess;
import io.sluice.it.support.SluiceProcess.Result;
import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.TableDef;
import io.sluice.model.thread.Daemons;
import io.sluice.model.thread.Interrupts;
import io.sluice.sql.SqlEngine;
import io.sluice.sql.SqlSession;
import io.sluice.sql.SqlSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Backups and exports of tables that transfers change all the time are of one moment. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class ChangingTablesTest {
    private static final long SEED = Seeds.of(ChangingTablesTest.class);
    /** Several pages of 1,024 KVs on each node. */
    private static final int ACCOUNTS = 8_000;

    private static final int BALANCE = 100;
    private static final String SCHEMA = """
            CREATE TABLE account (id INT PRIMARY KEY, balance INT, INDEX by_balance (balance));
            CREATE TABLE other (id INT PRIMARY KEY, balance INT);
            """;

    @TempDir
    Path directory;

    private static Result done(String... arguments) {
        Result result = SluiceProcess.call(arguments);
        assertEquals(0, result.exitCode(), String.join(" ", arguments) + ": " + result);
        return result;
    }

    private DistributedCluster cluster(int nodes) throws Exception {
        DistributedCluster cluster = DistributedCluster.open(directory, nodes, 1);
        List<String> rows =
                IntStream.range(0, ACCOUNTS).mapToObj(id -> id + "," + BALANCE).toList();
        for (TableDef table : Ddl.parse(SCHEMA, "test")) {
            cluster.importRows(table, rows);
        }
        return cluster;
    }

    private static String addresses(DistributedCluster cluster, int nodes) {
        return String.join(
                ",", IntStream.range(0, nodes).mapToObj(cluster::address).toList());
    }

    /** Moves money within a table, and between both, until it is closed. */
    private static final class Transfers implements AutoCloseable {
        private final List<Thread> threads = new ArrayList<>();
        private final SqlEngine engine;
        private final AtomicInteger committed = new AtomicInteger();
        private volatile boolean stopped;

        Transfers(String addresses) {
            engine = SqlEngine.onNodes(
                    new NamedNodes(List.of(addresses.split(",")), RemoteSettings::of).participants(),
                    SqlSettings.forNodes(),
                    Clock.systemUTC());
            for (int i = 0; i < 2; i++) {
                Random random = new Random(SEED + i);
                threads.add(Daemons.thread("transfers", () -> run(random)));
            }
            threads.forEach(Thread::start);
            await(10);
        }

        private void run(Random random) {
            try (SqlSession session = engine.open()) {
                while (!stopped) {
                    String second = random.nextBoolean() ? "account" : "other";
                    List<String> results = DistributedCluster.run(
                            session,
                            "BEGIN; UPDATE account SET balance = balance - 1 WHERE id = " + random.nextInt(ACCOUNTS)
                                    + "; UPDATE " + second + " SET balance = balance + 1 WHERE id = "
                                    + random.nextInt(ACCOUNTS) + "; COMMIT");
                    if (results.get(results.size() - 1).equals("commit")) {
                        committed.incrementAndGet();
                    } else {
                        List<String> unused = DistributedCluster.run(session, "ROLLBACK");
                    }
                }
            }
        }

        /** Waits for more transfers. */
        void await(int more) {
            int end = committed.get() + more;
            while (committed.get() < end && threads.stream().allMatch(Thread::isAlive)) {
                Thread.onSpinWait();
            }
            assertTrue(committed.get() >= end, "transfers failed");
        }

        @Override
        public void close() {
            stopped = true;
            threads.forEach(thread -> Interrupts.outlast(thread::join));
            engine.close();
        }
    }

    private static long sum(Stream<String> rows) {
        return rows.mapToLong(row -> Long.parseLong(row.substring(row.indexOf(',') + 1)))
                .sum();
    }

    private static long sum(String table, Path store, String... more) {
        List<String> arguments = new ArrayList<>(List.of("scan", table, "--store", store.toString()));
        arguments.addAll(List.of(more));
        return sum(done(arguments.toArray(new String[0])).out().lines());
    }

    /** One table alone, and all together: then also what was moved between tables is there once. */
    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void backupIsOfOneMoment(int nodes) throws Exception {
        try (DistributedCluster cluster = cluster(nodes);
                Transfers transfers = new Transfers(addresses(cluster, nodes))) {
            for (int round = 0; round < 3; round++) {
                Path all = directory.resolve("all" + round);
                Result made = done(
                        "backup", "--all", "--quiet", "--nodes", addresses(cluster, nodes), "--output", all.toString());
                assertEquals("", made.err(), "seed " + SEED);
                assertTrue(Files.readString(all.resolve("backup.json")).contains("\"oneMoment\" : true"));
                done("verify", all.toString());
                Path store = directory.resolve("store" + round);
                done("restore", all.toString(), "--store", store.toString(), "--verify", "full", "--quiet");
                long account = sum("account", store);
                assertEquals(2L * ACCOUNTS * BALANCE, account + sum("other", store), "seed " + SEED);
                assertTrue(account < (long) ACCOUNTS * BALANCE, "no transfer was seen");
                assertEquals(account, sum("account", store, "--index", "by_balance"), "seed " + SEED);
                transfers.await(10);
            }
        }
    }

    @Test
    void exportAndBackupOfOneTableAreOfOneMoment() throws Exception {
        try (DistributedCluster cluster = cluster(2);
                Transfers transfers = new Transfers(addresses(cluster, 2))) {
            String nodes = addresses(cluster, 2);
            for (int round = 0; round < 3; round++) {
                // Money leaves account, and does not come back.
                long before = liveSum(nodes);
                Path to = directory.resolve("export" + round);
                Result made = done(
                        "export",
                        "account",
                        "--nodes",
                        nodes,
                        "--to",
                        to.toString(),
                        "--parts",
                        "4",
                        "--format",
                        "csv");
                assertTrue(made.err().startsWith("exported "), made.err());
                Path set = directory.resolve("set" + round);
                Result backedUp = done("backup", "account", "--quiet", "--nodes", nodes, "--output", set.toString());
                assertEquals("", backedUp.err());
                long after = liveSum(nodes);
                Path store = directory.resolve("store" + round);
                done("restore", set.toString(), "--store", store.toString(), "--quiet");
                long restored = sum("account", store);
                long exported = 0;
                for (int part = 0; part < 4; part++) {
                    exported += sum(Files.readAllLines(to.resolve("part-0000" + part + ".csv")).stream()
                            .skip(1));
                }
                assertTrue(
                        before >= exported && exported >= restored && restored >= after,
                        before + ", " + exported + ", " + restored + ", " + after + ", seed " + SEED);
                transfers.await(10);
            }
        }
    }

    private static long liveSum(String nodes) {
        Result result = done("scan", "account", "--nodes", nodes);
        assertEquals("", result.err());
        return sum(result.out().lines());
    }
}
