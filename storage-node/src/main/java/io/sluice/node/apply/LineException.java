package io.sluice.node.apply;

/** What is wrong with a line, on its way to where the earliest of several is chosen. */
final class LineException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final long line;
    private final boolean transientFailure;

    LineException(long line, String message) {
        this(line, message, false);
    }

    /** With whether the same line may be fine another time. */
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
