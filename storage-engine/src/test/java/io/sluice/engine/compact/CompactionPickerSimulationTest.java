package io.sluice.engine.compact;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.engine.store.KeyBounds;
import io.sluice.engine.store.LsmFile;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/**
 * Simulates imports of many shapes into a {@link SimulatedLsm}, with two parallel compactions. An SST that would reach
 * the limit waits for compactions, as at the gate.
 */
class CompactionPickerSimulationTest {
    private static final int KEYS = 1 << 20;

    /** Small files, for short runs: 40 KVs of 100 bytes, outputs of 64 KVs, picks of 1024. */
    private static final CompactionSettings SETTINGS = settings(CompactionSettings.defaults(2));

    private static CompactionSettings settings(CompactionSettings usual) {
        return new CompactionSettings(usual.online(), usual.offline(), usual.offlineFanIn(), 102_400, 6_400, 2);
    }

    /** One import, and what is asserted at every step of it. */
    private static final class Run {
        final SplittableRandom random;
        final SimulatedLsm lsm = new SimulatedLsm();
        final CompactionPicker picker = new CompactionPicker(SETTINGS);
        final NavigableMap<Integer, Integer> expected = new TreeMap<>();
        final CompactionMode mode;
        final int limit;
        int ssts;
        int tallest;

        Run(SplittableRandom random, CompactionMode mode) {
            this.random = random;
            this.mode = mode;
            this.limit = mode == CompactionMode.ONLINE
                    ? SETTINGS.online().limit()
                    : SETTINGS.offline().limit();
        }

        /** A file of some KVs between two keys. */
        void arrive(int from, int to, int kvs) {
            NavigableMap<Integer, Integer> sst = new TreeMap<>();
            ssts++;
            for (int i = 0; i < kvs; i++) {
                sst.put(from + random.nextInt(to - from), ssts);
            }
            while (lsm.top(sst) + 1 > limit) {
                startMerges(mode);
                assertTrue(!lsm.running().isEmpty(), () -> "stuck\n" + lsm.map().describe(150));
                lsm.finishOne();
            }
            expected.putAll(sst);
            lsm.ingest(sst);
            tallest = Math.max(tallest, lsm.map().top());
            assertTrue(tallest <= limit, () -> "too tall\n" + lsm.map().describe(150));
            startMerges(mode);
            if (random.nextInt(4) == 0 && !lsm.running().isEmpty()) {
                lsm.finishOne();
            }
        }

        void startMerges(CompactionMode now) {
            List<CompactionPick> picks = picker.pick(
                    lsm.map(),
                    CompactionsInProgress.of(lsm.running()),
                    lsm.running().size(),
                    now);
            picks.forEach(lsm::start);
            assertTrue(lsm.running().size() <= SETTINGS.concurrentPicks());
        }

        /** Ends the import: running compactions end, then all overlapping files are compacted. */
        void finish() {
            while (!lsm.running().isEmpty()) {
                lsm.finishOne();
            }
            startMerges(CompactionMode.FINAL);
            while (!lsm.running().isEmpty()) {
                lsm.finishOne();
                startMerges(CompactionMode.FINAL);
            }
            assertTrue(lsm.map().height() <= 1, () -> lsm.map().describe(150));
            assertEquals(expected, lsm.contents());
        }

        void assertWriteAmplification(double most) {
            assertTrue(
                    lsm.writeAmplification() <= most,
                    () -> "write amplification " + lsm.writeAmplification() + ", tallest " + tallest);
        }
    }

    private static Run offline(SplittableRandom random) {
        return new Run(random, CompactionMode.OFFLINE);
    }

    @Test
    void sortedInputIsNeverRewritten() {
        Seeds.each(1, random -> {
            Run run = offline(random);
            for (int i = 0; i < 500; i++) {
                run.arrive(i * 1000, i * 1000 + 1000, 40);
            }
            run.finish();
            assertEquals(1.0, run.lsm.writeAmplification());
        });
    }

    @Test
    void reversedInputIsNeverRewritten() {
        Seeds.each(1, random -> {
            Run run = offline(random);
            for (int i = 500; i > 0; i--) {
                run.arrive(i * 1000, i * 1000 + 1000, 40);
            }
            run.finish();
            assertEquals(1.0, run.lsm.writeAmplification());
        });
    }

