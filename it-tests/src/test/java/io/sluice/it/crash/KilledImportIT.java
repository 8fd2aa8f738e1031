package io.sluice.it.crash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.it.support.HaltingSluice;
import io.sluice.it.support.Imports;
import io.sluice.it.support.Seeds;
import io.sluice.it.support.SluiceProcess;
import io.sluice.it.support.SluiceProcess.Result;
import io.sluice.it.support.Stock;
import io.sluice.testing.SomeTests;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Kills an importing process: the table is absent or complete, the next process reports its cleanup, and the import can
 * be repeated.
 */
@SuppressWarnings("NullAway.Init") // made before all tests
@SomeTests(1)
class KilledImportIT {
    private static final long SEED = Seeds.of(KilledImportIT.class);
    private static final int ROWS = 90_000;
    private static final int KILLS = Integer.getInteger("sluice.it.kills", 2);

    @TempDir
    static Path inputs;

    private static Path schema;
    private static Path input;
    private static String digest;
    private static long importMillis;

    @TempDir
    Path directory;

    @BeforeAll
    static void importUndisturbed() throws Exception {
        schema = Files.writeString(inputs.resolve("stock.sql"), Stock.SQL);
        input = Stock.write(inputs.resolve("stock.csv"), Stock.shuffled(ROWS, SEED));
        long start = System.nanoTime();
        Path store = inputs.resolve("store");
        Result result = SluiceProcess.run(inputs, importInto(store));
        importMillis = (System.nanoTime() - start) / 1_000_000;
        assertEquals(0, result.exitCode(), result.toString());
        digest = result.report().get("digest").asText();
    }

    private static String[] importInto(Path store) {
        return Stock.importing(schema, store, input);
    }

    @ParameterizedTest
    @ValueSource(strings = {"shipped", "intent", "ingested", "before-publish"})
    void importKilledBeforeItsTableIsVisibleIsUndone(String point) throws Exception {
        Path store = directory.resolve("store");
        halt(point, store);

        Result next = SluiceProcess.call("tables", "--store", store.toString());
        assertEquals(0, next.exitCode(), next.toString());
        assertTrue(
                next.err().contains("removed what an unfinished import of table stock had left; import it again"),
                next.toString());
        assertEquals(List.of(), Imports.leftBehind(store));
        Result absent = SluiceProcess.call("digest", "stock", "--store", store.toString());
        assertEquals(2, absent.exitCode(), absent.toString());
        assertEquals("", absent.out());
        assertImportsAgain(store);
    }

    @Test
    void importKilledAfterItsTableIsVisibleIsWhole() throws Exception {
        Path store = directory.resolve("store");
        halt("published", store);

        assertComplete(store, "halted when it was published");
        assertEquals(List.of(), Imports.leftBehind(store));
        Result again = SluiceProcess.call(importInto(store));
        assertEquals(2, again.exitCode(), again.toString());
        assertTrue(again.err().contains("table stock already exists"), again.toString());
    }

    private void halt(String point, Path store) throws Exception {
        Result killed = SluiceProcess.run(directory, HaltingSluice.at(point), importInto(store));
        assertEquals(SluiceProcess.KILLED, killed.exitCode(), killed.toString());
        assertEquals("", killed.out(), "it claimed success");
    }

    @Test
    void importKilledAtAnyMomentIsAbsentOrWhole() throws Exception {
        Random random = new Random(SEED);
        List<String> moments = new ArrayList<>();
        long ofMillis = importMillis;
        for (int i = 0; i < KILLS; i++) {
            Path store = directory.resolve("store-" + i);
            // The first kills come early, the last ones when it may be over.
            long millis = (long) (ofMillis * (0.1 + (i + random.nextDouble()) / KILLS));
            long start = System.nanoTime();
            Result killed =
                    SluiceProcess.start(directory, List.of(), importInto(store)).killAfter(millis);
            String context = "seed " + SEED + ", kill " + i + " after " + millis + " ms of " + ofMillis;
            if (killed.exitCode() == 0) {
                // The first import of all was a slow one: without this, all kills could come too late.
                ofMillis = Math.min(ofMillis, TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start));
            }
            boolean whole = published(store, context);
            moments.add(millis + (whole ? " whole" : " absent"));
            if (killed.exitCode() == 0) {
                assertTrue(whole, context + ": it said that it had succeeded, but the table is not there");
            }
            assertEquals(List.of(), Imports.leftBehind(store), context);
            if (!whole) {
                assertImportsAgain(store);
            }
        }
        assertTrue(moments.stream().anyMatch(m -> m.endsWith("absent")), "nothing was interrupted: " + moments);
    }

    /** Whether the table is there, and then whole; the process that looks is the one that cleans up. */
    private boolean published(Path store, String context) throws IOException, InterruptedException {
        Result result = SluiceProcess.call("digest", "stock", "--store", store.toString(), "--json");
        if (result.exitCode() == 0) {
            assertTrue(result.out().contains(digest), context + ": " + result);
            return true;
        }
        assertEquals(2, result.exitCode(), context + ": " + result);
        assertTrue(
                result.err().contains("there is no table stock")
                        || result.err().contains("there is no store")
                        || result.err().contains("is not a Sluice store"),
                context + ": " + result);
        return false;
    }

    private void assertComplete(Path store, String context) throws Exception {
        assertTrue(published(store, context), context);
    }

    private void assertImportsAgain(Path store) throws Exception {
        Result again = SluiceProcess.call(importInto(store));
        assertEquals(0, again.exitCode(), Arrays.toString(importInto(store)) + ": " + again);
        String found = again.report().get("digest").asText();
        assertEquals(digest, found, again.toString());
        Result digested = SluiceProcess.call("digest", "stock", "--store", store.toString(), "--json");
        assertTrue(digested.out().contains(found), digested + " does not agree with " + again);
    }
}
