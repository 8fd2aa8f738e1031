package io.sluice.http;

import java.util.Locale;

/** Rights of the holder of a token. A role includes all before it. */
public enum Role {
    /** Reads everything: jobs, tables, rows, metrics. */
    READ,
    /** Adds: submits and controls jobs, and inserts rows. */
    SUBMIT,
    /** Changes and removes: other statements that write, drops, tunings. */
    OPERATE;

    /** The name in files and messages. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    boolean includes(Role other) {
        return compareTo(other) >= 0;
    }
}
