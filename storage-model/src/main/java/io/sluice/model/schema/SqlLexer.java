package io.sluice.model.schema;

import io.sluice.model.schema.Token.Kind;
import java.util.ArrayList;
import java.util.List;

/** Splits SQL text into tokens, without comments. */
final class SqlLexer {
    private static final String SYMBOLS = "(),;.[]=<>!+-*/%:|&^~?@{}$#";

    private final String sql;
    private final DdlProblems problems;
    private final List<Token> tokens = new ArrayList<>();
    private int at;
    private int line = 1;

    private SqlLexer(String sql, DdlProblems problems) {
        this.sql = sql;
        this.problems = problems;
    }

    static List<Token> tokens(String sql, DdlProblems problems) {
        SqlLexer lexer = new SqlLexer(sql, problems);
        lexer.run();
        return lexer.tokens;
    }

    private void run() {
        while (at < sql.length()) {
            char c = sql.charAt(at);
            if (c == '\n') {
                line++;
                at++;
            } else if (Character.isWhitespace(c) || c == '\uFEFF') {
                at++;
            } else if (sql.startsWith("--", at)) {
                int newline = sql.indexOf('\n', at);
                at = newline < 0 ? sql.length() : newline;
            } else if (sql.startsWith("/*", at)) {
                skip("*/", 2, "comment");
            } else if (c == '"') {
                quoted(Kind.QUOTED_NAME, '"', "quoted name");
            } else if (c == '\'') {
                quoted(Kind.STRING, '\'', "string");
            } else if (Character.isLetter(c) || c == '_') {
                add(Kind.WORD, whileIn("_$"));
            } else if (Character.isDigit(c)) {
                add(Kind.NUMBER, whileIn("."));
            } else if (SYMBOLS.indexOf(c) >= 0) {
                add(Kind.SYMBOL, at + 1);
            } else {
                throw problems.at(line, "unexpected character '" + c + "'; quote names with double quotes");
            }
        }
    }

    private void add(Kind kind, int end) {
        tokens.add(new Token(kind, sql.substring(at, end), line));
        at = end;
    }

    private int whileIn(String more) {
        int end = at + 1;
        while (end < sql.length()
                && (Character.isLetterOrDigit(sql.charAt(end)) || more.indexOf(sql.charAt(end)) >= 0)) {
            end++;
        }
        return end;
    }

    /** Reads a quoted token, in which a doubled quote is an escaped quote. */
    private void quoted(Kind kind, char quote, String what) {
        int end = at;
        do {
            end = sql.indexOf(quote, end + 1);
            if (end >= 0 && end + 1 < sql.length() && sql.charAt(end + 1) == quote) {
                end++;
            } else {
                break;
            }
        } while (true);
        if (end < 0) {
            throw unclosed(what);
        }
        String text = sql.substring(at, end + 1);
        if (kind == Kind.QUOTED_NAME && text.length() == 2) {
            throw problems.at(line, "a name is empty; write something between the quotes");
        }
        tokens.add(new Token(kind, text, line));
        line += (int) text.chars().filter(c -> c == '\n').count();
        at = end + 1;
    }

    private void skip(String closing, int opening, String what) {
        int end = sql.indexOf(closing, at + opening);
        if (end < 0) {
            throw unclosed(what);
        }
        line += (int) sql.substring(at, end).chars().filter(c -> c == '\n').count();
        at = end + closing.length();
    }

    private RuntimeException unclosed(String what) {
        return problems.at(line, "the " + what + " that begins here is never closed");
    }
}
