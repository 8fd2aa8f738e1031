package io.sluice.importer.job.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Checks that the parts never exceed the budget. */
class MemoryPlanTest {
    private static final long MIB = 1L << 20;
    private static final long[] INPUTS = {-1, 1, 300 * MIB, 100_000 * MIB};

    @Test
    void thePartsKeepToTheBudget() {
        for (long memory = 64 * MIB; memory <= 16_384 * MIB; memory = memory * 3 / 2) {
            for (int workers = 1; workers <= 16 && workers * 16L * MIB <= memory; workers++) {
                for (int secondaries = 0; secondaries <= 8; secondaries++) {
                    for (long input : INPUTS) {
                        check(memory, workers, secondaries, input);
                    }
                }
            }
        }
    }

    private static void check(long memory, int workers, int secondaries, long input) {
        MemoryPlan plan = MemoryPlan.of(memory, workers, secondaries, input);
        String context = memory / MIB + " MiB, " + workers + " workers, " + secondaries + " secondaries, input " + input
                + ": " + plan;
        assertTrue(plan.primaryArenaBytes() > 0 && plan.splitBytes() > 0, context);
        assertTrue(secondaries == 0 || plan.secondaryArenaBytes() > 0, context);
        long arenas = plan.primaryArenaBytes() + (long) secondaries * plan.secondaryArenaBytes();
        long entries = Integer.BYTES
                * (MemoryPlan.maxEntries(plan.primaryArenaBytes())
                        + (long) secondaries * MemoryPlan.maxEntries(plan.secondaryArenaBytes()));
        long reading = workers * (plan.splitBytes() + arenas + entries + plan.sorterBytes())
                + plan.runBytes()
                + plan.readAheadBytes();
        long merging = plan.runBytes() + (long) workers * plan.mergeFanIn() * plan.mergeBlockBytes();
        assertTrue(reading <= memory, "reading takes " + reading / MIB + " MiB; " + context);
        assertTrue(merging <= memory, "merging takes " + merging / MIB + " MiB; " + context);
        assertTrue(plan.mergeFanIn() >= 8, context);
    }

    @Test
    void smallInputsAreCutSmallEnoughForAllWorkers() {
        MemoryPlan plan = MemoryPlan.of(1024 * MIB, 4, 1, 64 * MIB);
        assertTrue(plan.splitBytes() <= 2 * MIB + 1, plan.toString());
        assertEquals(256 << 10, MemoryPlan.of(1024 * MIB, 4, 1, 1000).splitBytes());
    }
}
