package io.sluice.api.error;

/**
 * What the user gave cannot be used as it is: a file, a schema, a row, an option, a store. Nothing was changed. The
 * command line ends with exit code 2.
 */
public final class BadInputException extends SluiceException {
    private static final long serialVersionUID = 1L;

    public BadInputException(String message) {
        super(message, null);
    }

    public BadInputException(String message, Throwable cause) {
        super(message, cause);
    }
}
