package io.sluice.node.lsm;

import org.jspecify.annotations.Nullable;

/**
 * An event on its way to the log.
 *
 * @param atMillis when it was recorded
 * @param family the column family it happened to
 * @param table the table that was concerned, if one was
 * @param event what happened
 * @param lostBefore how many events had found no room since the store was opened
 */
record QueuedEvent(long atMillis, String family, @Nullable String table, LsmEvent event, long lostBefore) {
    /** Behind the last one. */
    static final QueuedEvent END = new QueuedEvent(0, "", null, new LsmEvent.Gap(0, ""), 0);
}
