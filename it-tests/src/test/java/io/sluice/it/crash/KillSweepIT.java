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
 * <p>Every point is tried once; {@code -Dsluice.sweep.rounds=20} tries each 20 times, {@code -Dsluice.sweep.replicas=2}
 * with two replicas, {@code -Dsluice.sweep.rows=N} with other inputs.
 */
@SuppressWarnings("NullAway.Init") // made before all tests
class KillSweepIT {
    private static final String TABLE = "stock";
    private static final int ROWS = Integer.getInteger("sluice.sweep.rows", 200_000);
    private static final int FILES = 3;
    private static final long INPUT_SEED = 77;
    private static final long SEED = Long.getLong("sluice.seed", System.nanoTime());
    private static final int ROUNDS = Integer.getInteger("sluice.sweep.rounds", 1);
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

    /** A kill, in the words of the test's name. */
    record Kill(Point point, int times, int victim, boolean patient) {
        @Override
        public String toString() {
            return (point.node ? "node " + victim : "importer") + " at " + point.point + ":" + times + ", " + point.mode
                    + (point.node ? patient ? ", importer waits" : ", importer gives up" : "");
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

    static Stream<Kill> kills() {
        Random random = new Random(SEED);
        List<Point> points = new ArrayList<>(
                POINTS.stream().filter(point -> point.point.contains(ONLY)).toList());
        List<Kill> kills = new ArrayList<>();
        for (int round = 0; round < ROUNDS; round++) {
            for (Point point : points) {
                kills.add(new Kill(point, 1 + random.nextInt(point.most), random.nextInt(2), random.nextBoolean()));
            }
        }
        return kills.stream();
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
    @MethodSource("kills")
    void killedImportResumes(Kill kill) throws Exception {
        String context = "seed " + SEED + ", " + kill;
        String halt = kill.point.point + ":" + kill.times;
        String haltNode0 = kill.point.node && kill.victim == 0 ? halt : "";
        String haltNode1 = kill.point.node && kill.victim == 1 ? halt : "";
        try (KillableNode first = KillableNode.start(directory, "node-0", haltNode0);
                KillableNode second = KillableNode.start(directory, "node-1", haltNode1)) {
            List<KillableNode> nodes = List.of(first, second);
            String addresses = first.address() + "," + second.address();
            String jobId = "kill " + kill;
            String[] command = importInto(addresses, kill, jobId);
            boolean finished = false;
            if (kill.point.node) {
                finished = killNode(kill, nodes, command, jobId, context);
            } else {
                killImporter(nodes, halt, command, jobId, context);
            }
            if (!finished) {
                assertImported(SluiceProcess.call(command), context);
            }
            assertImported(SluiceProcess.call(command), context + ": the finished job, again");
            Result read = SluiceProcess.call("digest", TABLE, "--nodes", addresses, "--json");
            assertTrue(read.out().contains(digest), context + ": " + read);
        }
    }

    private static String[] importInto(String addresses, Kill kill, String jobId) {
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
                kill.point.mode,
                "--give-up-after",
                kill.patient ? "100" : "1",
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

    /** Kills a node, and starts it again; returns whether the import waited for it and went on by itself. */
    private boolean killNode(Kill kill, List<KillableNode> nodes, String[] command, String jobId, String context)
            throws Exception {
        KillableNode victim = nodes.get(kill.victim);
        SluiceProcess importer = SluiceProcess.start(directory, List.of(), command);
        awaitEnd(victim.current(), importer, context);
        assertEquals(KILLED, victim.current().await().exitCode(), context);
        if (kill.patient) {
            victim.restart();
            assertImported(importer.await(), context);
            return true;
        }
        Result paused = importer.await();
        assertEquals(PAUSED, paused.exitCode(), context + ": " + paused);
        assertTrue(paused.err().contains("--job-id"), context + ": " + paused);
        victim.restart();
        assertNothingAcknowledgedIsLost(nodes, jobId, context);
        return false;
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

    private void killImporter(List<KillableNode> nodes, String halt, String[] command, String jobId, String context)
            throws Exception {
        Result killed = SluiceProcess.run(directory, HaltingSluice.at(halt), command);
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
