package io.sluice.model.error;

import org.jspecify.annotations.Nullable;

/**
 * An import was paused and can be resumed, on a user's request or because of a failure that may pass. Storage nodes
 * keep what they had taken, unless {@link #undone}. The message says why the import paused and how to resume it. The
 * command exits with code 4.
 */
public final class ImportPausedException extends SluiceException {
    private static final long serialVersionUID = 1L;

    private final String reason;
    private final boolean requested;
    private final boolean undone;

    /** A pause because of a failure; nodes keep what they have. The message is the reason alone. */
    public ImportPausedException(String reason, Throwable cause) {
        this(reason, reason, cause, false, false);
    }

    /**
     * A pause because of a failure.
     *
     * @param undone whether nodes keep nothing
     * @param advice how to resume it by the command; it follows the reason in the message
     */
    public ImportPausedException(String reason, boolean undone, String advice, Throwable cause) {
        this(reason, reason + "\n" + advice, cause, false, undone);
    }

    private ImportPausedException(
            String reason, String message, @Nullable Throwable cause, boolean requested, boolean undone) {
        super(message, cause, FailureCode.OPERATION);
        this.reason = reason;
        this.requested = requested;
        this.undone = undone;
    }

    /**
     * Creates the exception for a pause that a user requested.
     *
     * @param undone whether the import was undone, so that nodes keep nothing
     */
    public static ImportPausedException onRequest(String message, boolean undone) {
        return new ImportPausedException(message, message, null, true, undone);
    }

    /** The message without advice on the command, for those who resume it by other means. */
    public String reason() {
        return reason;
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
