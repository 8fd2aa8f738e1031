package io.sluice.it.crash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.NodeClient;
import io.sluice.api.node.RowCursor;
import io.sluice.api.node.ScanRequest;
import io.sluice.client.RemoteNode;
import io.sluice.client.RemoteSettings;
import io.sluice.client.cluster.Cluster;
import io.sluice.client.cluster.ClusterParticipants;
import io.sluice.it.crash.PowerCut.Image;
import io.sluice.it.support.DistributedCluster;
import io.sluice.it.support.Imports;
import io.sluice.it.support.NodeProcess;
import io.sluice.it.support.RunningService;
import io.sluice.it.support.ServiceClient;
import io.sluice.it.support.SluiceProcess;
import io.sluice.it.support.SluiceProcess.Result;
import io.sluice.it.support.Stock;
import io.sluice.model.error.SluiceException;
import io.sluice.model.file.DurableFiles;
import io.sluice.model.schema.TableDef;
import io.sluice.node.StorageNode;
import io.sluice.sql.SqlEngine;
import io.sluice.sql.SqlSession;
import io.sluice.sql.SqlSettings;
import io.sluice.testing.Await;
import io.sluice.testing.Cases;
import io.sluice.testing.SomeTests;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Power fails at any call of a process that changes files. What the process had acknowledged by then is there when the
 * store is opened again; what it had not is there as a whole or not at all; imports go on and end with the same table.
 *
 * <p>One process gives many crash images ({@link PowerCut}); each is opened, and checked, in this process. The suite
 * tries some 100, by a seed that it prints and {@code -Dsluice.seed=N} repeats; {@code -Dsluice.power.every=1} tries
 * every call.
 */
@SomeTests(2)
class PowerLossIT {
    private static final long SEED =
            Long.getLong("sluice.seed", ThreadLocalRandom.current().nextLong(Integer.MAX_VALUE));

    /** An image before every so-manyth call; 0: as many as the suite has time for. */
    private static final int EVERY = Integer.getInteger("sluice.power.every", 0);

    private static final String TABLE = "stock";
    private static final int ROWS = 3_000;
    private static final int MORE_ROWS = 500;
    private static final int COMMITS = 40;
    private static final int NODES = 3;
    private static final int COUNTERS = 600;
    /** Updates whose calls are cut. */
    private static final int UPDATES = 2;
    /** Scenarios that the suite tries without syncs. */
    private static final int CONTROLS = 2;
    /** Cuts of a node in the suite. */
    private static final int CUTS = 3;

    private static final String ANY_PORT = "127.0.0.1:0";
    /** The request for a checkpoint record, in a node's log. */
    private static final String NOTED = "/checkpoints/done-";

    @TempDir
    @SuppressWarnings("NullAway.Init") // made before each test
    Path directory;

    /** Content of a table: all rows, and the number of entries of each index. */
    private record Content(List<List<@Nullable String>> rows, List<Long> entries) {
        static Content of(NodeClient node, String table) {
            List<List<@Nullable String>> rows = new ArrayList<>();
            try (RowCursor cursor = node.scan(new ScanRequest(table, null, List.of(), List.of(), Long.MAX_VALUE))) {
                for (List<@Nullable String> row = cursor.next(); row != null; row = cursor.next()) {
                    rows.add(row);
                }
            }
            List<Long> entries = node.digest(table).indexes().stream()
                    .map(IndexChecksum::sum)
                    .map(sum -> sum.count())
                    .toList();
            entries.forEach(count -> assertEquals(rows.size(), count, "seed " + SEED + ": entries of an index"));
            return new Content(rows, entries);
        }
    }

    /** Whether syncs make nothing durable: then a test checks only the image at the end of a process. */
    private boolean withoutSyncs;

    /** Of a process that writes an image before every so-manyth call, or before as many as the property says. */
    private Map<String, String> environment(PowerCut power, int usual) {
        Map<String, String> environment = power.environment(SEED, withoutSyncs ? 0 : EVERY == 0 ? usual : EVERY);
        if (withoutSyncs) {
            // Nothing unsynced survives by chance.
            environment.put("POWER_SEED", "0");
            environment.put("POWER_NOSYNC", "1");
        }
        return environment;
    }

