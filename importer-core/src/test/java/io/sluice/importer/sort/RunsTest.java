package io.sluice.importer.sort;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.importer.sort.Kvs.Collector;
import io.sluice.importer.sort.Kvs.Kv;
import io.sluice.importer.sort.SpanPlan.Part;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Runs in memory and in files, their cursors, their merges, and what becomes of damaged files. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class RunsTest {
    private static final long SEED = Long.getLong("sluice.seed", System.nanoTime());

    /** Small enough that a run of some hundred KVs has many blocks. */
    private static final int BLOCK_BYTES = 256;

    @TempDir
    Path directory;

    @ParameterizedTest
    @EnumSource(Kvs.Keys.class)
    void cursorsGiveExactlyTheKeysBetweenTheirBounds(Kvs.Keys keys) throws IOException {
        Random random = new Random(SEED);
        List<Kv> kvs = Kvs.sorted(Kvs.random(keys, 700, random));
        MemoryRun inMemory = Kvs.memoryRun(kvs);
        try (SpilledRun spilled = spill(kvs)) {
            for (Run run : List.of(inMemory, spilled)) {
                assertArrayEquals(kvs.get(0).key(), run.smallestKey());
                assertArrayEquals(kvs.get(kvs.size() - 1).key(), run.largestKey());
                assertPart(kvs, run, Part.ALL);
                for (int i = 0; i < 200; i++) {
                    Part part = new Part(bound(kvs, keys, random), bound(kvs, keys, random));
                    assertPart(kvs, run, part);
                }
            }
        }
        assertEquals(List.of(), filesLeft());
    }

    /** A key of the run, one that may not be in it, or none. */
    private static byte @Nullable [] bound(List<Kv> kvs, Kvs.Keys keys, Random random) {
        return switch (random.nextInt(5)) {
            case 0 -> null;
            case 1 -> keys.key(random);
            case 2 -> Arrays.copyOf(kvs.get(random.nextInt(kvs.size())).key(), 1 + random.nextInt(3));
            default -> kvs.get(random.nextInt(kvs.size())).key();
        };
    }

    private static void assertPart(List<Kv> kvs, Run run, Part part) throws IOException {
        try (RunCursor cursor = run.cursor(part.from(), part.to())) {
            assertEquals(
                    Kvs.texts(Kvs.between(kvs, part)),
                    Kvs.drain(cursor),
                    () -> "seed " + SEED + ", " + run.getClass().getSimpleName() + ", from "
                            + Arrays.toString(part.from()) + " to " + Arrays.toString(part.to()));
        }
    }

    @Test
    void aSpilledKvMayBeLongerThanABlock() throws IOException {
        List<Kv> kvs = List.of(
                new Kv(new byte[] {1}, new byte[4]),
                new Kv(new byte[] {2}, new byte[10 * BLOCK_BYTES]),
                new Kv(new byte[] {3}, new byte[70_000]),
                new Kv(new byte[] {4}, new byte[4]));
        try (SpilledRun run = spill(kvs)) {
            assertPart(kvs, run, Part.ALL);
            assertPart(kvs, run, new Part(new byte[] {3}, null));
        }
    }

    @Test
    void theIndexOfALargeFileIsThinnedOutAndStillFindsEveryKey() throws IOException {
        List<Kv> kvs = Kvs.sorted(Kvs.random(Kvs.Keys.NUMBERS, 20_000, new Random(SEED)));
        try (SpilledRun run = spill(kvs)) {
            for (int i = 0; i < kvs.size(); i += 997) {
                Part part = new Part(
                        kvs.get(i).key(),
                        kvs.get(Math.min(kvs.size() - 1, i + 3)).key());
                assertPart(kvs, run, part);
            }
        }
    }

    @Test
    void anyDamagedByteOfASpilledFileIsNoticed() throws IOException {
        List<Kv> kvs = Kvs.sorted(Kvs.random(Kvs.Keys.TEXTS, 60, new Random(SEED)));
        try (SpilledRun run = spill(kvs)) {
            Path file = directory.resolve("test.run");
            byte[] whole = Files.readAllBytes(file);
            for (int i = 0; i < whole.length; i += 7) {
                byte[] damaged = whole.clone();
                damaged[i] ^= 0x10;
                Files.write(file, damaged);
                assertUnreadable(run, "byte " + i);
            }
            for (int length = 0; length < whole.length; length += 31) {
                Files.write(file, Arrays.copyOf(whole, length));
                assertUnreadable(run, "cut to " + length + " bytes");
            }
        }
    }

    private static void assertUnreadable(SpilledRun run, String damage) throws IOException {
        try (RunCursor cursor = run.cursor(null, null)) {
            IOException noticed = assertThrows(IOException.class, () -> Kvs.drain(cursor), damage);
            assertTrue(String.valueOf(noticed.getMessage()).contains("test.run"), noticed.toString());
        }
    }

    @Test
    void aRunThatIsNotFinishedLeavesNoFile() throws IOException {
        try (SpillWriter writer = new SpillWriter(directory.resolve("test.run"), BLOCK_BYTES)) {
            writer.add(new byte[100], 0, 50, 50);
        }
        assertEquals(List.of(), filesLeft());
    }

    @ParameterizedTest
    @EnumSource(Kvs.Keys.class)
    void aMergeGivesAllKvsInOrderThoseOfEarlierRunsFirst(Kvs.Keys keys) throws IOException {
        for (int count = 0; count < 18; count++) {
            long seed = SEED + count;
            Random random = new Random(seed);
            List<Run> runs = new ArrayList<>();
            List<Kv> all = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                List<Kv> kvs = Kvs.sorted(Kvs.random(keys, 1 + random.nextInt(200), random));
                runs.add(Kvs.memoryRun(kvs));
                all.addAll(kvs);
            }
            Collector merged = new Collector();
            Merge.part(runs, Part.ALL, merged);
            assertEquals(Kvs.texts(Kvs.sorted(all)), merged.texts(), "seed " + seed + ", " + count + " runs");
        }
    }

    @ParameterizedTest
    @EnumSource(Kvs.Keys.class)
    void partsOfAPlanHoldEveryKeyOnceAndAreAboutEven(Kvs.Keys keys) throws IOException {
        Random random = new Random(SEED);
        List<Run> runs = new ArrayList<>();
        List<Kv> all = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            List<Kv> kvs = Kvs.sorted(Kvs.random(keys, 2000, random));
            runs.add(i % 2 == 0 ? Kvs.memoryRun(kvs) : spill(kvs, "run-" + i));
            all.addAll(kvs);
        }
        List<Kv> sorted = Kvs.sorted(all);
        List<byte[]> cuts = List.of(sorted.get(100).key(), sorted.get(7000).key());
        long target = runs.stream().mapToLong(Run::bytes).sum() / 8;
        List<Part> parts = SpanPlan.of(runs, target, cuts, UnaryOperator.identity());

        List<String> merged = new ArrayList<>();
        byte[] reached = null;
        for (Part part : parts) {
            assertTrue(Arrays.equals(reached, part.from()), "a gap or an overlap, seed " + SEED);
            reached = part.to();
            Collector collector = new Collector();
            Merge.part(runs, part, collector);
            merged.addAll(collector.texts());
            if (keys == Kvs.Keys.NUMBERS) {
                assertTrue(
                        collector.texts().size() < sorted.size() / 4,
                        "one part has " + collector.texts().size() + " of " + sorted.size() + ", seed " + SEED);
            }
        }
        assertEquals(null, reached);
        assertEquals(Kvs.texts(sorted), merged, "seed " + SEED);
        for (byte[] cut : cuts) {
            assertTrue(
                    parts.stream().anyMatch(part -> Arrays.equals(part.from(), cut)),
                    "no part begins at a cut, seed " + SEED);
        }
        for (Run run : runs) {
            run.close();
        }
    }

    @Test
    void runsBeyondTheBudgetAreSpilledAndMergedInGenerations() throws IOException {
        int fanIn = 3;
        Random random = new Random(SEED);
        MemoryBudget budget = new MemoryBudget(100_000);
        List<Kv> all = new ArrayList<>();
        try (RunStore store = new RunStore("test", new RunStore.Settings(directory, fanIn, BLOCK_BYTES), budget)) {
            Sorter sorter = new Sorter();
            SortBuffer buffer = new SortBuffer(20_000, 10_000, sorter);
            for (Kv kv : Kvs.random(Kvs.Keys.TEXTS, 20_000, random)) {
                all.add(kv);
                Kvs.add(buffer, kv);
                if (buffer.isFull()) {
                    buffer.sort();
                    store.add(buffer);
                    assertTrue(buffer.isEmpty());
                }
            }
            buffer.sort();
            store.add(buffer);
            store.add(buffer);

            assertTrue(budget.reservedBytes() > 0 && budget.reservedBytes() <= 100_000, "" + budget.reservedBytes());
            long spilledFiles =
                    store.runs().stream().filter(SpilledRun.class::isInstance).count();
            assertEquals(spilledFiles, filesLeft().size(), "files that were merged must go");
            // At most fan-in minus one of each generation.
            assertTrue(spilledFiles <= (fanIn - 1) * 4L, spilledFiles + " files are left");
            int largest = 0;
            for (Run run : store.runs()) {
                Collector kvs = new Collector();
                Merge.part(List.of(run), Part.ALL, kvs);
                largest = Math.max(largest, kvs.texts().size());
            }
            assertTrue(largest > 9 * 300, "no third generation: the largest run has " + largest + " KVs");
            long written = store.runs().stream()
                    .filter(SpilledRun.class::isInstance)
                    .mapToLong(Run::bytes)
                    .sum();
            assertTrue(store.spilledBytes() > 2 * written, "merged bytes count every time they are written");

            // Merging in generations does not keep the order of equal keys: compare as sets of KVs.
            Collector merged = new Collector();
            Merge.part(store.runs(), Part.ALL, merged);
            assertEquals(
                    Kvs.texts(all).stream().sorted().toList(),
                    merged.texts().stream().sorted().toList(),
                    "seed " + SEED);
            List<String> keys = merged.texts().stream()
                    .map(text -> text.substring(0, text.indexOf('=')))
                    .toList();
            assertEquals(keys.stream().sorted().toList(), keys, "seed " + SEED);
        }
        assertEquals(0, budget.reservedBytes());
        assertEquals(List.of(), filesLeft());
    }

    @Test
    void aBudgetIsNeverOverdrawn() {
        MemoryBudget budget = new MemoryBudget(100);
        assertTrue(budget.tryReserve(60));
        assertFalse(budget.tryReserve(41));
        assertTrue(budget.tryReserve(40));
        assertFalse(budget.tryReserve(1));
        budget.release(60);
        assertEquals(40, budget.reservedBytes());
    }

    private SpilledRun spill(List<Kv> kvs) throws IOException {
        return spill(kvs, "test");
    }

    private SpilledRun spill(List<Kv> kvs, String name) throws IOException {
        try (SpillWriter writer = new SpillWriter(directory.resolve(name + ".run"), BLOCK_BYTES)) {
            Kvs.buffer(kvs).drainTo(writer);
            return writer.finish();
        }
    }

    private List<Path> filesLeft() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.toList();
        }
    }
}
