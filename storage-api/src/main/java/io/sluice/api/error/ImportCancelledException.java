package io.sluice.api.error;

/**
 * An import ended because somebody asked for it, and was undone: nodes hold nothing of it. The command line ends with
 * exit code 1.
 */
public final class ImportCancelledException extends SluiceException {
    private static final long serialVersionUID = 1L;

    public ImportCancelledException(String message) {
        super(message, null);
    }
}
