package io.sluice.grammar;

/**
 * A statement was refused or failed. Not a {@code SluiceException}, which ends a command: this exception ends a
 * statement and becomes its result.
 */
public final class StatementException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final SqlErrorCode code;

    /** @param message what is wrong, at which position, and what to do */
    public StatementException(SqlErrorCode code, String message) {
        // No stack trace: the error is in the statement, not in the code.
        super(message, null, false, false);
        this.code = code;
    }

    public SqlErrorCode code() {
        return code;
    }

    /** The message: what is wrong, at which position, and what to do. */
    public String text() {
        return String.valueOf(getMessage());
    }
}
