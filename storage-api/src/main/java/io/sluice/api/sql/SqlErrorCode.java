package io.sluice.api.sql;

import java.util.Locale;

/** Why a statement was not done: what clients branch on. The lower-case names are part of the HTTP API. */
public enum SqlErrorCode {
    /** The text is no SQL. */
    SYNTAX(true),
    /** SQL that is not supported; the message says what is. */
    UNSUPPORTED(true),
    /** There is no such table or column. */
    UNKNOWN_NAME(true),
    /** A literal is no value of its column, or the result of arithmetic is none. */
    BAD_VALUE(true),
    /** NULL for a column that is NOT NULL. */
    NOT_NULL(false),
    /** There is a row with this primary key, or with these values of a unique index. */
    UNIQUE(false),
    /** A row would refer to none, or is referred to. */
    FOREIGN_KEY(false),
    /** Another transaction was faster; run the whole transaction again. */
    CONFLICT(false),
    /** A statement of the transaction failed before; nothing but ROLLBACK helps. */
    ABORTED(false),
    /** COMMIT or ROLLBACK without BEGIN, or BEGIN within a transaction. */
    NO_TRANSACTION(true),
    /** Whether it was committed is not known yet; to run it again may be to do it twice. CockroachDB's word. */
    AMBIGUOUS(false),
    /** Rows are being added to the table by an import; try again when it has ended. */
    BUSY(false),
    /** The transaction or the result is larger than memory is given for. */
    TOO_LARGE(false),
    /** The session is not known any more: it was idle for too long, or the node was restarted. */
    SESSION(false),
    /** The store could not do it. */
    FAILED(false);

    private final boolean badInput;

    SqlErrorCode(boolean badInput) {
        this.badInput = badInput;
    }

    /** Whether the statement is wrong by itself: sent again it would be refused again. */
    public boolean badInput() {
        return badInput;
    }

    /** Its name in the HTTP API. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
