package io.sluice.it.imports;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.api.node.NodeClient;
import io.sluice.api.node.TableSource;
import io.sluice.client.RemoteSettings;
import io.sluice.client.cluster.NamedNodes;
import io.sluice.importer.job.ImportProgress;
import io.sluice.importer.job.staged.SetPlace;
import io.sluice.importer.job.staged.TableBackup;
import io.sluice.it.support.RunningService;
import io.sluice.it.support.ServedNode;
import io.sluice.it.support.ServiceClient;
import io.sluice.it.support.SluiceProcess;
import io.sluice.it.support.SluiceProcess.Result;
import io.sluice.it.support.StagedSets;
import io.sluice.it.support.Stock;
import io.sluice.model.error.OperationFailedException;
import io.sluice.node.SteadyClock;
import io.sluice.sql.distributed.ClusterSnapshot;
import io.sluice.sql.distributed.DistributedTables;
import io.sluice.testing.ObjectStore;
import io.sluice.testing.SomeTests;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Backups of tables are restored to the same rows; what is not the table of one moment is no backup. */
@SuppressWarnings("NullAway.Init") // JUnit and the set-up set the fields
@SomeTests(3)
class BackupTest {
    /** Several pages of 1 MiB. */
    private static final int ROWS = 30_000;

    private static final String CHANGES = "UPDATE stock SET note = 'changed' WHERE warehouse = 2;"
            + " DELETE FROM stock WHERE warehouse = 3 AND item < 500;"
            + " INSERT INTO stock VALUES (500, 1, 7, 'new', NULL)";

    @TempDir
    Path directory;

    private Path store;
    private Path set;
    private Path schema;

    @BeforeEach
    void name() throws IOException {
        store = directory.resolve("store");
        set = directory.resolve("set");
        schema = Files.writeString(directory.resolve("stock.sql"), Stock.SQL);
    }

    private static Result done(String... arguments) {
        Result result = SluiceProcess.call(arguments);
        assertEquals(0, result.exitCode(), String.join(" ", arguments) + ": " + result);
        return result;
    }

    private static Result failed(int exitCode, String... arguments) {
        Result result = SluiceProcess.call(arguments);
        assertEquals(exitCode, result.exitCode(), String.join(" ", arguments) + ": " + result);
        return result;
    }

    private String[] backup(String... place) {
        List<String> all = new ArrayList<>(List.of("backup", "stock", "--output", set.toString(), "--json"));
        all.addAll(List.of(place));
        return all.toArray(new String[0]);
    }

    private static String digest(String table, String... place) throws IOException {
        List<String> all = new ArrayList<>(List.of("digest", table, "--json"));
        all.addAll(List.of(place));
        return done(all.toArray(new String[0])).report().path("digest").asText();
    }

    private void importStock(Path into, int rows) {
        done(Stock.importing(schema, into, Stock.write(directory.resolve("stock.csv"), Stock.numbers(rows))));
    }

    private static List<String> names(Path in) throws IOException {
        if (!Files.exists(in)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(in)) {
            return files.map(file -> String.valueOf(file.getFileName()))
                    .sorted()
                    .toList();
        }
    }

    @Test
    void tableThatStatementsChangedIsRestoredUnderAnotherId() throws Exception {
        importStock(store, ROWS);
        done("sql", "--store", store.toString(), "-e", CHANGES);
        // The remains of a backup that was killed.
        Files.createDirectories(set.resolve("work"));
        Files.writeString(set.resolve("work").resolve(UUID.randomUUID() + ".sst"), "half");
        Files.writeString(set.resolve(UUID.randomUUID() + ".sst"), "whole");
        String digest = digest("stock", "--store", store.toString());
        JsonNode made = done(backup("--store", store.toString())).report();
        assertEquals("backed_up", made.path("state").asText());
        assertEquals(digest, made.path("digest").asText());
        assertEquals(
                made.path("ssts").asInt() + 1, names(set).size(), names(set).toString());
        done("verify", set.toString());

        Path other = directory.resolve("other");
        Path pairs = Files.writeString(directory.resolve("pairs.sql"), "CREATE TABLE pairs (a INT8 PRIMARY KEY);");
        done("import", "--schema", pairs.toString(), "--store", other.toString(), "--quiet", rows("1\n"));
        JsonNode restored = done("ingest", set.toString(), "--store", other.toString(), "--verify", "full", "--json")
                .report();
        assertEquals("ingested", restored.path("state").asText());
        assertTrue(restored.path("rewritten").asBoolean(), restored.toString());
        assertEquals(digest, digest("stock", "--store", other.toString()));
        assertEquals(
                done("scan", "stock", "--store", store.toString(), "--index", "by_code")
                        .out(),
                done("scan", "stock", "--store", other.toString(), "--index", "by_code")
                        .out());

        // A backup of the restored table has the id of that store.
        Path second = directory.resolve("second");
        done("backup", "stock", "--store", other.toString(), "--output", second.toString());
        Path third = directory.resolve("third");
        done("ingest", second.toString(), "--store", third.toString(), "--quiet");
        assertEquals(digest, digest("stock", "--store", third.toString()));
    }

