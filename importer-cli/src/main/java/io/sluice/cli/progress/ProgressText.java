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
}
