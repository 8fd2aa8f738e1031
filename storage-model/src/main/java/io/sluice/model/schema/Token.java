package io.sluice.model.schema;

import java.util.Locale;

/**
 * One token of SQL text.
 *
 * @param kind kind of the token
 * @param text text as written, quotes included; a string has single quotes and its escapes are resolved
 * @param place offset in the SQL text
 */
record Token(Kind kind, String text, int place) {
    enum Kind {
        WORD,
        QUOTED_NAME,
        NUMBER,
        STRING,
        SYMBOL
    }

    /** Whether the token is the keyword, in any case; a quoted name is not. */
    boolean isWord(String word) {
        return kind == Kind.WORD && text.equalsIgnoreCase(word);
    }

    boolean isSymbol(char symbol) {
        return kind == Kind.SYMBOL && text.charAt(0) == symbol;
    }

    boolean isName() {
        return kind == Kind.WORD || kind == Kind.QUOTED_NAME;
    }

    /** The value of a string. */
    String string() {
        return text.substring(1, text.length() - 1);
    }

    /** Returns the identifier: folded to lower case unless it is in double quotes, backticks or brackets. */
    static String identifier(String written) {
        char opening = written.charAt(0);
        if (opening != '"' && opening != '`' && opening != '[') {
            return written.toLowerCase(Locale.ROOT);
        }
        String closing = opening == '[' ? "]" : String.valueOf(opening);
        return written.substring(1, written.length() - 1).replace(closing + closing, closing);
    }
}
