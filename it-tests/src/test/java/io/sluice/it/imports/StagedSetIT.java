package io.sluice.it.imports;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.networknt.schema.InputFormat;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion.VersionFlag;
import com.networknt.schema.ValidationMessage;
import io.sluice.it.support.HaltingSluice;
import io.sluice.it.support.Imports;
import io.sluice.it.support.NodeProcess;
import io.sluice.it.support.NodeProcesses;
import io.sluice.it.support.Seeds;
import io.sluice.it.support.ServiceClient;
import io.sluice.it.support.SluiceProcess;
import io.sluice.it.support.SluiceProcess.Result;
import io.sluice.it.support.Stock;
import io.sluice.testing.SomeTests;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Staged sets: built here and ingested there, they give the table of an import, whatever interrupts them. */
@SuppressWarnings("NullAway.Init") // made before all tests
@SomeTests(6)
class StagedSetIT {
    private static final long SEED = Seeds.of(StagedSetIT.class);
    private static final int KILLS = Integer.getInteger("sluice.it.kills", 2);
    private static final int HEAD = "{\"sha256\":\"".length();
    private static final int SET_START = HEAD + 64 + "\",\"set\":\n".length();

    @TempDir
    static Path inputs;

    private static Path schema;
    private static Path rows;
    private static Path set;
    private static String digest;
    private static long buildMillis;

    @TempDir
    Path directory;

    @BeforeAll
    static void build() throws Exception {
        schema = inputs.resolve("stock.sql");
        rows = inputs.resolve("stock.csv");
        set = inputs.resolve("set");
        succeeded(SluiceProcess.call(
                "workload",
                "tpcc",
                "stock",
                "--warehouses",
                "1",
                "--scale",
                "0.3",
                "--shuffle",
                "--seed",
                Long.toString(SEED),
                "--schema",
                schema.toString(),
                "-o",
                rows.toString()));
        Path store = inputs.resolve("store");
        Result imported = succeeded(SluiceProcess.call(
                "import",
                "--schema",
                schema.toString(),
                "--store",
                store.toString(),
                "--memory",
                "64m",
                "--json",
                rows.toString()));
        digest = imported.report().get("digest").asText();
        long start = System.nanoTime();
        Result built = succeeded(SluiceProcess.run(inputs, building(set)));
        buildMillis = (System.nanoTime() - start) / 1_000_000;
        assertEquals(digest, built.report().get("digest").asText(), built.toString());
    }

    private static String[] building(Path output, String... more) {
        return with(
                List.of(
                        "build",
                        "--schema",
                        schema.toString(),
                        "--output",
                        output.toString(),
                        "--memory",
                        "64m",
                        "--workers",
                        "2",
                        "--json",
                        rows.toString()),
                more);
    }

    private static String[] ingesting(Path from, Path store, String... more) {
        return with(List.of("ingest", from.toString(), "--store", store.toString(), "--json"), more);
    }

    private static String[] with(List<String> arguments, String... more) {
        List<String> all = new ArrayList<>(arguments);
        all.addAll(List.of(more));
        return all.toArray(new String[0]);
    }

    private static Result succeeded(Result result) {
        assertEquals(0, result.exitCode(), "seed " + SEED + ": " + result);
        return result;
    }

    /** Ingests until the process says that it has; then the table is there, once. */
    private static void assertIngested(Path from, Path store, String state) throws IOException {
        Result ingested = succeeded(SluiceProcess.call(ingesting(from, store)));
        assertEquals(state, ingested.report().get("state").asText(), ingested.toString());
        assertEquals(digest, digestOf(store));
        assertEquals(List.of(), Imports.leftBehind(store));
    }

    private static String digestOf(Path store) throws IOException {
        return succeeded(SluiceProcess.call("digest", "stock", "--store", store.toString(), "--json"))
                .report()
                .get("digest")
                .asText();
    }

    @Test
    void ingestGivesTheTableOfAnImportOnceHoweverOftenItIsRepeated() throws Exception {
        Path store = directory.resolve("store");
        Result verified = succeeded(SluiceProcess.call("verify", set.toString(), "--json"));
        assertEquals(digest, verified.report().get("digest").asText(), verified.toString());
        succeeded(SluiceProcess.run(directory, ingesting(set, store, "--verify", "full")));
        assertEquals(digest, digestOf(store));
        assertIngested(set, store, "already_ingested");
        assertEquals(List.of(), remains(set));
        succeeded(SluiceProcess.call("verify", set.toString()));
        assertEquals(List.of(), schemaProblems(set));
    }

