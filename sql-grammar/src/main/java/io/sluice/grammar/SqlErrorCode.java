package io.sluice.grammar;

import java.util.Locale;

/** The error code of a failed statement, on which clients branch. The lower-case names are part of the HTTP API. */
public enum SqlErrorCode {
    /** The text is not valid SQL. */
    SYNTAX(true),
    /** The SQL is not supported; the message says what is supported. */
    UNSUPPORTED(true),
    /** The table or column does not exist. */
    UNKNOWN_NAME(true),
    /** A literal or the result of arithmetic is not a value of its column. */
    BAD_VALUE(true),
    /** NULL for a column that is NOT NULL. */
    NOT_NULL(false),
    /** A row with this primary key, or with these values of a unique index, exists. */
    UNIQUE(false),
    /** A row would reference a missing row, or another row references it. */
    FOREIGN_KEY(false),
    /** The transaction lost a conflict with another transaction; run the whole transaction again. */
    CONFLICT(false),
    /** An earlier statement of the transaction failed; only ROLLBACK is allowed. */
    ABORTED(false),
    /** COMMIT or ROLLBACK without BEGIN, or BEGIN within a transaction. */
    NO_TRANSACTION(true),
    /** The outcome of the commit is unknown; running it again may apply it twice. CockroachDB's word. */
    AMBIGUOUS(false),
    /** An import is adding rows to the table; try again when it has ended. */
    BUSY(false),
    /** The transaction or the result exceeds its memory limit. */
    TOO_LARGE(false),
    /** The session has ended: it was idle for too long, or the node was restarted. */
    SESSION(false),
    /** The store failed. */
    FAILED(false);

    private final boolean badInput;

    SqlErrorCode(boolean badInput) {
        this.badInput = badInput;
    }

    /** Whether the statement is invalid, so that a retry would fail too. */
    public boolean badInput() {
        return badInput;
    }

    /** The code's name in the HTTP API. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