    /** All images where every call is tried; else the last one, and so many others. */
    private static List<Image> images(PowerCut power, int most) throws IOException {
        return power.some(SEED, EVERY == 0 ? most : Integer.MAX_VALUE);
    }

    private static String context(Image image) {
        return "seed " + SEED + ", before call " + image.call() + " (" + image.root() + ")";
    }

    /** Content of a table in a crash image; null if the table does not exist. Opens and closes the store. */
    private static @Nullable Content content(Path store, String table) {
        if (!Files.exists(store)) {
            return null;
        }
        try (StorageNode node = Imports.open(store)) {
            return node.table(table) == null ? null : Content.of(node, table);
        } catch (SluiceException e) {
            throw new AssertionError("seed " + SEED + ": the store " + store + " does not open, or cannot be read", e);
        }
    }

    private static Content there(@Nullable Content content, String context) {
        if (content == null) {
            throw new AssertionError(context + ": the table is not there");
        }
        return content;
    }

    private static Result ended(SluiceProcess process) throws Exception {
        process.standardInput().close();
        Result result = process.await();
        assertEquals(0, result.exitCode(), "seed " + SEED + ": " + result);
        return result;
    }

    private static void run(String context, List<String> arguments) {
        Result result = SluiceProcess.call(arguments.toArray(new String[0]));
        assertEquals(0, result.exitCode(), context + ": " + result);
    }

    private List<String> importing(Path store, Path input, String... more) throws IOException {
        Path schema = directory.resolve("stock.sql");
        if (!Files.exists(schema)) {
            Files.writeString(schema, Stock.SQL);
        }
        List<String> arguments = new ArrayList<>(List.of(
                "import",
                "--schema",
                schema.toString(),
                "--store",
                store.toString(),
                "--memory",
                "64m",
                "--workers",
                "2",
                "--quiet",
                input.toString()));
        arguments.addAll(List.of(more));
        return arguments;
    }

    private Path input(String name, int from, int to) {
        return Stock.write(
                directory.resolve(name), IntStream.range(from, to).boxed().toList());
    }

    @ParameterizedTest
    @ValueSource(strings = {"merge", "direct", "two-pass"})
    void importedTableIsWholeOrCanBeImported(String mode) throws Exception {
        PowerCut power = PowerCut.below(directory);
        Path input = input("stock.csv", 0, ROWS);
        List<String> arguments = importing(power.root().resolve("store"), input, "--mode", mode, "--job-id", "power");
        ended(SluiceProcess.start(directory, environment(power, 12), arguments.toArray(new String[0])));
        checkImages(power, input, mode);
    }

    private void checkImages(PowerCut power, Path input, String mode) throws Exception {
        Content whole = null;
        List<Image> images = images(power, 12);
        for (int i = images.size() - 1; i >= 0; i--) {
            Image image = images.get(i);
            Path store = image.root().resolve("store");
            Content found = content(store, TABLE);
            if (image.call() == Long.MAX_VALUE) {
                assertTrue(found != null, context(image) + ": the table that the process reported is not there");
                whole = found;
            }
            if (found == null) {
                run(context(image), importing(store, input, "--mode", mode, "--job-id", "power"));
                found = content(store, TABLE);
            }
            assertEquals(whole, found, context(image));
            assertEquals(List.of(), Imports.leftBehind(store), context(image));
        }
    }

    private Path imported(Path store, Path input) throws IOException {
        run("before", importing(store, input));
        return store;
    }

    @Test
    void appendedTableIsOneOrTheOther() throws Exception {
        PowerCut power = PowerCut.below(directory);
        Path store = imported(power.root().resolve("store"), input("had.csv", 0, ROWS));
        Content before = there(content(store, TABLE), "before");
        Path more = input("comes.csv", ROWS, ROWS + MORE_ROWS);
        ended(SluiceProcess.start(
                directory,
                environment(power, 8),
                importing(store, more, "--append").toArray(new String[0])));
        Content after = there(content(store, TABLE), "after");
        for (Image image : images(power, 12)) {
            Path copy = image.root().resolve("store");
            Content found = content(copy, TABLE);
            assertTrue(after.equals(found) || before.equals(found), context(image));
            if (!after.equals(found)) {
                assertFalse(image.call() == Long.MAX_VALUE, context(image) + ": reported rows are not there");
                run(context(image), importing(copy, more, "--append"));
                assertEquals(after, content(copy, TABLE), context(image));
            }
        }
    }

