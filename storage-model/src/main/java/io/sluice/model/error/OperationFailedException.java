package io.sluice.model.error;

/**
 * An operation failed although the input was valid: a disk is full, a file vanished, verification found a difference.
 * Partial work was undone. The command exits with code 1.
 */
public sealed class OperationFailedException extends SluiceException
        permits AmbiguousCommitException, NodeBusyException, NodeUnreachableException, TableBusyException {
    private static final long serialVersionUID = 1L;

    public OperationFailedException(String message) {
        super(message, null);
    }

    public OperationFailedException(String message, Throwable cause) {
        super(message, cause);
    }
}
