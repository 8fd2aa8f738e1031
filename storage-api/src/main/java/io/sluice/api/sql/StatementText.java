package io.sluice.api.sql;

/**
 * One statement of a script, without its semicolon.
 *
 * @param text the statement as it is written, comments blanked out: every character stands where it stood
 * @param parsed the same with blanks for line breaks outside of quotes, because the parser ends a statement at empty
 *     lines
 * @param line where its first character is in the script, from 1
 * @param column where that is in its line, from 1
 */
public record StatementText(String text, String parsed, int line, int column) {
    /** Refuses the statement because of what stands at an offset of its text. */
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

    /** The offset of what the parser saw at a line and a column, both from 1. */
    int offset(int parsedLine, int parsedColumn) {
        int start = 0;
        for (int i = 1; i < parsedLine; i++) {
            int newline = parsed.indexOf('\n', start);
            start = newline < 0 ? start : newline + 1;
        }
        return Math.min(parsed.length(), start + Math.max(0, parsedColumn - 1));
    }
}