    private String rows(String csv) throws IOException {
        return Files.writeString(directory.resolve("rows.csv"), csv).toString();
    }

    @Test
    void placeWithSomethingElseIsRefused() throws Exception {
        importStock(store, 100);
        done(backup("--store", store.toString()));
        byte[] manifest = Files.readAllBytes(set.resolve("manifest.json"));
        Result again = done(backup("--store", store.toString()));
        assertEquals("already_backed_up", again.report().path("state").asText());
        done("sql", "--store", store.toString(), "-e", "DELETE FROM stock WHERE warehouse = 0 AND item = 1");
        Result older = failed(2, backup("--store", store.toString()));
        assertTrue(older.err().contains("name another directory"), older.toString());
        assertArrayEquals(manifest, Files.readAllBytes(set.resolve("manifest.json")));
        set = Files.createDirectory(directory.resolve("mine"));
        Files.writeString(set.resolve("thesis.txt"), "mine");
        Result foreign = failed(2, backup("--store", store.toString()));
        assertTrue(foreign.err().contains("thesis.txt"), foreign.toString());
        assertEquals(List.of("thesis.txt"), names(set));
        done("sql", "--store", store.toString(), "-e", "DELETE FROM stock WHERE item > 0");
        set = directory.resolve("one");
        done(backup("--store", store.toString()));
        Result one = done("digest", "stock", "--store", store.toString());
        assertTrue(one.out().contains("\n1 row, digest "), one.toString());
        done("sql", "--store", store.toString(), "-e", "DELETE FROM stock");
        set = directory.resolve("none");
        assertEquals(
                0,
                done(backup("--store", store.toString())).report().path("ssts").asInt(-1));
        Path other = directory.resolve("other");
        done("ingest", set.toString(), "--store", other.toString(), "--quiet");
        assertEquals(digest("stock", "--store", store.toString()), digest("stock", "--store", other.toString()));
        Result unknown = failed(2, "backup", "stok", "--store", store.toString(), "--output", directory + "/u");
        assertTrue(unknown.err().contains("it has stock"), unknown.toString());
        assertEquals(List.of(), names(directory.resolve("u")));
    }

    @Test
    void replicasServeABackupAndAnotherClusterRestoresIt() throws Exception {
        List<ServedNode> nodes = nodes(3, "node");
        List<ServedNode> others = nodes(2, "other");
        List<ServedNode> single = nodes(1, "single");
        try {
            String addresses = addresses(nodes);
            Path csv = Stock.write(directory.resolve("stock.csv"), Stock.shuffled(ROWS, 5));
            done(
                    "import",
                    "--schema",
                    schema.toString(),
                    "--nodes",
                    addresses,
                    "--replicas",
                    "2",
                    "--memory",
                    "64m",
                    "--quiet",
                    csv.toString());
            done("sql", "--nodes", addresses, "-e", CHANGES);
            String digest = digest("stock", "--nodes", addresses);
            nodes.get(1).close();
            JsonNode made = done(backup("--nodes", addresses)).report();
            assertEquals(digest, made.path("digest").asText());
            String there = addresses(others);
            done("ingest", set.toString(), "--nodes", there, "--verify", "full", "--quiet");
            assertEquals(digest, digest("stock", "--nodes", there));
            assertEquals(2, replicas(others.get(0)));
            String fewer = addresses(single);
            Result restored = done("restore", set.toString(), "--nodes", fewer);
            assertTrue(
                    restored.err().contains("table stock had 2 replicas of each key range, and gets 1, since"),
                    restored.toString());
            assertEquals(digest, digest("stock", "--nodes", fewer));
            done("drop", "stock", "--nodes", there);
            Result one = done("restore", set.toString(), "--nodes", there, "--replicas", "1");
            assertEquals("", one.err());
            assertEquals(1, replicas(others.get(0)));

            // A restore compares the rows that it finds also if a node is down, which counts some of them.
            done("drop", "stock", "--nodes", there);
            done("restore", set.toString(), "--nodes", there, "--quiet");
            done("sql", "--nodes", there, "-e", "DELETE FROM stock WHERE warehouse = 4");
            others.remove(1).close();
            Result changed = failed(2, "restore", set.toString(), "--nodes", there, "--give-up-after", "3");
            assertTrue(changed.err().contains("was changed since the set was ingested"), changed.toString());
        } finally {
            nodes.remove(1);
            nodes.forEach(ServedNode::close);
            others.forEach(ServedNode::close);
            single.forEach(ServedNode::close);
        }
    }

