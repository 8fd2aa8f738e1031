package io.sluice.model.schema;

import java.util.ArrayList;
import java.util.List;

/** A forward cursor over a list of tokens. */
final class TokenCursor {
    private static final String PUBLIC_SCHEMA = "public";

    private final List<Token> tokens;
    private final DdlProblems problems;
    private int at;

    /** The tokens must not be empty: the last one gives the line of a missing token. */
    TokenCursor(List<Token> tokens, DdlProblems problems) {
        this.tokens = tokens;
        this.problems = problems;
    }

    int position() {
        return at;
    }

    boolean atEnd() {
        return at == tokens.size();
    }

    /** Line of the next token; at the end, of the last one. */
    int line() {
        return tokens.get(Math.min(at, tokens.size() - 1)).line();
    }

    /** The next token as written, for messages. */
    String next() {
        return atEnd() ? "the end" : tokens.get(at).text();
    }

    boolean isWord(String word) {
        return !atEnd() && tokens.get(at).isWord(word);
    }

    boolean isSymbol(char symbol) {
        return !atEnd() && tokens.get(at).isSymbol(symbol);
    }

    /** Skips the keywords if they all come next; returns whether it did. */
    boolean take(String... words) {
        for (int i = 0; i < words.length; i++) {
            if (at + i >= tokens.size() || !tokens.get(at + i).isWord(words[i])) {
                return false;
            }
        }
        at += words.length;
        return true;
    }

    boolean take(char symbol) {
        if (!isSymbol(symbol)) {
            return false;
        }
        at++;
        return true;
    }

    void expect(String word) {
        if (!take(word)) {
            throw problems.at(line(), "expected " + word + " instead of " + next());
        }
    }

    void expect(char symbol) {
        if (!take(symbol)) {
            throw problems.at(line(), "expected '" + symbol + "' instead of " + next());
        }
    }

    String name(String what) {
        if (atEnd() || !tokens.get(at).isName()) {
            throw problems.at(line(), "expected the name of " + what + " instead of " + next());
        }
        return Token.identifier(tokens.get(at++).text());
    }

    /** Reads a table name. The schema {@code public} may precede it, as in dumps. */
    String tableName() {
        int line = line();
        String name = name("a table");
        while (take('.')) {
            if (!name.equals(PUBLIC_SCHEMA)) {
                throw problems.at(line, "schema " + name + " is not supported; name the table without it");
            }
            name = name("a table");
        }
        return name;
    }

    /** Reads a list of names in parentheses. */
    List<String> nameList() {
        List<String> names = new ArrayList<>();
        expect('(');
        do {
            names.add(name("a column"));
        } while (take(','));
        expect(')');
        return names;
    }

    /** Reads a parenthesis and its closing one; returns the tokens between them. */
    List<Token> parenthesized() {
        int line = line();
        expect('(');
        int first = at;
        for (int depth = 1; at < tokens.size(); at++) {
            if (isSymbol('(')) {
                depth++;
            } else if (isSymbol(')') && --depth == 0) {
                return tokens.subList(first, at++);
            }
        }
        throw problems.at(line, "the parenthesis that begins here is never closed");
    }
}
