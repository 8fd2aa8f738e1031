package io.sluice.api.error;

import org.jspecify.annotations.Nullable;

/**
 * An import stopped to be gone on with later: because somebody asked for it, or because of what may get better by
 * itself. What storage nodes had taken is kept, unless {@link #beginsOver}. The message says what the import waits for
 * and how to resume it. The command line ends with exit code 4.
 */
public final class ImportPausedException extends SluiceException {
    private static final long serialVersionUID = 1L;

    private final boolean asked;
    private final boolean beginsOver;

    /** A pause that nobody asked for; nodes keep what they have. */
    public ImportPausedException(String message, Throwable cause) {
        this(message, cause, false, false);
    }

    private ImportPausedException(String message, @Nullable Throwable cause, boolean asked, boolean beginsOver) {
        super(message, cause);
        this.asked = asked;
        this.beginsOver = beginsOver;
    }

    /**
     * A pause that was asked for.
     *
     * @param beginsOver whether nothing is kept
     */
    public static ImportPausedException asAsked(String message, boolean beginsOver) {
        return new ImportPausedException(message, null, true, beginsOver);
    }

    /** Whether somebody asked for it; if not, something failed. */
    public boolean asked() {
        return asked;
    }

    /** Whether the import was undone, because its kind cannot be gone on with: the next run does all of it. */
    public boolean beginsOver() {
        return beginsOver;
    }
}
