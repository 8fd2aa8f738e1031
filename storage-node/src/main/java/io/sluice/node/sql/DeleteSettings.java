package io.sluice.node.sql;

import io.sluice.api.error.BadInputException;

/**
 * How rows of a hierarchy of tables are deleted.
 *
 * @param bySpan whether by spans of keys, where that does the same as one by one
 * @param chunkKvs how many KVs such a DELETE passes over in one transaction, when it is not part of one
 */
public record DeleteSettings(boolean bySpan, long chunkKvs) {
    /** About a quarter of a second's scan: so long is what others write there a conflict. */
    public static final long DEFAULT_CHUNK_KVS = 1 << 20;

    /**
     * Checks them.
     *
     * @throws BadInputException when a chunk has no KVs
     */
    public DeleteSettings {
        if (chunkKvs < 1) {
            throw new BadInputException(
                    "SQL settings: KVs of a chunk of a DELETE: " + chunkKvs + ", must be at least 1");
        }
    }

    /** The same for a DELETE that must be done in one transaction, whatever it passes over. */
    DeleteSettings atOnce() {
        return new DeleteSettings(bySpan, Long.MAX_VALUE);
    }

    /** By spans, 1,048,576 KVs at a time. */
    public static DeleteSettings defaults() {
        return new DeleteSettings(true, DEFAULT_CHUNK_KVS);
    }
}