    @Test
    void droppedTableIsThereOrGone() throws Exception {
        PowerCut power = PowerCut.below(directory);
        Path store = imported(power.root().resolve("store"), input("had.csv", 0, ROWS));
        Content before = content(store, TABLE);
        ended(SluiceProcess.start(
                directory, environment(power, 6), "drop", TABLE, "--quiet", "--store", store.toString()));
        for (Image image : images(power, 10)) {
            Content found = content(image.root().resolve("store"), TABLE);
            assertTrue(found == null || found.equals(before), context(image));
            assertTrue(found == null || image.call() < Long.MAX_VALUE, context(image) + ": it was reported as dropped");
        }
    }

    @Test
    void changeLogIsAppliedOnce() throws Exception {
        PowerCut power = PowerCut.below(directory);
        Path store = power.root().resolve("store");
        try (StorageNode node = Imports.open(store)) {
            createPairs(node);
        }
        Path log = Files.write(
                directory.resolve("changes.jsonl"),
                IntStream.range(0, ROWS)
                        .mapToObj(i -> i % 3 == 2
                                ? "{\"table\":\"pairs\",\"op\":\"delete\",\"key\":{\"id\":" + (i - 1) + "}}"
                                : "{\"table\":\"pairs\",\"op\":\"insert\",\"row\":{\"id\":" + i + ",\"n\":" + i + "}}")
                        .toList());
        ended(SluiceProcess.start(
                directory, environment(power, 8), applying(log, store).toArray(new String[0])));
        Content after = content(store, "pairs");
        for (Image image : images(power, 12)) {
            Path copy = image.root().resolve("store");
            if (image.call() == Long.MAX_VALUE) {
                assertEquals(after, content(copy, "pairs"), context(image) + ": reported changes are not there");
            }
            run(context(image), applying(log, copy));
            assertEquals(after, content(copy, "pairs"), context(image));
        }
    }

    private static List<String> applying(Path log, Path store) {
        return List.of("apply", log.toString(), "--store", store.toString(), "--batch", "100", "--workers", "2");
    }

    private static void createPairs(StorageNode node) throws IOException {
        TableDef pairs = Imports.table("CREATE TABLE pairs (id INT8 PRIMARY KEY, n INT8, INDEX by_n (n));");
        Path empty = Files.createTempFile("empty", ".csv");
        Imports.run(node, pairs, Imports.How.USUAL, empty);
        Files.delete(empty);
    }

    @Test
    void committedTransactionsAreThere() throws Exception {
        PowerCut power = PowerCut.below(directory);
        Path store = power.root().resolve("store");
        try (StorageNode node = Imports.open(store)) {
            createPairs(node);
        }
        SluiceProcess process = node(store, ANY_PORT, environment(power, 4));
        long[] acknowledged = new long[COMMITS];
        Arrays.fill(acknowledged, Long.MAX_VALUE);
        try {
            RemoteSettings address = RemoteSettings.of(process.url().substring("http://".length()));
            try (SqlEngine engine = SqlEngine.onNodes(
                    new ClusterParticipants(Map.of(address.name(), new RemoteNode(address))),
                    SqlSettings.forNodes(),
                    Clock.systemUTC())) {
                commit(engine, power, acknowledged);
            }
        } finally {
            process.terminate();
            Result unused = process.await();
        }
        for (Image image : images(power, 25)) {
            Content found = there(content(image.root().resolve("store"), "pairs"), context(image));
            TreeSet<Integer> ids = new TreeSet<>();
            found.rows.forEach(row -> ids.add(Integer.parseInt(String.valueOf(row.get(0)))));
            for (int i = 0; i < COMMITS; i++) {
                assertEquals(ids.contains(i), ids.contains(COMMITS + i), context(image) + ": half of commit " + i);
                assertTrue(
                        ids.contains(i) || acknowledged[i] >= image.call(),
                        context(image) + ": commit " + i + " was acknowledged before call " + acknowledged[i]);
            }
        }
    }

