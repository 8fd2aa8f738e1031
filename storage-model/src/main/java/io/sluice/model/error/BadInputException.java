package io.sluice.model.error;

/**
 * The user's input is invalid: a file, a schema, a row, an option or a store. Nothing was changed. The command exits
 * with code 2.
 */
public final class BadInputException extends SluiceException {
    private static final long serialVersionUID = 1L;

    public BadInputException(String message) {
        this(message, FailureCode.INVALID);
    }

    public BadInputException(String message, FailureCode code) {
        super(message, null, code);
    }

    public BadInputException(String message, Throwable cause) {
        super(message, cause, FailureCode.INVALID);
    }
}
