package io.sluice.it.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.NodeClient;
import io.sluice.api.node.RangeDirectory;
import io.sluice.api.node.RowCursor;
import io.sluice.api.node.ScanRequest;
import io.sluice.api.node.TableStatus;
import io.sluice.api.wire.ClusterBody;
import io.sluice.api.wire.ClusterChange;
import io.sluice.client.RemoteNode;
import io.sluice.client.RemoteReplica;
import io.sluice.client.RemoteSettings;
import io.sluice.client.cluster.Cluster;
import io.sluice.client.cluster.ClusterLog;
import io.sluice.client.cluster.NamedNodes;
import io.sluice.client.cluster.Rebalancing;
import io.sluice.client.cluster.Repair;
import io.sluice.client.cluster.ReplicaPlan;
import io.sluice.it.support.ClusterProcesses;
import io.sluice.it.support.Seeds;
import io.sluice.it.support.SluiceProcess.Result;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.NodeUnreachableException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.kv.KeySpan;
import io.sluice.testing.SomeTests;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Node processes get their shares of rows: a fourth one that joins three, and three of which one has most rows. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
@SomeTests(1)
class RebalanceIT {
    private static final int NODES = 3;
    private static final long SEED = Seeds.of(RebalanceIT.class);
    private static final int SPLIT_ROUNDS = Integer.getInteger("sluice.splitRounds", 1);
    /** A prime: keys of imported rows are multiples of another one, modulo this. */
    private static final int KEYS = 100_003;

    private static final int IMPORTED = 4_000;
    private static final int APPENDS = 4;
    private static final int APPENDED = 500;
    private static final int MOST_REFUSED = 40;
    /** Less than the 30 s after which the leader thaws a table. */
    private static final long MOST_FROZEN_MILLIS = 5_000;
    /** Words of an error that leaves the next step to the operator. */
    private static final Pattern REPEAT = Pattern.compile("again|ends|has ended");

    @TempDir
    Path directory;

    private ClusterProcesses cluster;

    @BeforeEach
    void choose() throws IOException {
        cluster = new ClusterProcesses(directory, NODES);
    }

    @AfterEach
    void stop() {
        cluster.close();
    }

    private Result succeeds(String... arguments) {
        Result result = cluster.sluice(0, arguments);
        assertEquals(0, result.exitCode(), result.toString());
        return result;
    }

    private void importTable(String name, int replicas) throws IOException {
        StringBuilder rows = new StringBuilder();
        for (int id = 1000; id < 4000; id++) {
            rows.append(id).append(",row ").append(id).append('\n');
        }
        Path csv = Files.writeString(directory.resolve(name + ".csv"), rows);
        Path schema = Files.writeString(
                directory.resolve(name + ".sql"),
                "CREATE TABLE " + name + " (id INT8 PRIMARY KEY, n STRING, INDEX by_n (n));");
        succeeds(
                "import",
                "--schema",
                schema.toString(),
                "--replicas",
                String.valueOf(replicas),
                "--mode",
                "two-pass",
                csv.toString());
    }

    private long rows(String table) throws IOException {
        String[] lines = succeeds("tables", "--json").out().split("\n", -1);
        for (String line : lines) {
            if (line.contains("\"" + table + "\"")) {
                return new ObjectMapper().readTree(line).path("rows").asLong(-1);
            }
        }
        throw new AssertionError("no table " + table);
    }

    /** A command in this process, whose changes of the cluster a test delays or refuses. */
    private static class Operator implements Repair.Effects {
        private final ClusterBody members;
        private final ClusterLog log;
        private final BiConsumer<ClusterChange, Runnable> changing;

        /** @param changing takes each change and what replicates it */
        Operator(ClusterBody members, BiConsumer<ClusterChange, Runnable> changing) {
            this.members = members;
            log = new ClusterLog(members, RemoteSettings::of);
            this.changing = changing;
        }

        @Override
        public String command() {
            return "cluster repair";
        }

        @Override
        public void change(ClusterChange change) {
            changing.accept(change, () -> log.write(change));
        }

        @Override
        public void passing(long bytes) {}

        @Override
        public void copied(ReplicaPlan.Copy copy) {}

        @Override
        public void log(String line) {}

        @Override
        public String address(String node) {
            return members.members().stream()
                    .filter(member -> member.id().equals(node))
                    .map(member -> RemoteSettings.of(member.url()).name())
                    .findFirst()
                    .orElseThrow();
        }

        @Override
        public String described(String node) {
            return node;
        }
    }

