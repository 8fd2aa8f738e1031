package io.sluice.model.schema;

import java.util.List;

/**
 * An index bound to the ids in its keys.
 *
 * @param def the index as declared
 * @param ancestors levels above the index, outermost first; empty if it is not interleaved
 */
public record Index(IndexDef def, List<Ancestor> ancestors) {
    public Index {
        ancestors = List.copyOf(ancestors);
    }

    /**
     * One level above an interleaved index.
     *
     * @param tableId the ancestor's table
     * @param indexId the ancestor's index
     * @param sharedColumns number of additional leading key columns at this level
     */
    public record Ancestor(int tableId, int indexId, int sharedColumns) {}
}
