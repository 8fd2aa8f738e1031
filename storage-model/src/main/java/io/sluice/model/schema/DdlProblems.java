package io.sluice.model.schema;

import io.sluice.model.error.BadInputException;
import java.util.ArrayList;
import java.util.List;

/** Collects the violations in one DDL text, each with its line and column, to report them together. */
final class DdlProblems {
    /** Maximum number of reported violations; more would not help a user. */
    private static final int MAX_REPORTED = 20;

    private final String sourceName;
    private final String sql;
    private final List<String> messages = new ArrayList<>();

    DdlProblems(String sourceName, String sql) {
        this.sourceName = sourceName;
        this.sql = sql;
    }

    void add(int place, String message) {
        messages.add(prefix(place) + message);
    }

    /** Adds a violation that ended the parsing of its statement. */
    void add(BadInputException violation) {
        messages.add(String.valueOf(violation.getMessage()));
    }

    /** Creates the exception for a violation that ends parsing; the caller throws it. */
    BadInputException at(int place, String message) {
        return new BadInputException(prefix(place) + message);
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

    /** The line of a place, from 1. */
    int line(int place) {
        int line = 1;
        for (int i = 0; i < place; i++) {
            if (sql.charAt(i) == '\n') {
                line++;
            }
        }
        return line;
    }

    private String prefix(int place) {
        int column = place - sql.lastIndexOf('\n', place - 1);
        return sourceName + ":" + line(place) + ":" + column + ": ";
    }
}
