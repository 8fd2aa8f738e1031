package io.sluice.engine.lsm;

import org.jspecify.annotations.Nullable;

/**
 * An event in the queue of the log.
 *
 * @param atMillis time of the recording
 * @param family the column family of the event
 * @param table the table of the event, or null
 * @param event the event
 * @param lostBefore number of events lost for lack of room since the store was opened
 */
record QueuedEvent(long atMillis, String family, @Nullable String table, LsmEvent event, long lostBefore) {
    /** The marker after the last event. */
    static final QueuedEvent END = new QueuedEvent(0, "", null, new LsmEvent.Gap(0, ""), 0);
}