    @Test
    void threeNodesHoldTheTableOfAnImport() throws Exception {
        try (NodeProcesses nodes = NodeProcesses.start(directory, 3)) {
            String[] ingest = {"ingest", set.toString(), "--nodes", nodes.addresses(), "--replicas", "2", "--json"};
            Result ingested = succeeded(SluiceProcess.run(directory, ingest));
            assertEquals("ingested", ingested.report().get("state").asText());
            Result found = succeeded(SluiceProcess.call("digest", "stock", "--nodes", nodes.addresses(), "--json"));
            assertEquals(digest, found.report().get("digest").asText(), found.toString());
            Result again = succeeded(SluiceProcess.call(ingest));
            assertEquals("already_ingested", again.report().get("state").asText());
            String one = nodes.addresses().split(",", -1)[0];
            for (String command : List.of("ingest", "restore")) {
                Result part = SluiceProcess.call(command, set.toString(), "--nodes", one);
                assertEquals(1, part.exitCode(), part.toString());
                assertTrue(part.err().contains("table stock is incomplete: "), part.toString());
                assertTrue(part.err().contains("Name all nodes of the table"), part.toString());
            }
        }
        succeeded(SluiceProcess.call("verify", set.toString()));
    }

    /** A service that is killed while it ingests a set goes on with it; nodes know the ingest by the set's id. */
    @Test
    void killedServiceGoesOnWithASet() throws Exception {
        SluiceProcess halting = SluiceProcess.serve(directory, HaltingSluice.at("ingested"), "127.0.0.1:0", inputs);
        new ServiceClient(halting.url()).create(ServiceClient.ingest("first", set));
        assertEquals(SluiceProcess.KILLED, halting.await().exitCode());
        SluiceProcess service = SluiceProcess.serve(directory, "127.0.0.1:0", inputs);
        try {
            ServiceClient client = new ServiceClient(service.url());
            JsonNode done = client.finished("first");
            assertEquals("succeeded", done.path("state").asText(), done.toString());
            assertEquals(digest, done.at("/report/digest").asText(), done.toString());
            client.create(ServiceClient.ingest("again", set));
            JsonNode again = client.finished("again");
            assertEquals("already ingested", again.at("/report/ingest/state").asText(), again.toString());
        } finally {
            service.terminate();
            Result unused = service.await();
        }
        Path store = directory.resolve("store");
        assertEquals(digest, digestOf(store));
        assertEquals(List.of(), Imports.leftBehind(store));
    }

    @Test
    void setIsRewrittenForAnotherTableId() throws Exception {
        Path store = directory.resolve("store");
        Path other = Files.writeString(directory.resolve("other.sql"), Stock.SQL.replace("TABLE stock", "TABLE other"));
        Path otherRows = Stock.write(directory.resolve("other.csv"), Stock.numbers(10));
        String[] first = Stock.importing(other, store, otherRows);
        succeeded(SluiceProcess.call(first));
        Result ingested = succeeded(SluiceProcess.call(ingesting(set, store, "--verify", "full")));
        assertTrue(ingested.report().get("rewritten").asBoolean(), ingested.toString());
        assertEquals(digest, digestOf(store));
        assertIngested(set, store, "already_ingested");
        Result row = SluiceProcess.call("get", "stock", "1,1", "--store", store.toString());
        assertFalse(row.err().contains("checksum"), row.toString());
    }

    @Test
    void buildRepeatedIsOneSetAndOtherInputsAreRefused() throws Exception {
        byte[] manifest = Files.readAllBytes(set.resolve("manifest.json"));
        Result again = succeeded(SluiceProcess.call(building(set)));
        assertEquals("already_built", again.report().get("state").asText());
        assertTrue(Arrays.equals(manifest, Files.readAllBytes(set.resolve("manifest.json"))));
        Result other = SluiceProcess.call(building(set, "--on-conflict", "first"));
        assertEquals(2, other.exitCode(), other.toString());
        assertTrue(other.err().contains("staged set of other inputs, options or rows"), other.toString());
        Path foreign = Files.createDirectory(directory.resolve("foreign"));
        Files.writeString(foreign.resolve("thesis.txt"), "mine");
        Result refused = SluiceProcess.call(building(foreign));
        assertEquals(2, refused.exitCode(), refused.toString());
        assertEquals("mine", Files.readString(foreign.resolve("thesis.txt")));
        Result remote = SluiceProcess.call(building(Path.of("x"), "--output", "s3://bucket/set"));
        assertEquals(2, remote.exitCode(), remote.toString());
    }

