package io.sluice.model.schema;

import io.sluice.model.error.BadInputException;
import java.util.ArrayList;
import java.util.List;

/** Collects the violations in one DDL text, each with its line, to report them together. */
final class DdlProblems {
    /** Maximum number of reported violations; more would not help a user. */
    private static final int MAX_REPORTED = 20;

    private final String sourceName;
    private final List<String> messages = new ArrayList<>();

    DdlProblems(String sourceName) {
        this.sourceName = sourceName;
    }

    void add(int line, String message) {
        messages.add(place(line) + message);
    }

    /** Adds a violation that ended the parsing of its statement. */
    void add(BadInputException violation) {
        messages.add(String.valueOf(violation.getMessage()));
    }

    /** Creates the exception for a violation that ends parsing; the caller throws it. */
    BadInputException at(int line, String message) {
        return new BadInputException(place(line) + message);
    }

    int count() {
        return messages.size();
    }

    void throwIfAny() {
        if (messages.isEmpty()) {
            return;
        }
        if (messages.size() > MAX_REPORTED) {
            int more = messages.size() - MAX_REPORTED;
            List<String> first = new ArrayList<>(messages.subList(0, MAX_REPORTED));
            first.add("... and " + more + " more");
            throw new BadInputException(String.join("\n", first));
        }
        throw new BadInputException(String.join("\n", messages));
    }

    private String place(int line) {
        return sourceName + ":" + line + ": ";
    }
}
