package io.sluice.service.run;

import io.sluice.importer.job.ImportProgress;
import io.sluice.importer.job.ImportProgress.Phase;
import io.sluice.importer.job.ImportSettings.Mode;

/**
 * How far an import is, as one number: phases have fixed shares, from what they took of imports of 1 to 4 GB
 * (docs/benchmarks.md), and within a phase that counts its bytes the share grows with them. It is a measure of work and
 * not of time; the time that is left is estimated from how fast it grows.
 */
final class Fraction {
    private Fraction() {}

    /** The shares of one mode, as the fraction at which each phase ends. */
    private record Shares(double sample, double read, double merge, double ingest, double verify) {
        static Shares of(Mode mode) {
            return switch (mode) {
                case MERGE -> new Shares(0, 0.70, 0.95, 0.97, 0.99);
                case DIRECT -> new Shares(0, 0.88, 0.88, 0.96, 0.99);
                case TWO_PASS -> new Shares(0.25, 0.65, 0.65, 0.95, 0.99);
            };
        }
    }

    /** The fraction of an import of that mode, below 1 until it is done. */
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