    /** Transactions of two rows each, by two sessions. */
    private static void commit(SqlEngine engine, PowerCut power, long[] acknowledged) throws InterruptedException {
        List<Throwable> failures = new ArrayList<>();
        List<Thread> sessions = IntStream.range(0, 2)
                .mapToObj(session -> new Thread(() -> {
                    try (SqlSession sql = engine.open()) {
                        for (int i = session; i < COMMITS; i += 2) {
                            String pair =
                                    "INSERT INTO pairs VALUES (" + i + "," + i + "),(" + (COMMITS + i) + "," + i + ");";
                            assertEquals(List.of("2 changed"), DistributedCluster.run(sql, pair));
                            acknowledged[i] = power.calls();
                        }
                    } catch (RuntimeException | AssertionError e) {
                        synchronized (failures) {
                            failures.add(e);
                        }
                    }
                }))
                .toList();
        sessions.forEach(Thread::start);
        for (Thread session : sessions) {
            session.join();
        }
        assertEquals(List.of(), failures);
    }

    /**
     * A node loses power when it is about to sync what it took, while the others note that it is done: the import goes
     * on and reads that again. In two passes nodes buffer what they take, and sync it when it is noted.
     */
    @Test
    void whatOneOfThreeNodesHadNotSyncedIsReadAgain() throws Exception {
        PowerCut power = PowerCut.below(directory);
        Path input = Stock.write(directory.resolve("stock.csv"), Stock.shuffled(ROWS, 7));
        Map<String, String> dying = power.environment(0, 0);
        dying.put("POWER_STOP_AT", "*/buffer/*.log");
        List<SluiceProcess> nodes = new ArrayList<>();
        try {
            for (int i = 0; i < 3; i++) {
                nodes.add(
                        i == 0
                                ? node(power.root().resolve("store"), ANY_PORT, dying)
                                : node(directory.resolve("store-" + i), ANY_PORT, Map.of()));
            }
            List<String> arguments = new ArrayList<>(importing(directory, input, "--mode", "two-pass", "--json"));
            int to = arguments.indexOf("--store");
            arguments.set(to, "--nodes");
            arguments.set(to + 1, nodes.stream().map(PowerLossIT::address).collect(Collectors.joining(",")));
            arguments.addAll(List.of("--job-id", "power"));
            SluiceProcess importer = SluiceProcess.start(directory, List.of(), arguments.toArray(new String[0]));
            for (SluiceProcess other : nodes.subList(1, 3)) {
                awaitLogged(other, NOTED);
            }
            assertTrue(Files.exists(power.images().resolve("end")), "the victim was not at its sync");
            importer.kill();
            Result unused = importer.await();
            String address = address(nodes.get(0));
            nodes.get(0).kill();
            assertEquals(SluiceProcess.KILLED, nodes.get(0).await().exitCode());

            nodes.set(0, node(power.all().get(0).root().resolve("store"), address, Map.of()));
            assertEquals(address, address(nodes.get(0)));
            Result resumed = SluiceProcess.call(arguments.toArray(new String[0]));
            assertEquals(0, resumed.exitCode(), resumed.toString());
            Path alone = directory.resolve("alone");
            String digest =
                    String.valueOf(Imports.intoNewStore(alone, Imports.table(Stock.SQL), Imports.How.USUAL, input)
                            .digest());
            assertEquals(digest, resumed.report().get("digest").asText());
        } finally {
            for (SluiceProcess node : nodes) {
                node.kill();
                Result unused = node.await();
            }
        }
    }

    /**
     * Updates of all rows of a table on three nodes. The power of one fails at a call: each update is on all nodes or
     * on none, an acknowledged one is there, and no branch stays in doubt.
     */
    static List<String> roles() {
        return Cases.some(SEED, 1, List.of("participant", "last agent"));
    }

    @ParameterizedTest
    @MethodSource("roles")
    void distributedUpdateIsOnAllNodesOrOnNone(String role) throws Exception {
        PowerCut power = PowerCut.below(directory);
        String context = "seed " + SEED + ", power of the " + role;
        importCounters(context);
        // A new cluster for each role: the first updates of a node make calls that later ones do not.
        try (CutCluster cluster = new CutCluster(power)) {
            cluster.cutPowerOf(role);
            cutAtSomeCalls(cluster, context);
        }
    }