    /** An SST cannot be renamed from there into the set. */
    @Test
    void temporaryFilesMayBeOnAnotherFileSystem() throws Exception {
        Path memory = Path.of("/dev/shm");
        assumeTrue(
                Files.isWritable(memory) && !Files.getFileStore(memory).equals(Files.getFileStore(directory)),
                "this machine lacks a second file system");
        Path sql = Files.writeString(directory.resolve("far.sql"), "CREATE TABLE t (a INT8 PRIMARY KEY);");
        Path csv = Files.writeString(directory.resolve("far.csv"), "1\n2\n");
        Path output = directory.resolve("far");
        Result built = SluiceProcess.run(
                directory,
                "build",
                "--schema",
                sql.toString(),
                "--output",
                output.toString(),
                "--tmp",
                memory.toString(),
                csv.toString());
        assertEquals(0, built.exitCode(), built.toString());
        Result verified = SluiceProcess.call("verify", output.toString());
        assertEquals(0, verified.exitCode(), verified.toString());
    }

    /** Its rows cannot be compared with those of the set. */
    @Test
    void standardInputIsRefusedForAFinishedSet() throws Exception {
        Path sql = Files.writeString(directory.resolve("piped.sql"), "CREATE TABLE t (a INT8 PRIMARY KEY);");
        String output = directory.resolve("piped").toString();
        String[] command = {"build", "--schema", sql.toString(), "--output", output, "--format", "csv", "-"};
        Result built = piped("1\n", command);
        assertEquals(0, built.exitCode(), built.toString());
        Result again = piped("2\n", command);
        assertEquals(2, again.exitCode(), again.toString());
        assertTrue(again.err().contains("holds a finished set"), again.toString());
    }

    private Result piped(String input, String... command) throws Exception {
        SluiceProcess process = SluiceProcess.start(directory, List.of(), command);
        try (OutputStream in = process.standardInput()) {
            in.write(input.getBytes(StandardCharsets.UTF_8));
        }
        return process.await();
    }

    @Test
    void buildTreatsRejectsAndConflictsAsAnImport() throws Exception {
        Path sql = Files.writeString(directory.resolve("t.sql"), "CREATE TABLE t (a INT8 PRIMARY KEY, b STRING);");
        Path csv = Files.writeString(directory.resolve("t.csv"), "1,x\n2,y\nbad,z\n1,w\n");
        Path output = directory.resolve("t");
        String[] command = {"build", "--schema", sql.toString(), "--output", output.toString(), csv.toString(), "--json"
        };
        assertEquals(2, SluiceProcess.call(command).exitCode());
        assertFalse(Files.exists(output.resolve("manifest.json")));
        assertEquals(List.of(), files(output, ".sst"));
        Result built = SluiceProcess.call(with(
                List.of(command),
                "--max-rejects",
                "1",
                "--on-conflict",
                "first",
                "--rejects",
                directory.resolve("rejects").toString()));
        assertEquals(3, built.exitCode(), built.toString());
        assertEquals(2, built.report().get("rows").asLong(), built.toString());
        assertEquals(1, built.report().get("rowsRejected").asLong(), built.toString());
        Path store = directory.resolve("store");
        succeeded(SluiceProcess.call(ingesting(output, store)));
        assertEquals(
                "x",
                SluiceProcess.call("get", "t", "1", "--store", store.toString(), "--json")
                        .report()
                        .get("b")
                        .asText());
    }

