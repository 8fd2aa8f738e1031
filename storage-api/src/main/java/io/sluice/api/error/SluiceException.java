package io.sluice.api.error;

import org.jspecify.annotations.Nullable;

/**
 * A failure that a user is told about: the message says what happened, where, and what to do. Branch on the subtype,
 * never on the text. Anything else that is thrown is a defect of Sluice.
 */
public abstract sealed class SluiceException extends RuntimeException
        permits BadInputException, OperationFailedException, ImportPausedException, ImportCancelledException {
    private static final long serialVersionUID = 1L;

    SluiceException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
