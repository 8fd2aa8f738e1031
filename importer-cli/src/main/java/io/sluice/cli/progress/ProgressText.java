package io.sluice.cli.progress;

import io.sluice.cli.progress.ProgressSnapshot.Estimate;
import io.sluice.importer.job.Eta;
import java.util.Locale;

/** Snapshots as one line of text each. Not safe for use by several threads. */
final class ProgressText {
    private static final int BAR_CELLS = 20;

    private String phase = "";
    private double phaseBegan;
    private Eta eta = new Eta();
    private Speed speed = new Speed(0);

    /** The line for a snapshot; call it with later and later ones. */
    String line(ProgressSnapshot snapshot) {
        Estimate told = snapshot.told();
        Estimate estimate = told == null ? workedOut(snapshot) : told;
        StringBuilder line = new StringBuilder(String.format(Locale.ROOT, "%-8s", snapshot.phase()));
        if (!Double.isNaN(estimate.fraction())) {
            line.append(String.format(Locale.ROOT, "%3d%% ", (int) (100 * estimate.fraction())))
                    .append(bar(estimate.fraction()))
                    .append(' ');
        }
        line.append(Units.bytes((double) snapshot.bytesDone()));
        if (snapshot.bytesTotal() > 0) {
            line.append(" of ").append(Units.bytes((double) snapshot.bytesTotal()));
        }
        line.append("  ").append(Units.count((double) snapshot.rows())).append(" rows");
        boolean reading = snapshot.bytesTotal() <= 0 || snapshot.bytesDone() < snapshot.bytesTotal();
        if (reading) {
            if (estimate.rowsPerSecond() >= 1) {
                line.append("  ").append(Units.count(estimate.rowsPerSecond())).append(" rows/s");
            }
            if (!Double.isNaN(estimate.bytesPerSecond())) {
                line.append("  ").append(Units.bytes(estimate.bytesPerSecond())).append("/s");
            }
        }
        if (!Double.isNaN(estimate.etaSeconds())) {
            line.append("  ETA ").append(Units.clock(estimate.etaSeconds()));
        } else if (!reading) {
            line.append("  ").append(Units.seconds(snapshot.elapsedSeconds()));
        }
        if (!snapshot.limiter().isEmpty()) {
            line.append("  limited by ").append(snapshot.limiter());
        }
        return line.toString();
    }

    /** From this snapshot and those before. A phase ends with its bytes; what comes then is not known. */
    private Estimate workedOut(ProgressSnapshot snapshot) {
        if (!snapshot.phase().equals(phase)) {
            // Another phase has other speeds, and bytes of its own.
            phaseBegan = phase.isEmpty() ? 0 : snapshot.elapsedSeconds();
            phase = snapshot.phase();
            eta = new Eta();
            speed = new Speed(phaseBegan);
        }
        speed.update(snapshot);
        double left = eta.update(snapshot.elapsedSeconds() - phaseBegan, snapshot.fraction());
        boolean over = snapshot.bytesTotal() > 0 && snapshot.bytesDone() >= snapshot.bytesTotal();
        return new Estimate(
                snapshot.bytesTotal() > 0 ? snapshot.fraction() : Double.NaN,
                over ? Double.NaN : left,
                speed.known() ? speed.bytesPerSecond() : Double.NaN,
                speed.known() ? speed.rowsPerSecond() : Double.NaN);
    }

    private static String bar(double fraction) {
        int full = (int) (BAR_CELLS * fraction);
        return "[" + "#".repeat(full) + "-".repeat(BAR_CELLS - full) + "]";
    }

    /**
     * Rows and bytes per second over the last seconds: a mean that forgets exponentially, so the figure neither jumps
     * nor sticks.
     */
    private static final class Speed {
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
}
