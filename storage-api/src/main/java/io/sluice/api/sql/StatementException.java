package io.sluice.api.sql;

/**
 * A statement that is refused or failed, on its way to where results are made. It is no {@code SluiceException}: those
 * end a command, and this one ends a statement.
 */
public final class StatementException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final SqlErrorCode code;

    /** Refuses for this reason; the message says what is wrong, where, and what to do. */
    public StatementException(SqlErrorCode code, String message) {
        // It tells what the statement is, not where the code was.
        super(message, null, false, false);
        this.code = code;
    }

    /** The kind of reason. */
    public SqlErrorCode code() {
        return code;
    }

    /** What is wrong, where, and what to do. */
    public String text() {
        return String.valueOf(getMessage());
    }
}
