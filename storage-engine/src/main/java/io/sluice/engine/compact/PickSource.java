package io.sluice.engine.compact;

import org.jspecify.annotations.Nullable;

/** An iterator over picks of one kind from one map. */
interface PickSource {
    /** The next pick that avoids the held files and bounds, or null when there is none. */
    @Nullable
    CompactionPick next(CompactionsInProgress held);
}
