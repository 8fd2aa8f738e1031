package io.sluice.api.transaction;

import java.util.Locale;

/** What became of a transaction. The lower-case names are part of the HTTP API. */
public enum Outcome {
    COMMITTED,
    /** It was not committed, and never will be. */
    ABORTED,
    /** The node cannot tell: the write that commits it failed, and only the log shows whether it is on disk. */
    UNKNOWN;

    /** Its name in the HTTP API. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The outcome of that name; one that is not known here is {@link #UNKNOWN}. */
    public static Outcome of(String text) {
        for (Outcome each : values()) {
            if (each.text().equals(text)) {
                return each;
            }
        }
        return UNKNOWN;
    }
}
