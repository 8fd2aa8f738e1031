package io.sluice.sql.apply;

/**
 * Result of applying a change log.
 *
 * @param skipped lines that an earlier run had applied
 * @param changes lines that this run applied
 * @param transactions number of transactions of this run
 * @param millis duration of this run
 */
public record ApplyReport(long skipped, long changes, long transactions, long millis) {
    private static final double MILLIS_PER_SECOND = 1000;

    public double changesPerSecond() {
        return changes * MILLIS_PER_SECOND / Math.max(1, millis);
    }
}
