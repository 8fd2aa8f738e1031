package io.sluice.it.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.api.node.KvPage;
import io.sluice.api.node.RangeDirectory;
import io.sluice.api.node.ScanRequest;
import io.sluice.api.node.TableStatus;
import io.sluice.api.transaction.Changes;
import io.sluice.api.transaction.Changes.TableChanges;
import io.sluice.api.transaction.Decision;
import io.sluice.api.transaction.LastAgent;
import io.sluice.api.transaction.Outcome;
import io.sluice.api.transaction.Participant;
import io.sluice.api.transaction.Participants;
import io.sluice.api.transaction.Placement;
import io.sluice.api.transaction.ReadRequest;
import io.sluice.api.wire.ClusterBody;
import io.sluice.api.wire.ClusterChange;
import io.sluice.client.RemoteNode;
import io.sluice.client.RemoteReplica;
import io.sluice.client.RemoteSettings;
import io.sluice.client.cluster.ClusterLog;
import io.sluice.client.cluster.NamedNodes;
import io.sluice.grammar.StatementException;
import io.sluice.it.support.ClusterProcesses;
import io.sluice.it.support.DistributedCluster;
import io.sluice.it.support.NodeProcess;
import io.sluice.it.support.ServedNode;
import io.sluice.it.support.SluiceProcess;
import io.sluice.it.support.SluiceProcess.Result;
import io.sluice.model.error.NodeUnreachableException;
import io.sluice.model.file.DurableFiles;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.kv.KvChecksum;
import io.sluice.sql.SqlEngine;
import io.sluice.sql.SqlSession;
import io.sluice.sql.SqlSettings;
import io.sluice.testing.Await;
import io.sluice.testing.SomeTests;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Three node processes found a cluster. One address stands for all of them, and the cluster outlives its leader. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
@SomeTests(1)
class ClusterMembershipIT {
    private static final int NODES = 3;

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

    private JsonNode status(int node) throws IOException {
        Result status = SluiceProcess.call("cluster", "status", "--json", "--nodes", cluster.address(node));
        assertEquals(0, status.exitCode(), status.toString());
        return new ObjectMapper().readTree(status.out());
    }

    private static JsonNode table(JsonNode status, String name) {
        for (JsonNode table : status.path("tables")) {
            if (table.path("table").asText().equals(name)) {
                return table;
            }
        }
        throw new AssertionError("no table " + name + " in " + status);
    }

    /** The rows 100 to 399. */
    private static String rows() {
        return IntStream.range(100, 400)
                .mapToObj(id -> id + ",row " + id + "\n")
                .collect(Collectors.joining());
    }

    private String scan(String table, int node) throws InterruptedException {
        return cluster.scan(node, 30, table);
    }

