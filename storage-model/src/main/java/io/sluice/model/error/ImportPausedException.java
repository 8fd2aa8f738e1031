package io.sluice.model.error;

import org.jspecify.annotations.Nullable;

/**
 * An import was paused and can be resumed, on a user's request or because of a failure that may pass. Storage nodes
 * keep what they had taken, unless {@link #undone}. The message says why the import paused and how to resume it. The
 * command exits with code 4.
 */
public final class ImportPausedException extends SluiceException {
    private static final long serialVersionUID = 1L;

    private final boolean requested;
    private final boolean undone;

    /** A pause because of a failure; nodes keep what they have. */
    public ImportPausedException(String message, Throwable cause) {
        this(message, cause, false, false);
    }

    private ImportPausedException(String message, @Nullable Throwable cause, boolean requested, boolean undone) {
        super(message, cause, FailureCode.OPERATION);
        this.requested = requested;
        this.undone = undone;
    }

    /**
     * Creates the exception for a pause that a user requested.
     *
     * @param undone whether the import was undone, so that nodes keep nothing
     */
    public static ImportPausedException onRequest(String message, boolean undone) {
        return new ImportPausedException(message, null, true, undone);
    }

    /** Whether a user requested the pause; otherwise a failure caused it. */
    public boolean requested() {
        return requested;
    }

    /** Whether the import was undone because its mode cannot be resumed; the next run imports everything. */
    public boolean undone() {
        return undone;
    }
}
