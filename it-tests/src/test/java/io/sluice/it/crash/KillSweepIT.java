package io.sluice.it.crash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.importer.job.ImportEvents;
import io.sluice.it.support.HaltingSluice;
import io.sluice.it.support.Imports;
import io.sluice.it.support.Imports.How;
import io.sluice.it.support.SluiceProcess;
import io.sluice.it.support.SluiceProcess.Result;
import io.sluice.it.support.Stock;
import io.sluice.node.ingest.FaultPoints;
import io.sluice.testing.Cases;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Kills a node or the importer at each point of an import into two node processes. After a restart the import resumes,
 * and its table equals that of an uninterrupted import. No acknowledged SST is missing.
 *
 * <p>The suite tries half of the points once, several in each of two imports; the profile {@code long} tries all.
 * {@code -Dsluice.sweep.rounds=20} gives each of 20 kills at each point an import of its own,
 * {@code -Dsluice.sweep.replicas=2} writes two replicas, and {@code -Dsluice.sweep.rows=N} takes other inputs.
 */
@SuppressWarnings("NullAway.Init") // made before all tests
class KillSweepIT {
    private static final String TABLE = "stock";
    private static final int ROWS = Integer.getInteger("sluice.sweep.rows", 200_000);
    private static final int FILES = 3;
    private static final long INPUT_SEED = 77;
    private static final long SEED = Long.getLong("sluice.seed", System.nanoTime());
    /** Kills at each point, each in an import of its own; 0: one kill at each point, several in one import. */
    private static final int ROUNDS = Integer.getInteger("sluice.sweep.rounds", 0);
    /** Of each range, 1 or 2: the nightly run tries both. */
    private static final String REPLICAS = System.getProperty("sluice.sweep.replicas", "1");

    /** A filter: only points whose name contains it. */
    private static final String ONLY = System.getProperty("sluice.sweep.only", "");

    private static final int KILLED = 137;
    private static final int PAUSED = 4;
    private static final long PATIENCE_SECONDS = 120;
    private static final long POLL_MILLIS = 20;

    @TempDir
    static Path inputs;

    private static Path schema;
    private static List<String> files;
    private static String digest;

    @TempDir
    Path directory;

    /**
     * A place to be killed at.
     *
     * @param node whether it is a node that dies, or the importer
     * @param mode of the import
     * @param point where
     * @param most of how many times it is reached in any import of this input
     */
    record Point(boolean node, String mode, String point, int most) {}

    /** A kill where a point is reached for so many times. */
    record Kill(Point point, int times) {
        String halt() {
            return point.point + ":" + times;
        }

        @Override
        public String toString() {
            return (point.node ? "node" : "importer") + " at " + halt();
        }
    }

    /**
     * An import and its kills, those of the node first.
     *
     * @param victim number of the node that dies
     * @param patient whether the importer waits for that node, or gives up and is started again
     */
    record Sweep(String mode, int victim, boolean patient, List<Kill> kills) {
        List<Kill> of(boolean node) {
            return kills.stream().filter(kill -> kill.point.node == node).toList();
        }

        @Override
        public String toString() {
            return mode + ", node " + victim + " dies, importer " + (patient ? "waits: " : "gives up: ") + kills;
        }
    }

    private static final List<Point> POINTS = List.of(
            new Point(true, "direct", FaultPoints.VERIFIED, 6),
            new Point(true, "direct", FaultPoints.INGESTED, 4),
            new Point(true, "direct", FaultPoints.RECEIPT, 4),
            new Point(true, "direct", FaultPoints.CHECKPOINT, 4),
            new Point(true, "two-pass", FaultPoints.BUFFERED, 10),
            new Point(true, "direct", FaultPoints.BEFORE_PUBLISH, 1),
            new Point(false, "direct", ImportEvents.DESCRIBED, 1),
            new Point(false, "direct", ImportEvents.FLUSHED, 4),
            new Point(false, "direct", ImportEvents.DELIVERED, 4),
            new Point(false, "direct", ImportEvents.NOTED, 4),
            new Point(false, "two-pass", ImportEvents.READ, 1),
            new Point(false, "direct", ImportEvents.FINISHED, 1));

