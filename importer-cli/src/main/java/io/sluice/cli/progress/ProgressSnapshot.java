package io.sluice.cli.progress;

/**
 * How far a job has come.
 *
 * @param phase what it is doing, in one word
 * @param bytesDone of the input, read and done with
 * @param bytesTotal length of the input, or -1 when nobody knows (standard input)
 * @param rows rows so far
 * @param elapsedNanos since the job began
 * @param limiter what holds the job back, in one word; empty when nobody knows
 */
public record ProgressSnapshot(
        String phase, long bytesDone, long bytesTotal, long rows, long elapsedNanos, String limiter) {
    private static final double NANOS_PER_SECOND = 1e9;

    double elapsedSeconds() {
        return elapsedNanos / NANOS_PER_SECOND;
    }

    /** Done part of the input, 0 to 1; 0 when the total is not known. */
    double fraction() {
        return bytesTotal <= 0 ? 0 : Math.min(1, (double) bytesDone / bytesTotal);
    }
}
