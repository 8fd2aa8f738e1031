package io.sluice.it.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.api.wire.ClusterBody;
import io.sluice.client.RemoteSettings;
import io.sluice.client.cluster.NamedNodes;
import io.sluice.it.support.ClusterProcesses;
import io.sluice.it.support.DistributedCluster;
import io.sluice.it.support.SluiceProcess.Result;
import io.sluice.sql.SqlEngine;
import io.sluice.sql.SqlSession;
import io.sluice.sql.SqlSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Threads increment counters and transfer between accounts on three node processes with two replicas. A node is killed
 * by SIGKILL or paused by SIGSTOP. Writes of all rows go on within a bound. The node comes back and is repaired while
 * statements write. Then no acknowledged increment is lost or doubled, the sum of the accounts is right, and all
 * replicas are equal.
 *
 * <p>Not in the suite; {@code .ci/nightly lost-replicas} runs it. {@code -Dsluice.lostReplicaRounds=N} takes N rounds.
 */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class WritesWithLostNodes {
    private static final int NODES = 3;
    private static final int ROUNDS = Integer.getInteger("sluice.lostReplicaRounds", 1);
    private static final int ROWS = 60;
    private static final long BALANCE = 1_000;
    private static final int INCREMENTING = 3;
    /** On a quiet machine some 10 s after a kill, and 20 s after a pause, as a request has 10 s for its answer. */
    private static final long WITHIN_MILLIS = Long.getLong("sluice.lostReplicaMillis", 60_000);

    private final long seed = Long.getLong("sluice.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final AtomicIntegerArray acknowledged = new AtomicIntegerArray(ROWS);
    private final AtomicIntegerArray unknown = new AtomicIntegerArray(ROWS);
    private final AtomicLongArray lastNanos = new AtomicLongArray(ROWS);

    @TempDir
    Path directory;

    private ClusterProcesses cluster;
    private volatile boolean writing;

    @BeforeEach
    void start() throws Exception {
        cluster = new ClusterProcesses(directory, NODES);
        cluster.launchAll();
    }

    @AfterEach
    void stop() {
        writing = false;
        cluster.close();
    }

    private SqlEngine engine() {
        List<String> addresses = new ArrayList<>();
        for (int i = 0; i < NODES; i++) {
            addresses.add(cluster.address(i));
        }
        return SqlEngine.onNodes(
                new NamedNodes(addresses, RemoteSettings::of).participants(),
                SqlSettings.forNodes(),
                Clock.systemUTC());
    }

    private void increment(SqlEngine engine, int thread) {
        try (SqlSession session = engine.open()) {
            for (int i = 0; writing; i++) {
                int row = (i * INCREMENTING + thread) % ROWS;
                String answer = DistributedCluster.run(session, "UPDATE acc SET n = n + 1 WHERE id = " + row)
                        .toString();
                if (answer.equals("[1 changed]")) {
                    acknowledged.incrementAndGet(row);
                    lastNanos.set(row, System.nanoTime());
                } else if (answer.toUpperCase(Locale.ROOT).contains("AMBIGUOUS")) {
                    unknown.incrementAndGet(row);
                    System.out.println("lost-replicas: " + answer);
                } else {
                    System.out.println("lost-replicas: row " + row + ": " + answer);
                }
            }
        }
    }

    private void transfer(SqlEngine engine, long seedOfThread) {
        Random rows = new Random(seedOfThread);
        try (SqlSession session = engine.open()) {
            while (writing) {
                int from = rows.nextInt(ROWS);
                int to = (from + 1 + rows.nextInt(ROWS - 1)) % ROWS;
                List<String> unused = DistributedCluster.run(
                        session,
                        "BEGIN; UPDATE acc SET balance = balance - 1 WHERE id = " + from
                                + "; UPDATE acc SET balance = balance + 1 WHERE id = " + to + "; COMMIT");
                if (session.inTransaction()) {
                    unused = DistributedCluster.run(session, "ROLLBACK");
                }
            }
        }
    }

    @Test
    void writesGoOnAndNothingIsLostOrDoubled() throws Exception {
        StringBuilder rows = new StringBuilder();
        for (int id = 0; id < ROWS; id++) {
            rows.append(id).append(',').append(BALANCE).append(",0\n");
        }
        Path csv = Files.writeString(directory.resolve("acc.csv"), rows);
        Path schema = Files.writeString(
                directory.resolve("acc.sql"),
                "CREATE TABLE acc (id INT8 PRIMARY KEY, balance INT8, n INT8, INDEX (balance));");
        succeeds(cluster.sluice(
                0, "import", "--schema", schema.toString(), "--replicas", "2", "--mode", "two-pass", csv.toString()));
        for (int round = 0; round < ROUNDS; round++) {
            boolean pause = random.nextInt(3) == 0;
            int victim = random.nextInt(NODES);
            ClusterBody now = cluster.await(victim, seen -> seen.leader() != null);
            String what = String.format(
                    Locale.ROOT,
                    "seed %d, round %d, %s n%d%s",
                    seed,
                    round,
                    pause ? "paused" : "killed",
                    victim,
                    now.node().equals(now.leader()) ? ", the leader" : "");
            System.out.println("lost-replicas: " + what);
            try (SqlEngine engine = engine()) {
                writing = true;
                List<Thread> threads = new ArrayList<>();
                for (int i = 0; i < INCREMENTING; i++) {
                    int number = i;
                    threads.add(new Thread(() -> increment(engine, number)));
                }
                long transfers = random.nextLong();
                threads.add(new Thread(() -> transfer(engine, transfers)));
                threads.forEach(Thread::start);
                try {
                    lose(victim, pause, what);
                } finally {
                    writing = false;
                    for (Thread thread : threads) {
                        thread.join();
                    }
                }
            }
            check(what);
        }
    }

    private void lose(int victim, boolean pause, String what) throws Exception {
        awaitWritten(System.nanoTime(), what + ", before");
        TimeUnit.MILLISECONDS.sleep(random.nextInt(500));
        long start = System.nanoTime();
        if (pause) {
            signal("STOP", victim);
        } else {
            cluster.node(victim).kill();
        }
        long millis = awaitWritten(start, what);
        System.out.println("lost-replicas: " + what + ": all rows are written again after " + millis + " ms");
        if (random.nextBoolean()) {
            long held = awaitWritten(System.nanoTime(), what + ", later");
            assertTrue(held < WITHIN_MILLIS, what);
        }
        if (pause) {
            signal("CONT", victim);
        } else {
            cluster.relaunch(victim);
            cluster.node(victim).awaitReady();
        }
        cluster.await(victim, seen -> seen.leader() != null && seen.suspects().isEmpty());
        Result repaired = cluster.sluice(victim, "cluster", "repair");
        for (int tries = 0; repaired.exitCode() != 0 && tries < 5; tries++) {
            System.out.println("lost-replicas: " + repaired);
            TimeUnit.SECONDS.sleep(1);
            repaired = cluster.sluice(victim, "cluster", "repair");
        }
        succeeds(repaired);
    }

    private void signal(String name, int node) throws Exception {
        long pid = cluster.node(node).pid();
        assertEquals(
                0,
                new ProcessBuilder("kill", "-" + name, Long.toString(pid))
                        .start()
                        .waitFor());
    }

    /** Waits until each row was incremented after a time; returns how long that took. */
    private long awaitWritten(long start, String what) throws InterruptedException {
        for (int row = 0; row < ROWS; row++) {
            while (lastNanos.get(row) - start <= 0) {
                long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
                assertTrue(millis < WITHIN_MILLIS, what + ": row " + row + " is not written again");
                TimeUnit.MILLISECONDS.sleep(5);
            }
        }
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
    }

    private void check(String what) throws Exception {
        for (int i = 0; i < 300; i++) {
            Result inDoubt = cluster.sluice(0, "transactions", "--json");
            if (inDoubt.exitCode() == 0 && inDoubt.out().isBlank()) {
                break;
            }
            assertTrue(i < 299, what + ": " + inDoubt);
            TimeUnit.MILLISECONDS.sleep(200);
        }
        Result verified = cluster.sluice(0, "cluster", "verify");
        assertTrue(verified.out().contains("all replicas are equal"), what + ": " + verified);
        // No statement writes now, so that the rows can be counted.
        succeeds(cluster.sluice(0, "cluster", "repair"));
        JsonNode table = new ObjectMapper()
                .readTree(cluster.sluice(0, "tables", "--json").out());
        assertEquals(ROWS, table.path("rows").asInt(), what + ": " + table);
        String scanned = cluster.sluice(0, "scan", "acc").out();
        long sum = 0;
        for (String line : scanned.lines().toList()) {
            String[] fields = line.split(",", -1);
            int row = Integer.parseInt(fields[0]);
            sum += Long.parseLong(fields[1]);
            long n = Long.parseLong(fields[2]);
            assertTrue(
                    n >= acknowledged.get(row) && n <= acknowledged.get(row) + unknown.get(row),
                    what + ": row " + row + " has " + n + " increments, " + acknowledged.get(row)
                            + " are acknowledged and " + unknown.get(row) + " unknown");
        }
        assertEquals(ROWS * BALANCE, sum, what + ": sum of the accounts");
    }

    private static void succeeds(Result result) {
        assertEquals(0, result.exitCode(), result.toString());
    }
}