    static Stream<Sweep> sweeps() {
        Random random = new Random(SEED);
        List<Point> points =
                POINTS.stream().filter(point -> point.point.contains(ONLY)).toList();
        List<Sweep> sweeps = new ArrayList<>();
        for (int round = 0; round < ROUNDS; round++) {
            for (Point point : points) {
                Kill kill = new Kill(point, 1 + random.nextInt(point.most));
                sweeps.add(new Sweep(point.mode, random.nextInt(2), random.nextBoolean(), List.of(kill)));
            }
        }
        return ROUNDS > 0 ? sweeps.stream() : together(points, random);
    }

    /**
     * Four imports. A node dies in two of them, and the importer waits for it in one. The importer dies in the third,
     * and the fourth has two passes. The first kill comes early enough to leave work for the others.
     */
    private static Stream<Sweep> together(List<Point> points, Random random) {
        int victim = random.nextInt(2);
        boolean patient = random.nextBoolean();
        List<Point> ofNode = points.stream()
                .filter(point -> point.node && point.mode.equals("direct"))
                .toList();
        int half = (ofNode.size() + 1) / 2;
        List<Point> ofImporter = points.stream()
                .filter(point -> !point.node && point.mode.equals("direct"))
                .toList();
        List<Point> ofTwoPasses =
                points.stream().filter(point -> point.mode.equals("two-pass")).toList();
        List<Sweep> all = Stream.of(
                        new Sweep("direct", victim, patient, kills(ofNode.subList(0, half), random)),
                        new Sweep("direct", 1 - victim, !patient, kills(ofNode.subList(half, ofNode.size()), random)),
                        new Sweep("direct", victim, patient, kills(ofImporter, random)),
                        new Sweep("two-pass", victim, patient, kills(ofTwoPasses, random)))
                .filter(sweep -> !sweep.kills.isEmpty())
                .toList();
        return Cases.some(SEED, 1, all).stream();
    }

    private static List<Kill> kills(List<Point> points, Random random) {
        List<Kill> kills = new ArrayList<>();
        for (Point point : points) {
            kills.add(new Kill(point, kills.isEmpty() ? 1 + random.nextInt(Math.min(2, point.most)) : 1));
        }
        return kills;
    }

    @BeforeAll
    static void importUndisturbed() throws Exception {
        schema = Files.writeString(inputs.resolve("stock.sql"), Stock.SQL);
        List<Integer> numbers = Stock.shuffled(ROWS, INPUT_SEED);
        files = new ArrayList<>();
        for (int i = 0; i < FILES; i++) {
            List<Integer> some = numbers.subList(ROWS / FILES * i, i == FILES - 1 ? ROWS : ROWS / FILES * (i + 1));
            files.add(Stock.write(inputs.resolve("stock-" + i + ".csv"), some).toString());
        }
        digest = String.valueOf(Imports.intoNewStore(
                        inputs.resolve("store"),
                        Imports.table(Stock.SQL),
                        How.USUAL,
                        files.stream().map(Path::of).toArray(Path[]::new))
                .digest());
    }

    @ParameterizedTest
    @MethodSource("sweeps")
    void killedImportResumes(Sweep sweep) throws Exception {
        String context = "seed " + SEED + ", " + sweep;
        List<Kill> ofNode = sweep.of(true);
        String halt = ofNode.isEmpty() ? "" : ofNode.get(0).halt();
        try (KillableNode first = KillableNode.start(directory, "node-0", sweep.victim == 0 ? halt : "");
                KillableNode second = KillableNode.start(directory, "node-1", sweep.victim == 1 ? halt : "")) {
            List<KillableNode> nodes = List.of(first, second);
            String addresses = first.address() + "," + second.address();
            String jobId = "kill " + sweep;
            boolean finished =
                    killNode(sweep, nodes, importInto(addresses, sweep, jobId, sweep.patient), jobId, context);
            // All nodes are up from here on; one that is slow to answer is not lost.
            String[] command = importInto(addresses, sweep, jobId, true);
            for (Kill kill : sweep.of(false)) {
                killImporter(nodes, kill, command, jobId, context);
            }
            if (!finished) {
                assertImported(SluiceProcess.call(command), context);
            }
            assertImported(SluiceProcess.call(command), context + ": the finished job, again");
            Result read = SluiceProcess.call("digest", TABLE, "--nodes", addresses, "--json");
            assertTrue(read.out().contains(digest), context + ": " + read);
        }
    }

