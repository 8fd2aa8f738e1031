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
    /** Takes a {@link PublishBody}; returns 204. */
    PUBLISH,
    /** Returns 204. */
    DETACH;

    /** The step's path segment. */
    public String path() {
        return name().toLowerCase(Locale.ROOT);
    }
}
