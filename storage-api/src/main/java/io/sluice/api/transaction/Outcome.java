package io.sluice.api.transaction;

import java.util.Locale;

/** The outcome of a transaction. The lower-case names are part of the HTTP API. */
public enum Outcome {
    COMMITTED,
    /** The transaction was not committed and never will be. */
    ABORTED,
    /** The commit write failed; only the write-ahead log shows whether it is on disk. */
    UNKNOWN;

    /** The outcome's name in the HTTP API. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Finds an outcome by name; an unknown name is {@link #UNKNOWN}. */
    public static Outcome of(String text) {
        for (Outcome each : values()) {
            if (each.text().equals(text)) {
                return each;
            }
        }
        return UNKNOWN;
    }
}
