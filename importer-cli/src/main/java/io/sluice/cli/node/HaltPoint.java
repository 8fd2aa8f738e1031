package io.sluice.cli.node;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Halts the process at a point of an import as if it were killed, for tests. The system property {@code sluice.halt.at}
 * names the point and, after a colon, how many times it must be reached.
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

    /** Returns the halt point of the property; without the property it never halts. */
    public static HaltPoint ofProperty() {
        String text = System.getProperty(PROPERTY, "");
        int colon = text.indexOf(':');
        return colon < 0
                ? new HaltPoint(text, 1)
                : new HaltPoint(text.substring(0, colon), Integer.parseInt(text.substring(colon + 1)));
    }

    /** Records that a point is reached; halts the process if it is the halt point, reached often enough. */
    public void reached(String reached) {
        if (reached.equals(point) && left.decrementAndGet() == 0) {
            Runtime.getRuntime().halt(KILLED);
        }
    }
}
