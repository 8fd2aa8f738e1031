package io.sluice.cli.node;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Where this process is to end as if it were killed, for tests: the system property {@code sluice.halt.at} names a
 * point of an import, and behind a colon how many times it is to be reached.
 */
public final class HaltPoint {
    private static final String PROPERTY = "sluice.halt.at";

    /** 128 and the number of SIGKILL. */
    private static final int KILLED = 137;

    private final String point;
    private final AtomicInteger left;

    private HaltPoint(String point, int times) {
        this.point = point;
        left = new AtomicInteger(times);
    }

    /** What the property says; never reached if it is not set. */
    public static HaltPoint ofProperty() {
        String text = System.getProperty(PROPERTY, "");
        int colon = text.indexOf(':');
        return colon < 0
                ? new HaltPoint(text, 1)
                : new HaltPoint(text.substring(0, colon), Integer.parseInt(text.substring(colon + 1)));
    }

    /** Says that a point is reached; does not return if it is the one, for the last time. */
    public void reached(String reached) {
        if (reached.equals(point) && left.decrementAndGet() == 0) {
            Runtime.getRuntime().halt(KILLED);
        }
    }
}
