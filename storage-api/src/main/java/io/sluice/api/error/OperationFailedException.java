package io.sluice.api.error;

/**
 * The input was fine but the work could not be done: a disk is full, a file vanished, verification found a difference.
 * What was begun was undone. The command line ends with exit code 1.
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
