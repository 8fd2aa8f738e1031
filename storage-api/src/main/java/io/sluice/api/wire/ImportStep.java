package io.sluice.api.wire;

import java.util.Locale;

/**
 * A step of an open import, which a client requests by POST. Long-running steps are operations, see
 * {@link ApiHeaders#OPERATION}.
 */
public enum ImportStep {
    /** Returns an {@code IngestReport}. */
    FINALIZE,
    /** Returns a {@link DigestBody}. */
    READBACK,
    /** Takes a {@link PublishBody}; returns 204, or as an operation an {@link ImportState}. */
    PUBLISH,
    /** For an append: compares its KVs with the table's; returns an {@link AppendBody.Overlap}. */
    OVERLAP,
    /** For an append: takes {@link AppendBody.Keys}; returns {@link AppendBody.Holders}. */
    HOLDERS,
    /** For an append: takes {@link AppendBody.Replaced}; returns 204. */
    REPLACE,
    /** For an append to key ranges: takes {@link AppendBody.Prepare}; returns 204. */
    PREPARE,
    /** Tells the node that the client of an append is there; returns 204. */
    RENEW,
    /** Returns 204. */
    DETACH;

    /** The step's path segment. */
    public String path() {
        return name().toLowerCase(Locale.ROOT);
    }
}
