package io.sluice.it.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.api.node.TableStatus;
import io.sluice.api.wire.ClusterChange;
import io.sluice.client.RemoteNode;
import io.sluice.client.RemoteReplica;
import io.sluice.client.RemoteSettings;
import io.sluice.client.cluster.ClusterLog;
import io.sluice.it.support.ClusterProcesses;
import io.sluice.it.support.Seeds;
import io.sluice.it.support.SluiceProcess;
import io.sluice.it.support.SluiceProcess.Result;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Appends to a table with two replicas on three nodes: with each policy, after statements, and while a node is killed
 * and started again. {@code -Dsluice.appendRounds=N} kills N nodes, and every other time the importer, too.
 */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class AppendInClusterIT {
    private static final long SEED = Seeds.of(AppendInClusterIT.class);
    private static final int NODES = 3;
    private static final int ROUNDS = Integer.getInteger("sluice.appendRounds", 0);
    private static final int ROWS = 20_000;

    @TempDir
    Path directory;

    private ClusterProcesses cluster;
    private Path schema;
    /** The rows by id. */
    private final Map<Integer, String> model = new TreeMap<>();

    @AfterEach
    void stop() {
        cluster.close();
    }

    private String[] command(Path csv, String... more) {
        List<String> all = new ArrayList<>(
                List.of("import", "--schema", schema.toString(), "--nodes", cluster.address(0), "--memory", "64m"));
        all.addAll(List.of(more));
        all.add(csv.toString());
        return all.toArray(new String[0]);
    }

    private Path write(String name, Map<Integer, String> rows) throws IOException {
        return Files.write(directory.resolve(name + ".csv"), rows.values());
    }

    private static Map<Integer, String> rows(int from, int to, String note) {
        Map<Integer, String> rows = new TreeMap<>();
        for (int id = from; id < to; id++) {
            rows.put(id, id + ",c" + id * 7919L % 1_000_003 + "," + note);
        }
        return rows;
    }

    private void assertTable(String what) {
        Result scanned = cluster.sluice(0, "scan", "t");
        assertEquals(String.join("\n", model.values()) + "\n", scanned.out(), what);
        Result verified = cluster.sluice(0, "cluster", "verify");
        assertEquals(0, verified.exitCode(), what + ": " + verified);
    }

    private void assertCounted(String what) {
        Result digest = cluster.sluice(1, "digest", "t", "--json");
        assertTrue(digest.out().contains("\"rows\":" + model.size()), what + ": " + digest);
        Result tables = cluster.sluice(2, "tables", "--json");
        assertTrue(tables.out().contains("\"rows\":" + model.size()), what + ": " + tables);
    }

    @Test
    void appendIsOnAllReplicasOrOnNone() throws Exception {
        Random random = new Random(SEED);
        schema = Files.writeString(
                directory.resolve("t.sql"),
                "CREATE TABLE t (id INT8 PRIMARY KEY, code STRING, n STRING, UNIQUE (code));");
        cluster = new ClusterProcesses(directory, NODES);
        cluster.launchAll();
        model.putAll(rows(0, ROWS, "old"));
        Result imported = SluiceProcess.call(command(write("old", model), "--replicas", "2"));
        assertEquals(0, imported.exitCode(), imported.toString());

        Result changed =
                cluster.sluice(1, "sql", "-e", "DELETE FROM t WHERE id < 10; UPDATE t SET n = 'changed' WHERE id = 20");
        assertEquals(0, changed.exitCode(), changed.toString());
        for (int id = 0; id < 10; id++) {
            model.remove(id);
        }
        model.putAll(rows(20, 21, "changed"));

        Map<Integer, String> comes = rows(ROWS - 100, ROWS + 2_000, "old");
        comes.put(50, "50,c-50,new");
        comes.put(-1, "-1,c" + 60 * 7919L + ",takes the code of 60");
        Path csv = write("comes", comes);
        Result refused = SluiceProcess.call(command(csv, "--append"));
        assertEquals(2, refused.exitCode(), refused.toString());
        assertTrue(refused.err().contains("id = 60"), refused.err());
        assertTable("after a refused append");

        Result added = SluiceProcess.call(command(csv, "--append", "--on-conflict", "last", "--json"));
        assertEquals(0, added.exitCode(), added.toString());
        assertEquals(2_002, added.report().get("rowsImported").asInt(), added.toString());
        model.remove(60);
        model.putAll(comes);
        assertTable("after an append");
        Result again = SluiceProcess.call(command(csv, "--append", "--on-conflict", "first", "--verify", "full"));
        assertEquals(0, again.exitCode(), again.toString());
        assertCounted("after the same append again");

        Map<Integer, String> beside = rows(27_000, 28_000, "beside");
        appendBesideFreeze(beside);
        model.putAll(beside);
        assertTable("after an append that another command held up");

        for (int round = 0; round < Math.max(1, ROUNDS); round++) {
            String what = "seed " + SEED + ", round " + round;
            Map<Integer, String> more = rows(30_000 + round * 2_000, 32_000 + round * 2_000, "round");
            appendWithKills(random, round, more, what);
            model.putAll(more);
            assertTable(what);
        }
    }

    /** Another command holds the table frozen when the rows are to be published, for some seconds. */
    private void appendBesideFreeze(Map<Integer, String> rows) throws Exception {
        SluiceProcess importer =
                SluiceProcess.start(directory, Map.of(), command(Path.of("-"), "--append", "--format", "csv"));
        OutputStream input = importer.standardInput();
        try (RemoteNode client = cluster.node(0).client()) {
            byte[] csv = (String.join("\n", rows.values()) + "\n").getBytes(StandardCharsets.UTF_8);
            input.write(csv);
            input.flush();
            TableStatus table = Objects.requireNonNull(client.table("t"));
            RemoteReplica replica = client.replica(client.status().id(), table, "reader");
            while (!Objects.requireNonNull(replica.state()).appending()) {
                assertTrue(importer.isAlive(), importer.err());
                TimeUnit.MILLISECONDS.sleep(20);
            }
            ClusterLog log = new ClusterLog(Objects.requireNonNull(client.cluster()), RemoteSettings::of);
            ClusterChange.Freeze freeze = new ClusterChange.Freeze(
                    table.table().id(), "another command", table.directory().epoch());
            log.write(ClusterChange.freezing(freeze));
            input.close();
            // One that gives up does so within this time.
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(5);
            while (importer.isAlive() && System.nanoTime() - end < 0) {
                TimeUnit.MILLISECONDS.sleep(20);
            }
            log.write(ClusterChange.thawing(freeze));
        }
        Result added = importer.await();
        assertEquals(0, added.exitCode(), added.toString());
    }

    private void appendWithKills(Random random, int round, Map<Integer, String> rows, String what) throws Exception {
        Path csv = write("round-" + round, rows);
        int victim = random.nextInt(NODES);
        SluiceProcess importer = SluiceProcess.start(directory, Map.of(), command(csv, "--append", "--verify", "full"));
        TimeUnit.MILLISECONDS.sleep(500 + random.nextInt(3_000));
        cluster.node(victim).kill();
        if (ROUNDS > 0 && random.nextBoolean()) {
            importer.kill();
        }
        cluster.relaunch(victim);
        cluster.node(victim).awaitReady();
        Result done = importer.await();
        cluster.await(victim, seen -> seen.members().size() == NODES && seen.leader() != null);
        if (done.exitCode() != 0) {
            // Under load the freeze may end before the node is ready; then nothing was added, or all.
            Result repeated = SluiceProcess.call(command(csv, "--append"));
            assertEquals(0, repeated.exitCode(), what + ": " + done + "\n" + repeated);
        }
    }
}
