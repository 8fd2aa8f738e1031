package io.sluice.importer.job;

import io.sluice.importer.sort.SortBuffer;
import java.io.IOException;

/** Takes the KVs of one index from the workers' sort buffers. Usable by several threads. */
interface BufferSink {
    /** Position of the index in the table. */
    int ordinal();

    /** Takes a worker's buffer at the end of a split, unless the buffer is to wait for more KVs. */
    void splitEnded(SortBuffer buffer, CheckpointUnit unit, StageClock clock) throws IOException, InterruptedException;

    /**
     * Takes all KVs of a worker's buffer; the buffer is empty afterwards.
     *
     * @param unit the checkpoint unit of the KVs; counts what the nodes accept, if the KVs go to the nodes at once
     */
    void take(SortBuffer buffer, CheckpointUnit unit, StageClock clock) throws IOException, InterruptedException;
}
