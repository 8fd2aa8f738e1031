package io.sluice.it.imports;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.importer.job.ImportReport;
import io.sluice.it.support.Imports;
import io.sluice.it.support.Imports.How;
import io.sluice.it.support.Seeds;
import io.sluice.it.support.Stock;
import io.sluice.model.schema.TableDef;
import io.sluice.node.StorageNode;
import io.sluice.testing.Cases;
import io.sluice.testing.SomeTests;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The same rows give the same table, in one sublevel, for any order, files, memory and number of workers. */
@SuppressWarnings("NullAway.Init") // made before all tests
@SomeTests(3)
class MetamorphicImportTest {
    private static final long SEED = Seeds.of(MetamorphicImportTest.class);
    private static final TableDef TABLE = Imports.table(Stock.SQL);

    /** 27 MB of CSV, 48 MB of KVs: more than half of the smallest budget, so that shuffled input must spill. */
    private static final int ROWS = 240_000;

    private static final int FILES = 7;

    @TempDir
    static Path inputs;

    private static Path ordered;
    private static Path shuffled;
    private static Path parts;
    private static String digest;

    @TempDir
    Path directory;

    @BeforeAll
    static void importOnce() throws IOException {
        ordered = Stock.write(inputs.resolve("ordered.csv"), Stock.numbers(ROWS));
        List<Integer> numbers = Stock.shuffled(ROWS, SEED);
        shuffled = Stock.write(inputs.resolve("shuffled.csv"), numbers);
        parts = Files.createDirectory(inputs.resolve("parts"));
        for (int i = 0; i < FILES; i++) {
            List<Integer> part = numbers.subList(i * ROWS / FILES, (i + 1) * ROWS / FILES);
            Stock.write(parts.resolve("part-" + i + ".csv"), part);
        }
        ImportReport report =
                Imports.intoNewStore(inputs.resolve("store"), TABLE, How.USUAL.with(256L << 20, 1), ordered);
        digest = String.valueOf(report.digest());
        assertEquals(Map.of("primary", (long) ROWS, "by_item", (long) ROWS, "by_code", (long) ROWS), report.kvs());
    }

    static Stream<Arguments> settings() {
        List<Arguments> all = List.of(
                Arguments.of("ordered", 64, 1),
                Arguments.of("ordered", 64, 4),
                Arguments.of("ordered", 256, 2),
                Arguments.of("shuffled", 64, 1),
                Arguments.of("shuffled", 64, 2),
                Arguments.of("shuffled", 64, 4),
                Arguments.of("shuffled", 256, 2),
                Arguments.of("parts", 64, 2),
                Arguments.of("parts", 256, 4));
        return Cases.some(SEED, 4, all).stream();
    }

    @ParameterizedTest
    @MethodSource("settings")
    void theSameRowsMakeTheSameTable(String input, int memoryMiB, int workers) {
        Path path = input.equals("ordered") ? ordered : input.equals("shuffled") ? shuffled : parts;
        Path store = directory.resolve("store");
        ImportReport report = Imports.intoNewStore(store, TABLE, How.USUAL.with((long) memoryMiB << 20, workers), path);
        check(report);
        if (!input.equals("ordered") && memoryMiB == 64) {
            assertTrue(report.bytes().spilled() > 0, "this was to test spilling: " + report);
        }
        assertEquals(List.of(), Imports.leftBehind(store));
        try (StorageNode node = Imports.open(store)) {
            assertEquals(digest, node.digest("stock").digest(), "after a restart");
        }
    }

    @Test
    void orderedInputIsStreamed() {
        ImportReport report = Imports.intoNewStore(
                directory.resolve("store"), Imports.table(Stock.SQL.replaceAll(", INDEX.*", ")")), How.USUAL, ordered);
        assertEquals(0, report.bytes().spilled(), "spilled: " + report);
        assertEquals(1, report.store().maxHeight(), report.toString());
        assertEquals(1.0, report.store().writeAmplification(), report.toString());
        assertTrue(report.store().ssts() > 1, "one SST for " + report.bytes().read() + " bytes in order: " + report);
    }

    @Test
    @EnabledOnOs({OS.LINUX, OS.MAC})
    void aPipeIsReadLikeAFile() throws Exception {
        Path pipe = directory.resolve("pipe");
        assertEquals(0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor(), "mkfifo");
        Thread writer = new Thread(() -> {
            try (OutputStream out = Files.newOutputStream(pipe)) {
                Files.copy(shuffled, out);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        writer.start();
        check(Imports.intoNewStore(directory.resolve("store"), TABLE, How.USUAL.with(128L << 20, 2), pipe));
        writer.join();
    }

    @Test
    void aFewRowsOutOfOrderAreMergedIn() {
        List<Integer> numbers = new ArrayList<>(Stock.numbers(ROWS));
        for (int n : List.of(3, ROWS / 2, ROWS / 2 + 1, ROWS - 2)) {
            numbers.remove((Integer) n);
            numbers.add(n);
        }
        Path input = Stock.write(directory.resolve("nearly.csv"), numbers);
        check(Imports.intoNewStore(directory.resolve("store"), TABLE, How.USUAL, input));
    }

    @Test
    void aRowFromTheEndAtTheBeginningIsMergedIn() {
        List<Integer> numbers = new ArrayList<>(Stock.numbers(ROWS));
        numbers.add(0, numbers.remove(ROWS - 1));
        Path input = Stock.write(directory.resolve("nearly.csv"), numbers);
        check(Imports.intoNewStore(directory.resolve("store"), TABLE, How.USUAL, input));
    }

    @Test
    void twoOrderedFilesOverTheSameKeysAreMerged() {
        List<Integer> numbers = Stock.numbers(ROWS);
        Path even = Stock.write(
                directory.resolve("even.csv"),
                numbers.stream().filter(n -> n % 2 == 0).toList());
        Path odd = Stock.write(
                directory.resolve("odd.csv"),
                numbers.stream().filter(n -> n % 2 == 1).toList());
        check(Imports.intoNewStore(directory.resolve("store"), TABLE, How.USUAL, even, odd));
    }

    @Test
    void rowsThatComeTwiceAreCountedOnce() {
        List<Integer> numbers = new ArrayList<>(Stock.numbers(ROWS));
        List<Integer> again = Stock.shuffled(ROWS, SEED).subList(0, 1000);
        numbers.addAll(again);
        Path input = Stock.write(directory.resolve("again.csv"), numbers);
        ImportReport report = Imports.intoNewStore(directory.resolve("store"), TABLE, How.USUAL, input);
        assertEquals(ROWS + again.size(), report.rows().read());
        assertEquals(again.size(), report.rows().duplicates());
        check(report);
    }

    private static void check(ImportReport report) {
        String context = "seed " + SEED + ", " + report;
        assertEquals(digest, report.digest(), context);
        assertEquals(ROWS, report.rows().imported(), context);
        assertEquals(1, report.store().maxHeight(), context);
        assertEquals(0, report.store().l0Files(), context);
        assertEquals(1.0, report.store().writeAmplification(), context);
    }
}
