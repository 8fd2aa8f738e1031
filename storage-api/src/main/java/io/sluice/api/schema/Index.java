package io.sluice.api.schema;

import java.util.List;

/**
 * An index bound to ids: all that its keys are made of.
 *
 * @param def the index as declared
 * @param ancestors levels above it, outermost first; empty when it is not interleaved
 */
public record Index(IndexDef def, List<Ancestor> ancestors) {
    public Index {
        ancestors = List.copyOf(ancestors);
    }
}