    /** Ends a command at a change of the cluster, as if it was killed there. */
    private static BiConsumer<ClusterChange, Runnable> dying(int lastChange, boolean replicated) {
        AtomicInteger changes = new AtomicInteger();
        return (change, write) -> {
            int number = changes.incrementAndGet();
            if (number < lastChange || (number == lastChange && replicated)) {
                write.run();
            }
            if (number >= lastChange) {
                throw new IllegalStateException("killed");
            }
        };
    }

    private void dieAt(int change, boolean replicated) throws Exception {
        rebalancing(change, replicated, work -> assertThrows(IllegalStateException.class, () -> work.run(0)));
    }

    private <T> T rebalancing(int lastChange, boolean replicated, Function<Rebalancing, T> work) throws Exception {
        Map<String, RemoteNode> clients = new TreeMap<>();
        try (RemoteNode first = cluster.node(0).client()) {
            ClusterBody members = Objects.requireNonNull(first.cluster());
            members.members().forEach(each -> clients.put(each.id(), new RemoteNode(RemoteSettings.of(each.url()))));
            return work.apply(new Rebalancing(clients, new Operator(members, dying(lastChange, replicated))));
        } finally {
            clients.values().forEach(RemoteNode::close);
        }
    }

    /** Checks that no node has KVs of a table outside its ranges; returns the number of ranges on a node. */
    private long ranges(String table, int node) throws Exception {
        long held = 0;
        try (RemoteNode client = cluster.node(node).client()) {
            String id = client.status().id();
            TableStatus status = Objects.requireNonNull(client.table(table));
            RangeDirectory places = status.directory();
            for (int i = 0; i < places.ranges().size(); i++) {
                KeySpan span = places.span(i);
                long kvs = client.replica(id, status, "reader")
                        .page(span, Long.MAX_VALUE, true)
                        .count();
                if (!places.ranges().get(i).nodes().contains(id)) {
                    assertEquals(0, kvs, "node " + node + " has KVs of range " + i + ", which it does not hold");
                } else if (kvs > 0) {
                    held++;
                }
            }
        }
        return held;
    }

    @Test
    void newNodeGetsItsShareAndNoRowIsLost() throws Exception {
        cluster.launchAll();
        importTable("t", 2);
        importTable("alone", 1);
        // Changes that the first replica of a key counts.
        succeeds("sql", "-e", "DELETE FROM t WHERE id < 1100");
        succeeds("sql", "-e", "DELETE FROM alone WHERE id > 3900");
        Result early = cluster.sluice(0, "cluster", "add", "n" + NODES, "--wait", "0");
        assertEquals(2, early.exitCode(), early.toString());
        assertTrue(early.err().contains("the cluster has no node n" + NODES + " after 0 s"), early.err());
        int fourth = cluster.launchMore();
        cluster.node(fourth).awaitReady();
        cluster.await(0, seen -> seen.members().size() == NODES + 1);
        String digest = succeeds("digest", "alone").out();

        // Killed when all pages of the first table are copied, and below, when it was moved and nothing is deleted yet.
        dieAt(1, false);
        assertEquals(digest, succeeds("digest", "alone").out());

        AtomicBoolean done = new AtomicBoolean();
        List<Integer> written = new CopyOnWriteArrayList<>();
        Thread writer = new Thread(() -> {
            for (int id = 5000; !done.get() && id < 15_000; id++) {
                Result insert = cluster.sluice(0, "sql", "-e", "INSERT INTO t VALUES (" + id + ", 'meanwhile')");
                if (insert.exitCode() == 0) {
                    written.add(id);
                }
            }
        });
        writer.start();
        Result moved;
        try {
            dieAt(3, true);
            moved = succeeds("cluster", "add", "n" + fourth, "--max-rate", "1g");
        } finally {
            done.set(true);
            writer.join();
        }
        assertTrue(moved.out().contains(" replicas moved"), moved.toString());
        assertTrue(!written.isEmpty(), "nothing was written meanwhile");
        assertEquals(digest, succeeds("digest", "alone").out());
        assertEquals(2900 + written.size(), rows("t"));
        assertEquals(2901, rows("alone"));
        String even = succeeds("cluster", "rebalance").out();
        for (int node = 0; node <= NODES; node++) {
            assertTrue(ranges("t", node) > 0, even);
            assertTrue(ranges("alone", node) > 0, even);
        }
        assertTrue(succeeds("cluster", "verify").out().contains("all replicas are equal"));
        readerWithOldPlacesIsRefused();

        // Each row is on two nodes: any of them may be lost.
        String all = succeeds("scan", "t").out();
        for (int id : written) {
            assertTrue(all.contains(id + ",meanwhile"), "row " + id + " is missing");
        }
        assertEquals(2900 + written.size(), all.lines().count());
        cluster.node(1).kill();
        assertEquals(all, scan("t"));
        assertEquals(2900 + written.size(), scan("t", "--index", "by_n").lines().count());
    }

