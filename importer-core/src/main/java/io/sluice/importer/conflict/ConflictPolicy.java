package io.sluice.importer.conflict;

import java.util.Locale;

/** What becomes of rows that share a key of the primary or a unique index and are not the same row. */
public enum ConflictPolicy {
    /** The import fails and names both rows. */
    ERROR,
    /** Whoever came first stays: a row of the table before one of the input, then the order of the input. */
    FIRST,
    /** Whoever came last stays; rows of the table give way. */
    LAST,
    /** As {@link #FIRST}; rows that give way go to the reject bundle, to be repaired and replayed. */
    CAPTURE;

    /** The policy's name in options. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
