package io.sluice.it.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.api.node.KvPage;
import io.sluice.api.node.RangeDirectory;
import io.sluice.api.node.TableStatus;
import io.sluice.api.wire.ClusterBody;
import io.sluice.api.wire.ClusterChange;
import io.sluice.client.RemoteNode;
import io.sluice.client.RemoteSettings;
import io.sluice.client.cluster.ClusterLog;
import io.sluice.it.support.ClusterProcesses;
import io.sluice.it.support.SluiceProcess;
import io.sluice.it.support.SluiceProcess.Result;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.kv.KvChecksum;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code cluster repair} and {@code replace} of four node processes with two or three replicas, while statements write:
 * the source, the target, the leader or the command itself are killed by SIGKILL at random moments, some of them when a
 * number of ranges are copied. Then no acknowledged write is lost, no refused one is there, all replicas are equal, and
 * so is the digest with each node down in turn.
 *
 * <p>Not in the suite; {@code .ci/nightly repair-kills} runs it. {@code -Dsluice.repairRounds=N} takes N rounds.
 */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class RepairUnderKills {
    private static final int NODES = 4;
    private static final int ROUNDS = Integer.getInteger("sluice.repairRounds", 1);
    private static final int ROWS = 20_000;
    private static final List<String> TABLES = List.of("t", "p", "c");
    private static final List<String> KILLED = List.of("source", "target", "leader", "command", "target and command");
    private static final Pattern COPIED = Pattern.compile("range \\d+ copied from (\\S+) .* to (\\S+) \\(");
    private static final Pattern SENT = Pattern.compile("; (\\d+) bytes sent so far");
    /** Rows of t that the updating writer changes. */
    private static final int UPDATED = 20;
    /** Commands until a repair succeeds. */
    private static final int MOST_COMMANDS = 8;

    private final long seed = Long.getLong("sluice.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final ObjectMapper json = new ObjectMapper();
    private final List<String> names = new ArrayList<>(List.of("n0", "n1", "n2", "n3"));
    /** Rows by their key, as {@code table:key}, with the values that the row may have; null stands for none. */
    private final Map<String, Set<String>> expected = new ConcurrentHashMap<>();

    @TempDir
    Path directory;

    private ClusterProcesses cluster;
    private volatile boolean writing;
    private final AtomicInteger acknowledged = new AtomicInteger();

    @BeforeEach
    void start() throws Exception {
        cluster = new ClusterProcesses(directory, NODES);
        cluster.launchAll();
    }

    @AfterEach
    void stop() {
        cluster.close();
    }

    private String all() {
        List<String> addresses = new ArrayList<>();
        for (int i = 0; i < NODES; i++) {
            addresses.add(cluster.address(i));
        }
        return String.join(",", addresses);
    }

    private Result sluice(String... arguments) {
        List<String> command = new ArrayList<>(List.of(arguments));
        command.addAll(List.of("--nodes", all()));
        return SluiceProcess.call(command.toArray(new String[0]));
    }

    private String succeeds(String... arguments) {
        Result result = sluice(arguments);
        assertEquals(0, result.exitCode(), () -> "seed " + seed + ": " + List.of(arguments) + ": " + result);
        return result.out();
    }

    private void importTable(String name, String ddl, int replicas, Function<Integer, String> row) throws Exception {
        StringBuilder rows = new StringBuilder();
        for (int i = 0; i < ROWS; i++) {
            String line = row.apply(i);
            rows.append(line).append('\n');
            int value = line.lastIndexOf(',');
            expected.put(name + ":" + line.substring(0, value), Set.of(line.substring(value + 1)));
        }
        Path csv = Files.writeString(directory.resolve(name + ".csv"), rows);
        Path schema = Files.writeString(directory.resolve(name + ".sql"), ddl);
        String unused = succeeds(
                "import",
                "--schema",
                schema.toString(),
                "--table",
                name,
                "--replicas",
                Integer.toString(replicas),
                "--mode",
                random.nextBoolean() ? "two-pass" : "direct",
                csv.toString());
    }

    private void createTables() throws Exception {
        int replicas = 2 + random.nextInt(2);
        String padding = "x".repeat(100);
        importTable(
                "t",
                "CREATE TABLE t (id INT8 PRIMARY KEY, n STRING, INDEX (n));",
                replicas,
                id -> id + ",row " + (id * 7919L % 100_003) + padding);
        String parent = "CREATE TABLE p (id INT8 PRIMARY KEY, n STRING);";
        importTable("p", parent, replicas, id -> id + ",parent " + id + padding);
        importTable(
                "c",
                parent + " CREATE TABLE c (id INT8, line INT8, n STRING, PRIMARY KEY (id, line))"
                        + " INTERLEAVE IN PARENT p (id);",
                replicas,
                id -> id / 2 + "," + id % 2 + ",child " + id + padding);
    }

    // ---- Writers ----

    /** Starts a thread that writes one row after the other; a statement is acknowledged, refused, or in doubt. */
    private Thread writer(int number, int round) {
        Thread thread = new Thread(() -> {
            for (int i = 0; writing; i++) {
                int key = 1_000_000 + round * 100_000 + i * 4 + number;
                String value = "w" + round + "-" + i;
                switch (number) {
                    case 0 -> write("t:" + key, null, value, "INSERT INTO t VALUES (" + key + ", '" + value + "')");
                    case 1 -> {
                        int row = i % UPDATED;
                        write("t:" + row, "", value, "UPDATE t SET n = '" + value + "' WHERE id = " + row);
                    }
                    default ->
                        write(
                                "c:" + i % ROWS + "," + key,
                                null,
                                value,
                                "INSERT INTO c VALUES (" + i % ROWS + ", " + key + ", '" + value + "')");
                }
            }
        });
        thread.start();
        return thread;
    }

    /** @param before null if there is no such row before */
    private void write(String key, @Nullable String before, String value, String statement) {
        Result done = sluice("sql", "-e", statement);
        if (done.exitCode() == 0) {
            expected.put(key, Set.of(value));
            acknowledged.incrementAndGet();
        } else if (done.err().contains("not known yet")) {
            Set<String> either = new HashSet<>(before == null ? Set.of("") : expected.getOrDefault(key, Set.of()));
            either.add(value);
            expected.put(key, either);
        }
    }

    // ---- A round ----

    @Test
    void noWriteIsLostWhateverIsKilled() throws Exception {
        createTables();
        for (int round = 0; round < ROUNDS; round++) {
            String killed = KILLED.get(random.nextInt(KILLED.size()));
            String what = String.format(Locale.ROOT, "seed %d, round %d, killed: %s", seed, round, killed);
            System.out.println("repair-kills: " + what);
            awaitNoneInDoubt(what);
            int lost = random.nextInt(NODES);
            String old = names.get(lost);
            cluster.node(lost).kill();
            String next = "x" + round;
            cluster.launchNew(lost, next);
            names.set(lost, next);
            cluster.node(lost).awaitReady();
            cluster.await(lost, seen -> seen.members().size() == NODES + 1 && seen.leader() != null);
            writing = true;
            acknowledged.set(0);
            List<Thread> writers = List.of(writer(0, round), writer(1, round), writer(2, round));
            try {
                replace(old, next, killed, what);
            } finally {
                writing = false;
                for (Thread writer : writers) {
                    writer.join();
                }
            }
            assertTrue(acknowledged.get() > 0, what + ": nothing was written");
            check(what + ", " + acknowledged + " writes");
        }
    }

    /** Runs the commands until the lost node is replaced; processes are killed during the first one or two. */
    private void replace(String old, String next, String killed, String what) throws Exception {
        List<String> said = new ArrayList<>();
        int kills = 1 + random.nextInt(2);
        for (int tries = 0; tries < MOST_COMMANDS; tries++) {
            ClusterBody now = cluster.await(random.nextInt(NODES), seen -> seen.leader() != null);
            boolean member = now.members().stream().anyMatch(each -> each.name().equals(old));
            List<String> command = new ArrayList<>(List.of("cluster"));
            command.addAll(member ? List.of("replace", old, next) : List.of("repair"));
            command.addAll(List.of("--max-rate", "3m", "--nodes", all()));
            long start = System.nanoTime();
            SluiceProcess running = SluiceProcess.start(directory, Map.of(), command.toArray(new String[0]));
            if (tries < kills) {
                kill(running, killed, now);
            }
            Result done = running.await();
            said.add(done.toString());
            checkRate(done, System.nanoTime() - start, what);
            if (done.exitCode() == 0) {
                return;
            }
        }
        throw new AssertionError(what + ": not replaced: " + said);
    }

    /** Kills what was chosen, at a random moment or when a random number of ranges are copied. */
    private void kill(SluiceProcess running, String killed, ClusterBody now) throws Exception {
        boolean byLines = random.nextInt(3) > 0;
        int lines = byLines ? random.nextInt(30) : Integer.MAX_VALUE;
        long millis = byLines ? 60_000 : 500 + random.nextInt(12_000);
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        List<String[]> copied = List.of();
        while (running.isAlive() && System.nanoTime() - end < 0 && copied.size() <= lines) {
            copied = running.err()
                    .lines()
                    .map(COPIED::matcher)
                    .filter(Matcher::find)
                    .map(found -> new String[] {found.group(1), found.group(2)})
                    .toList();
            TimeUnit.MILLISECONDS.sleep(10);
        }
        String[] last = copied.isEmpty()
                ? new String[] {names.get(random.nextInt(NODES)), names.get(random.nextInt(NODES))}
                : copied.get(copied.size() - 1);
        ClusterBody.Member leader = now.leading();
        String node =
                switch (killed) {
                    case "source" -> last[0];
                    case "leader" -> leader == null ? last[0] : leader.name();
                    case "command" -> "";
                    default -> last[1];
                };
        System.out.println("repair-kills: after " + copied.size() + " ranges, " + killed + " " + node);
        if (killed.endsWith("command")) {
            running.kill();
        }
        int index = names.indexOf(node);
        if (index >= 0) {
            cluster.node(index).kill();
            TimeUnit.MILLISECONDS.sleep(random.nextInt(3_000));
            restart(index);
        }
    }

    private void restart(int index) throws Exception {
        cluster.relaunch(index);
        cluster.node(index).awaitReady();
        cluster.await(index, seen -> seen.leader() != null);
    }

    /** The first page may pass at once, of 8 MiB at most; these tables have smaller ones. */
    private void checkRate(Result done, long nanos, String what) {
        Matcher sent = SENT.matcher(done.err());
        long bytes = 0;
        while (sent.find()) {
            bytes = Long.parseLong(sent.group(1));
        }
        double allowed = (3L << 20) * (nanos / 1e9) + (3L << 20);
        assertTrue(bytes <= allowed, what + ": " + bytes + " bytes in " + nanos / 1_000_000 + " ms");
    }

    // ---- What must hold after a round ----

    private void awaitNoneInDoubt(String what) throws InterruptedException {
        String left = "";
        for (int i = 0; i < 300; i++) {
            Result inDoubt = sluice("transactions", "--json");
            left = inDoubt.toString();
            if (inDoubt.exitCode() == 0 && inDoubt.out().isBlank()) {
                return;
            }
            TimeUnit.MILLISECONDS.sleep(200);
        }
        throw new AssertionError(what + ": transactions stay in doubt: " + left);
    }

    private void check(String what) throws Exception {
        awaitNoneInDoubt(what);
        JsonNode status = json.readTree(succeeds("cluster", "status", "--json"));
        for (JsonNode table : status.path("tables")) {
            assertEquals(0, table.path("missing").asInt() + table.path("down").asInt(), what + ": " + table);
        }
        checkReplicas(what);
        Map<String, String> digests = new TreeMap<>();
        for (String table : TABLES) {
            checkRows(table, what);
            digests.put(table, succeeds("digest", table));
        }
        for (int down = 0; down < NODES; down++) {
            cluster.node(down).kill();
            cluster.await((down + 1) % NODES, seen -> seen.leader() != null);
            for (String table : TABLES) {
                assertEquals(digests.get(table), succeeds("digest", table), what + ": " + table + " without " + down);
            }
            restart(down);
        }
    }

    /** Compares each range on all of its nodes. */
    private void checkReplicas(String what) {
        Map<String, RemoteNode> clients = new TreeMap<>();
        try {
            for (int i = 0; i < NODES; i++) {
                RemoteNode client = cluster.node(i).client();
                clients.put(client.status().id(), client);
            }
            for (String name : TABLES) {
                TableStatus table = clients.values().stream()
                        .map(client -> client.table(name))
                        .filter(Objects::nonNull)
                        .findFirst()
                        .orElseThrow();
                RangeDirectory places = table.directory();
                for (int range = 0; range < places.ranges().size(); range++) {
                    KeySpan span = places.span(range);
                    Set<List<KvChecksum>> sums = new HashSet<>();
                    for (String id : places.ranges().get(range).nodes()) {
                        RemoteNode client = Objects.requireNonNull(clients.get(id), () -> what + ": " + places);
                        KvPage page = client.replica(id, table, "reader").page(span, Long.MAX_VALUE, true);
                        assertTrue(
                                Arrays.compareUnsigned(page.end(), span.end()) >= 0 || page.end().length == 0,
                                what + ": not the whole range");
                        sums.add(page.sums());
                    }
                    assertEquals(1, sums.size(), what + ": replicas of " + name + " differ in " + span + ": " + sums);
                }
            }
        } finally {
            clients.values().forEach(RemoteNode::close);
        }
    }

    private void checkRows(String table, String what) {
        Map<String, String> rows = new TreeMap<>();
        succeeds("scan", table).lines().forEach(line -> {
            int value = line.lastIndexOf(',');
            rows.put(table + ":" + line.substring(0, value), line.substring(value + 1));
        });
        Set<String> wrong = new TreeSet<>();
        expected.forEach((key, values) -> {
            if (key.startsWith(table + ":") && !values.contains(rows.getOrDefault(key, ""))) {
                wrong.add(key + " is " + rows.getOrDefault(key, "missing") + ", not one of " + values);
            }
        });
        rows.keySet().stream()
                .filter(key -> !expected.containsKey(key))
                .forEach(key -> wrong.add(key + " was refused, and is there"));
        assertEquals(Set.of(), wrong.stream().limit(10).collect(Collectors.toSet()), what);
    }

    /** The command died in the freeze: the leader thaws the table after 30 s, and a repair waits for that. */
    @Test
    void abandonedFreezeEnds() throws Exception {
        createTables();
        int lost = random.nextInt(NODES);
        cluster.node(lost).kill();
        cluster.launchNew(lost, "y");
        String old = names.set(lost, "y");
        cluster.node(lost).awaitReady();
        ClusterBody now = cluster.await(lost, seen -> seen.members().size() == NODES + 1 && seen.leader() != null);
        String unused = succeeds("cluster", "remove", old);
        long start;
        try (RemoteNode client = cluster.node((lost + 1) % NODES).client()) {
            TableStatus table = Objects.requireNonNull(client.table("t"));
            new ClusterLog(now, RemoteSettings::of)
                    .write(ClusterChange.freezing(new ClusterChange.Freeze(
                            table.table().id(), "a dead copy", table.directory().epoch())));
            start = System.nanoTime();
        }
        Result refused = sluice("sql", "-e", "UPDATE t SET n = 'frozen' WHERE id = 1");
        assertFalse(refused.exitCode() == 0, refused.toString());
        Result repaired = sluice("cluster", "repair");
        assertEquals(0, repaired.exitCode(), repaired.toString());
        long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start);
        assertTrue(seconds >= 29, "the freeze ended after " + seconds + " s");
        assertTrue(repaired.err().contains("another command has frozen the table"), repaired.err());
        unused = succeeds("sql", "-e", "UPDATE t SET n = 'thawed' WHERE id = 1");
        expected.put("t:1", Set.of("thawed"));
        check("seed " + seed + ", after the thaw");
    }
}
