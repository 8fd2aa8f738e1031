package io.sluice.importer.job;

import io.sluice.importer.sort.SortBuffer;
import java.io.IOException;

/** Takes what workers have in their sort buffers for one index. Used by all workers. */
interface BufferSink {
    /** Place of the index in the table. */
    int ordinal();

    /** Takes what a worker's buffer holds at the end of a split, if it is not to wait for more. */
    void splitEnded(SortBuffer buffer, CheckpointUnit group, StageClock clock) throws IOException, InterruptedException;

    /**
     * Takes all that a worker's buffer holds; it is empty afterwards.
     *
     * @param group told what of it was taken by the nodes, if they get it at once
     */
    void take(SortBuffer buffer, CheckpointUnit group, StageClock clock) throws IOException, InterruptedException;
}