    private static String[] importInto(String addresses, Sweep sweep, String jobId, boolean patient) {
        List<String> command = new ArrayList<>(List.of(
                "import",
                "--schema",
                schema.toString(),
                "--nodes",
                addresses,
                "--replicas",
                REPLICAS,
                "--job-id",
                jobId,
                "--mode",
                sweep.mode,
                "--give-up-after",
                patient ? "100" : "1",
                "--memory",
                "64m",
                "--workers",
                "4",
                "--json"));
        command.addAll(files);
        return command.toArray(new String[0]);
    }

    private void assertImported(Result result, String context) throws IOException {
        assertEquals(0, result.exitCode(), context + ": " + result);
        assertEquals(digest, result.report().get("digest").asText(), context + ": " + result);
        assertEquals(ROWS, result.report().get("rowsRead").asInt(), context + ": " + result);
    }

    /**
     * Kills a node at each of its points, and starts it again. Returns whether the import waited for it and has ended;
     * where the importer dies too, its import only goes on from there.
     */
    private boolean killNode(Sweep sweep, List<KillableNode> nodes, String[] command, String jobId, String context)
            throws Exception {
        KillableNode victim = nodes.get(sweep.victim);
        List<Kill> kills = sweep.of(true);
        SluiceProcess importer = null;
        for (int i = 0; i < kills.size(); i++) {
            String at = context + ", kill " + kills.get(i);
            if (importer == null) {
                importer = SluiceProcess.start(directory, List.of(), command);
            }
            awaitEnd(victim.current(), importer, at);
            assertEquals(KILLED, victim.current().await().exitCode(), at);
            if (!sweep.patient) {
                Result paused = importer.await();
                assertEquals(PAUSED, paused.exitCode(), at + ": " + paused);
                assertTrue(paused.err().contains("--job-id"), at + ": " + paused);
                importer = null;
            }
            victim.restart(i + 1 < kills.size() ? kills.get(i + 1).halt() : "");
            if (importer == null) {
                assertNothingAcknowledgedIsLost(nodes, jobId, at);
            }
        }
        if (importer == null) {
            return false;
        }
        if (!sweep.of(false).isEmpty()) {
            importer.kill();
            Result unused = importer.await();
            return false;
        }
        assertImported(importer.await(), context);
        return true;
    }

    private static void awaitEnd(SluiceProcess victim, SluiceProcess importer, String context) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (victim.isAlive() && importer.isAlive() && System.nanoTime() - end < 0) {
            Thread.sleep(POLL_MILLIS);
        }
        if (victim.isAlive()) {
            importer.kill();
            assertFalse(victim.isAlive(), context + ": the point was not reached: " + importer.await());
        }
    }

    private void killImporter(List<KillableNode> nodes, Kill kill, String[] command, String jobId, String importing)
            throws Exception {
        String context = importing + ", kill " + kill;
        Result killed = SluiceProcess.run(directory, HaltingSluice.at(kill.halt()), command);
        assertEquals(KILLED, killed.exitCode(), context + ": " + killed);
        assertEquals("", killed.out(), context + ": it claimed success");
        assertNothingAcknowledgedIsLost(nodes, jobId, context);
    }

    /**
     * Every SST that a node said it had taken has a receipt, also after the node was killed. A node that has published
     * by then keeps none; what it holds, the digest at the end tells.
     */
    private static void assertNothingAcknowledgedIsLost(List<KillableNode> nodes, String jobId, String context)
            throws Exception {
        UUID importId = UUID.nameUUIDFromBytes(jobId.getBytes(StandardCharsets.UTF_8));
        for (KillableNode node : nodes) {
            List<UUID> acknowledged = node.acknowledged();
            if (!acknowledged.isEmpty() && !node.has(TABLE)) {
                HttpResponse<String> answer = node.ask(importId, acknowledged);
                assertEquals(200, answer.statusCode(), context + ": " + answer.body());
                assertEquals(
                        acknowledged.size(),
                        answer.body().split("\"ingested\"", -1).length - 1,
                        context + ": " + answer.body());
            }
        }
    }
}
