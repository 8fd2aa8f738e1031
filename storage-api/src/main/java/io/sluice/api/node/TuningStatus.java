package io.sluice.api.node;

import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;

/**
 * The tuning of a table's LSM tree and its effect.
 *
 * @param tuning the settings last stored for this table or for a table in the same tree
 * @param inForce whether the settings apply now; false while an import into the tree is running
 * @param converted number of range tombstones that scans have written since the node was opened, over all tables
 * @param abandoned number of conversions that scans abandoned because of a concurrent change
 * @param incomplete which nodes may have other settings and why; null if all nodes of the table have these
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record TuningStatus(
        TableTuning tuning,
        boolean inForce,
        long converted,
        long abandoned,
        @Nullable String incomplete) {
    /** The status of one node. */
    public TuningStatus(TableTuning tuning, boolean inForce, long converted, long abandoned) {
        this(tuning, inForce, converted, abandoned, null);
    }

    /** Adds the status of another node. */
    public TuningStatus plus(TuningStatus other) {
        boolean differ = !tuning.equals(other.tuning);
        return new TuningStatus(
                tuning,
                inForce && other.inForce,
                converted + other.converted,
                abandoned + other.abandoned,
                differ ? "the nodes of the table have different settings" : incomplete);
    }

    /** The status without the nodes that do not answer. */
    public TuningStatus without(String nodes) {
        String silent = "no answer from " + nodes;
        return new TuningStatus(
                tuning, inForce, converted, abandoned, incomplete == null ? silent : incomplete + "; " + silent);
    }
}
