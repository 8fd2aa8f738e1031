package io.sluice.cli.progress;

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
        if (!snapshot.phase().equals(phase)) {
            // Another phase has other speeds, and bytes of its own.
            phaseBegan = phase.isEmpty() ? 0 : snapshot.elapsedSeconds();
            phase = snapshot.phase();
            eta = new Eta();
            speed = new Speed(phaseBegan);
        }
        speed.update(snapshot);
        StringBuilder line = new StringBuilder(String.format(Locale.ROOT, "%-8s", snapshot.phase()));
        boolean reading = snapshot.bytesTotal() <= 0 || snapshot.bytesDone() < snapshot.bytesTotal();
        if (snapshot.bytesTotal() > 0) {
            double fraction = snapshot.fraction();
            line.append(String.format(Locale.ROOT, "%3d%% ", (int) (100 * fraction)))
                    .append(bar(fraction))
                    .append(' ')
                    .append(Units.bytes((double) snapshot.bytesDone()))
                    .append(" of ")
                    .append(Units.bytes((double) snapshot.bytesTotal()));
        } else {
            line.append(Units.bytes((double) snapshot.bytesDone()));
        }
        line.append("  ").append(Units.count((double) snapshot.rows())).append(" rows");
        if (reading && speed.known()) {
            if (speed.rowsPerSecond() >= 1) {
                line.append("  ").append(Units.count(speed.rowsPerSecond())).append(" rows/s");
            }
            line.append("  ").append(Units.bytes(speed.bytesPerSecond())).append("/s");
        }
        double left = eta.update(snapshot.elapsedSeconds() - phaseBegan, snapshot.fraction());
        if (reading && !Double.isNaN(left)) {
            line.append("  ETA ").append(Units.clock(left));
        } else if (!reading) {
            line.append("  ").append(Units.seconds(snapshot.elapsedSeconds()));
        }
        if (!snapshot.limiter().isEmpty()) {
            line.append("  limited by ").append(snapshot.limiter());
        }
        return line.toString();
    }

    private static String bar(double fraction) {
        int full = (int) (BAR_CELLS * fraction);
        return "[" + "#".repeat(full) + "-".repeat(BAR_CELLS - full) + "]";
    }
}
