package io.sluice.node.compact;

import java.util.SplittableRandom;
import java.util.function.Consumer;

/** Runs a test with several seeds and names the one that it fails with. */
final class Seeds {
    private Seeds() {}

    static void each(int runs, Consumer<SplittableRandom> test) {
        for (long seed = 1; seed <= runs; seed++) {
            try {
                test.accept(new SplittableRandom(seed));
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("with seed " + seed + ": " + e.getMessage(), e);
            }
        }
    }
}
