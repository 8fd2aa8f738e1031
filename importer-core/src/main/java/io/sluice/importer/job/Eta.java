package io.sluice.importer.job;

/**
 * When an import will be done, as a time that people can rely on: estimated from its mean speed so far, and shown so
 * that it counts down. It follows better estimates at once, but worse ones only when they are worse for good: by a
 * tenth and for two seconds. Not safe for use by several threads.
 */
public final class Eta {
    private static final double FIRST_ESTIMATE_SECONDS = 0.5;
    private static final double TOLERANCE = 1.1;
    private static final double PATIENCE_SECONDS = 2;

    private double shownEnd = Double.NaN;
    private double worseSince = Double.NaN;

    /** Seconds left when so much was done in so many seconds; NaN while there is nothing to go by. */
    public double update(double elapsedSeconds, double fraction) {
        if (fraction <= 0 || elapsedSeconds < FIRST_ESTIMATE_SECONDS) {
            return Double.NaN;
        }
        double end = elapsedSeconds / fraction;
        double left = end - elapsedSeconds;
        double shownLeft = shownEnd - elapsedSeconds;
        if (Double.isNaN(shownEnd) || left <= shownLeft) {
            follow(end);
        } else if (left > shownLeft * TOLERANCE) {
            if (Double.isNaN(worseSince)) {
                worseSince = elapsedSeconds;
            }
            if (elapsedSeconds - worseSince >= PATIENCE_SECONDS) {
                follow(end);
            }
        } else {
            worseSince = Double.NaN;
        }
        return Math.max(0, shownEnd - elapsedSeconds);
    }

    private void follow(double end) {
        shownEnd = end;
        worseSince = Double.NaN;
    }
}