    /** All rows behind the last key of an earlier import: they are in the last range of each index. */
    private void appendAtTheEnd() throws IOException {
        StringBuilder rows = new StringBuilder();
        for (int id = 4000; id < 12_000; id++) {
            rows.append(id).append(",z").append(id).append("z".repeat(800)).append('\n');
        }
        Path csv = Files.writeString(directory.resolve("more.csv"), rows);
        Path schema = directory.resolve("t.sql");
        succeeds("import", "--append", "--schema", schema.toString(), csv.toString());
    }

    /** Rows of table c lie between those of table t, in ranges of their own. */
    private void importInterleaved() throws IOException {
        StringBuilder rows = new StringBuilder();
        for (int id = 4000; id < 12_000; id++) {
            rows.append(id).append(",1,").append("c".repeat(300)).append('\n');
        }
        Path csv = Files.writeString(directory.resolve("c.csv"), rows);
        Path schema = Files.writeString(
                directory.resolve("c.sql"),
                "CREATE TABLE t (id INT8 PRIMARY KEY, n STRING, INDEX by_n (n));"
                        + "CREATE TABLE c (id INT8, k INT8, n STRING, PRIMARY KEY (id, k)) INTERLEAVE IN PARENT t (id);");
        succeeds("import", "--schema", schema.toString(), "--table", "c", "--mode", "two-pass", csv.toString());
    }

    /** The largest range of the primary key. */
    private RangeDirectory.Range largest(String table) throws Exception {
        RangeDirectory.Range largest = null;
        long most = -1;
        try (RemoteNode client = cluster.node(0).client()) {
            TableStatus status = Objects.requireNonNull(client.table(table));
            Map<String, Integer> numbers = numbers();
            for (int i = 0; i < status.directory().ranges().size(); i++) {
                RangeDirectory.Range range = status.directory().ranges().get(i);
                String holder = range.nodes().get(0);
                try (RemoteNode node = cluster.node(Objects.requireNonNull(numbers.get(holder)))
                        .client()) {
                    long bytes = node.replica(holder, status, "reader")
                            .page(status.directory().span(i), Long.MAX_VALUE, true)
                            .sums()
                            .get(0)
                            .bytes();
                    if (bytes > most) {
                        most = bytes;
                        largest = range;
                    }
                }
            }
        }
        return Objects.requireNonNull(largest);
    }

    /** Numbers of the nodes by their ids. */
    private Map<String, Integer> numbers() throws IOException {
        Map<String, Integer> numbers = new TreeMap<>();
        for (int node = 0; node < NODES; node++) {
            try (RemoteNode client = cluster.node(node).client()) {
                numbers.put(client.status().id(), node);
            }
        }
        return numbers;
    }

    private int ranges(String table) throws IOException {
        return rangesSeenBy(0, table);
    }

    private int rangesSeenBy(int node) throws IOException {
        return rangesSeenBy(node, "t");
    }

    private int rangesSeenBy(int node, String table) throws IOException {
        try (RemoteNode client = cluster.node(node).client()) {
            return Objects.requireNonNull(client.table(table))
                    .directory()
                    .ranges()
                    .size();
        }
    }

    private static void skip(RowCursor rows, int from, int to) {
        for (int id = from; id < to; id++) {
            assertEquals(
                    String.valueOf(id),
                    Objects.requireNonNull(rows.next(), "no row " + id).get(0));
        }
    }

