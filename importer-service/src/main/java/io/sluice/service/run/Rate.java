package io.sluice.service.run;

import java.util.ArrayDeque;
import java.util.Deque;

/** How fast a count grows, over the last seconds. Not safe for use by several threads. */
final class Rate {
    private static final long WINDOW_NANOS = 5_000_000_000L;
    private static final double NANOS_PER_SECOND = 1e9;

    private final Deque<long[]> moments = new ArrayDeque<>();

    /** The rate per second at a moment; a count that went down begins anew. */
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
