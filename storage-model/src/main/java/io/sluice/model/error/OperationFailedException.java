package io.sluice.model.error;

/**
 * An operation failed although the input was valid: a disk is full, a file vanished, verification found a difference.
 * Partial work was undone. The command exits with code 1.
 */
public sealed class OperationFailedException extends SluiceException
        permits AmbiguousCommitException,
                ChangeRefusedException,
                FencedException,
                NodeBusyException,
                NodeUnreachableException,
                TableBusyException {
    private static final long serialVersionUID = 1L;

    public OperationFailedException(String message) {
        this(message, FailureCode.OPERATION);
    }

    public OperationFailedException(String message, FailureCode code) {
        super(message, null, code);
    }

    public OperationFailedException(String message, Throwable cause) {
        super(message, cause, FailureCode.OPERATION);
    }
}