    @Test
    void largeRangesAreSplitAndTheirPartsMoved() throws Exception {
        cluster.launchAll();
        importTable("t", 2);
        appendAtTheEnd();
        importInterleaved();
        succeeds("sql", "-e", "DELETE FROM t WHERE id < 1100");
        succeeds("sql", "-e", "DELETE FROM t WHERE id >= 11900");
        String inner = succeeds("digest", "c").out();
        String digest = succeeds("digest", "t").out();
        int before = ranges("t");
        Result dry = succeeds("cluster", "rebalance", "--dry-run");
        assertTrue(dry.out().contains("would split: table t, range "), dry.toString());
        assertTrue(dry.out().contains("would move: table t, range "), dry.toString());
        assertEquals(before, ranges("t"));
        assertEquals(digest, succeeds("digest", "t").out());

        // A scan is inside the range that is split.
        int serving = Objects.requireNonNull(numbers().get(largest("t").nodes().get(0)));
        Map<String, NodeClient> clients = new LinkedHashMap<>();
        for (int node = 0; node < NODES; node++) {
            clients.put("n" + node, cluster.node(node).client());
        }
        AtomicBoolean done = new AtomicBoolean();
        List<Integer> written = new CopyOnWriteArrayList<>();
        try (NodeClient all = new Cluster(clients, 1);
                RowCursor rows = all.scan(new ScanRequest("t", null, List.of(), List.of(), Long.MAX_VALUE))) {
            skip(rows, 1100, 4500);
            // Killed before the table is split, and when it was split and nothing is moved yet.
            dieAt(1, false);
            assertEquals(before, ranges("t"));
            dieAt(2, true);
            int split = ranges("t");
            assertTrue(split > before + 8, split + " ranges");
            assertEquals(digest, succeeds("digest", "t").out());
            assertEquals(10_800, rows("t"));
            Thread writer = new Thread(() -> {
                for (int id = 50_000; !done.get() && id < 60_000; id++) {
                    Result insert = cluster.sluice(0, "sql", "-e", "INSERT INTO t VALUES (" + id + ", 'meanwhile')");
                    if (insert.exitCode() == 0) {
                        written.add(id);
                    }
                }
            });
            writer.start();
            try {
                // Killed when ranges were moved and nothing is deleted yet.
                dieAt(3, true);
                Result moved = succeeds("cluster", "rebalance");
                Result smaller = succeeds("cluster", "rebalance", "--max-range-size", "400k");
                assertTrue(smaller.out().contains(" split"), moved.out() + smaller);
            } finally {
                done.set(true);
                writer.join();
            }
            assertTrue(ranges("t") > split, "no range was split while statements wrote");
            assertTrue(!written.isEmpty(), "nothing was written meanwhile");
            assertEquals(10_800 + written.size(), rows("t"));
            assertEquals(inner, succeeds("digest", "c").out());
            assertEquals(8_000, rows("c"));
            assertTrue(succeeds("cluster", "verify").out().contains("all replicas are equal"));
            Rebalancing.Planned left = rebalancing(0, false, work -> work.plan(0));
            assertEquals(List.of(), left.splits());
            // The parts are about as large as planned.
            assertEquals(
                    List.of(),
                    rebalancing(0, false, work -> work.plan(400 << 10)).splits());
            long most = Collections.max(left.before().values());
            long fewest = Collections.min(left.before().values());
            assertTrue(most - fewest <= most / 10, left.before().toString());
            for (int node = 0; node < NODES; node++) {
                assertTrue(ranges("t", node) > 0, "node " + node + " has no KV");
            }
            // The rest of the range is on other nodes, in many parts.
            cluster.node(serving).kill();
            skip(rows, 4500, 11_900);
        }
        int other = (serving + 1) % NODES;
        othersAreSplitWithoutANode(other, serving, written.size() + 10_800);
        List<String> ids = cluster.scan(other, 60, "t")
                .lines()
                .map(row -> row.substring(0, row.indexOf(',')))
                .toList();
        List<String> expected = new ArrayList<>();
        IntStream.range(1100, 11_900).forEach(id -> expected.add(String.valueOf(id)));
        written.forEach(id -> expected.add(String.valueOf(id)));
        assertEquals(expected, ids);
        assertEquals(
                expected.size(),
                cluster.scan(other, 60, "t", "--index", "by_n").lines().count());
    }

    /** Ranges without a replica on a lost node are split; the node learns of it when it is back. */
    private void othersAreSplitWithoutANode(int other, int lost, int rows) throws Exception {
        int before = cluster.scan(other, 60, "t").lines().count() == rows ? rangesSeenBy(other) : -1;
        Result split = cluster.sluice(other, "cluster", "rebalance", "--max-range-size", "200k");
        assertTrue(split.out().contains("table t: ") && split.out().contains(" split"), split.toString());
        assertTrue(rangesSeenBy(other) > before && before > 0, before + " ranges before: " + split);
        assertEquals(rows, cluster.scan(other, 60, "t").lines().count());
        cluster.relaunch(lost);
        cluster.node(lost).awaitReady();
        cluster.await(lost, seen -> seen.leader() != null && seen.suspects().isEmpty());
        assertTrue(succeeds("cluster", "verify").out().contains("all replicas are equal"));
        assertEquals(rangesSeenBy(other), rangesSeenBy(lost));
        cluster.node(lost).kill();
    }

    private String scan(String... arguments) throws InterruptedException {
        return cluster.scan(0, 60, arguments);
    }