    /** Cuts the power of the victim at calls of an update, by the seed. */
    private void cutAtSomeCalls(CutCluster cluster, String context) throws Exception {
        long ready = cluster.victim().power.calls();
        assertEquals(UPDATES, cluster.update(UPDATES));
        cluster.awaitResolved(context);
        long calls = cluster.victim().power.calls() - ready;
        List<Long> points =
                new ArrayList<>(LongStream.rangeClosed(1, calls).boxed().toList());
        Collections.shuffle(points, new Random(SEED));
        // Without syncs a node is back at its start: two updates behind the others.
        int cuts = withoutSyncs ? 1 : EVERY == 0 ? CUTS : points.size();
        System.out.println("PowerLossIT: " + context + ", " + calls + " calls, " + cuts + " cuts");
        long value = UPDATES;
        for (long point : points.subList(0, Math.min(cuts, points.size()))) {
            value = cluster.cut(context + " before call " + point, point, value);
        }
    }

    /** Imports the counters in the mode that gives each node its share of the rows, however few they are. */
    private void importCounters(String context) throws Exception {
        Path schema = Files.writeString(
                directory.resolve("counters.sql"),
                "CREATE TABLE counters (id INT8 PRIMARY KEY, n INT8, INDEX by_n (n));");
        Path rows = Files.write(
                directory.resolve("counters.csv"),
                IntStream.range(0, COUNTERS).mapToObj(i -> i + ",0").toList());
        try (DistributedCluster cluster = DistributedCluster.open(directory, NODES, 1)) {
            String nodes = IntStream.range(0, NODES).mapToObj(cluster::address).collect(Collectors.joining(","));
            run(
                    context,
                    List.of(
                            "import",
                            "--nodes",
                            nodes,
                            "--schema",
                            schema.toString(),
                            "--mode",
                            "two-pass",
                            "--quiet",
                            rows.toString()));
            for (int i = 0; i < NODES; i++) {
                assertTrue(cluster.node(i).digest("counters").rows() > 0, "a node without rows has no branch");
            }
        }
    }

    /** A node process whose power a test cuts. */
    private static final class CutNode {
        private final PowerCut power;
        private NodeProcess process;

        CutNode(PowerCut power, NodeProcess process) {
            this.power = power;
            this.process = process;
        }

        /** Waits until the power has failed, and starts the node on the image. */
        void restart() throws Exception {
            assertEquals(SluiceProcess.KILLED, process.await().exitCode());
            DurableFiles.deleteTree(process.store());
            List<Image> images = power.all();
            assertEquals(1, images.size(), "images: " + images);
            Image image = images.get(0);
            Files.move(image.root().resolve("store"), process.store());
            DurableFiles.deleteTree(image.root());
            process = process.startAgain();
        }
    }

    /** Three node processes on the imported stores. The power of one of them fails. */
    private final class CutCluster implements AutoCloseable {
        private final List<CutNode> nodes = new ArrayList<>();
        /** Ids of the nodes, in the order of the nodes. */
        private final List<String> ids = new ArrayList<>();

        private int victim;
        /** Whether the last update has an unknown outcome. */
        private boolean ambiguous;

        CutCluster(PowerCut power) throws Exception {
            for (int i = 0; i < NODES; i++) {
                PowerCut own = power.another(directory.resolve("power-" + i));
                Path store =
                        Files.move(directory.resolve("node" + i), own.root().resolve("store"));
                Map<String, String> environment = environment(own, 0);
                // One image only, of the call before which the power fails.
                environment.put("POWER_EVERY", "0");
                nodes.add(new CutNode(own, NodeProcess.launch(store, environment)));
            }
            for (CutNode node : nodes) {
                try (RemoteNode client = node.process.client()) {
                    ids.add(client.status().id());
                }
            }
        }

        /** Makes the node of a role the victim. The coordinator makes the first node by id the last agent. */
        void cutPowerOf(String role) {
            List<String> sorted = ids.stream().sorted().toList();
            victim = ids.indexOf(sorted.get(role.equals("last agent") ? 0 : 1));
        }

        CutNode victim() {
            return nodes.get(victim);
        }

