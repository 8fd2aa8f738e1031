package io.sluice.it.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.client.cluster.NamedNodes;
import io.sluice.it.support.CatalogHistory;
import io.sluice.it.support.CatalogHistory.Kind;
import io.sluice.it.support.CatalogHistory.Operation;
import io.sluice.it.support.ClusterProcesses;
import io.sluice.it.support.DistributedCluster;
import io.sluice.it.support.SluiceProcess.Result;
import io.sluice.sql.SqlEngine;
import io.sluice.sql.SqlSession;
import io.sluice.sql.SqlSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The clients of a cluster whose nodes are lost: increments, transfers between accounts, audits, and small tables that
 * are imported, read and dropped. It keeps their answers.
 */
final class NemesisLoad implements AutoCloseable {
    static final long BALANCE = 1_000;
    /** Tables that come and go. */
    static final List<String> CATALOG_TABLES = List.of("c0", "c1");

    static final int CATALOG_ROWS = 20;

    private static final int INCREMENTING = 3;
    private static final long SLOW_SECONDS = 10;

    /** Load of the clients on the machine, and what they may expect of it. */
    enum Pace {
        /** All of the machine. */
        FULL(60, 0, Long.getLong("sluice.nemesisMillis", 30_000)),
        /** A small part of it. Other tests take the rest. */
        BESIDE_OTHERS(12, 3_000, 90_000);

        /** Accounts. */
        final int rows;
        /** The pause after a statement; five times as long after what takes more of the machine. */
        private final long pauseMillis;
        /**
         * Time for each row to be written again after a loss. A silent node is found after 4 s, and left out after
         * another 8 to 10 s; all rows take some 5 s at full pace on two processors without a loss, and 12 s beside
         * other tests.
         */
        private final long withinMillis;

        Pace(int rows, long pauseMillis, long withinMillis) {
            this.rows = rows;
            this.pauseMillis = pauseMillis;
            this.withinMillis = withinMillis;
        }
    }

    private final ClusterProcesses cluster;
    private final Path directory;
    private final Random seeds;
    private final Pace pace;
    private final AtomicIntegerArray acknowledged;
    private final AtomicIntegerArray unknown;
    private final AtomicLongArray lastNanos;
    private final AtomicInteger sums = new AtomicInteger();
    private final AtomicInteger audits = new AtomicInteger();
    private final AtomicInteger scans = new AtomicInteger();
    private final Set<String> wrongAudits = ConcurrentHashMap.newKeySet();
    private final CatalogHistory history = new CatalogHistory();
    private final AtomicInteger contents = new AtomicInteger(1);
    private final List<Thread> threads = new ArrayList<>();
    private @Nullable SqlEngine engine;
    private volatile boolean writing;

    NemesisLoad(ClusterProcesses cluster, Path directory, long seed, Pace pace) {
        this.cluster = cluster;
        this.directory = directory;
        seeds = new Random(seed);
        this.pace = pace;
        acknowledged = new AtomicIntegerArray(pace.rows);
        unknown = new AtomicIntegerArray(pace.rows);
        lastNanos = new AtomicLongArray(pace.rows);
    }

    /** Starts the clients, and one more. */
    void start(Runnable more) {
        SqlEngine started = engine();
        engine = started;
        writing = true;
        for (int i = 0; i < INCREMENTING; i++) {
            int number = i;
            threads.add(new Thread(() -> increment(started, number)));
        }
        long transfers = seeds.nextLong();
        threads.add(new Thread(() -> transfer(started, transfers)));
        threads.add(new Thread(() -> audit(started)));
        for (String table : CATALOG_TABLES) {
            // Two clients for each table.
            for (int i = 0; i < 2; i++) {
                long operations = seeds.nextLong();
                threads.add(new Thread(() -> change(table, new Random(operations))));
            }
        }
        threads.add(new Thread(more));
        threads.forEach(Thread::start);
    }

    /** Lets the clients end soon. */
    void pause() {
        writing = false;
        threads.forEach(LockSupport::unpark);
    }

    /** Waits until all clients have ended. */
    void stop() throws InterruptedException {
        pause();
        for (Thread thread : threads) {
            thread.join();
        }
        threads.clear();
        close();
    }

