package io.sluice.sql.apply;

/** The failure of one line of a log. {@link ParsedBatch} keeps the earliest. */
final class LineException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final long line;
    private final boolean transientFailure;

    LineException(long line, String message) {
        this(line, message, false);
    }

    /** @param transientFailure whether a retry of the same line may succeed */
    LineException(long line, String message, boolean transientFailure) {
        super(message, null, false, false);
        this.line = line;
        this.transientFailure = transientFailure;
    }

    long line() {
        return line;
    }

    boolean transientFailure() {
        return transientFailure;
    }
}
