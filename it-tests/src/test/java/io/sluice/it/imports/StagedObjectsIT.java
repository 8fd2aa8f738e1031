package io.sluice.it.imports;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.api.node.SstFile;
import io.sluice.importer.job.staged.SetPlace;
import io.sluice.importer.source.remote.S3Settings;
import io.sluice.it.support.Imports;
import io.sluice.it.support.NodeProcess;
import io.sluice.it.support.Seeds;
import io.sluice.it.support.SluiceProcess;
import io.sluice.it.support.SluiceProcess.Result;
import io.sluice.it.support.Stock;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.kv.KvChecksum;
import io.sluice.testing.ObjectStore;
import io.sluice.testing.SomeTests;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Staged sets in an object store give the tables of an import; interrupted and damaged ones give none. */
@SuppressWarnings("NullAway.Init") // made before all tests
@SomeTests(5)
class StagedObjectsIT {
    private static final long SEED = Seeds.of(StagedObjectsIT.class);
    private static final int KILLS = Integer.getInteger("sluice.it.kills", 1);
    private static final int ROWS = 20_000;
    private static final String BUCKET = "sets";
    private static final String SET = "s3://sets/nightly/stock";

    @TempDir
    static Path shared;

    private static ObjectStore objects;
    private static Path schema;
    private static Path rows;
    private static String digest;

    @TempDir
    Path directory;

    @BeforeAll
    static void build() throws Exception {
        objects = new ObjectStore(Files.createDirectory(shared.resolve("objects")));
        objects.createBucket(BUCKET);
        objects.useCredentials();
        schema = Files.writeString(shared.resolve("stock.sql"), Stock.SQL);
        rows = Stock.write(shared.resolve("stock.csv"), Stock.numbers(ROWS));
        Path store = shared.resolve("imported");
        succeeded(SluiceProcess.call(Stock.importing(schema, store, rows)));
        digest = digestOf(store);
        Result built = succeeded(SluiceProcess.call(building(SET)));
        assertEquals(digest, built.report().get("digest").asText(), built.toString());
        assertTrue(built.report().get("ssts").asInt() > 1, built.toString());
    }

    @AfterAll
    static void stop() {
        objects.forgetCredentials();
        objects.close();
    }

    private static String[] building(String output, String... more) {
        return command(
                List.of(
                        "build",
                        "--schema",
                        schema.toString(),
                        "--output",
                        output,
                        "--memory",
                        "64m",
                        "--workers",
                        "2",
                        "--json",
                        rows.toString()),
                more);
    }

    private static String[] ingesting(String set, Path store, String... more) {
        return command(List.of("ingest", set, "--store", store.toString(), "--json"), more);
    }

    private static String[] command(List<String> arguments, String... more) {
        List<String> all = new ArrayList<>(arguments);
        all.addAll(objects.options());
        all.addAll(List.of(more));
        return all.toArray(new String[0]);
    }

    private static Result succeeded(Result result) {
        assertEquals(0, result.exitCode(), "seed " + SEED + ": " + result);
        return result;
    }

    private static String digestOf(Path store) throws IOException {
        return succeeded(SluiceProcess.call("digest", "stock", "--store", store.toString(), "--json"))
                .report()
                .get("digest")
                .asText();
    }

    /** The objects of a set must be those that the manifest names, and these. */
    private static void assertNothingLeftBut(String prefix, Set<String> more) throws IOException {
        String manifest = Files.readString(objects.file(BUCKET, prefix + "/manifest.json"));
        TreeSet<String> left = new TreeSet<>(objects.names(BUCKET, prefix));
        left.removeIf(name -> name.equals("manifest.json") || manifest.contains("\"" + name + "\""));
        assertEquals(new TreeSet<>(more), left);
    }

    private static void assertNothingLeft(String prefix) throws IOException {
        assertNothingLeftBut(prefix, Set.of());
    }

    @Test
    void setInAnObjectStoreGivesTheTableOfAnImport() throws Exception {
        assertNothingLeft("nightly/stock");
        Result verified = succeeded(SluiceProcess.call(command(List.of("verify", SET + "/", "--json"))));
        assertEquals(digest, verified.report().get("digest").asText(), verified.toString());
        Path store = directory.resolve("store");
        for (String state : List.of("ingested", "already_ingested")) {
            Result ingested = succeeded(SluiceProcess.call(ingesting(SET, store, "--verify", "full")));
            assertEquals(state, ingested.report().get("state").asText(), ingested.toString());
            assertEquals(digest, digestOf(store));
            assertEquals(List.of(), Imports.leftBehind(store));
        }
        Result again = succeeded(SluiceProcess.call(building(SET)));
        assertEquals("already_built", again.report().get("state").asText());
        assertNothingLeft("nightly/stock");
    }