    @Test
    void buildKilledAtAnyMomentIsRepeated() throws Exception {
        Random random = new Random(SEED);
        for (int i = 0; i < KILLS; i++) {
            Path output = directory.resolve("set-" + i);
            long millis = (long) (buildMillis * (0.2 + 0.8 * (i + random.nextDouble()) / KILLS));
            SluiceProcess.start(directory, List.of(), building(output)).killAfter(millis);
            String context = "seed " + SEED + ", killed after " + millis + " ms of " + buildMillis;
            if (!Files.exists(output.resolve("manifest.json"))) {
                Result refused = SluiceProcess.call(ingesting(output, directory.resolve("none")));
                assertEquals(2, refused.exitCode(), context + ": " + refused);
                assertFalse(Files.exists(directory.resolve("none")), context);
            }
            Result again = succeeded(SluiceProcess.call(building(output)));
            assertEquals(digest, again.report().get("digest").asText(), context);
            assertEquals(List.of(), remains(output), context);
            assertIngested(output, directory.resolve("store-" + i), "ingested");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"shipped", "shipped:2", "intent", "ingested", "before-publish", "published"})
    void ingestKilledAtADurableStepIsRepeated(String point) throws Exception {
        Path store = directory.resolve("store");
        Result killed = SluiceProcess.run(directory, HaltingSluice.at(point), ingesting(set, store));
        assertEquals(SluiceProcess.KILLED, killed.exitCode(), killed.toString());
        assertEquals("", killed.out(), "it claimed success");
        assertIngested(set, store, point.equals("published") ? "already_ingested" : stateAfter(point));
        assertIngested(set, store, "already_ingested");
    }

    /** Before the publication, everything else may be done: the record of a finished ingest says so. */
    private static String stateAfter(String point) {
        return point.equals("before-publish") ? "already_ingested" : "ingested";
    }

    private static final String APPENDED_SQL =
            "CREATE TABLE t (a INT8 PRIMARY KEY, b STRING, c INT8, UNIQUE INDEX by_c (c));";

    /** A store with a table of another id before t, whose rows 1 to 3 are there. */
    private Path storeToAppendTo(String name) throws Exception {
        Path other = Files.writeString(directory.resolve("other.sql"), "CREATE TABLE o (a INT8 PRIMARY KEY);");
        Path sql = Files.writeString(directory.resolve("t.sql"), APPENDED_SQL);
        Path store = directory.resolve(name);
        Path one = Files.writeString(directory.resolve("one.csv"), "1\n");
        Path old = Files.writeString(directory.resolve("old.csv"), "1,x,10\n2,y,20\n3,z,30\n");
        succeeded(SluiceProcess.call(
                "import", "--schema", other.toString(), "--store", store.toString(), one.toString(), "--json"));
        succeeded(SluiceProcess.call(
                "import", "--schema", sql.toString(), "--store", store.toString(), old.toString(), "--json"));
        return store;
    }

    /** A set with a row that the table has, one with another value, one with another's unique key, and new ones. */
    private Path setToAppend() throws Exception {
        Path rows = Files.writeString(directory.resolve("new.csv"), "2,y,20\n3,other,31\n5,taker,10\n6,new,60\n");
        Path output = directory.resolve("appended");
        succeeded(SluiceProcess.call(
                "build",
                "--schema",
                directory.resolve("t.sql").toString(),
                "--output",
                output.toString(),
                rows.toString(),
                "--json"));
        return output;
    }

    private static String digestOfT(Path store) throws IOException {
        return succeeded(SluiceProcess.call("digest", "t", "--store", store.toString(), "--json"))
                .report()
                .get("digest")
                .asText();
    }

    @Test
    void appendGivesTheTableOfAnAppendingImport() throws Exception {
        Path store = storeToAppendTo("store");
        Path imported = storeToAppendTo("imported");
        Path added = setToAppend();
        String before = digestOfT(store);
        for (String policy : List.of("error", "first", "capture")) {
            Result refused = SluiceProcess.call(ingesting(added, store, "--append", "--on-conflict", policy));
            assertEquals(2, refused.exitCode(), refused.toString());
            String reason = policy.equals("error") ? "table t: a = 3, b = z, c = 30" : "cannot be left out";
            assertTrue(refused.err().contains(reason), refused.toString());
            assertEquals(before, digestOfT(store));
        }
        Result appended = succeeded(
                SluiceProcess.call(ingesting(added, store, "--append", "--on-conflict", "last", "--verify", "full")));
        assertEquals("appended", appended.report().get("state").asText(), appended.toString());
        assertEquals(3, appended.report().get("rowsAdded").asLong(), appended.toString());
        assertEquals(2, appended.report().get("rowsReplaced").asLong(), appended.toString());
        succeeded(SluiceProcess.call(
                "import",
                "--append",
                "--on-conflict",
                "last",
                "--schema",
                directory.resolve("t.sql").toString(),
                "--store",
                imported.toString(),
                directory.resolve("new.csv").toString(),
                "--json"));
        assertEquals(digestOfT(imported), digestOfT(store));
        Result again = succeeded(SluiceProcess.call(ingesting(added, store, "--append")));
        assertEquals(0, again.report().get("rowsAdded").asLong(), again.toString());
        assertEquals(digestOfT(imported), digestOfT(store));
        assertEquals(List.of(), Imports.leftBehind(store));
    }

