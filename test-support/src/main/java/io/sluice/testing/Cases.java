package io.sluice.testing;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

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
        List<Integer> chosen = new ArrayList<>();
        for (int i = 0; i < all.size(); i++) {
            chosen.add(i);
        }
        Collections.shuffle(chosen, new Random(seed));
        return chosen.subList(0, most).stream().sorted().map(all::get).toList();
    }
}
