package io.sluice.importer.journal;

import io.sluice.importer.source.ReadSpan;

/**
 * A stretch of the input whose KVs are all in the journal.
 *
 * @param input ordinal of the input
 * @param span what of it was read
 * @param rows how many rows it has; all of them are good
 * @param entries per index, the KVs as entries of a sort buffer; nobody else holds them
 */
@SuppressWarnings("ArrayRecordComponent")
public record JournaledChunk(int input, ReadSpan span, long rows, byte[][] entries) {
    /** Takes pieces one by one. */
    @FunctionalInterface
    public interface Sink {
        /** Takes a piece. */
        void take(JournaledChunk piece) throws java.io.IOException, InterruptedException;
    }
}