    /** A node that a range has left does not serve it as empty. */
    private void readerWithOldPlacesIsRefused() throws Exception {
        try (RemoteNode client = cluster.node(0).client()) {
            String id = client.status().id();
            RangeDirectory places = Objects.requireNonNull(client.table("t")).directory();
            for (int i = 0; i < places.ranges().size(); i++) {
                KeySpan span = places.span(i);
                if (!places.ranges().get(i).nodes().contains(id)) {
                    NodeUnreachableException moved =
                            assertThrows(NodeUnreachableException.class, () -> client.digest("t", List.of(span)));
                    assertTrue(moved.readAgain(), moved.getMessage());
                    assertThrows(NodeUnreachableException.class, () -> client.readKvs("t", span, page -> true));
                }
            }
        }
    }

    // ---- Beside other commands ----

    /** Another command deletes what was copied to a node, between the end of the copy and the entry that moves it. */
    @Test
    void copyThatIsAboutToBeServedIsNotDeleted() throws Exception {
        cluster.launchAll();
        importTable("t", 2);
        Map<String, RemoteNode> clients = new TreeMap<>();
        List<Result> beside = new CopyOnWriteArrayList<>();
        Thread other = new Thread(() -> beside.add(cluster.sluice(1, "cluster", "rebalance")));
        try (RemoteNode first = cluster.node(0).client()) {
            ClusterBody members = Objects.requireNonNull(first.cluster());
            members.members().forEach(each -> clients.put(each.id(), new RemoteNode(RemoteSettings.of(each.url()))));
            Operator operator = new Operator(members, (change, write) -> {
                if (!change.tables().isEmpty() && other.getState() == Thread.State.NEW) {
                    other.start();
                    join(other, MOST_FROZEN_MILLIS);
                }
                write.run();
            });
            Repair.Outcome repaired = new Repair(clients, operator).run("t", NODES, null, null);
            assertEquals(Map.of(), repaired.unrepairable());
        } finally {
            clients.values().forEach(RemoteNode::close);
        }
        join(other, 0);
        assertEquals(1, beside.size(), "no command ran beside the copy");
        assertTrue(succeeds("cluster", "verify").out().contains("all replicas are equal"), beside.toString());
        String all = succeeds("scan", "t").out();
        assertEquals(3_000, all.lines().count());
        for (int node = 0; node < NODES; node++) {
            assertEquals(ranges("t", 0), ranges("t", node), "node " + node + ": " + beside);
        }
    }

    /** A rebalance deletes what a repair has copied so far, each time that the repair begins again. */
    @Test
    void copyThatIsTakenOverNamesTheCommandToRepeat() throws Exception {
        cluster.launchAll();
        importTable("t", 2);
        Map<String, RemoteNode> clients = new TreeMap<>();
        List<String> lines = new ArrayList<>();
        List<Long> pauses = new ArrayList<>();
        try (RemoteNode first = cluster.node(0).client()) {
            ClusterBody members = Objects.requireNonNull(first.cluster());
            members.members().forEach(each -> clients.put(each.id(), new RemoteNode(RemoteSettings.of(each.url()))));
            Operator rebalancing = new Operator(members, (change, write) -> write.run()) {
                @Override
                public String command() {
                    return "cluster rebalance";
                }
            };
            Operator repairing = new Operator(members, (change, write) -> write.run()) {
                @Override
                public void copied(ReplicaPlan.Copy copy) {
                    Rebalancing.Done unused = new Rebalancing(clients, rebalancing).run(0);
                }

                @Override
                public void pause(long millis) {
                    pauses.add(millis);
                }

                @Override
                public void log(String line) {
                    lines.add(line);
                }
            };
            OperationFailedException lost = assertThrows(
                    OperationFailedException.class, () -> new Repair(clients, repairing).run("t", NODES, null, null));
            String message = String.valueOf(lost.getMessage());
            assertTrue(message.startsWith("table t: range"), message);
            assertTrue(message.contains("another 'sluice cluster rebalance' has taken over"), message);
            assertTrue(
                    message.endsWith("run 'sluice cluster repair' again: it goes on where this run has ended"),
                    message);
            assertEquals(4, pauses.size(), lines.toString());
        } finally {
            clients.values().forEach(RemoteNode::close);
        }
        assertTrue(succeeds("cluster", "repair", "--table", "t", "--replicas", "3")
                .out()
                .contains("copied"));
        Result fewer = cluster.sluice(0, "cluster", "repair", "--table", "t", "--replicas", "2");
        assertEquals(2, fewer.exitCode(), fewer.toString());
        assertTrue(fewer.err().contains("--replicas must be at least 3"), fewer.err());
        assertTrue(succeeds("cluster", "verify").out().contains("all replicas are equal"));
        assertEquals(3_000, succeeds("scan", "t").out().lines().count());
    }

