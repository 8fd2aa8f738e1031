package io.sluice.importer.journal;

import io.sluice.importer.source.ReadSpan;

/**
 * A span of the input whose KVs are all in the journal.
 *
 * @param input ordinal of the input
 * @param span the span of the input
 * @param rows number of rows; all are good
 * @param entries per index, the KVs as entries of a sort buffer; owned by the record
 */
@SuppressWarnings("ArrayRecordComponent")
public record JournaledChunk(int input, ReadSpan span, long rows, byte[][] entries) {
    /** Receives chunks one by one. */
    @FunctionalInterface
    public interface Sink {
        /** Receives a chunk. */
        void take(JournaledChunk chunk) throws java.io.IOException, InterruptedException;
    }
}
