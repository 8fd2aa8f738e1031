package io.sluice.engine.compact;

import java.util.SplittableRandom;
import java.util.function.Consumer;

/**
 * Runs a test with several seeds and names the one that it fails with. {@code -Dsluice.test.rounds=N}, which profile
 * {@code long} sets, takes N times as many.
 */
final class Seeds {
    private static final int ROUNDS = Integer.getInteger("sluice.test.rounds", 1);

    private Seeds() {}

    static void each(int runs, Consumer<SplittableRandom> test) {
        long first = Long.getLong("sluice.seed", System.nanoTime());
        for (long seed = first; seed < first + (long) runs * ROUNDS; seed++) {
            try {
                test.accept(new SplittableRandom(seed));
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("with -Dsluice.seed=" + seed + ": " + e.getMessage(), e);
            }
        }
    }
}
