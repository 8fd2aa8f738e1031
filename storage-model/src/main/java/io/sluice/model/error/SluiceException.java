package io.sluice.model.error;

import org.jspecify.annotations.Nullable;

/**
 * A failure to report to the user: the message says what failed, why, and what to do. Callers branch on the subtype,
 * never on the text. Any other exception that reaches the user is a defect of Sluice.
 */
public abstract sealed class SluiceException extends RuntimeException
        permits BadInputException, OperationFailedException, ImportPausedException {
    private static final long serialVersionUID = 1L;

    private final FailureCode code;

    SluiceException(String message, @Nullable Throwable cause, FailureCode code) {
        super(message, cause);
        this.code = code;
    }

    /** The kind of the failure. */
    public FailureCode code() {
        return code;
    }
}