        private Map<String, RemoteNode> clients() {
            Map<String, RemoteNode> clients = new LinkedHashMap<>();
            for (CutNode node : nodes) {
                RemoteSettings settings =
                        RemoteSettings.of(node.process.address()).withPatience(500, 2_000);
                clients.put(settings.name(), new RemoteNode(settings));
            }
            return clients;
        }

        /** Updates until one fails, at most so many times; returns the number of acknowledged updates. */
        int update(int most) {
            try (SqlEngine engine = SqlEngine.onNodes(
                            new ClusterParticipants(clients()), SqlSettings.forNodes(), Clock.systemUTC());
                    SqlSession session = engine.open()) {
                ambiguous = false;
                for (int acknowledged = 0; acknowledged < most; acknowledged++) {
                    List<String> results = DistributedCluster.run(session, "UPDATE counters SET n = n + 1;");
                    if (!results.equals(List.of(COUNTERS + " changed"))) {
                        ambiguous = results.get(0).startsWith("ambiguous: ");
                        return acknowledged;
                    }
                }
                return most;
            }
        }

        /** Updates until the power fails before a call, restarts the node, and returns the value of all rows. */
        long cut(String context, long call, long before) throws Exception {
            PowerCut power = victim().power;
            long point = power.calls() + call;
            power.cutBefore(point);
            long acknowledged = before + update(10 * UPDATES);
            assertTrue(power.calls() >= point, context + ": the power did not fail");
            try {
                victim().restart();
            } catch (AssertionError e) {
                throw new AssertionError(context + ": the node does not start", e);
            }
            awaitResolved(context);
            try (NodeClient cluster = new Cluster(new LinkedHashMap<>(clients()), 1)) {
                Content content = Content.of(cluster, "counters");
                assertEquals(COUNTERS, content.rows.size(), context);
                TreeSet<Long> values = new TreeSet<>();
                content.rows.forEach(row -> values.add(Long.parseLong(String.valueOf(row.get(1)))));
                assertEquals(1, values.size(), context + ": an update is on some nodes only: " + values);
                long value = values.first();
                assertTrue(
                        value == acknowledged || (ambiguous && value == acknowledged + 1),
                        context + ": " + acknowledged + " updates were acknowledged, " + value + " are there");
                return value;
            } catch (SluiceException e) {
                throw new AssertionError(context + ": the table cannot be read", e);
            }
        }

        /** Waits until no node lists a branch in doubt. Nodes ask the last agent after 5 s. */
        void awaitResolved(String context) throws Exception {
            for (RemoteNode node : clients().values()) {
                try (node) {
                    Await.until(() -> node.inDoubt().isEmpty(), () -> context + ": in doubt: " + node.inDoubt());
                }
            }
        }

        @Override
        public void close() {
            nodes.forEach(node -> node.process.close());
        }
    }

    /** Requests of a client, one after the other: a job with a reject, an append, another job. */
    private Map<String, ObjectNode> jobs() throws IOException {
        Path first = input("first.csv", 0, MORE_ROWS);
        Files.writeString(first, "no row\n", StandardOpenOption.APPEND);
        Path more = input("more.csv", MORE_ROWS, 2 * MORE_ROWS);
        Map<String, ObjectNode> jobs = new LinkedHashMap<>();
        jobs.put("first", ServiceClient.spec("first", Stock.SQL, first).put("mode", "direct"));
        jobs.put("more", ServiceClient.spec("more", Stock.SQL, more).put("append", true));
        jobs.put(
                "other",
                ServiceClient.spec("other", Stock.SQL.replace("stock", "other"), more)
                        .put("mode", "two-pass"));
        jobs.values().forEach(job -> job.put("maxRejects", "1"));
        return jobs;
    }

