package io.sluice.cli.progress;

import org.jspecify.annotations.Nullable;

/**
 * How far a job has come.
 *
 * @param phase what it is doing, in one word
 * @param bytesDone of the input, read and done with
 * @param bytesTotal length of the input, or -1 when nobody knows (standard input)
 * @param rows rows so far
 * @param elapsedNanos since the job began
 * @param limiter what holds the job back, in one word; empty when nobody knows
 * @param told what the job says of itself, or null: whoever draws it must work that out
 */
public record ProgressSnapshot(
        String phase,
        long bytesDone,
        long bytesTotal,
        long rows,
        long elapsedNanos,
        String limiter,
        @Nullable Estimate told) {
    private static final double NANOS_PER_SECOND = 1e9;

    /**
     * What follows from how a job went so far. Each is NaN while nothing is known.
     *
     * @param fraction done part of the job, 0 to 1
     * @param etaSeconds until it is done
     * @param bytesPerSecond lately
     * @param rowsPerSecond lately
     */
    public record Estimate(double fraction, double etaSeconds, double bytesPerSecond, double rowsPerSecond) {}

    /** A job that tells no more than how far it is. */
    public ProgressSnapshot(
            String phase, long bytesDone, long bytesTotal, long rows, long elapsedNanos, String limiter) {
        this(phase, bytesDone, bytesTotal, rows, elapsedNanos, limiter, null);
    }

    double elapsedSeconds() {
        return elapsedNanos / NANOS_PER_SECOND;
    }

    /** Done part of the input, 0 to 1; 0 when the total is not known. */
    double fraction() {
        return bytesTotal <= 0 ? 0 : Math.min(1, (double) bytesDone / bytesTotal);
    }
}
