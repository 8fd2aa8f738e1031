package io.sluice.api.error;

import org.jspecify.annotations.Nullable;

/**
 * An import stopped to be gone on with later: because somebody asked for it, or because of what may get better by
 * itself. What storage nodes had taken is kept, unless {@link #undone}. The message says what the import waits for and
 * how to resume it. The command line ends with exit code 4.
 */
public final class ImportPausedException extends SluiceException {
    private static final long serialVersionUID = 1L;

    private final boolean requested;
    private final boolean undone;

    /** A pause that nobody asked for; nodes keep what they have. */
    public ImportPausedException(String message, Throwable cause) {
        this(message, cause, false, false);
    }

    private ImportPausedException(String message, @Nullable Throwable cause, boolean requested, boolean undone) {
        super(message, cause);
        this.requested = requested;
        this.undone = undone;
    }

    /**
     * A pause that was asked for.
     *
     * @param undone whether nothing is kept
     */
    public static ImportPausedException onRequest(String message, boolean undone) {
        return new ImportPausedException(message, null, true, undone);
    }

    /** Whether somebody asked for it; if not, something failed. */
    public boolean requested() {
        return requested;
    }

    /** Whether the import was undone, because its kind cannot be gone on with: the next run does all of it. */
    public boolean undone() {
        return undone;
    }
}