    @Test
    void tableOfASmallerClusterCanWantFewerReplicas() throws Exception {
        cluster.launchAll();
        importTable("t", 3);
        succeeds("cluster", "remove", "n2");
        Result tooFew = cluster.sluice(0, "cluster", "repair");
        assertEquals(1, tooFew.exitCode(), tooFew.toString());
        assertTrue(tooFew.out().contains("short of replicas: too few nodes answer"), tooFew.toString());
        Result none = cluster.sluice(0, "cluster", "repair", "--replicas", "1");
        assertEquals(2, none.exitCode(), none.toString());
        assertTrue(none.err().contains("--replicas must be at least 2"), none.err());

        succeeds("cluster", "repair", "--replicas", "2");
        assertTrue(succeeds("cluster", "repair").out().contains("no range is short of replicas"));
        assertTrue(succeeds("cluster", "verify").out().contains("all replicas are equal"));
        assertEquals(3_000, succeeds("scan", "t").out().lines().count());
    }

    /** An operator whose commands are interrupted once, by a drop of a table. */
    private final class BesideDrop extends Operator {
        final List<String> lines = new ArrayList<>();
        private @Nullable String victim;

        BesideDrop(ClusterBody members) {
            super(members, (change, write) -> write.run());
        }

        BesideDrop dropping(String table) {
            victim = table;
            lines.clear();
            return this;
        }

        private void drop() {
            String table = victim;
            victim = null;
            if (table != null) {
                String unused = succeeds("drop", table).out();
            }
        }

        @Override
        public void passing(long bytes) {
            drop();
        }

        @Override
        public void copied(ReplicaPlan.Copy copy) {
            drop();
        }

        @Override
        public void change(ClusterChange change) {
            super.change(change);
            drop();
        }

        @Override
        public void log(String line) {
            lines.add(line);
        }
    }

    /** Commands on all tables pass over one that is dropped meanwhile, and do not bring it back. */
    @Test
    void tableThatIsDroppedMeanwhileIsPassedOver() throws Exception {
        cluster.launchAll();
        List<String> victims = List.of("v0", "v1", "v2", "v3");
        importTable("t", 2);
        for (String victim : victims) {
            importTable(victim, 2);
        }
        Map<String, RemoteNode> clients = new TreeMap<>();
        try (RemoteNode first = cluster.node(0).client()) {
            ClusterBody members = Objects.requireNonNull(first.cluster());
            members.members().forEach(each -> clients.put(each.id(), new RemoteNode(RemoteSettings.of(each.url()))));
            BesideDrop operator = new BesideDrop(members);
            TableStatus gone = Objects.requireNonNull(first.table("v0"));
            List<Repair.Verified> verified = new Repair(clients, operator.dropping("v0")).verify(null, false, null);
            assertEquals(
                    List.of("t", "v1", "v2", "v3"),
                    verified.stream().map(Repair.Verified::table).toList());
            assertPassedOver(operator, "v0");

            Repair.Outcome repaired = new Repair(clients, operator.dropping("v1")).run(null, NODES, null, null);
            assertEquals(Set.of("t", "v2", "v3"), repaired.copied().keySet());
            assertPassedOver(operator, "v1");

            Rebalancing.Done done = new Rebalancing(clients, operator.dropping("v2")).run(2 << 10);
            assertEquals(Set.of("t", "v3"), done.split().keySet(), operator.lines + " " + done);
            assertPassedOver(operator, "v2");

            // A request of a copy that was on its way when the table was dropped.
            for (Map.Entry<String, RemoteNode> node : clients.entrySet()) {
                RemoteReplica late = node.getValue().replica(node.getKey(), gone, "late");
                assertThrows(BadInputException.class, late::begin);
                for (String victim : victims.subList(0, 3)) {
                    assertNull(node.getValue().table(victim), victim + " is back");
                }
            }

            importTable("v0", 2);
            assertEquals(3_000, rows("v0"));
            assertEquals(3_000, rows("t"));
            assertTrue(succeeds("cluster", "verify").out().contains("all replicas are equal"));

            // A table is dropped between the listing of all for a removal and its entry.
            String last = members.members().get(NODES - 1).id();
            BesideDrop removing = operator.dropping("v3");
            ClusterChange removed = new Repair(clients, removing).write(() -> {
                Cluster all = new Cluster(new LinkedHashMap<>(clients), 1);
                ClusterChange change =
                        ClusterChange.removing(Set.of(last), all.without(Set.of(last)), members.applied());
                removing.drop();
                return change;
            });
            assertEquals(2, Objects.requireNonNull(removed).tables().size());
        } finally {
            clients.values().forEach(RemoteNode::close);
        }
        cluster.await(0, seen -> seen.members().size() == NODES - 1);
        assertEquals(3_000, rows("t"));
    }

