package io.sluice.service.run;

import java.util.ArrayDeque;
import java.util.Deque;

/** The growth rate of a counter over the last seconds. Not thread-safe. */
final class Rate {
    private static final long WINDOW_NANOS = 5_000_000_000L;
    private static final double NANOS_PER_SECOND = 1e9;

    private final Deque<long[]> moments = new ArrayDeque<>();

    /** Adds a measurement and returns the rate per second; restarts if the counter decreased. */
    double at(long nanos, long count) {
        if (!moments.isEmpty() && count < moments.getLast()[1]) {
            moments.clear();
        }
        moments.addLast(new long[] {nanos, count});
        while (moments.size() > 2 && nanos - moments.getFirst()[0] > WINDOW_NANOS) {
            moments.removeFirst();
        }
        long[] first = moments.getFirst();
        return nanos == first[0] ? 0 : Math.max(0, (count - first[1]) * NANOS_PER_SECOND / (nanos - first[0]));
    }
}
