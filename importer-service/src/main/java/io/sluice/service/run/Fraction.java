package io.sluice.service.run;

import io.sluice.importer.job.ImportProgress;
import io.sluice.importer.job.ImportProgress.Phase;
import io.sluice.importer.job.ImportSettings.Mode;

/**
 * Computes the progress of an import as one fraction. Phases have fixed shares, measured on imports of 1 to 4 GB
 * (docs/benchmarks.md); within a phase that counts its bytes, the share grows with them. The fraction measures work,
 * not time; the remaining time is estimated from its growth.
 */
final class Fraction {
    private Fraction() {}

    /** The fractions at which the phases of one mode end. */
    private record Shares(double sample, double read, double merge, double ingest, double verify) {
        static Shares of(Mode mode) {
            return switch (mode) {
                case MERGE -> new Shares(0, 0.70, 0.95, 0.97, 0.99);
                case DIRECT -> new Shares(0, 0.88, 0.88, 0.96, 0.99);
                case TWO_PASS -> new Shares(0.25, 0.65, 0.65, 0.95, 0.99);
            };
        }
    }

    /** Computes the fraction of an import in a mode; below 1 until it is done. */
    static double of(ImportProgress progress, Mode mode) {
        Shares shares = Shares.of(mode);
        Phase phase = progress.phase();
        return switch (phase) {
            case PREPARE -> 0;
            case SAMPLE -> shares.sample * part(progress.bytesRead(), progress.bytesTotal());
            case IMPORT ->
                shares.sample + (shares.read - shares.sample) * part(progress.bytesRead(), progress.bytesTotal());
            case MERGE ->
                shares.read + (shares.merge - shares.read) * part(progress.mergedBytes(), progress.mergeTotalBytes());
            case INGEST -> shares.merge;
            case VERIFY -> shares.ingest;
            case PUBLISH -> shares.verify;
            case DONE -> 1;
        };
    }

    private static double part(long done, long total) {
        return total <= 0 ? 0 : Math.min(1, (double) done / total);
    }
}
