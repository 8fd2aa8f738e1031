package io.sluice.model.error;

/** A user cancelled the import, and it was undone: nodes hold no KV of it. The command exits with code 1. */
public final class ImportCancelledException extends SluiceException {
    private static final long serialVersionUID = 1L;

    public ImportCancelledException(String message) {
        super(message, null, FailureCode.OPERATION);
    }
}
