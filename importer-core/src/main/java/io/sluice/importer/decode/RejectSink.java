package io.sluice.importer.decode;

import io.sluice.importer.source.InputFile;
import org.jspecify.annotations.Nullable;

/** Receives rejects in the order of the input, one at a time. */
@FunctionalInterface
public interface RejectSink {
    /** Discards all rejects. */
    RejectSink NONE = (file, header, line, reject) -> {};

    /**
     * Receives a reject.
     *
     * @param header the header record of the file, with its line end, or null if it has none; read-only
     * @param line line of the file in which the record begins, from 1; 0 for formats that have no lines
     */
    void write(InputFile file, byte @Nullable [] header, long line, Reject reject);
}
