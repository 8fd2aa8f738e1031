package io.sluice.sql;

import io.sluice.model.error.BadInputException;

/**
 * Settings for DELETE on hierarchies of interleaved tables.
 *
 * @param bySpan whether to erase spans of keys where that is equivalent to deleting row by row
 * @param chunkKvs number of KVs that an autocommitted DELETE by span visits in one transaction
 */
public record DeleteSettings(boolean bySpan, long chunkKvs) {
    /** Takes about a quarter of a second to scan; writes of others to the span conflict during that time. */
    public static final long DEFAULT_CHUNK_KVS = 1 << 20;

    /**
     * Validates the settings.
     *
     * @throws BadInputException if a chunk has no KVs
     */
    public DeleteSettings {
        if (chunkKvs < 1) {
            throw new BadInputException(
                    "SQL settings: KVs of a chunk of a DELETE: " + chunkKvs + ", must be at least 1");
        }
    }

    /** Returns the settings of a DELETE that must run in one transaction, however many KVs it visits. */
    DeleteSettings atOnce() {
        return new DeleteSettings(bySpan, Long.MAX_VALUE);
    }

    /** Deletes by spans, 1,048,576 KVs per transaction. */
    public static DeleteSettings defaults() {
        return new DeleteSettings(true, DEFAULT_CHUNK_KVS);
    }
}
