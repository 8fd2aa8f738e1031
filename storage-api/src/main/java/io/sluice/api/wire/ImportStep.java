package io.sluice.api.wire;

import java.util.Locale;

/**
 * A later step of an import. Steps are asked for by POST. Those that take long are operations: see
 * {@link ApiHeaders#OPERATION}.
 */
public enum ImportStep {
    /** Answers an {@code IngestReport}. */
    FINALIZE,
    /** Answers a {@link DigestBody}. */
    READBACK,
    /** Takes {@link PublishBody}; answers 204. */
    PUBLISH,
    /** Answers 204. */
    DETACH;

    /** Its place in a path. */
    public String path() {
        return name().toLowerCase(Locale.ROOT);
    }
}
