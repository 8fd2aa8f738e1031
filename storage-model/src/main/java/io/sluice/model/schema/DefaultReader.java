package io.sluice.model.schema;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Parses a DEFAULT clause: a constant, in parentheses or with casts, which are skipped because the column's type says
 * the same. An import does not evaluate expressions.
 */
final class DefaultReader {
    /** Words that end the expression, because they begin the next clause of the column. */
    private static final Set<String> OPTIONS = Set.of(
            "NOT",
            "NULL",
            "PRIMARY",
            "UNIQUE",
            "KEY",
            "CONSTRAINT",
            "REFERENCES",
            "CHECK",
            "FAMILY",
            "DEFAULT",
            "ON",
            "COMMENT",
            "COLLATE",
            "AUTO_INCREMENT",
            "GENERATED",
            "CREATE",
            "VISIBLE",
            "INVISIBLE",
            "FOR",
            "SRID");

    private DefaultReader() {}

    /**
     * A parsed DEFAULT clause.
     *
     * @param text the constant as text of the column's type, or null for NULL and for an expression
     * @param isConstant whether it is a constant
     */
    record Default(@Nullable String text, boolean isConstant) {}

    /** Parses what follows the word DEFAULT. */
    static Default read(TokenCursor cursor, DdlProblems problems) {
        int start = cursor.position();
        int place = cursor.place();
        while (!cursor.atEnd() && (cursor.position() == start || !isOption(cursor))) {
            if (cursor.isSymbol('(')) {
                cursor.parenthesized();
            } else if (cursor.isSymbol(',')) {
                break;
            } else {
                cursor.skip();
            }
        }
        List<Token> tokens = cursor.since(start);
        if (tokens.isEmpty()) {
            throw problems.at(
                    place, "expected a constant after DEFAULT: a number, a text in single quotes, TRUE, FALSE or NULL");
        }
        return constant(tokens);
    }

    private static Default constant(List<Token> written) {
        List<Token> tokens = written;
        for (int size = 0; size != tokens.size(); ) {
            size = tokens.size();
            tokens = inside(beforeCast(tokens));
        }
        String sign = "";
        if (tokens.size() == 2 && (tokens.get(0).isSymbol('-') || tokens.get(0).isSymbol('+'))) {
            sign = tokens.get(0).isSymbol('-') ? "-" : "";
            tokens = tokens.get(1).kind() == Token.Kind.NUMBER ? tokens.subList(1, 2) : List.of();
        }
        if (tokens.size() != 1) {
            return new Default(null, false);
        }
        Token token = tokens.get(0);
        return switch (token.kind()) {
            case NUMBER -> new Default(sign + token.text(), true);
            case STRING -> new Default(token.string(), true);
            case WORD ->
                token.isWord("TRUE")
                        ? new Default("true", true)
                        : token.isWord("FALSE") ? new Default("false", true) : new Default(null, token.isWord("NULL"));
            // SQLite and MySQL write texts in double quotes, too.
            case QUOTED_NAME ->
                token.text().startsWith("\"")
                        ? new Default(Token.identifier(token.text()), true)
                        : new Default(null, false);
            case SYMBOL -> new Default(null, false);
        };
    }

    /** The tokens before {@code ::} or {@code :::}, outside of parentheses. */
    private static List<Token> beforeCast(List<Token> tokens) {
        int depth = 0;
        for (int i = 0; i < tokens.size(); i++) {
            depth += tokens.get(i).isSymbol('(') ? 1 : tokens.get(i).isSymbol(')') ? -1 : 0;
            if (depth == 0 && tokens.get(i).isSymbol(':')) {
                return isCast(tokens.subList(i, tokens.size())) ? tokens.subList(0, i) : tokens;
            }
        }
        return tokens;
    }

    /** Whether the tokens are only casts, so that no operator follows. */
    private static boolean isCast(List<Token> tokens) {
        boolean name = false;
        for (Token token : tokens) {
            name |= token.isName();
            if (token.kind() == Token.Kind.STRING
                    || (token.kind() == Token.Kind.SYMBOL && ":.()[],".indexOf(token.text()) < 0)) {
                return false;
            }
        }
        return name;
    }

    /** The tokens inside the parentheses that enclose all of them. */
    private static List<Token> inside(List<Token> tokens) {
        if (tokens.size() < 2 || !tokens.get(0).isSymbol('(')) {
            return tokens;
        }
        int depth = 0;
        for (int i = 0; i < tokens.size(); i++) {
            depth += tokens.get(i).isSymbol('(') ? 1 : tokens.get(i).isSymbol(')') ? -1 : 0;
            if (depth == 0) {
                return i == tokens.size() - 1 ? tokens.subList(1, i) : tokens;
            }
        }
        return tokens;
    }

    private static boolean isOption(TokenCursor cursor) {
        return OPTIONS.stream().anyMatch(cursor::isWord);
    }
}
