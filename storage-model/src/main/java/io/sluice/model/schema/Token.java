package io.sluice.model.schema;

import java.util.Locale;

/**
 * One token of SQL text.
 *
 * @param kind kind of the token
 * @param text text as written, quotes included
 * @param line line, from 1
 */
record Token(Kind kind, String text, int line) {
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

    /** Returns the identifier: folded to lower case unless it is quoted. */
    static String identifier(String written) {
        return written.startsWith("\"")
                ? written.substring(1, written.length() - 1).replace("\"\"", "\"")
                : written.toLowerCase(Locale.ROOT);
    }
}
