package io.sluice.importer.conflict;

import io.sluice.model.error.BadInputException;
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

    /**
     * The policy of a name.
     *
     * @param given the option with its value, for the message
     * @throws BadInputException for any other word
     */
    public static ConflictPolicy of(String name, String given) {
        for (ConflictPolicy policy : values()) {
            if (policy.label().equals(name.toLowerCase(Locale.ROOT))) {
                return policy;
            }
        }
        throw new BadInputException(given + ": must be error, first, last, or capture");
    }

    /** The policy's name in options. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