    @Test
    void fullVerificationReadsTheObjectsBack() throws Exception {
        Result built = succeeded(SluiceProcess.call(building("s3://sets/full", "--verify", "full")));
        assertEquals(digest, built.report().get("digest").asText(), built.toString());
        assertNothingLeft("full");
    }

    @Test
    void objectsAreRewrittenForAnotherTableId() throws Exception {
        Path store = directory.resolve("store");
        Path other = Files.writeString(directory.resolve("other.sql"), Stock.SQL.replace("TABLE stock", "TABLE other"));
        succeeded(SluiceProcess.call(
                Stock.importing(other, store, Stock.write(directory.resolve("other.csv"), Stock.numbers(10)))));
        Result ingested = succeeded(SluiceProcess.call(ingesting(SET, store)));
        assertTrue(ingested.report().get("rewritten").asBoolean(), ingested.toString());
        assertEquals(digest, digestOf(store));
    }

    @Test
    void buildKilledAtAnyMomentIsRepeated() throws Exception {
        Random random = new Random(SEED);
        for (int i = 0; i < KILLS; i++) {
            String name = "killed-" + i;
            long millis = random.nextLong(500, 2_500);
            SluiceProcess.start(directory, ObjectStore.credentials(), building("s3://sets/" + name))
                    .killAfter(millis);
            String context = "seed " + SEED + ", killed after " + millis + " ms";
            Path store = directory.resolve("store-" + i);
            Set<String> left = Set.copyOf(objects.names(BUCKET, name));
            if (!left.contains("manifest.json")) {
                Result refused = SluiceProcess.call(ingesting("s3://sets/" + name, store));
                assertEquals(2, refused.exitCode(), context + refused);
                assertTrue(refused.err().contains("is no staged set"), context + refused);
                assertFalse(Files.exists(store), context);
            }
            Result again = succeeded(SluiceProcess.call(building("s3://sets/" + name)));
            assertEquals(digest, again.report().get("digest").asText(), context);
            // The token stays where the process ended between the manifest and the token's removal, and only there.
            boolean published = left.contains("manifest.json");
            assertNothingLeftBut(name, published && left.contains("LOCK") ? Set.of("LOCK") : Set.of());
        }
    }

    /** Nodes with the object store among their sources read SSTs themselves; one without gets their bytes. */
    @Test
    void nodesReadTheirSstsFromTheObjectStore() throws Exception {
        String[] source = {"--sst-source", objects.url() + "/sets/"};
        try (NodeProcess reading = NodeProcess.start(directory.resolve("a"), source);
                NodeProcess other = NodeProcess.start(directory.resolve("b"))) {
            for (NodeProcess node : List.of(reading, other)) {
                String[] ingest = command(List.of("ingest", SET, "--nodes", node.address(), "--json"));
                Result ingested = succeeded(SluiceProcess.call(ingest));
                assertEquals("ingested", ingested.report().get("state").asText(), ingested.toString());
                double read = node.address().equals(reading.address())
                        ? ingested.report().get("ssts").asDouble()
                        : 0;
                assertTrue(metrics(node).contains("sluice_ssts_fetched_total " + read), metrics(node));
                assertEquals(digest, digestOfNodes(node.address()));
            }
            String log = reading.log();
            assertFalse(log.contains("X-Amz-Signature"), log);
        }
    }

