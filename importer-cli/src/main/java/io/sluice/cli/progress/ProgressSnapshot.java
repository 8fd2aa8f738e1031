package io.sluice.cli.progress;

import org.jspecify.annotations.Nullable;

/**
 * A job's progress at one moment.
 *
 * @param phase what it is doing, in one word
 * @param bytesDone of the input, read and done with
 * @param bytesTotal length of the input, or -1 if unknown (standard input)
 * @param rows rows so far
 * @param elapsedNanos since the job began
 * @param limiter limiting factor in one word; empty if unknown
 * @param told estimate by the job itself, or null if the progress line must compute it
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
     * Estimates from a job's progress so far. Each is NaN while unknown.
     *
     * @param fraction done part of the job, 0 to 1
     * @param etaSeconds until it is done
     * @param bytesPerSecond lately
     * @param rowsPerSecond lately
     */
    public record Estimate(double fraction, double etaSeconds, double bytesPerSecond, double rowsPerSecond) {}

    double elapsedSeconds() {
        return elapsedNanos / NANOS_PER_SECOND;
    }

    /** Done part of the input, 0 to 1; 0 when the total is not known. */
    double fraction() {
        return bytesTotal <= 0 ? 0 : Math.min(1, (double) bytesDone / bytesTotal);
    }
}
