package io.sluice.node.apply;

/**
 * What became of a change log.
 *
 * @param skipped lines that an earlier run had applied
 * @param changes lines that this run has applied
 * @param transactions in which it did so
 * @param millis how long it took
 */
public record ApplyReport(long skipped, long changes, long transactions, long millis) {
    private static final double MILLIS_PER_SECOND = 1000;

    /** Changes per second. */
    public double changesPerSecond() {
        return changes * MILLIS_PER_SECOND / Math.max(1, millis);
    }
}
