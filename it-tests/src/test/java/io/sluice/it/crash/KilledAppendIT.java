package io.sluice.it.crash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.it.support.HaltingSluice;
import io.sluice.it.support.Imports;
import io.sluice.it.support.Seeds;
import io.sluice.it.support.ServedNode;
import io.sluice.it.support.SluiceProcess;
import io.sluice.it.support.SluiceProcess.Result;
import io.sluice.it.support.Stock;
import io.sluice.node.NodeSettings;
import io.sluice.testing.MovableClock;
import io.sluice.testing.SomeTests;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Kills a process during an append: the table has all new rows or none, the next process reports which, and a repeated
 * append gives the same table. Some of the rows replace existing ones. An append over the network goes on when its node
 * is back, and is undone when its importer dies.
 */
@SuppressWarnings("NullAway.Init") // made before all tests
@SomeTests(1)
class KilledAppendIT {
    private static final long SEED = Seeds.of(KilledAppendIT.class);
    private static final int ROWS = 40_000;
    private static final int KILLS = Integer.getInteger("sluice.it.kills", 2);

    @TempDir
    static Path inputs;

    private static Path schema;
    /** A store with the table as it was before. */
    private static Path imported;

    private static Path comes;
    private static String before;
    private static String after;
    private static long appendMillis;

    @TempDir
    Path directory;

    @BeforeAll
    static void appendUndisturbed() throws Exception {
        schema = Files.writeString(inputs.resolve("stock.sql"), Stock.SQL);
        List<Integer> numbers = Stock.shuffled(ROWS, SEED);
        Path had = Stock.write(inputs.resolve("had.csv"), numbers.subList(0, ROWS / 2));
        List<String> rows = new ArrayList<>();
        for (int n : numbers.subList(ROWS / 2, ROWS)) {
            rows.add(Stock.line(n));
        }
        for (int n : numbers.subList(0, 500)) {
            rows.add(n / 1000 + "," + n % 1000 + ",1,replaced-" + n + ",none");
        }
        comes = Files.write(inputs.resolve("comes.csv"), rows);
        imported = inputs.resolve("imported");
        before = digest(SluiceProcess.call(Stock.importing(schema, imported, had)));
        Path store = inputs.resolve("whole");
        Imports.copy(imported, store);
        long start = System.nanoTime();
        after = digest(SluiceProcess.run(inputs, appending(store)));
        appendMillis = (System.nanoTime() - start) / 1_000_000;
    }

    private static String digest(Result result) throws Exception {
        assertEquals(0, result.exitCode(), result.toString());
        return result.report().get("digest").asText();
    }

    private static String[] appending(Path store) {
        return Stock.importing(schema, store, comes, "--append", "--on-conflict", "last");
    }

    @ParameterizedTest
    @CsvSource({"shipped, false", "before-publish, false", "intent, false", "ingested, true", "published, true"})
    void killedAtAStepTheTableIsOneOrTheOther(String point, boolean whole) throws Exception {
        Path store = directory.resolve("store");
        Imports.copy(imported, store);
        Result killed = SluiceProcess.run(directory, HaltingSluice.at(point), appending(store));
        assertEquals(SluiceProcess.KILLED, killed.exitCode(), killed.toString());
        assertEquals("", killed.out(), "it claimed success");

        Result next = SluiceProcess.call("tables", "--store", store.toString());
        assertEquals(0, next.exitCode(), next.toString());
        if (point.equals("ingested")) {
            assertTrue(next.err().contains("finished an import into table stock: all its rows are there"), next.err());
        } else if (!whole) {
            assertTrue(next.err().contains("the table is as it was before; import again"), next.err());
        }
        assertTable(store, whole ? after : before, point);
    }