    private static int replicas(ServedNode node) {
        return Objects.requireNonNull(node.node().table("stock")).directory().replicas();
    }

    private List<ServedNode> nodes(int count, String name) {
        List<ServedNode> nodes = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            nodes.add(ServedNode.open(directory.resolve(name + i)));
        }
        return nodes;
    }

    private static String addresses(List<ServedNode> nodes) {
        return String.join(",", nodes.stream().map(ServedNode::url).toList());
    }

    @Test
    void serviceIsBackedUpIntoAnObjectStoreWhileItRuns() throws Exception {
        try (ObjectStore objects = new ObjectStore(Files.createDirectory(directory.resolve("objects")));
                RunningService service = RunningService.start(directory, 1, 1)) {
            objects.createBucket("backups");
            Path csv = Stock.write(directory.resolve("stock.csv"), Stock.numbers(ROWS));
            ServiceClient client = service.client();
            client.create(ServiceClient.spec("stock", Stock.SQL, csv));
            JsonNode imported = client.finished("stock");
            String url = service.service().url();
            String place = "s3://backups/stock";
            List<String> command =
                    new ArrayList<>(List.of("backup", "stock", "--server", url, "--output", place, "--json"));
            command.addAll(objects.options());
            objects.useCredentials();
            JsonNode made = done(command.toArray(new String[0])).report();
            assertEquals(
                    imported.at("/report/digest").asText(), made.path("digest").asText());
            assertEquals(
                    made.path("ssts").asInt() + 1,
                    objects.names("backups", "stock").size());
            Path other = directory.resolve("other");
            List<String> restore = new ArrayList<>(List.of("ingest", place, "--store", other.toString(), "--quiet"));
            restore.addAll(objects.options());
            done(restore.toArray(new String[0]));
            objects.forgetCredentials();
            assertEquals(made.path("digest").asText(), digest("stock", "--store", other.toString()));
        }
    }

    @Test
    void tableThatChangesMeanwhileLeavesNothing() throws Exception {
        importStock(store, 2_000);
        try (ServedNode served = ServedNode.open(store)) {
            // The change comes after the checksums were noted and before the rows are read.
            NodeClient changing = (NodeClient) Proxy.newProxyInstance(
                    NodeClient.class.getClassLoader(),
                    new Class<?>[] {NodeClient.class},
                    (proxy, method, arguments) -> {
                        if (method.getName().equals("splitKeys")) {
                            done("sql", "--nodes", served.url(), "-e", "DELETE FROM stock WHERE warehouse = 1");
                        }
                        try {
                            return method.invoke(served.node(), arguments);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    });
            OperationFailedException failure = assertThrows(OperationFailedException.class, () -> new TableBackup(
                            changing,
                            Objects.requireNonNull(served.node().table("stock")),
                            SetPlace.of(set),
                            2,
                            new ImportProgress())
                    .run());
            String message = String.valueOf(failure.getMessage());
            assertTrue(message.contains("changed while it was read: 1000 rows were read, it had 2000"), message);
            assertEquals(List.of(), names(set));
        }
    }

    /** Another replica has a snapshot of the same moment; without one there is no backup. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void nodeIsLostWhileAChangedTableIsRead(int replicas) throws Exception {
        List<ServedNode> nodes = nodes(3, "node");
        try {
            Path csv = Stock.write(directory.resolve("stock.csv"), Stock.shuffled(ROWS, 5));
            String place = addresses(nodes);
            String[] distributed = {"--nodes", place, "--replicas", Integer.toString(replicas), csv.toString()};
            done(with(List.of(distributed), "import", "--schema", schema.toString(), "--memory", "64m", "--quiet"));
            String before = digest("stock", "--nodes", place);
            NamedNodes named = new NamedNodes(List.of(place.split(",")), RemoteSettings::of);
            try (NodeClient now = named.forReads();
                    ClusterSnapshot snapshot = ClusterSnapshot.take(
                            new DistributedTables(named.participants(), new SteadyClock()), List.of("stock"), now)) {
                done("sql", "--nodes", place, "-e", CHANGES);
                AtomicBoolean lost = new AtomicBoolean();
                TableSource losing = (TableSource) Proxy.newProxyInstance(
                        TableSource.class.getClassLoader(),
                        new Class<?>[] {TableSource.class},
                        (proxy, method, all) -> {
                            if (method.getName().equals("readKvs") && lost.compareAndSet(false, true)) {
                                nodes.remove(1).close();
                            }
                            try {
                                return method.invoke(snapshot, all);
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        });
                TableBackup backup = new TableBackup(
                        losing,
                        Objects.requireNonNull(snapshot.table("stock")),
                        SetPlace.of(set),
                        2,
                        new ImportProgress());
                if (replicas == 1) {
                    assertThrows(OperationFailedException.class, backup::run);
                    assertEquals(List.of(), names(set));
                } else {
                    assertFalse(backup.run().already());
                    done("restore", set.toString(), "--store", store.toString(), "--quiet");
                    assertEquals(before, digest("stock", "--store", store.toString()));
                }
            }
        } finally {
            nodes.forEach(ServedNode::close);
        }
    }

    private static String[] with(List<String> more, String... command) {
        List<String> all = new ArrayList<>(List.of(command));
        all.addAll(more);
        return all.toArray(new String[0]);
    }

    @Test
    void damagedBlockIsAnError() throws Exception {
        importStock(store, ROWS);
        StagedSets.damage(store.resolve("db"));
        Result result = failed(1, backup("--store", store.toString()));
        assertTrue(result.err().contains("is damaged"), result.toString());
        assertEquals(List.of(), names(set));
    }

    @Test
    void interleavedTablesAreRestoredInTheirOrderIfANewStoreGivesTheirIds() throws Exception {
        Path both = Files.writeString(
                directory.resolve("both.sql"),
                "CREATE TABLE p (a INT8 PRIMARY KEY, s STRING);\n"
                        + "CREATE TABLE stock (a INT8, b INT8, s STRING, PRIMARY KEY (a, b),"
                        + " INDEX by_s (a, s) INTERLEAVE IN PARENT p (a)) INTERLEAVE IN PARENT p (a);");
        importBoth(both, store);
        Path parents = directory.resolve("parents");
        done("backup", "p", "--store", store.toString(), "--output", parents.toString(), "--quiet");
        done(backup("--store", store.toString()));
        Path other = directory.resolve("other");
        done("ingest", parents.toString(), "--store", other.toString(), "--quiet");
        done("ingest", set.toString(), "--store", other.toString(), "--quiet", "--verify", "full");
        for (String table : List.of("p", "stock")) {
            assertEquals(digest(table, "--store", store.toString()), digest(table, "--store", other.toString()));
        }

        Path later = directory.resolve("later");
        Path pairs = Files.writeString(directory.resolve("pairs.sql"), "CREATE TABLE pairs (a INT8 PRIMARY KEY);");
        done("import", "--schema", pairs.toString(), "--store", later.toString(), "--quiet", rows("1\n"));
        importBoth(both, later);
        set = directory.resolve("refused");
        Result refused = failed(2, backup("--store", later.toString()));
        assertTrue(refused.err().contains("is interleaved"), refused.toString());
        assertTrue(refused.err().contains("sluice export"), refused.toString());
        assertEquals(List.of(), names(set));
    }

    private void importBoth(Path both, Path into) throws IOException {
        StringBuilder children = new StringBuilder();
        for (int i = 0; i < 2_000; i++) {
            children.append(i % 50)
                    .append(',')
                    .append(i)
                    .append(",s")
                    .append(i * 7 % 1000)
                    .append('\n');
        }
        String[] tables = {"p", "stock"};
        String[] inputs = {"0,a\n1,b\n49,c\n", children.toString()};
        for (int i = 0; i < tables.length; i++) {
            done(
                    "import",
                    "--schema",
                    both.toString(),
                    "--table",
                    tables[i],
                    "--store",
                    into.toString(),
                    "--quiet",
                    rows(inputs[i]));
        }
    }
}