    /** A table that an import adds rows to stays as it is, and others do not wait for it. */
    @Test
    void tableThatGetsRowsIsNamed() throws Exception {
        cluster.launchAll();
        importTable("t", 2);
        importTable("grows", 2);
        Map<String, RemoteNode> clients = new TreeMap<>();
        try (RemoteNode first = cluster.node(0).client()) {
            ClusterBody members = Objects.requireNonNull(first.cluster());
            members.members().forEach(each -> clients.put(each.id(), new RemoteNode(RemoteSettings.of(each.url()))));
            Operator operator = new Operator(members, (change, write) -> write.run());
            TableStatus grows = Objects.requireNonNull(first.table("grows"));
            NamedNodes named = new NamedNodes(List.of(cluster.address(0)), RemoteSettings::of);
            try (NodeClient nodes = named.forImportAndReads(null, TimeUnit.MINUTES.toMillis(1));
                    ImportSession append =
                            nodes.beginImport(ImportRequest.append(grows.table().def()))) {
                Repair.Outcome repaired = new Repair(clients, operator).run(null, NODES, null, null);
                assertEquals(Set.of("t"), repaired.copied().keySet());
                assertEquals(
                        Map.of(
                                "grows",
                                "rows are being added to table grows; run 'sluice cluster repair' again when that"
                                        + " import has ended"),
                        repaired.blocked());
                assertFalse(append.resumed());
            }
            Repair.Outcome repaired = new Repair(clients, operator).run(null, NODES, null, null);
            assertEquals(Set.of("grows"), repaired.copied().keySet());
        } finally {
            clients.values().forEach(RemoteNode::close);
        }
    }

    private static void assertPassedOver(BesideDrop operator, String table) {
        assertTrue(
                operator.lines.contains("table " + table + ": it was dropped meanwhile, and is passed over"),
                operator.lines.toString());
    }

