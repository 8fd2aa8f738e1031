package io.sluice.importer.conflict;

import java.util.Locale;

/** Policy for different rows that share a key of the primary or a unique index. */
public enum ConflictPolicy {
    /** The import fails and names both rows. */
    ERROR,
    /** The first row wins: a row of the table before rows of the input, then the order of the input. */
    FIRST,
    /** The last row of the input wins; rows of the table lose. */
    LAST,
    /** As {@link #FIRST}; losing rows go to the reject bundle, for repair and replay. */
    CAPTURE;

    /** The policy's name in options. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
