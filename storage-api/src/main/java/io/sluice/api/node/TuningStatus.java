package io.sluice.api.node;

/**
 * The tuning of a table's LSM tree and its effect.
 *
 * @param tuning the settings last stored for this table or for a table in the same tree
 * @param inForce whether the settings apply now; false while an import into the tree is running
 * @param converted number of range tombstones that scans have written since the node was opened, over all tables
 * @param abandoned number of conversions that scans abandoned because of a concurrent change
 */
public record TuningStatus(TableTuning tuning, boolean inForce, long converted, long abandoned) {
    /** Adds the status of another node. */
    public TuningStatus plus(TuningStatus other) {
        return new TuningStatus(
                tuning, inForce && other.inForce, converted + other.converted, abandoned + other.abandoned);
    }
}