    /** Flushes that cover all keys, cut by the writer at common keys: one stack per span. */
    private static Run cutFlushes(SplittableRandom random, int flushes) {
        Run run = offline(random);
        int stretches = 6;
        for (int flush = 0; flush < flushes; flush++) {
            for (int i = 0; i < stretches; i++) {
                int width = KEYS / stretches;
                run.arrive(i * width, (i + 1) * width, 20 + random.nextInt(40));
            }
        }
        run.finish();
        return run;
    }

    @Test
    void flushesThatFitTheLevelsAreCompactedOnce() {
        Seeds.each(1, random -> cutFlushes(random, SETTINGS.offline().start()).assertWriteAmplification(2.0));
    }

    @Test
    void manyFlushesStayWithinTheirBudget() {
        Seeds.each(1, random -> cutFlushes(random, 64).assertWriteAmplification(2.5));
    }

    @Test
    void fourTimesAsManyFlushesCostOneOrTwoMoreRewrites() {
        Seeds.each(1, random -> cutFlushes(random, 250).assertWriteAmplification(3.5));
    }

    /** Runs a simulation with several seeds: their mean write amplification meets the aim, and each meets a bound. */
    private static void assertMeanWriteAmplification(
            double aim, double bound, int seeds, Function<SplittableRandom, Run> simulation) {
        List<Double> amplifications = new ArrayList<>();
        Seeds.each(seeds, random -> {
            Run run = simulation.apply(random);
            run.assertWriteAmplification(bound);
            amplifications.add(run.lsm.writeAmplification());
        });
        double mean =
                amplifications.stream().mapToDouble(each -> each).average().orElseThrow();
        assertTrue(mean <= aim, "write amplification " + amplifications);
    }

    /**
     * Every file covers all keys, so there is one stack, and compactions do not run in parallel. Of 60 seeds: mean
     * 2.38, most 2.51.
     */
    @Test
    void wideFiles() {
        assertMeanWriteAmplification(2.5, 2.7, 4, random -> {
            Run run = offline(random);
            for (int i = 0; i < 64; i++) {
                run.arrive(0, KEYS, 20 + random.nextInt(40));
            }
            run.finish();
            return run;
        });
    }

    /** Of 60 seeds: mean 2.02, most 2.35; others gave 2.56. */
    @Test
    void narrowFilesInRandomOrder() {
        assertMeanWriteAmplification(2.5, 3.0, 3, random -> {
            Run run = offline(random);
            for (int i = 0; i < 600; i++) {
                int from = random.nextInt(KEYS - KEYS / 20);
                run.arrive(from, from + 1 + random.nextInt(KEYS / 20), 40);
            }
            run.finish();
            return run;
        });
    }

    /** Of 60 seeds: mean 3.00, most 3.45; others gave 3.71. */
    @Test
    void filesOfAnySizeAndWidth() {
        assertMeanWriteAmplification(3.5, 4.2, 3, random -> {
            Run run = offline(random);
            for (int i = 0; i < 400; i++) {
                int width = 1 + random.nextInt(1 + random.nextInt(KEYS / 3));
                int from = random.nextInt(KEYS - width);
                run.arrive(from, from + width, 1 + random.nextInt(80));
            }
            run.finish();
            return run;
        });
    }

    /** Each file overlaps the next, so the stack rises although no key has more than two files. */
    @Test
    void staircases() {
        Seeds.each(1, random -> {
            Run run = offline(random);
            for (int i = 0; i < 300; i++) {
                run.arrive(i * 1000, i * 1000 + 1600, 40);
            }
            run.finish();
            run.assertWriteAmplification(2.2);
        });
    }

    @Test
    void visibleTablesStayLow() {
        Seeds.each(1, random -> {
            Run run = new Run(random, CompactionMode.ONLINE);
            for (int i = 0; i < 400; i++) {
                int width = 1 + random.nextInt(1 + random.nextInt(KEYS / 2));
                int from = random.nextInt(KEYS - width);
                run.arrive(from, from + width, 1 + random.nextInt(80));
            }
            assertEquals(run.expected, run.lsm.contents());
            run.assertWriteAmplification(4.5);
        });
    }

    @Test
    void mapOfThousandsOfFilesIsFast() {
        List<LsmFile> files = new ArrayList<>();
        for (int i = 0; i < 5_000; i++) {
            KeyBounds bounds = new KeyBounds(SimulatedLsm.key(i * 10), SimulatedLsm.key(i * 10 + 300));
            files.add(new LsmFile("F" + i, 0, bounds, 1, 1, i));
        }
        SublevelMap map = SublevelMap.of(files, 0);
        assertEquals(31, map.height());
        assertEquals(5_000, map.top(), "a staircase");
    }
}
