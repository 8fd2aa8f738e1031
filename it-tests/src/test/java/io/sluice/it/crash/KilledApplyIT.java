package io.sluice.it.crash;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.it.support.Imports;
import io.sluice.it.support.Seeds;
import io.sluice.it.support.SluiceProcess;
import io.sluice.it.support.SluiceProcess.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A process that applies a change log is killed, again and again: each change is applied once, whatever was cut off.
 */
class KilledApplyIT {
    private static final long SEED = Seeds.of(KilledApplyIT.class);
    private static final int ROWS = 5_000;
    private static final int CHANGES = 60_000;
    private static final int KILLS = Integer.getInteger("sluice.it.kills", 3);

    @TempDir
    @SuppressWarnings("NullAway.Init") // made before the test
    Path directory;

    @Test
    void interruptedApplyResumes() throws Exception {
        System.out.println("seed " + SEED);
        Random random = new Random(SEED);
        imported();
        Imports.copy(directory.resolve("before"), directory.resolve("whole"));
        Path log = Files.write(directory.resolve("changes.jsonl"), changes(random));
        long start = System.nanoTime();
        assertEquals(0, apply(log, "whole").await().exitCode());
        long wholeMillis = (System.nanoTime() - start) / 1_000_000;

        Imports.copy(directory.resolve("before"), directory.resolve("killed"));
        int killed = 0;
        for (int i = 0; i < KILLS; i++) {
            long millis = wholeMillis / 4 + random.nextInt((int) wholeMillis / 4);
            killed += apply(log, "killed").killAfter(millis).exitCode() == SluiceProcess.KILLED ? 1 : 0;
        }
        Result last = apply(log, "killed").await();
        assertEquals(0, last.exitCode(), last.err());
        System.out.println(killed + " of " + KILLS + " kills came before the end");
        assertEquals(digest("whole"), digest("killed"));
    }

    private void imported() throws IOException, InterruptedException {
        Path schema = Files.writeString(
                directory.resolve("t.sql"), "CREATE TABLE t (id INT PRIMARY KEY, n INT, v STRING, INDEX by_n (n));");
        Path rows = Files.write(
                directory.resolve("t.csv"),
                IntStream.range(0, ROWS).mapToObj(id -> id + "," + id + ",").toList());
        Result result = SluiceProcess.call(
                "import",
                "--schema",
                schema.toString(),
                "--store",
                directory.resolve("before").toString(),
                "--quiet",
                rows.toString());
        assertEquals(0, result.exitCode(), result.err());
    }

    /** Rows come and go by turns: a change that is applied twice, or left out, is refused or shows in the digest. */
    private static List<String> changes(Random random) {
        boolean[] there = new boolean[ROWS];
        Arrays.fill(there, true);
        return IntStream.range(0, CHANGES)
                .mapToObj(i -> {
                    int id = random.nextInt(ROWS);
                    there[id] ^= true;
                    return there[id]
                            ? "{\"table\":\"t\",\"op\":\"insert\",\"row\":{\"id\":" + id + ",\"n\":" + i + ",\"v\":\"x"
                                    + i + "\"}}"
                            : "{\"table\":\"t\",\"op\":\"delete\",\"key\":{\"id\":" + id + "}}";
                })
                .toList();
    }

    private SluiceProcess apply(Path log, String store) throws IOException {
        return SluiceProcess.start(
                directory,
                List.of(),
                "apply",
                log.toString(),
                "--store",
                directory.resolve(store).toString(),
                "--batch",
                "500",
                "--workers",
                "2");
    }

    private String digest(String store) throws IOException, InterruptedException {
        Result result = SluiceProcess.call(
                "digest", "t", "--store", directory.resolve(store).toString());
        assertEquals(0, result.exitCode(), result.err());
        return result.out();
    }
}