    @Override
    public void close() {
        writing = false;
        if (engine != null) {
            engine.close();
            engine = null;
        }
    }

    private SqlEngine engine() {
        return SqlEngine.onNodes(
                new NamedNodes(cluster.urls(), cluster::access).participants(),
                SqlSettings.forNodes(),
                Clock.systemUTC());
    }

    private void increment(SqlEngine engine, int thread) {
        try (SqlSession session = engine.open()) {
            for (int i = 0; writing; i++) {
                int row = (i * INCREMENTING + thread) % pace.rows;
                String answer = DistributedCluster.run(session, "UPDATE acc SET n = n + 1 WHERE id = " + row)
                        .toString();
                if (answer.equals("[1 changed]")) {
                    acknowledged.incrementAndGet(row);
                    lastNanos.set(row, System.nanoTime());
                } else if (answer.toUpperCase(Locale.ROOT).contains("AMBIGUOUS")) {
                    unknown.incrementAndGet(row);
                    System.out.println("nemesis: " + answer);
                } else {
                    System.out.println("nemesis: row " + row + ": " + answer);
                }
                rest(1);
            }
        }
    }

    private void transfer(SqlEngine engine, long seedOfThread) {
        Random rows = new Random(seedOfThread);
        try (SqlSession session = engine.open()) {
            while (writing) {
                int from = rows.nextInt(pace.rows);
                int to = (from + 1 + rows.nextInt(pace.rows - 1)) % pace.rows;
                List<String> unused = DistributedCluster.run(
                        session,
                        "BEGIN; UPDATE acc SET balance = balance - 1 WHERE id = " + from
                                + "; UPDATE acc SET balance = balance + 1 WHERE id = " + to + "; COMMIT");
                if (session.inTransaction()) {
                    unused = DistributedCluster.run(session, "ROLLBACK");
                }
                rest(1);
            }
        }
    }