    /** A job that was taken is known, one that was reported as over is, and all come to their right end. */
    @Test
    void jobsOfAServiceAreKnownAndEnd() throws Exception {
        PowerCut power = PowerCut.below(directory);
        Map<String, ObjectNode> jobs = jobs();
        Map<String, Long> taken = new HashMap<>();
        Map<String, Long> over = new HashMap<>();
        SluiceProcess process = SluiceProcess.start(
                directory,
                environment(power, 6),
                "serve",
                "--store",
                power.root().resolve("store").toString(),
                "--state",
                power.root().resolve("state").toString(),
                "--listen",
                ANY_PORT,
                "--allow-root",
                directory.toString(),
                "--memory",
                "128m",
                "--jobs",
                "1");
        try {
            ServiceClient client = new ServiceClient(process.url());
            jobs.forEach((id, job) -> {
                client.create(job);
                taken.put(id, power.calls());
                assertEquals(end(id), client.finished(id).path("state").asText());
                over.put(id, power.calls());
            });
        } finally {
            process.terminate();
            Result unused = process.await();
        }
        for (Image image : images(power, 8)) {
            // At the original path: an import resumes only if its paths are the same.
            DurableFiles.deleteTree(power.root());
            Files.move(image.root(), power.root());
            try (RunningService service = RunningService.startReading(power.root(), directory.toString())) {
                ServiceClient client = service.client();
                jobs.forEach((id, job) -> {
                    checkJob(client, id, job, image, taken, over);
                });
                assertEquals(
                        2 * MORE_ROWS, Content.of(service.node(), TABLE).rows.size(), context(image));
                assertEquals(MORE_ROWS, Content.of(service.node(), "other").rows.size(), context(image));
            } catch (SluiceException e) {
                throw new AssertionError(context(image) + ": the service does not start", e);
            }
        }
    }

    private static String end(String id) {
        return id.equals("first") ? "succeeded_with_rejects" : "succeeded";
    }

    private static void checkJob(
            ServiceClient client,
            String id,
            ObjectNode job,
            Image image,
            Map<String, Long> taken,
            Map<String, Long> over) {
        String context = context(image) + ": job " + id;
        if (client.get("/v1/imports/" + id).statusCode() == 404) {
            assertTrue(taken.getOrDefault(id, 0L) >= image.call(), context + " was taken, and is not known");
            client.create(job);
        }
        if (over.getOrDefault(id, 0L) < image.call()) {
            assertEquals(end(id), client.state(id), context + " was over");
        }
        JsonNode ended = client.finished(id);
        assertEquals(end(id), ended.path("state").asText(), context + " " + ended);
        JsonNode rejects =
                ServiceClient.json(client.get("/v1/imports/" + id + "/rejects")).path("rejects");
        assertEquals(id.equals("first") ? 1 : 0, rejects.size(), context + " " + rejects);
    }

    /** Scenarios without syncs: four by the seed, or all where every call is tried. */
    static Stream<String> scenarios() {
        List<String> all = Arrays.asList(
                "merge",
                "direct",
                "two-pass",
                "append",
                "drop",
                "apply",
                "commit",
                "jobs",
                "participant",
                "last agent");
        Collections.shuffle(all, new Random(SEED));
        return all.stream().limit(EVERY == 0 ? CONTROLS : all.size());
    }

    /** The check of the checks: if syncs make nothing durable, each must notice. */
    @ParameterizedTest
    @MethodSource("scenarios")
    void lossWithoutSyncsIsNoticed(String scenario) {
        withoutSyncs = true;
        AssertionError noticed = assertThrows(AssertionError.class, () -> {
            switch (scenario) {
                case "append" -> appendedTableIsOneOrTheOther();
                case "drop" -> droppedTableIsThereOrGone();
                case "apply" -> changeLogIsAppliedOnce();
                case "commit" -> committedTransactionsAreThere();
                case "jobs" -> jobsOfAServiceAreKnownAndEnd();
                case "participant", "last agent" -> distributedUpdateIsOnAllNodesOrOnNone(scenario);
                default -> importedTableIsWholeOrCanBeImported(scenario);
            }
        });
        assertTrue(String.valueOf(noticed.getMessage()).contains("seed " + SEED), noticed.toString());
    }

    private static String address(SluiceProcess node) {
        try {
            return node.url().substring("http://".length());
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static void awaitLogged(SluiceProcess node, String request) throws Exception {
        Await.until(
                () -> {
                    assertTrue(node.isAlive(), node.err());
                    return node.err().contains(request);
                },
                () -> "it did not log " + request + ": " + node.err());
    }

    private SluiceProcess node(Path store, String listen, Map<String, String> environment) throws IOException {
        return SluiceProcess.start(directory, environment, "node", "--store", store.toString(), "--listen", listen);
    }
}
