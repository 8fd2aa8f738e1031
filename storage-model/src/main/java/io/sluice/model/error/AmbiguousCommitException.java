package io.sluice.model.error;

/**
 * The outcome of a transaction is unknown: the response was lost, or the commit write failed half-way. The transaction
 * is committed on all of its nodes or on none. Running it again may apply it twice.
 */
public final class AmbiguousCommitException extends OperationFailedException {
    private static final long serialVersionUID = 1L;

    public AmbiguousCommitException(String message) {
        super(message);
    }

    public AmbiguousCommitException(String message, Throwable cause) {
        super(message, cause);
    }
}
