package io.sluice.grammar;

import java.util.ArrayList;
import java.util.List;

/** Splits a script into statements, at semicolons outside of quotes and comments. */
public final class SqlScript {
    /** Maximum nesting of parentheses; shallow enough for a recursive parser. */
    private static final int MAX_DEPTH = 32;

    private final String script;
    private final List<StatementText> statements = new ArrayList<>();
    private final StringBuilder text = new StringBuilder();
    private int at;
    private int line = 1;
    private int column = 1;
    private int firstLine = 1;
    private int firstColumn = 1;
    private boolean blank = true;
    private int depth;

    private SqlScript(String script) {
        this.script = script;
    }

    /**
     * Splits an excerpt of a longer script; drops empty statements.
     *
     * @param line line of the excerpt's start in the script, from 1
     * @param column column of the excerpt's start in that line, from 1
     * @throws StatementException as in {@link #split(String)}
     */
    public static List<StatementText> split(String script, int line, int column) {
        SqlScript cutter = new SqlScript(script);
        cutter.line = line;
        cutter.column = column;
        cutter.run();
        cutter.end();
        return List.copyOf(cutter.statements);
    }

    /**
     * Splits a script; drops empty statements.
     *
     * @throws StatementException if a quote or a comment is never closed, or parentheses are nested too deeply
     */
    public static List<StatementText> split(String script) {
        return split(script, 1, 1);
    }

    private void run() {
        while (at < script.length()) {
            char c = script.charAt(at);
            if (c == ';') {
                end();
                take(1, false);
            } else if (script.startsWith("--", at)) {
                int newline = script.indexOf('\n', at);
                take((newline < 0 ? script.length() : newline) - at, false);
            } else if (script.startsWith("/*", at)) {
                take(commentEnd() - at, false);
            } else if (c == '\'' || c == '"') {
                begin();
                take(closingQuote(c) - at, true);
            } else if (isBlank(c)) {
                take(1, false);
            } else {
                begin();
                nest(c);
                take(1, true);
            }
        }
    }

    /** Whether a character separates tokens; a byte order mark does. */
    static boolean isBlank(char c) {
        return Character.isWhitespace(c) || c == '\uFEFF';
    }

    private void begin() {
        if (blank) {
            blank = false;
            firstLine = line;
            firstColumn = column;
            text.setLength(0);
        }
    }

    private void nest(char c) {
        depth += c == '(' ? 1 : c == ')' ? -1 : 0;
        if (depth > MAX_DEPTH) {
            throw refusal(SqlErrorCode.UNSUPPORTED, "more than " + MAX_DEPTH + " parentheses are open");
        }
    }

    /** Takes characters into the statement; blanks stand for those that are not kept, except for line breaks. */
    private void take(int count, boolean kept) {
        for (int i = 0; i < count; i++) {
            char c = script.charAt(at++);
            boolean newline = c == '\n';
            if (!blank) {
                text.append(kept || newline ? c : ' ');
            }
            line += newline ? 1 : 0;
            column = newline ? 1 : column + 1;
        }
    }

    /** Finds the end of a comment; comments nest, as in PostgreSQL. */
    private int commentEnd() {
        int open = 0;
        for (int end = at; end + 1 < script.length(); end++) {
            boolean opens = script.startsWith("/*", end);
            if (opens || script.startsWith("*/", end)) {
                open += opens ? 1 : -1;
                end++;
                if (open == 0) {
                    return end + 1;
                }
            }
        }
        throw refusal(SqlErrorCode.SYNTAX, "the comment that begins here is never closed");
    }

    /** Finds the closing quote; a doubled quote is an escaped quote. */
    private int closingQuote(char quote) {
        int end = at;
        do {
            end = script.indexOf(quote, end + 1);
            if (end < 0) {
                throw refusal(SqlErrorCode.SYNTAX, "the quote that begins here is never closed");
            }
            end++;
        } while (end < script.length() && script.charAt(end) == quote);
        return end;
    }

    private void end() {
        if (!blank) {
            statements.add(new StatementText(text.toString(), firstLine, firstColumn));
        }
        blank = true;
        depth = 0;
    }

    private StatementException refusal(SqlErrorCode code, String message) {
        return new StatementException(code, "line " + line + ", column " + column + ": " + message);
    }
}
