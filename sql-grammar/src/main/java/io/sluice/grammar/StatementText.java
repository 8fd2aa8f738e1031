package io.sluice.grammar;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One statement of a script, without its semicolon.
 *
 * @param text the statement as written, with comments replaced by blanks so that offsets stay the same
 * @param line line of its first character in the script, from 1
 * @param column column of its first character in that line, from 1
 * @param parameters values of its question marks, in order: text datums; null for NULL
 */
public record StatementText(String text, int line, int column, List<@Nullable String> parameters) {
    public StatementText {
        parameters = Collections.unmodifiableList(new ArrayList<>(parameters));
    }

    /** A statement without parameters. */
    StatementText(String text, int line, int column) {
        this(text, line, column, List.of());
    }

    /** Returns a copy with parameters. */
    public StatementText with(List<@Nullable String> others) {
        return new StatementText(text, line, column, others);
    }

    /** Creates the error for an offset of the statement's text. */
    StatementException refuse(SqlErrorCode code, int offset, String message) {
        return new StatementException(code, place(offset) + ": " + message);
    }

    private String place(int offset) {
        int atLine = line;
        int atColumn = column;
        for (int i = 0; i < Math.min(offset, text.length()); i++) {
            if (text.charAt(i) == '\n') {
                atLine++;
                atColumn = 1;
            } else {
                atColumn++;
            }
        }
        return "line " + atLine + ", column " + atColumn;
    }
}