    @Test
    void appendKilledAfterItsRowsEnteredIsRepeated() throws Exception {
        Path store = storeToAppendTo("store");
        Path added = setToAppend();
        String[] command = ingesting(added, store, "--append", "--on-conflict", "last");
        Path whole = directory.resolve("whole");
        Imports.copy(store, whole);
        Result killed = SluiceProcess.run(directory, HaltingSluice.at("ingested"), command);
        assertEquals(SluiceProcess.KILLED, killed.exitCode(), killed.toString());
        succeeded(SluiceProcess.call(command));
        succeeded(SluiceProcess.call(ingesting(added, whole, "--append", "--on-conflict", "last")));
        assertEquals(digestOfT(whole), digestOfT(store));
        assertEquals(List.of(), Imports.leftBehind(store));
    }

    @Test
    void appendWithoutATableIsRefused() throws Exception {
        Path none = directory.resolve("none");
        Result noStore = SluiceProcess.call(ingesting(set, none, "--append"));
        assertEquals(2, noStore.exitCode(), noStore.toString());
        assertFalse(Files.exists(none));
        Result policy = SluiceProcess.call(ingesting(set, none, "--on-conflict", "last"));
        assertEquals(2, policy.exitCode(), policy.toString());
        Path store = storeToAppendTo("store");
        Result noTable = SluiceProcess.call(ingesting(set, store, "--append"));
        assertEquals(2, noTable.exitCode(), noTable.toString());
        assertTrue(noTable.err().contains("stock"), noTable.toString());
    }

    @Test
    void appendToANodeGivesTheTableOfAnAppendToAStore() throws Exception {
        Path served = storeToAppendTo("served");
        Path store = storeToAppendTo("store");
        Path added = setToAppend();
        succeeded(SluiceProcess.call(ingesting(added, store, "--append", "--on-conflict", "last")));
        try (NodeProcess node = NodeProcess.start(served)) {
            Result noTable = SluiceProcess.call("ingest", set.toString(), "--nodes", node.address(), "--append");
            assertEquals(2, noTable.exitCode(), noTable.toString());
            assertTrue(noTable.err().contains("stock"), noTable.toString());
            Result appended = succeeded(SluiceProcess.call(
                    "ingest",
                    added.toString(),
                    "--nodes",
                    node.address(),
                    "--append",
                    "--on-conflict",
                    "last",
                    "--json"));
            assertEquals("appended", appended.report().get("state").asText(), appended.toString());
            assertEquals(3, appended.report().get("rowsAdded").asLong(), appended.toString());
        }
        assertEquals(digestOfT(store), digestOfT(served));
        assertEquals(List.of(), Imports.leftBehind(served));
    }

    /** An ingest into a store or onto a node, ended by SIGKILL, or by SIGTERM as by Ctrl-C, is repeated. */
    @Test
    void ingestEndedAtAnyMomentIsRepeated() throws Exception {
        Random random = new Random(SEED);
        int first = random.nextInt(3);
        for (int i = 0; i < KILLS; i++) {
            Path store = directory.resolve("store-" + i);
            int kind = (first + i) % 3;
            if (kind == 2) {
                ingestOntoANodeIsRepeated(random, i, store);
                continue;
            }
            String context = end(random, kind == 1, i, ingesting(set, store));
            Result again = succeeded(SluiceProcess.call(ingesting(set, store)));
            assertTrue(again.report().get("state").asText().endsWith("ingested"), context + again);
            assertIngested(set, store, "already_ingested");
        }
    }