    @Test
    void oneAddressStandsForAllAndTheClusterOutlivesItsLeader() throws Exception {
        cluster.launchAll();
        JsonNode all = status(2);
        assertEquals(List.of("n0", "n1", "n2"), all.path("members").findValuesAsText("name"));
        assertEquals(List.of("up", "up", "up"), all.path("members").findValuesAsText("state"));
        List<String> versions = all.path("members").findValuesAsText("version");
        assertEquals(NODES, versions.size(), all.toString());
        String table = cluster.sluice(2, "cluster", "status").out();
        assertTrue(table.contains("VERSION") && table.contains(versions.get(0)), table);

        // Each row is on two of the three nodes, though the commands name one.
        String rows = rows();
        Path csv = Files.writeString(directory.resolve("t.csv"), rows);
        Path schema = Files.writeString(directory.resolve("t.sql"), "CREATE TABLE t (id INT8 PRIMARY KEY, n STRING);");
        Files.writeString(directory.resolve("u.sql"), "CREATE TABLE u (id INT8 PRIMARY KEY, n STRING);");
        Result imported = SluiceProcess.call(
                "import",
                "--schema",
                schema.toString(),
                "--nodes",
                // Another name of the same address.
                cluster.address(1).replace("127.0.0.1", "localhost"),
                "--replicas",
                "2",
                "--mode",
                "two-pass",
                csv.toString());
        assertEquals(0, imported.exitCode(), imported.toString());
        for (int i = 0; i < NODES; i++) {
            assertEquals(rows, scan("t", i));
        }

        succeeds(importTable("d", 1, "7,old\n8,old\n"));
        try (ServedNode other = ServedNode.open(directory.resolve("other"))) {
            Result mixed = SluiceProcess.call("tables", "--nodes", other.url() + "," + cluster.address(0));
            assertEquals(2, mixed.exitCode(), mixed.toString());
            assertTrue(mixed.err().contains("is in no cluster, and another one that is named is"), mixed.err());
        }

        // The leader dies: the others elect another, and the rows are still all there.
        String leader = String.valueOf(cluster.await(0, seen -> true).leader());
        int dead = member(all, leader);
        cluster.node(dead).kill();
        int alive = (dead + 1) % NODES;
        ClusterBody now = cluster.await(alive, seen -> seen.leader() != null && !leader.equals(seen.leader()));
        assertNotEquals(leader, now.leader());
        assertEquals(
                "down", status(alive).path("members").get(dead).path("state").asText());
        assertEquals(rows, scan("t", alive));
        JsonNode lacking = table(status(alive), "t");
        assertTrue(lacking.path("down").asInt() > 0, lacking.toString());
        assertEquals(
                0,
                lacking.path("missing").asInt()
                        + lacking.path("unreadableRanges").asInt());

        // New tables go to the nodes that are up.
        Result without = SluiceProcess.call(
                "import",
                "--schema",
                schema.toString().replace("t.sql", "u.sql"),
                "--nodes",
                cluster.address(alive),
                "--replicas",
                "2",
                csv.toString());
        assertEquals(0, without.exitCode(), without.toString());
        assertTrue(
                without.err().contains("node n" + dead + " (" + cluster.address(dead) + ") does not answer"),
                without.err());

        // Statements need the nodes with the rows that they touch, not the one that is down.
        succeeds(cluster.sluice(alive, "sql", "-e", "UPDATE u SET n = 'changed' WHERE id < 200"));
        succeeds(cluster.sluice(alive, "sql", "-e", "DELETE FROM u WHERE n = 'changed' AND id > 100"));
        String changed = rows.substring(rows.indexOf("200,")).replaceFirst("^", "100,changed\n");
        assertEquals(changed, scan("u", alive));
        Result read = cluster.sluice(alive, "sql", "-e", "SELECT count(*) FROM t");
        assertTrue(read.out().contains("300"), read.toString());

        tableIsDroppedWithoutTheLostNode(alive);

        // It comes back with its store, as the member that it was.
        cluster.relaunch(dead);
        cluster.node(dead).awaitReady();
        ClusterBody back = cluster.await(dead, seen -> seen.leader() != null);
        assertEquals(leader, back.node());
        assertEquals(NODES, back.members().size());
        assertEquals(List.of("up", "up", "up"), status(dead).path("members").findValuesAsText("state"));

        // It has dropped its part of the old table.
        cluster.node(dead).awaitLine("dropped table d, as the cluster has decided");
        try (RemoteNode client = cluster.node(dead).client()) {
            assertNull(client.table("d"));
        }
        assertEquals("9,new\n", scan("d", dead));
        assertEquals(changed, scan("u", dead));
        assertEquals(rows, scan("t", dead));

        // A wiped store is another member, which must not take the name.
        cluster.node(dead).kill();
        DurableFiles.deleteTree(cluster.store(dead));
        cluster.relaunch(dead);
        cluster.node(dead).awaitReady();
        cluster.node(dead).awaitLine("a new or wiped store needs another --name and another --raft-listen");
        assertEquals(
                NODES,
                cluster.await(alive, seen -> seen.leader() != null).members().size());
    }

    /** The coordinator is gone. */
    private static final class Gone extends Error {
        private static final long serialVersionUID = 1L;
    }

    /** Nodes of the cluster, of which one is killed when the log has a decision; the coordinator tells no other. */
    private record Killing(Participants members, NodeProcess victim) implements Participants {
        @Override
        public Outcome decide(Decision decision) {
            assertEquals(Outcome.COMMITTED, members.decide(decision));
            try {
                victim.kill();
            } catch (IOException | InterruptedException e) {
                throw new AssertionError(e);
            }
            throw new Gone();
        }

        @Override
        public List<Placement> placements(Set<String> silent) {
            return members.placements(silent);
        }

        @Override
        public List<TableStatus> tables(Set<String> silent) {
            return members.tables(silent);
        }

        @Override
        public List<Participant> nodes() {
            return members.nodes();
        }

