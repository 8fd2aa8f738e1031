package io.sluice.model.error;

/**
 * A later command has taken over the work. What was done so far stays; the same command may go on when that one ends.
 */
public final class FencedException extends OperationFailedException {
    private static final long serialVersionUID = 1L;

    public FencedException(String message) {
        super(message);
    }

    public FencedException(String message, Throwable cause) {
        super(message, cause);
    }
}