    @Test
    void killedAtAnyMomentTheTableIsOneOrTheOther() throws Exception {
        Random random = new Random(SEED);
        for (int i = 0; i < KILLS; i++) {
            Path store = directory.resolve("store-" + i);
            Imports.copy(imported, store);
            long millis = (long) (appendMillis * (0.2 + (i + random.nextDouble()) / KILLS));
            Result killed =
                    SluiceProcess.start(directory, List.of(), appending(store)).killAfter(millis);
            String context = "seed " + SEED + ", kill " + i + " after " + millis + " ms of " + appendMillis;
            Result digested = SluiceProcess.call("digest", "stock", "--store", store.toString(), "--json");
            boolean whole = digested.out().contains(after);
            assertTrue(whole || killed.exitCode() != 0, context + ": it said that it had succeeded");
            assertTable(store, whole ? after : before, context);
        }
    }

    private static String[] appendingTo(String node) {
        return new String[] {
            "import",
            "--schema",
            schema.toString(),
            "--nodes",
            node,
            "--append",
            "--on-conflict",
            "last",
            "--give-up-after",
            "100",
            "--memory",
            "64m",
            "--workers",
            "2",
            "--json",
            comes.toString()
        };
    }

    /** The node dies at several steps of one append over the network, each time the importer waits for it. */
    @Test
    void appendOverTheNetworkGoesOnWithAKilledNode() throws Exception {
        List<String> points =
                new ArrayList<>(List.of("verified", "receipt", "before-publish", "intent", "ingested", "published"));
        Random random = new Random(SEED);
        // A node killed after it has ingested publishes when it is opened again: it never comes to the last step.
        points.remove(random.nextBoolean() ? "ingested" : "published");
        while (points.size() > Math.max(2, KILLS)) {
            points.remove(random.nextInt(points.size()));
        }
        String context = "seed " + SEED + ", node killed at " + points;
        Path store = directory.resolve("store");
        Imports.copy(imported, store);
        try (KillableNode node = KillableNode.start(directory, "store", points.get(0))) {
            SluiceProcess importer = SluiceProcess.start(directory, List.of(), appendingTo(node.address()));
            for (int i = 0; i < points.size(); i++) {
                Result killed = node.current().await();
                assertEquals(SluiceProcess.KILLED, killed.exitCode(), context + ": " + killed);
                node.restart(i + 1 < points.size() ? points.get(i + 1) : "");
            }
            assertEquals(after, digest(importer.await()), context);
            Result read = SluiceProcess.call("digest", "stock", "--nodes", node.address(), "--json");
            assertTrue(read.out().contains(after), context + ": " + read);
        }
        assertTable(store, after, context);
    }

    /** The importer dies, and the node undoes what it has of the append when it has not heard of it for a minute. */
    @Test
    void killedImporterLeavesTheTableOfANodeAsOneOrTheOther() throws Exception {
        Random random = new Random(SEED);
        for (int i = 0; i < KILLS; i++) {
            Path store = directory.resolve("store-" + i);
            Imports.copy(imported, store);
            long millis = (long) (appendMillis * (0.4 + (i + random.nextDouble()) / KILLS));
            String context = "seed " + SEED + ", importer killed after " + millis + " ms";
            MovableClock clock = new MovableClock();
            String found;
            try (ServedNode node =
                    ServedNode.open(store, NodeSettings.defaults().withClock(clock))) {
                Result killed = SluiceProcess.start(directory, List.of(), appendingTo(node.url()))
                        .killAfter(millis);
                clock.move(Duration.ofMinutes(2));
                node.node().removeExpiredImports();
                found = node.node().digest("stock").digest();
                assertTrue(found.equals(after) || found.equals(before), context + ": " + found);
                assertTrue(found.equals(after) || killed.exitCode() != 0, context + ": it said that it had succeeded");
            }
            assertTable(store, found, context);
        }
    }

    /**
     * The table adds up to that, also when it is read back whole; nothing temporary is left; and it can be added to.
     */
    private void assertTable(Path store, String digest, String context) throws Exception {
        Result digested = SluiceProcess.call("digest", "stock", "--store", store.toString(), "--json");
        assertTrue(digested.out().contains(digest), context + ": " + digested);
        assertEquals(List.of(), Imports.leftBehind(store), context);
        assertEquals(after, digest(SluiceProcess.call(appending(store))), context);
        Result again = SluiceProcess.call("digest", "stock", "--store", store.toString(), "--json");
        assertTrue(again.out().contains(after), context + ": " + again);
    }
}