    private void rest(int pauses) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(pauses * pace.pauseMillis));
    }

    /** Reads the sum in statements of their own, in transactions that write, and by scans. */
    private void audit(SqlEngine engine) {
        String right = "[[" + pace.rows * BALANCE + "]]";
        try (SqlSession session = engine.open()) {
            while (writing) {
                String sum = DistributedCluster.run(session, "SELECT sum(balance) FROM acc")
                        .get(0);
                if (sum.startsWith("[[")) {
                    sums.incrementAndGet();
                    if (!sum.equals(right)) {
                        wrongAudits.add(sum);
                    }
                }
                List<String> answers = DistributedCluster.run(
                        session,
                        "BEGIN; SELECT sum(balance) FROM acc; UPDATE audits SET n = n + 1 WHERE id = 0; COMMIT");
                if (answers.get(answers.size() - 1).equals("commit")) {
                    audits.incrementAndGet();
                    if (!answers.get(1).equals(right)) {
                        wrongAudits.add(answers.toString());
                    }
                }
                if (session.inTransaction()) {
                    List<String> unused = DistributedCluster.run(session, "ROLLBACK");
                }
                Result scanned = cluster.sluice("scan", "acc");
                // A scan during which a node was lost says that its rows may be of different moments.
                if (scanned.exitCode() == 0 && !scanned.err().contains("different moments")) {
                    scans.incrementAndGet();
                    if (sum(scanned.out()) != pace.rows * BALANCE) {
                        wrongAudits.add(scanned.toString());
                    }
                }
                rest(5);
            }
        }
    }

    private static long sum(String rows) {
        return rows.lines()
                .mapToLong(row -> Long.parseLong(row.split(",", -1)[1]))
                .sum();
    }

    private void change(String table, Random random) {
        while (writing) {
            int choice = random.nextInt(10);
            long start = System.nanoTime();
            Operation done = choice < 6 ? read(table, start) : choice < 9 ? create(table, start) : drop(table, start);
            long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start);
            if (done != null) {
                history.add(table, done);
            }
            if (seconds >= SLOW_SECONDS) {
                System.out.println("nemesis: " + table + ", after " + seconds + " s: " + done);
            }
            rest(5);
        }
    }

    private @Nullable Operation read(String table, long start) {
        Result got = cluster.sluice("get", table, "1", "--json");
        boolean none = hasNone(got, table);
        if (got.exitCode() != 0 && !none) {
            System.out.println("nemesis: get " + table + ": " + got);
            return null;
        }
        try {
            String content = none ? null : got.report().path("content").asText();
            return new Operation(Kind.READ, content, null, start, System.nanoTime());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean hasNone(Result result, String table) {
        return result.err().contains("there is no table") || result.err().contains("has no table " + table);
    }

    private @Nullable Operation create(String table, long start) {
        String content = Integer.toString(contents.getAndIncrement());
        Result done = create(table, content);
        return changed(Kind.CREATE, content, done, done.err().contains(" already exists"), start);
    }

    private @Nullable Operation drop(String table, long start) {
        Result done = cluster.sluice("drop", table);
        return changed(Kind.DROP, null, done, hasNone(done, table), start);
    }

    /** Exit code 2 says that nothing was changed; without the usual reason it tells nothing of the table. */
    private static @Nullable Operation changed(
            Kind kind, @Nullable String content, Result done, boolean refused, long start) {
        if (done.exitCode() == 2 && !refused) {
            return null;
        }
        Boolean known = done.exitCode() == 0 ? Boolean.TRUE : refused ? Boolean.FALSE : null;
        if (known == null) {
            System.out.println("nemesis: " + kind + ": " + done);
        }
        return new Operation(kind, content, known, start, System.nanoTime());
    }

    private Result create(String table, String content) {
        try {
            Path schema = Files.writeString(
                    directory.resolve(table + "-" + content + ".sql"),
                    "CREATE TABLE " + table + " (id INT8 PRIMARY KEY, content INT8);");
            Path rows = Files.writeString(
                    directory.resolve(table + "-" + content + ".csv"),
                    IntStream.range(0, CATALOG_ROWS)
                            .mapToObj(id -> id + "," + content + "\n")
                            .collect(Collectors.joining()));
            return cluster.sluice("import", "--schema", schema.toString(), "--replicas", "3", rows.toString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Prints where each client waits: its stack says for what. */
    private void printClients() {
        for (Thread thread : threads) {
            System.out.println("nemesis: " + thread.getName() + " " + thread.getState());
            for (StackTraceElement frame : thread.getStackTrace()) {
                System.out.println("    " + frame);
            }
        }
    }

    /** Waits until each row was incremented after a time; returns how long that took. */
    long awaitWritten(long start, String what) throws InterruptedException, IOException {
        for (int row = 0; row < pace.rows; row++) {
            while (lastNanos.get(row) - start <= 0) {
                long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
                if (millis >= pace.withinMillis) {
                    printClients();
                    throw new AssertionError(what + ": row " + row + " is not written again\n" + cluster.described());
                }
                TimeUnit.MILLISECONDS.sleep(5);
            }
        }
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
    }

    /** Checks the answers that all clients got, with the rows of the accounts as they are now. */
    void check(String scanned, String what) {
        assertEquals(Set.of(), wrongAudits, what);
        String problem = history.problem();
        assertNull(problem, what + ": " + problem);
        System.out.println("nemesis: " + sums + " sums, " + audits + " audits, " + scans + " scans, " + history.size()
                + " operations on tables");
        for (String table : CATALOG_TABLES) {
            Operation now = read(table, System.nanoTime());
            assertNotNull(now, table);
            history.goOnFrom(table, now.content());
        }
        for (String line : scanned.lines().toList()) {
            String[] fields = line.split(",", -1);
            int row = Integer.parseInt(fields[0]);
            long n = Long.parseLong(fields[2]);
            assertTrue(
                    n >= acknowledged.get(row) && n <= acknowledged.get(row) + unknown.get(row),
                    what + ": row " + row + " has " + n + " increments, " + acknowledged.get(row)
                            + " are acknowledged and " + unknown.get(row) + " unknown");
        }
        assertEquals(pace.rows * BALANCE, sum(scanned), what + ": sum of the accounts");
    }
}
