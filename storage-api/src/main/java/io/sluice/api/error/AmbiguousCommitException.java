package io.sluice.api.error;

/**
 * It is not known yet whether a transaction was committed: the answer was lost, or the write that commits it failed
 * half-way. It is on all of its nodes or on none. Running it again may do it twice.
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