        @Override
        public boolean survivesLosses() {
            return members.survivesLosses();
        }

        @Override
        public long seen() {
            return members.seen();
        }

        @Override
        public void close() {
            members.close();
        }
    }

    /**
     * A transaction on all nodes is decided, then its coordinator and the leader are gone, which has the only replica
     * of some of its rows. The others have it all the same.
     */
    private void transferOutlivesItsCoordinatorAndTheLeader(int alive, int dead) throws Exception {
        Participants nodes = new NamedNodes(List.of(cluster.address(alive)), RemoteSettings::of).participants();
        try (SqlEngine engine = SqlEngine.onNodes(
                        new Killing(nodes, cluster.node(dead)), SqlSettings.forNodes(), Clock.systemUTC());
                SqlSession session = engine.open()) {
            assertThrows(
                    Gone.class,
                    () -> DistributedCluster.run(
                            session, "BEGIN; UPDATE alone SET n = 'moved'; UPDATE t SET n = 'moved'; COMMIT"));
        }
        awaitNoneInDoubt(alive);
        awaitNoneInDoubt(3 - alive - dead);
        List<String> rows = scan("t", alive).lines().toList();
        assertEquals(252, rows.size());
        assertTrue(rows.stream().allMatch(row -> row.endsWith(",moved")), rows.toString());
    }

    private void awaitNoneInDoubt(int node) throws Exception {
        try (RemoteNode client = cluster.node(node).client()) {
            Await.until(() -> client.inDoubt().isEmpty(), () -> "in doubt: " + client.inDoubt());
        }
    }

    private Result importTable(String name, int node, String rows) throws IOException {
        return importTable(name, node, rows, 2);
    }

    private Result importTable(String name, int node, String rows, int replicas) throws IOException {
        Path schema = Files.writeString(
                directory.resolve(name + ".sql"), "CREATE TABLE " + name + " (id INT8 PRIMARY KEY, n STRING);");
        Path csv = Files.writeString(directory.resolve(name + ".csv"), rows);
        return cluster.sluice(
                node,
                "import",
                "--schema",
                schema.toString(),
                "--replicas",
                "" + replicas,
                "--mode",
                "two-pass",
                csv.toString());
    }

    /** The log has the drop: the name is free at once, and the lost node deletes its part when it is back. */
    private void tableIsDroppedWithoutTheLostNode(int alive) throws Exception {
        succeeds(cluster.sluice(alive, "drop", "d"));
        Result gone = cluster.sluice(alive, "scan", "d");
        assertEquals(2, gone.exitCode(), gone.toString());
        assertEquals(2, cluster.sluice(alive, "drop", "d").exitCode());
        succeeds(importTable("d", alive, "9,new\n"));
    }

    /** An import into a node that waits for the others would make a table that they do not know. */
    @Test
    void nodeIsNotUsedBeforeItHasJoined() throws Exception {
        cluster.relaunch(0);
        cluster.node(0).awaitReady();
        Path csv = Files.writeString(directory.resolve("early.csv"), rows());
        Path schema = Files.writeString(
                directory.resolve("early.sql"), "CREATE TABLE early (id INT8 PRIMARY KEY, n STRING);");
        List<String> command = List.of(
                "import",
                "--schema",
                schema.toString(),
                "--nodes",
                cluster.address(0),
                "--replicas",
                "2",
                csv.toString());
        List<String> impatient = new ArrayList<>(command);
        impatient.addAll(List.of("--give-up-after", "1"));
        for (String[] early : List.of(
                impatient.toArray(new String[0]),
                new String[] {"get", "early", "100", "--nodes", cluster.address(0)})) {
            Result refused = SluiceProcess.call(early);
            assertTrue(Set.of(1, 4).contains(refused.exitCode()), refused.toString());
            assertTrue(refused.err().contains("n0 has not joined its cluster yet"), refused.err());
        }
        CompletableFuture<Result> imported =
                CompletableFuture.supplyAsync(() -> SluiceProcess.call(command.toArray(new String[0])));
        for (int i = 1; i < NODES; i++) {
            cluster.relaunch(i);
        }
        succeeds(imported.get(60, TimeUnit.SECONDS));
        cluster.await(2, seen -> seen.members().size() == NODES);
        assertEquals(rows(), scan("early", 2));
    }