    private static void join(Thread thread, long millis) {
        try {
            thread.join(millis);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Rows of the tables that were split beside other commands: the values that a row may have, empty for none. */
    private final Map<Integer, Set<String>> expected = new ConcurrentHashMap<>();

    /** A command that runs again and again beside others; each run ends well, or names what to repeat. */
    private static final class Repeated implements Runnable {
        final Supplier<Result> command;
        final BooleanSupplier enough;
        final AtomicInteger succeeded = new AtomicInteger();
        final List<String> failed = new CopyOnWriteArrayList<>();
        volatile @Nullable Throwable broken;
        final Thread thread = new Thread(this);

        Repeated(Supplier<Result> command, BooleanSupplier enough) {
            this.command = command;
            this.enough = enough;
        }

        Repeated start() {
            thread.start();
            return this;
        }

        @Override
        public void run() {
            try {
                while (!enough.getAsBoolean()) {
                    Result done = command.get();
                    if (done.exitCode() == 0) {
                        succeeded.incrementAndGet();
                    } else {
                        assertTrue(REPEAT.matcher(done.err()).find(), "it does not say what to repeat: " + done);
                        failed.add(done.err());
                    }
                }
            } catch (RuntimeException | Error e) {
                broken = e;
            }
        }

        void join(String what) throws InterruptedException {
            thread.join();
            if (broken != null) {
                throw new AssertionError(what + ": " + failed, broken);
            }
        }
    }

    private Path rows(String name, int from, int to) throws IOException {
        StringBuilder rows = new StringBuilder();
        for (int id = from; id < to; id++) {
            rows.append(row(id)).append('\n');
        }
        return Files.writeString(directory.resolve(name + ".csv"), rows);
    }

    /** Rows of several appends lie between each other, so that each of them has rows for many ranges. */
    private String row(int id) {
        int key = id * 7919 % KEYS;
        String value = "row " + key + "x".repeat(100);
        expected.put(key, Set.of(value));
        return key + "," + value;
    }

    /** One statement after the other; it is acknowledged, refused, or in doubt. */
    private Result write(Random random) {
        int key = random.nextBoolean() ? KEYS + random.nextInt(KEYS) : random.nextInt(IMPORTED) * 7919 % KEYS;
        Set<String> before = expected.getOrDefault(key, Set.of(""));
        String value = random.nextInt(4) == 0 ? "" : "written " + random.nextInt(1 << 30);
        String statement = value.isEmpty()
                ? "DELETE FROM t WHERE id = " + key
                : "BEGIN; DELETE FROM t WHERE id = " + key + "; INSERT INTO t VALUES (" + key + ", '" + value
                        + "'); COMMIT";
        Result done = cluster.sluice(0, "sql", "-e", statement);
        if (done.exitCode() == 0) {
            expected.put(key, Set.of(value));
        } else if (done.err().contains("not known yet")) {
            Set<String> either = new HashSet<>(before);
            either.add(value);
            expected.put(key, either);
        }
        return done;
    }

    private void checkExpected(String what) throws Exception {
        assertTrue(succeeds("cluster", "verify").out().contains("all replicas are equal"), what);
        Map<Integer, String> rows = new TreeMap<>();
        scan("t").lines().forEach(line -> {
            int comma = line.indexOf(',');
            String twice = rows.put(Integer.valueOf(line.substring(0, comma)), line.substring(comma + 1));
            assertNull(twice, what + ": twice: " + line);
        });
        List<String> wrong = new ArrayList<>();
        expected.forEach((key, values) -> {
            if (!values.contains(rows.getOrDefault(key, ""))) {
                wrong.add(key + " is " + rows.get(key) + ", not one of " + values);
            }
        });
        rows.keySet().stream()
                .filter(key -> !expected.containsKey(key))
                .forEach(key -> wrong.add(key + " was never acknowledged"));
        assertEquals(List.of(), wrong, what);
        assertEquals(rows.size(), rows("t"), what);
        assertEquals(rows.size(), scan("t", "--index", "by_n").lines().count(), what);
        JsonNode digest =
                new ObjectMapper().readTree(succeeds("digest", "t", "--json").out());
        assertEquals(rows.size(), digest.path("rows").asInt(), what + ": " + digest);
        for (int node = 0; node < NODES; node++) {
            assertTrue(ranges("t", node) > 0, what + ": node " + node + " has no KV");
        }
    }

    @Test
    void splitsBesideOtherCommandsLoseAndDoubleNoRow() throws Exception {
        cluster.launchAll();
        for (int round = 0; round < SPLIT_ROUNDS; round++) {
            String what = "seed " + SEED + ", round " + round;
            expected.clear();
            besideOtherCommands(new Random(SEED + round), what);
            String unused = succeeds("drop", "t").out();
        }
    }

    private void besideOtherCommands(Random random, String what) throws Exception {
        Path schema = Files.writeString(
                directory.resolve("t.sql"), "CREATE TABLE t (id INT8 PRIMARY KEY, n STRING, INDEX by_n (n));");
        String mode = random.nextBoolean() ? "direct" : "two-pass";
        Path first = rows("first", 0, IMPORTED);
        String unused = succeeds(
                        "import", "--schema", schema.toString(), "--replicas", "2", "--mode", mode, first.toString())
                .out();
        int before = ranges("t");
        AtomicBoolean done = new AtomicBoolean();
        AtomicLong limit = new AtomicLong(40 << 10);
        Repeated splits = new Repeated(
                        () -> {
                            Result split = cluster.sluice(
                                    "cluster", "rebalance", "--max-range-size", String.valueOf(limit.get()));
                            limit.set(Math.max(2 << 10, limit.get() * 2 / 3));
                            return split;
                        },
                        done::get)
                .start();
        Repeated verifies = new Repeated(() -> cluster.sluice(1, "cluster", "verify"), done::get).start();
        Repeated repairs =
                new Repeated(() -> cluster.sluice(2, "cluster", "repair", "--replicas", "3"), done::get).start();
        Random statements = new Random(random.nextLong());
        Repeated writes = new Repeated(() -> write(statements), done::get).start();
        List<Repeated> others = List.of(splits, verifies, repairs, writes);
        int appends = 0;
        int refused = 0;
        try {
            for (; appends < APPENDS; appends++) {
                Path more = rows("more", IMPORTED + appends * APPENDED, IMPORTED + (appends + 1) * APPENDED);
                Result appended = append(schema, more);
                for (; appended.exitCode() != 0; refused++) {
                    assertTrue(REPEAT.matcher(appended.err()).find(), what + ": " + appended);
                    assertTrue(refused < MOST_REFUSED, what + ": " + appended);
                    appended = append(schema, more);
                }
            }
        } finally {
            done.set(true);
            for (Repeated other : others) {
                other.join(what);
            }
        }
        int added = ranges("t") - before;
        System.out.println("splits: " + what + ": " + added + " more ranges, " + refused
                + " refused appends; done and failed: splits " + splits.succeeded + "/" + splits.failed
                + ", verifies " + verifies.succeeded + "/" + verifies.failed + ", repairs " + repairs.succeeded + "/"
                + repairs.failed + ", statements " + writes.succeeded + "/" + writes.failed.size());
        assertTrue(added > 0, what + ": no range was split: " + splits.failed);
        checkExpected(what);
        assertTrue(writes.succeeded.get() > 0, what + ": nothing was written: " + writes.failed);
    }

    private Result append(Path schema, Path rows) {
        return cluster.sluice(0, "import", "--append", "--schema", schema.toString(), rows.toString());
    }
}