    private void ingestOntoANodeIsRepeated(Random random, int i, Path store) throws Exception {
        try (NodeProcess node = NodeProcess.start(store)) {
            String[] ingest = {"ingest", set.toString(), "--nodes", node.address(), "--json"};
            String context = end(random, false, i, ingest);
            for (String state : List.of("", "already_")) {
                Result again = succeeded(SluiceProcess.call(ingest));
                assertTrue(again.report().get("state").asText().startsWith(state), context + again);
            }
            Result found = succeeded(SluiceProcess.call("digest", "stock", "--nodes", node.address(), "--json"));
            assertEquals(digest, found.report().get("digest").asText(), context + found);
        }
    }

    /** Ends a process at a random moment of the time that an ingest takes; describes the moment. */
    private String end(Random random, boolean politely, int i, String... command) throws Exception {
        long millis = (long) (buildMillis * (0.2 + 0.6 * (i + random.nextDouble()) / KILLS));
        SluiceProcess process = SluiceProcess.start(directory, List.of(), command);
        if (politely) {
            Thread.sleep(millis);
            process.terminate();
            process.await();
        } else {
            process.killAfter(millis);
        }
        return "seed " + SEED + ", ended after " + millis + " ms: ";
    }

    /** A node that does not answer pauses the ingest; the same command completes it. */
    @Test
    void ingestPausesWhileANodeIsAway() throws Exception {
        try (NodeProcess node = NodeProcess.start(directory.resolve("node"))) {
            String[] ingest = {"ingest", set.toString(), "--give-up-after", "0", "--json", "--nodes", node.address()};
            node.kill();
            Result paused = SluiceProcess.call(ingest);
            assertEquals(4, paused.exitCode(), paused.toString());
            assertTrue(paused.err().contains("Run the same command again"), paused.toString());
            try (NodeProcess again = node.startAgain()) {
                ingest[ingest.length - 1] = again.address();
                succeeded(SluiceProcess.call(ingest));
            }
        }
    }

    /** Builds with encoder version 1 took no notice of FAMILY clauses: their sets are of tables in one family. */
    @Test
    void setOfABuildWithoutFamiliesIsOfOneFamily() throws Exception {
        Path old = directory.resolve("old");
        Imports.copy(set, old);
        Path manifest = old.resolve("manifest.json");
        String text = Files.readString(manifest);
        String index = "INDEX stock_item_idx (s_i_id)";
        String declared = text.replace(
                index, index + ", FAMILY (s_i_id, s_w_id), FAMILY (s_quantity, s_dist_01), FAMILY (s_data)");
        assertNotEquals(text, declared);
        sign(manifest, declared);
        Path store = directory.resolve("store");
        succeeded(SluiceProcess.call("verify", old.toString()));
        succeeded(SluiceProcess.call(ingesting(old, store)));
        Path other = directory.resolve("other");
        succeeded(SluiceProcess.call(ingesting(set, other)));
        assertEquals(
                SluiceProcess.call("digest", "stock", "--store", other.toString())
                        .out(),
                SluiceProcess.call("digest", "stock", "--store", store.toString())
                        .out());
        assertEquals(
                SluiceProcess.call("scan", "stock", "--store", other.toString()).out(),
                SluiceProcess.call("scan", "stock", "--store", store.toString()).out());
        // As a set of families, the same files would be damaged: they are read as what they are.
        sign(manifest, declared.replaceFirst("\"encoder\":1", "\"encoder\":2"));
        Result refused = SluiceProcess.call(ingesting(old, directory.resolve("third")));
        assertNotEquals(0, refused.exitCode(), refused.toString());
    }

    /** A manifest or file that is not as it was written. */
    enum Damage {
        CUT("cut: its end is missing"),
        EDITED("its own checksum does not agree"),
        NEWER("of format version 2"),
        OTHER_ENCODER("encoder version 9"),
        NO_JSON("not a manifest"),
        OUTSIDE("naming the file ../"),
        OVERLAPPING("overlap or are not in key order"),
        TOTALS("contradicting itself"),
        MISSING(": missing"),
        LONGER(": longer than in the manifest"),
        SHORTER(": shorter than in the manifest"),
        FLIPPED(": damaged: its checksum is"),
        LINK(": not a regular file");

        private final String reason;

        Damage(String reason) {
            this.reason = reason;
        }
    }