    /**
     * The lost node's replicas are copied to a new one while statements change rows; then any other node may be lost.
     */
    @Test
    void lostNodeIsReplaced() throws Exception {
        cluster.launchAll();
        succeeds(importTable("t", 0, rows()));
        String deadId =
                String.valueOf(cluster.await(0, seen -> seen.leader() != null).leader());
        int dead = member(status(0), deadId);
        int alive = (dead + 1) % NODES;
        cluster.node(dead).kill();
        cluster.await(alive, seen -> seen.leader() != null && !deadId.equals(seen.leader()));

        // A node that may be lost decides no transaction; one without a coordinator ends by itself.
        LastAgent lost = new LastAgent(deadId, "http://" + cluster.address(dead));
        StatementException refused = assertThrows(StatementException.class, () -> leaveInDoubt(alive, lost));
        String self = "node n" + alive + " (" + cluster.address(alive) + ") is in a cluster";
        assertTrue(refused.text().startsWith(self), refused.text());
        leaveInDoubt(alive, null);
        cluster.launchNew(dead, "new");
        cluster.node(dead).awaitReady();
        cluster.await(alive, seen -> seen.members().size() == NODES + 1);
        succeeds(cluster.sluice(alive, "cluster", "remove", "n" + dead));
        cluster.await(alive, seen -> seen.members().size() == NODES);

        int missing = table(status(alive), "t").path("missing").asInt();
        assertTrue(missing > 0, "no replica is missing");
        assertEquals(
                List.of(missing),
                cluster.await(alive, seen -> !seen.lacking().isEmpty()).lacking().stream()
                        .map(ClusterBody.Lacking::missing)
                        .toList());

        awaitNoneInDoubt(alive);
        AtomicBoolean done = new AtomicBoolean();
        List<Integer> written = new CopyOnWriteArrayList<>();
        Thread writer = new Thread(() -> {
            for (int id = 0; !done.get() && id < 10_000; id++) {
                int row = 500 + id;
                Result insert =
                        cluster.sluice(alive, "sql", "-e", "INSERT INTO t VALUES (" + row + ", 'during the repair')");
                if (insert.exitCode() == 0) {
                    written.add(row);
                }
            }
        });
        writer.start();
        Result repaired = cluster.sluice(alive, "cluster", "repair");
        done.set(true);
        writer.join();
        succeeds(repaired);
        assertTrue(repaired.out().contains("table t: "), repaired.toString());
        String again = cluster.sluice(alive, "cluster", "repair").out();
        assertTrue(again.contains("no range is short of replicas"), again);
        String whole = cluster.sluice(alive, "cluster", "status").out();
        assertTrue(whole.contains("all replicas of all tables (1) are up"), whole);
        String equal = cluster.sluice(alive, "cluster", "verify").out();
        assertTrue(equal.contains("ranges compared, all replicas are equal"), equal);
        String before = scan("t", alive);
        for (int row : written) {
            assertTrue(before.contains(row + ",during the repair"), "row " + row + " is missing");
        }

        // Another node is lost: its rows are on the others, among them the new one.
        int second = (alive + 1) % NODES == dead ? (alive + 2) % NODES : (alive + 1) % NODES;
        cluster.node(second).kill();
        assertEquals(before, scan("t", alive));
        assertEquals(before, scan("t", dead));

        // One of three has no majority: it may lack what the others have decided, so it serves no rows.
        cluster.node(dead).kill();
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        try (RemoteNode client = cluster.node(alive).client()) {
            Participant participant = client.participant();
            while (reads(participant)) {
                assertTrue(System.nanoTime() - end < 0, "the node serves rows without a majority");
                Thread.sleep(200);
            }
            assertThrows(NodeUnreachableException.class, () -> client.get("t", List.of("300")));
            assertThrows(NodeUnreachableException.class, () -> client.scan(
                            new ScanRequest("t", null, List.of(), List.of(), Long.MAX_VALUE))
                    .close());
        }
        Result noMajority = cluster.sluice(alive, "scan", "t");
        assertEquals(1, noMajority.exitCode(), noMajority.toString());
        cluster.relaunch(dead);
        cluster.node(dead).awaitReady();
        cluster.await(dead, seen -> seen.leader() != null);
        assertEquals(before, scan("t", alive));
    }

