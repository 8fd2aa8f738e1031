package io.sluice.api.error;

/**
 * An import stopped with everything kept that storage nodes had taken, to be gone on with later. The message says what
 * it waits for and how to resume it. The command line ends with exit code 4.
 */
public final class ImportPausedException extends SluiceException {
    private static final long serialVersionUID = 1L;

    public ImportPausedException(String message, Throwable cause) {
        super(message, cause);
    }
}
