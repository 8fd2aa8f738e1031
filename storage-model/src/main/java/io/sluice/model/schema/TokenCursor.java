package io.sluice.model.schema;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A forward cursor over a list of tokens. */
final class TokenCursor {
    private final List<Token> tokens;
    private final DdlProblems problems;
    private int at;

    /** The tokens must not be empty: the last one gives the place of a missing token. */
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

    /** Place of the next token; at the end, of the last one. */
    int place() {
        return tokens.get(Math.min(at, tokens.size() - 1)).place();
    }

    /** The token some positions after the next; null past the end. */
    @Nullable
    Token peek(int ahead) {
        return at + ahead < tokens.size() ? tokens.get(at + ahead) : null;
    }

    void skip() {
        at = Math.min(at + 1, tokens.size());
    }

    /** The tokens from a position to the next one. */
    List<Token> since(int position) {
        return tokens.subList(position, at);
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
            throw problems.at(place(), "expected " + word + " instead of " + next());
        }
    }

    void expect(char symbol) {
        if (!take(symbol)) {
            throw problems.at(place(), "expected '" + symbol + "' instead of " + next());
        }
    }

    String name(String what) {
        if (atEnd() || !tokens.get(at).isName()) {
            throw problems.at(
                    place(),
                    "expected the name of " + what + " instead of " + next() + "; put unusual names in double quotes");
        }
        String name = Token.identifier(tokens.get(at).text());
        if (name.indexOf('\n') >= 0 || name.indexOf('\r') >= 0) {
            throw problems.at(place(), "the name of " + what + " has a line break; close its quote on the same line");
        }
        at++;
        return name;
    }

    /** Reads a name whose last part counts: dumps put the schema or the database before it. */
    String qualifiedName(String what) {
        String name = name(what);
        while (take('.')) {
            name = name(what);
        }
        return name;
    }

    String tableName() {
        return qualifiedName("a table");
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
        int place = place();
        expect('(');
        int first = at;
        for (int depth = 1; at < tokens.size(); at++) {
            if (isSymbol('(')) {
                depth++;
            } else if (isSymbol(')') && --depth == 0) {
                return tokens.subList(first, at++);
            }
        }
        throw problems.at(place, "the parenthesis that begins here is never closed");
    }
}
