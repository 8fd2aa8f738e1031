package io.sluice.it.support;

/** Seeds of random tests: fresh in each run, unless {@code -Dsluice.seed=N} repeats one. */
public final class Seeds {
    private Seeds() {}

    /** Returns the seed of this run and prints it, so that a developer can repeat the run. */
    public static long of(Class<?> test) {
        long seed = Long.getLong("sluice.seed", System.nanoTime());
        System.out.println(test.getSimpleName() + ": repeat with -Dsluice.seed=" + seed);
        return seed;
    }
}