    private static boolean reads(Participant participant) {
        try {
            participant.release(List.of(participant.read(ReadRequest.NOTHING).snapshot()));
            return true;
        } catch (NodeUnreachableException e) {
            assertTrue(String.valueOf(e.getMessage()).contains("no contact with most nodes"), e.getMessage());
            return false;
        }
    }

    @Test
    void wrongReplicasAreRepaired() throws Exception {
        cluster.launchAll();
        succeeds(importTable("t", 0, rows()));
        wrongReplicaIsRepaired(1);
        replicaWithoutManyRowsIsRepaired(1);

        succeeds(importTable("w", 1, rows(), 3));
        cluster.node(2).kill();
        String found = cluster.sluice(1, "cluster", "verify", "--table", "w").out();
        assertTrue(found.contains("the replicas that answer are equal"), found);
    }

    /** One of two replicas lacks a row: the operator says which is right. */
    private void wrongReplicaIsRepaired(int node) throws Exception {
        String equal = cluster.sluice(node, "cluster", "verify").out();
        assertTrue(equal.contains("ranges compared, all replicas are equal"), equal);
        String right = damage("t", node, 1);
        Result found = cluster.sluice(node, "cluster", "verify", "--table", "t", "--repair");
        assertEquals(1, found.exitCode(), found.toString());
        assertTrue(found.out().contains("row ("), found.out());
        assertTrue(found.out().contains("it is not known which replica is right"), found.out());
        Result repaired = cluster.sluice(node, "cluster", "verify", "--repair", "--trust", right);
        assertEquals(0, repaired.exitCode(), repaired.toString());
        assertTrue(repaired.out().contains(" is missing; repaired"), repaired.out());
        equal = cluster.sluice(node, "cluster", "verify").out();
        assertTrue(equal.contains("ranges compared, all replicas are equal"), equal);
    }

    /** One of two replicas lacks more KVs than a node sends at once: the other's come in several pages. */
    private void replicaWithoutManyRowsIsRepaired(int node) throws Exception {
        Path schema = Files.writeString(directory.resolve("v.sql"), "CREATE TABLE v (id INT8 PRIMARY KEY, s STRING);");
        String rows = IntStream.range(0, 120).mapToObj(id -> id + ",short\n").collect(Collectors.joining());
        Path csv = Files.writeString(directory.resolve("v.csv"), rows);
        Result imported = cluster.sluice(
                node, "import", "--schema", schema.toString(), "--replicas", "2", "--mode", "two-pass", csv.toString());
        assertEquals(0, imported.exitCode(), imported.toString());
        // The ranges are those of the short rows: all of these rows are in one.
        for (int id = 0; id < 9; id += 3) {
            String update = "UPDATE v SET s = ? WHERE id >= " + id + " AND id < " + (id + 3);
            Result updated = cluster.sluice(node, "sql", "-e", update, "-p", "x".repeat(3 << 20));
            assertEquals(0, updated.exitCode(), updated.err());
        }
        String digest = cluster.sluice(node, "digest", "v").out();
        int damaged = firstHolder("v", node);
        String right = damage("v", damaged, Long.MAX_VALUE);
        Result repaired = cluster.sluice(node, "cluster", "verify", "--table", "v", "--repair", "--trust", right);
        assertEquals(0, repaired.exitCode(), repaired.toString());
        assertTrue(repaired.out().contains(" is missing; repaired"), repaired.out());
        String equal = cluster.sluice(node, "cluster", "verify", "--table", "v").out();
        assertTrue(equal.contains("ranges compared, all replicas are equal"), equal);
        assertEquals(digest, cluster.sluice(node, "digest", "v").out());
    }

    /** The node that is asked first for the first rows of a table. */
    private int firstHolder(String name, int node) throws Exception {
        String first;
        try (RemoteNode client = cluster.node(node).client()) {
            RangeDirectory directory =
                    Objects.requireNonNull(client.table(name)).directory();
            first = directory.ranges().get(0).nodes().get(0);
        }
        for (int i = 0; i < NODES; i++) {
            try (RemoteNode client = cluster.node(i).client()) {
                if (client.status().id().equals(first)) {
                    return i;
                }
            }
        }
        throw new AssertionError("no node " + first);
    }

