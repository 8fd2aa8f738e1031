package io.sluice.cli.progress;

/**
 * Rows and bytes per second over the last seconds: a mean that forgets exponentially, so the figure neither jumps nor
 * sticks. Not safe for use by several threads.
 */
final class Speed {
    /** Time constant: the age of a sample with weight 1/e. */
    private static final double MEMORY_SECONDS = 3;

    private double lastSeconds;
    private long lastBytes;
    private long lastRows;
    private double bytesPerSecond;
    private double rowsPerSecond;
    private boolean started;

    /** @param beganSeconds when there was nothing yet */
    Speed(double beganSeconds) {
        lastSeconds = beganSeconds;
    }

    boolean known() {
        return started;
    }

    void update(ProgressSnapshot snapshot) {
        double now = snapshot.elapsedSeconds();
        double passed = now - lastSeconds;
        if (passed <= 0) {
            return;
        }
        if (!started) {
            // Rows may come along from the phase before; bytes begin at nothing.
            lastRows = lastSeconds > 0 ? snapshot.rows() : 0;
        }
        double bytes = (snapshot.bytesDone() - lastBytes) / passed;
        double rows = (snapshot.rows() - lastRows) / passed;
        double weight = started ? 1 - Math.exp(-passed / MEMORY_SECONDS) : 1;
        bytesPerSecond += weight * (bytes - bytesPerSecond);
        rowsPerSecond += weight * (rows - rowsPerSecond);
        lastSeconds = now;
        lastBytes = snapshot.bytesDone();
        lastRows = snapshot.rows();
        started = true;
    }

    double bytesPerSecond() {
        return bytesPerSecond;
    }

    double rowsPerSecond() {
        return rowsPerSecond;
    }
}