    @ParameterizedTest
    @EnumSource(Damage.class)
    void damagedSetIsRefusedWithTheReason(Damage damage) throws Exception {
        Path copy = directory.resolve("copy");
        Imports.copy(set, copy);
        damage(copy, damage);
        Path store = directory.resolve("store");
        Result refused = SluiceProcess.call(ingesting(copy, store));
        assertEquals(2, refused.exitCode(), refused.toString());
        assertTrue(refused.err().contains(damage.reason), refused.toString());
        assertTrue(
                !Files.exists(store)
                        || !SluiceProcess.call("tables", "--store", store.toString())
                                .out()
                                .contains("stock"),
                "something was ingested");
        Result verified = SluiceProcess.call("verify", copy.toString());
        assertEquals(damage.compareTo(Damage.MISSING) < 0 ? 2 : 1, verified.exitCode(), verified.toString());
        assertTrue(verified.err().contains(damage.reason), verified.toString());
    }

    private static void damage(Path copy, Damage damage) throws Exception {
        Path manifest = copy.resolve("manifest.json");
        String text = Files.readString(manifest);
        Path sst = files(copy, ".sst").get(0);
        byte[] bytes = Files.readAllBytes(sst);
        String first = text.substring(text.indexOf("\"file\":\"") + 8).substring(0, 40);
        switch (damage) {
            case CUT -> Files.writeString(manifest, text.substring(0, text.length() / 2));
            case EDITED -> Files.writeString(manifest, text.replaceFirst("\"bytes\":(\\d)", "\"bytes\":9$1"));
            case NEWER -> sign(manifest, text.replaceFirst("\"version\":1", "\"version\":2"));
            case OTHER_ENCODER -> sign(manifest, text.replaceFirst("\"encoder\":1", "\"encoder\":9"));
            case NO_JSON -> Files.writeString(manifest, "not JSON");
            case OUTSIDE -> sign(manifest, text.replace("\"file\":\"" + first, "\"file\":\"../" + first));
            case OVERLAPPING ->
                sign(manifest, text.replaceFirst("\"largest\":\"(....)[0-9a-f]*\"", "\"largest\":\"$1ffffffff\""));
            case TOTALS -> {
                int totals = text.indexOf("\"totals\"");
                String changed = text.substring(totals).replaceFirst("\"count\":", "\"count\":7");
                sign(manifest, text.substring(0, totals) + changed);
            }
            case MISSING -> Files.delete(sst);
            case LONGER -> Files.write(sst, Arrays.copyOf(bytes, bytes.length + 1));
            case SHORTER -> Files.write(sst, Arrays.copyOf(bytes, bytes.length - 1));
            case FLIPPED -> {
                bytes[new Random(SEED).nextInt(bytes.length)] ^= 4;
                Files.write(sst, bytes);
            }
            case LINK -> {
                Files.delete(sst);
                Files.createSymbolicLink(sst, set.resolve(sst.getFileName()));
            }
        }
    }

    /** Writes an edited manifest with the checksum of its new content. */
    private static void sign(Path manifest, String text) throws Exception {
        byte[] content = text.substring(SET_START, text.length() - 2).getBytes(StandardCharsets.UTF_8);
        String sum =
                HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
        Files.writeString(manifest, text.substring(0, HEAD) + sum + text.substring(HEAD + 64));
    }

    /** Compares the manifest with the schema in the docs, which must list every member. */
    static List<String> schemaProblems(Path set) throws IOException {
        String strict = Files.readString(Path.of("../docs/reference/staged-set.schema.json"))
                .replace("\"properties\": {", "\"additionalProperties\": false, \"properties\": {");
        return JsonSchemaFactory.getInstance(VersionFlag.V202012)
                .getSchema(strict)
                .validate(Files.readString(set.resolve("manifest.json")), InputFormat.JSON)
                .stream()
                .map(ValidationMessage::toString)
                .toList();
    }

    private static List<Path> files(Path directory, String end) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> file.toString().endsWith(end)).sorted().toList();
        }
    }

    /** Files of a set's directory that its manifest does not name. */
    private static List<Path> remains(Path directory) throws IOException {
        String manifest = Files.readString(directory.resolve("manifest.json"));
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file ->
                            !file.endsWith("manifest.json") && !manifest.contains("\"" + file.getFileName() + "\""))
                    .toList();
        }
    }
}
