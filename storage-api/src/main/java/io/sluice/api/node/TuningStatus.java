package io.sluice.api.node;

/**
 * How the tree of a table behaves.
 *
 * @param tuning what was asked for, the last time for this table or one that it shares its tree with
 * @param inForce whether that is so now; not while an import into the tree is under way
 * @param converted range tombstones that scans have made since the node was opened, on all its tables together
 * @param givenUp those that they did not make, because something changed meanwhile
 */
public record TuningStatus(TableTuning tuning, boolean inForce, long converted, long givenUp) {
    /** Of several nodes together. */
    public TuningStatus plus(TuningStatus other) {
        return new TuningStatus(tuning, inForce && other.inForce, converted + other.converted, givenUp + other.givenUp);
    }
}
