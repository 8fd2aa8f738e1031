package io.sluice.importer.job;

/**
 * Estimates the time left of an import from its mean speed, and shows it as a steady countdown. A better estimate shows
 * at once. A worse one shows only if it is worse by a tenth for two seconds. Not thread-safe.
 */
public final class Eta {
    private static final double FIRST_ESTIMATE_SECONDS = 0.5;
    private static final double TOLERANCE = 1.1;
    private static final double PATIENCE_SECONDS = 2;

    private double shownEnd = Double.NaN;
    private double worseSince = Double.NaN;

    /** Seconds left when {@code fraction} was done in {@code elapsedSeconds}; NaN while no estimate exists. */
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