    private static String metrics(NodeProcess node) throws IOException {
        try (InputStream in = URI.create(node.url() + "/metrics").toURL().openStream()) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** Two nodes hold ranges: SSTs that lie in both are fetched and cut by the importer. */
    @Test
    void clusterReadsWholeSstsAndGetsCutOnes() throws Exception {
        String[] source = {"--sst-source", objects.url() + "/sets/"};
        try (NodeProcess one = NodeProcess.start(directory.resolve("a"), source);
                NodeProcess two = NodeProcess.start(directory.resolve("b"), source)) {
            String nodes = one.address() + "," + two.address();
            succeeded(SluiceProcess.call(command(List.of("ingest", SET, "--nodes", nodes, "--replicas", "2"))));
            assertEquals(digest, digestOfNodes(nodes));
        }
    }

    private static String digestOfNodes(String nodes) throws IOException {
        return succeeded(SluiceProcess.call("digest", "stock", "--nodes", nodes, "--json"))
                .report()
                .get("digest")
                .asText();
    }

    /** An object that is not as it was written. */
    enum Damage {
        MISSING(": missing", 1),
        LONGER(": longer than in the manifest", 1),
        SHORTER(": shorter than in the manifest", 1),
        FLIPPED(": damaged: its checksum is", 1),
        CUT_MANIFEST("cut: its end is missing", 2);

        private final String reason;
        private final int exitCode;

        Damage(String reason, int exitCode) {
            this.reason = reason;
            this.exitCode = exitCode;
        }
    }

    @ParameterizedTest
    @EnumSource(Damage.class)
    void damagedObjectIsNamedAndNothingIsIngested(Damage damage) throws Exception {
        String copy = "copy-" + damage;
        for (String name : objects.names(BUCKET, "nightly/stock")) {
            objects.put(BUCKET, copy + "/" + name, Files.readAllBytes(objects.file(BUCKET, "nightly/stock/" + name)));
        }
        String sst = new TreeSet<>(objects.names(BUCKET, copy)).first();
        String damaged = damage == Damage.CUT_MANIFEST ? "manifest.json" : sst;
        byte[] bytes = Files.readAllBytes(objects.file(BUCKET, copy + "/" + damaged));
        switch (damage) {
            case MISSING -> objects.remove(BUCKET, copy + "/" + sst);
            case LONGER -> objects.put(BUCKET, copy + "/" + sst, Arrays.copyOf(bytes, bytes.length + 1));
            case SHORTER -> objects.put(BUCKET, copy + "/" + sst, Arrays.copyOf(bytes, bytes.length - 1));
            case FLIPPED -> {
                bytes[new Random(SEED).nextInt(bytes.length)] ^= 4;
                objects.put(BUCKET, copy + "/" + sst, bytes);
            }
            case CUT_MANIFEST -> objects.put(BUCKET, copy + "/" + damaged, Arrays.copyOf(bytes, bytes.length / 2));
        }
        Path store = directory.resolve("store");
        Result refused = SluiceProcess.call(ingesting("s3://sets/" + copy, store));
        assertEquals(2, refused.exitCode(), refused.toString());
        assertTrue(refused.err().contains(damaged) && refused.err().contains(damage.reason), refused.toString());
        assertFalse(Files.exists(store), "something was ingested");
        Result verified = SluiceProcess.call(command(List.of("verify", "s3://sets/" + copy)));
        assertEquals(damage.exitCode, verified.exitCode(), verified.toString());
        assertTrue(verified.err().contains(damage.reason), verified.toString());
    }

    @Test
    void placesWithOtherObjectsAndUnknownPlacesAreRefused() throws Exception {
        objects.put(BUCKET, "foreign/thesis.txt", new byte[] {1});
        for (String[] wrong : new String[][] {
            {"s3://sets/foreign", "thesis.txt"},
            {"s3://none/set", "no such object or bucket"},
            {"s3://sets", "name a bucket and a prefix"},
            {"gs://sets/stock", "is in a directory or at s3://"}
        }) {
            Result refused = SluiceProcess.call(building(wrong[0]));
            assertEquals(2, refused.exitCode(), refused.toString());
            assertTrue(refused.err().contains(wrong[1]), refused.toString());
        }
        assertEquals(List.of("thesis.txt"), objects.names(BUCKET, "foreign"));
    }

    /** Without locks, the first build must notice; what it has written does not stay. */
    @Test
    void lastBuildThatBeganWins() throws Exception {
        SetPlace place = SetPlace.of("s3://sets/raced", new S3Settings(URI.create(objects.url()), null, true));
        try (SetPlace.Claim first = place.claim();
                SetPlace.Claim second = place.claim()) {
            first.begin();
            SstFile early = first.put(sst("early"));
            second.begin();
            assertEquals(List.of("LOCK"), objects.names(BUCKET, "raced"), "the earlier build's SST stays");
            assertThrows(OperationFailedException.class, () -> first.put(sst("late")));
            SstFile kept = second.put(sst("kept"));
            assertThrows(OperationFailedException.class, () -> first.publish(new byte[] {'1'}, List.of(early)));
            first.remove(List.of(early));
            second.publish(new byte[] {'2'}, List.of(kept));
        }
        assertEquals(List.of(kept("kept"), "manifest.json"), objects.names(BUCKET, "raced"));
    }

    private static String kept(String content) {
        return id(content) + ".sst";
    }

    @Test
    void buildThatBeginsWhileAnotherFinishesEnds() throws Exception {
        SetPlace place = SetPlace.of("s3://sets/late", new S3Settings(URI.create(objects.url()), null, true));
        try (SetPlace.Claim slow = place.claim();
                SetPlace.Claim fast = place.claim()) {
            fast.begin();
            fast.publish(new byte[] {'3'}, List.of(fast.put(sst("fast"))));
            assertThrows(BadInputException.class, slow::begin);
        }
        assertEquals(List.of(kept("fast"), "manifest.json"), objects.names(BUCKET, "late"));
        assertNotNull(place.read("manifest.json", 1));
    }

    private static UUID id(String content) {
        return UUID.nameUUIDFromBytes(content.getBytes(StandardCharsets.UTF_8));
    }

    private SstFile sst(String content) throws IOException {
        UUID id = id(content);
        Path file = Files.writeString(directory.resolve(id + ".sst"), content);
        return new SstFile(id, file, 1, new byte[] {1}, new byte[] {2}, content.length(), KvChecksum.EMPTY);
    }
}
