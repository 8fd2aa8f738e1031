package io.sluice.model.error;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/** The kinds of failures of imports. Clients offer a way out by the code, never by the message. */
public enum FailureCode {
    /** More records are no rows of the table than the import allows. */
    TOO_MANY_REJECTS,
    /** The beginning of an input does not fit the table or the format. */
    FORMAT,
    /** Rows have the same key and different values. */
    CONFLICT,
    /** The KVs on the nodes differ from those that were sent. */
    VERIFICATION,
    /** The import makes a table that exists. */
    TABLE_EXISTS,
    /** The import adds rows to a table that does not exist. */
    NO_TABLE,
    /** The request or an input is invalid for another reason. */
    INVALID,
    /** The work failed; the same import may succeed later. */
    OPERATION,
    /** A defect of Sluice. */
    DEFECT;

    private static final Set<FailureCode> OF_THE_WORK = EnumSet.of(VERIFICATION, OPERATION, DEFECT);

    /** Whether a code of the HTTP API means invalid input. One of another version does not. */
    public static boolean isBadInput(String text) {
        return Arrays.stream(values())
                .filter(code -> !OF_THE_WORK.contains(code))
                .anyMatch(code -> code.text().equals(text));
    }

    /** The code in the HTTP API. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
