package io.sluice.api.schema;

import java.util.Locale;

/**
 * One token of SQL text.
 *
 * @param kind what it is
 * @param text as written, quotes included
 * @param line its line, from 1
 */
record Token(Kind kind, String text, int line) {
    enum Kind {
        WORD,
        QUOTED_NAME,
        NUMBER,
        STRING,
        SYMBOL
    }

    /** Whether it is the keyword, whatever its case; quoted names never are. */
    boolean isWord(String word) {
        return kind == Kind.WORD && text.equalsIgnoreCase(word);
    }

    boolean isSymbol(char symbol) {
        return kind == Kind.SYMBOL && text.charAt(0) == symbol;
    }

    boolean isName() {
        return kind == Kind.WORD || kind == Kind.QUOTED_NAME;
    }

    /** The identifier that is meant: folded to lower case unless it was quoted. */
    static String identifier(String written) {
        return written.startsWith("\"")
                ? written.substring(1, written.length() - 1).replace("\"\"", "\"")
                : written.toLowerCase(Locale.ROOT);
    }
}