    /** A table that was frozen when the others went on without a node does so when that has ended. */
    private void goesOnWithoutIt(String name, int node, ClusterChange.Freeze freeze) throws Exception {
        assertEquals(0, table(status(node), name).path("missing").asInt());
        new ClusterLog(cluster.await(node, seen -> seen.leader() != null), RemoteSettings::of)
                .write(ClusterChange.thawing(freeze));
        Await.until(
                () -> table(status(node), name).path("missing").asInt() != 0,
                () -> "table " + name + " still has the lost node");
        succeeds(cluster.sluice(node, "drop", name));
    }

    private ClusterChange.Freeze freeze(String name, int node) throws Exception {
        ClusterLog log = new ClusterLog(cluster.await(node, seen -> seen.leader() != null), RemoteSettings::of);
        try (RemoteNode client = cluster.node(node).client()) {
            TableStatus table = Objects.requireNonNull(client.table(name));
            ClusterChange.Freeze freeze = new ClusterChange.Freeze(
                    table.table().id(), "test", table.directory().epoch());
            log.write(ClusterChange.freezing(freeze));
            return freeze;
        }
    }

    /** Deletes the first rows of a table on one node only; returns the id of another node that has them. */
    private String damage(String name, int node, long bytes) throws Exception {
        ClusterLog log = new ClusterLog(cluster.await(node, seen -> seen.leader() != null), RemoteSettings::of);
        try (RemoteNode client = cluster.node(node).client()) {
            TableStatus table = Objects.requireNonNull(client.table(name));
            String id = client.status().id();
            ClusterChange.Freeze freeze = new ClusterChange.Freeze(
                    table.table().id(), "damage", table.directory().epoch());
            log.write(ClusterChange.freezing(freeze));
            RemoteReplica replica = client.replica(id, table, "damage");
            replica.begin();
            Await.until(() -> "damage".equals(replica.capture().state().owner()), () -> "the table is not frozen");
            KvPage first = replica.page(KeySpan.ALL, bytes, false);
            byte[] key = first.keys().get(0);
            KeySpan span = new KeySpan(key, first.end());
            List<KvChecksum> none = table.table().indexes().stream()
                    .map(index -> KvChecksum.EMPTY)
                    .toList();
            assertEquals(none, replica.replace(span, new KvPage(span.end(), none, List.of(), List.of())));
            replica.end();
            log.write(ClusterChange.thawing(freeze));
            return table.directory().ranges().get(table.directory().rangeOf(key)).nodes().stream()
                    .filter(other -> !other.equals(id))
                    .findFirst()
                    .orElseThrow();
        }
    }

    /** Prepares a branch of a transaction that no coordinator decides; it changes one row of t. */
    private void leaveInDoubt(int node, @Nullable LastAgent lastAgent) {
        UUID transaction = UUID.randomUUID();
        try (RemoteNode client = cluster.node(node).client()) {
            TableStatus table = Objects.requireNonNull(client.table("t"));
            KvPage row = client.replica(client.status().id(), table, "reader").page(KeySpan.ALL, 1, false);
            TableChanges change = new TableChanges(table.table().id(), row.keys(), row.values());
            Participant participant = client.participant();
            UUID snapshot = participant.read(ReadRequest.NOTHING).snapshot();
            participant.prepare(
                    transaction, lastAgent, new Changes(snapshot, List.of(change), List.of(), List.of(), null));
        }
    }

    private void succeeds(Result result) {
        assertEquals(0, result.exitCode(), result.toString());
    }

