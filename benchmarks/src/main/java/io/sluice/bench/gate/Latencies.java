package io.sluice.bench.gate;

import java.util.Arrays;

/** Durations that were measured, all kept. Usable by several threads. */
final class Latencies {
    private long[] nanos = new long[1 << 10];
    private int count;

    synchronized void add(long measured) {
        if (count == nanos.length) {
            nanos = Arrays.copyOf(nanos, 2 * count);
        }
        nanos[count++] = measured;
    }

    synchronized int count() {
        return count;
    }

    /** The duration that this share of all does not exceed, in nanoseconds; 0 when there are none. */
    synchronized long quantile(double share) {
        if (count == 0) {
            return 0;
        }
        long[] sorted = Arrays.copyOf(nanos, count);
        Arrays.sort(sorted);
        return sorted[(int) Math.min(count - 1, (long) Math.ceil(share * count))];
    }
}
