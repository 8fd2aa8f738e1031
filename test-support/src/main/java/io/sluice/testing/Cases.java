package io.sluice.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A random part of a test's cases, where all of them take longer than the usual run has. Each run takes other ones; the
 * profile {@code long} takes all.
 */
public final class Cases {
    private static final boolean ALL = Boolean.getBoolean("sluice.cases.all");

    private Cases() {}

    /** So many of the cases, chosen by the seed, in their order; all of them in the profile {@code long}. */
    public static <T> List<T> some(long seed, int most, List<T> all) {
        if (ALL || most >= all.size()) {
            return all;
        }
        // Selection sampling: Knuth, The Art of Computer Programming, volume 2, 3.4.2, algorithm S.
        SplittableRandom random = new SplittableRandom(seed);
        List<T> chosen = new ArrayList<>();
        for (int i = 0; chosen.size() < most; i++) {
            if (random.nextInt(all.size() - i) < most - chosen.size()) {
                chosen.add(all.get(i));
            }
        }
        return chosen;
    }
}