    @Test
    void othersGoOnWithoutALostNode() throws Exception {
        cluster.launchAll();
        String rows = rows();
        Path csv = Files.writeString(directory.resolve("t.csv"), rows);
        for (String table : List.of("t", "alone", "moving")) {
            String replicas = table.equals("alone") ? "1" : "2";
            Path schema = Files.writeString(
                    directory.resolve(table + ".sql"), "CREATE TABLE " + table + " (id INT8 PRIMARY KEY, n STRING);");
            succeeds(cluster.sluice(
                    0,
                    "import",
                    "--schema",
                    schema.toString(),
                    "--replicas",
                    replicas,
                    "--mode",
                    "two-pass",
                    csv.toString()));
        }
        // Changes that only the first replica of a key counts.
        succeeds(cluster.sluice(0, "sql", "-e", "DELETE FROM t WHERE id < 150"));
        succeeds(cluster.sluice(0, "sql", "-e", "INSERT INTO t VALUES (1, 'new'), (399000, 'new')"));

        // A table with a single replica keeps a node in the cluster, whether it is up or not.
        String leader = String.valueOf(cluster.await(0, seen -> true).leader());
        int lost = member(status(0), leader);
        String lostId = leader;
        int alive = highest(lost);
        Path log = Files.writeString(
                directory.resolve("changes.jsonl"),
                "{\"table\":\"t\",\"op\":\"update\",\"key\":{\"id\":200},\"row\":{\"n\":\"applied\"}}\n");
        succeeds(cluster.sluice(lost, "apply", log.toString()));
        Result only = cluster.sluice(alive, "cluster", "remove", "n" + lost);
        assertEquals(2, only.exitCode(), only.toString());
        assertTrue(only.err().contains("table alone has keys"), only.err());
        Result unknown = cluster.sluice(alive, "cluster", "remove", "n9");
        assertEquals(2, unknown.exitCode(), unknown.toString());
        assertTrue(unknown.err().contains("the cluster has no node n9; it has n0, n1, n2"), unknown.err());
        // The leader is lost: a statement that needs its rows waits some seconds, then the table goes on without it.
        ClusterChange.Freeze freeze = freeze("moving", alive);
        transferOutlivesItsCoordinatorAndTheLeader(alive, lost);
        succeeds(cluster.sluice(alive, "drop", "alone"));
        succeeds(cluster.sluice(alive, "sql", "-e", "UPDATE t SET n = 'x' WHERE id > 0"));
        succeeds(cluster.sluice(alive, "sql", "-e", "INSERT INTO t VALUES (2, 'new')"));
        succeeds(cluster.sluice(alive, "sql", "-e", "DELETE FROM t WHERE id = 2"));
        goesOnWithoutIt("moving", alive, freeze);
        String now = cluster.sluice(alive, "digest", "t").out();
        assertTrue(table(status(alive), "t").path("missing").asInt() > 0);
        assertTrue(cluster.sluice(alive, "tables", "--json").out().contains("\"rows\":null"));
        Result tuned = cluster.sluice(alive, "tune", "t", "--tombstone-conversion", "8");
        assertEquals(1, tuned.exitCode(), tuned.toString());
        assertTrue(tuned.out().contains("from 8 deleted keys"), tuned.out());
        assertTrue(tuned.err().contains("no answer from n" + lost), tuned.err());
        Result transactions = cluster.sluice(alive, "transactions");
        assertEquals(1, transactions.exitCode(), transactions.toString());
        assertTrue(transactions.out().startsWith("transaction "), "those of the others");
        assertTrue(transactions.err().contains("node n" + lost), transactions.err());

        // It is back with outdated rows, which are not read; then it gets them all again.
        cluster.relaunch(lost);
        cluster.node(lost).awaitReady();
        cluster.await(lost, seen -> seen.leader() != null && seen.suspects().isEmpty());
        assertEquals(now, cluster.sluice(lost, "digest", "t").out());
        succeeds(cluster.sluice(lost, "cluster", "repair"));
        assertEquals(0, table(status(alive), "t").path("missing").asInt());
        Result differ = cluster.sluice(alive, "tune", "t");
        assertTrue(differ.out().contains("incomplete: the nodes of the table have different settings"), differ.out());
        succeeds(cluster.sluice(alive, "tune", "t", "--tombstone-conversion", "8"));
        assertFalse(cluster.sluice(alive, "tune", "t").out().contains("incomplete"));
        assertTrue(cluster.sluice(alive, "cluster", "verify").out().contains("all replicas are equal"));
        assertEquals(now, cluster.sluice(alive, "digest", "t").out());
        assertTrue(cluster.sluice(alive, "tables", "--json").out().contains("\"rows\":252"));

        // It is lost for good.
        cluster.node(lost).kill();
        cluster.await(alive, seen -> seen.leader() != null && !lostId.equals(seen.leader()));
        Result removed = cluster.sluice(alive, "cluster", "remove", "n" + lost);
        succeeds(removed);
        assertTrue(removed.out().contains("removed n" + lost), removed.out());
        assertTrue(removed.out().contains("1 table has fewer replicas"), removed.out());
        cluster.await(alive, seen -> seen.members().size() == NODES - 1);

        // Without it: the same rows and counts, and everything that needs all replicas.
        assertEquals(now, cluster.sluice(alive, "digest", "t").out());
        Result tables = cluster.sluice(alive, "tables", "--json");
        assertEquals(252, new ObjectMapper().readTree(tables.out()).path("rows").asLong(), tables.toString());
        succeeds(cluster.sluice(alive, "sql", "-e", "UPDATE t SET n = 'changed' WHERE id < 300"));
        succeeds(cluster.sluice(alive, "sql", "-e", "DELETE FROM t WHERE id = 1"));
        tables = cluster.sluice(alive, "tables", "--json");
        assertEquals(251, new ObjectMapper().readTree(tables.out()).path("rows").asLong(), tables.toString());
        assertEquals(
                150,
                cluster.sluice(alive, "scan", "t")
                        .out()
                        .lines()
                        .filter(row -> row.endsWith(",changed"))
                        .count());

        // It does not serve its outdated rows alone. When it comes back, it learns that it was removed, and ends.
        String store = directory.resolve("node" + lost).toString();
        Result served = SluiceProcess.call("node", "--store", store, "--listen", "127.0.0.1:0");
        assertEquals(2, served.exitCode(), served.toString());
        assertTrue(served.err().contains("is the store of a member of a cluster"), served.err());
        for (List<String> change : List.of(
                List.of("sql", "-e", "DELETE FROM t"),
                List.of("import", "--schema", directory.resolve("t.sql").toString(), csv.toString()),
                List.of("drop", "t"),
                List.of("serve", "--listen", "127.0.0.1:0", "--state", directory + "/state"))) {
            List<String> alone = new ArrayList<>(change);
            alone.addAll(List.of("--store", store));
            Result changed = SluiceProcess.call(alone.toArray(new String[0]));
            assertEquals(2, changed.exitCode(), changed.toString());
            assertTrue(changed.err().contains("name nodes of the cluster by --nodes"), changed.err());
        }
        cluster.relaunch(lost);
        cluster.node(lost).awaitLine("was removed from");
        assertEquals(2, cluster.node(lost).await().exitCode());

        // A node is drained only if the others can hold all replicas.
        int second = NODES - lost - alive;
        String alone = directory.resolve("alone.sql").toString();
        succeeds(cluster.sluice(alive, "import", "--schema", alone, "--mode", "two-pass", csv.toString()));
        Result few = cluster.sluice(alive, "cluster", "drain", "n" + second);
        assertEquals(1, few.exitCode(), few.toString());
        assertTrue(few.out().contains("table t: "), few.toString());
        assertFalse(few.out().contains("table alone: "), few.toString());
        assertTrue(few.err().contains("node n" + second + " stays in the cluster"), few.toString());
        Result holder = cluster.sluice(alive, "cluster", "remove", "n" + second);
        assertEquals(2, holder.exitCode(), holder.toString());
        assertTrue(holder.err().contains("'sluice cluster drain'"), holder.err());
        cluster.await(alive, seen -> seen.members().size() == NODES - 1);
        succeeds(cluster.sluice(alive, "drop", "t"));

        // The rows that it alone has go to the others, and it ends by itself; the last one stays.
        Result drained = cluster.sluice(alive, "cluster", "drain", cluster.address(second));
        succeeds(drained);
        assertTrue(drained.out().contains("removed n" + second), drained.toString());
        assertTrue(drained.out().contains("0 tables have fewer replicas"), drained.toString());
        cluster.node(second).awaitLine("was removed from");
        assertEquals(2, cluster.node(second).await().exitCode());
        assertEquals(rows, scan("alone", alive));
        assertTrue(cluster.sluice(alive, "tables", "--json").out().contains("\"rows\":300"));
        // The cluster has kept the position of the log, though t and the nodes with the lowest ids are gone.
        Result again = cluster.sluice(alive, "apply", log.toString());
        succeeds(again);
        assertTrue(again.err().contains("skipped 1 line"), again.toString());
        Result last = cluster.sluice(alive, "cluster", "remove", "n" + alive);
        assertEquals(2, last.exitCode(), last.toString());
    }

    /** The node with the highest id, except for one. */
    private int highest(int except) throws IOException {
        List<String> ids = status(except).path("members").findValuesAsText("id");
        return IntStream.range(0, NODES)
                .filter(node -> node != except)
                .boxed()
                .max(Comparator.comparing(ids::get))
                .orElseThrow();
    }

    private static int member(JsonNode status, String id) {
        List<String> ids = status.path("members").findValuesAsText("id");
        return ids.indexOf(id);
    }
}
