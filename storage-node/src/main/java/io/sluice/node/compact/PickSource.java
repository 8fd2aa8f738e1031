package io.sluice.node.compact;

import org.jspecify.annotations.Nullable;

/** Picks of one kind from one map, one after the other. */
interface PickSource {
    /** The next pick that touches nothing held, or null when there is none. */
    @Nullable
    CompactionPick next(CompactionsInProgress held);
}
