package io.sluice.model.schema;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Parses a DEFAULT clause: a constant with an optional cast, which is skipped because the column's type says the same.
 * The parser refuses expressions, which an import would have to evaluate for every row.
 */
final class DefaultReader {
    private static final Set<String> OPTIONS =
            Set.of("NOT", "NULL", "PRIMARY", "UNIQUE", "CONSTRAINT", "REFERENCES", "CHECK", "FAMILY", "DEFAULT");

    private DefaultReader() {}

    /**
     * A parsed DEFAULT clause.
     *
     * @param text the constant as text of the column's type, or null for NULL
     * @param tokens number of tokens, DEFAULT included
     */
    record Constant(@Nullable String text, int tokens) {}

    /**
     * Parses a DEFAULT clause.
     *
     * @param tokens tokens that begin with DEFAULT
     * @return the constant; null if it is not a constant, which is reported
     */
    static @Nullable Constant read(List<Token> tokens, DdlProblems problems) {
        int at = 1;
        String sign = "";
        if (at < tokens.size()
                && (tokens.get(at).isSymbol('-') || tokens.get(at).isSymbol('+'))) {
            sign = tokens.get(at).isSymbol('-') ? "-" : "";
            at++;
        }
        Token token = at < tokens.size() ? tokens.get(at) : null;
        String text = token == null ? null : text(token, sign);
        boolean isNull = token != null && token.isWord("NULL") && at == 1;
        int end = text == null && !isNull ? -1 : behindCast(tokens, at + 1);
        if (end < 0) {
            problems.add(
                    tokens.get(0).line(),
                    "DEFAULT must be a constant: a number, a text in single quotes, TRUE, FALSE or NULL;"
                            + " an import cannot evaluate expressions, so leave it out and fill the column from the input");
            return null;
        }
        return new Constant(text, end);
    }

    private static @Nullable String text(Token token, String sign) {
        if (token.kind() == Token.Kind.NUMBER) {
            return sign + token.text();
        }
        if (!sign.isEmpty()) {
            return null;
        }
        if (token.kind() == Token.Kind.STRING) {
            return token.text().substring(1, token.text().length() - 1).replace("''", "'");
        }
        return token.isWord("TRUE") ? "true" : token.isWord("FALSE") ? "false" : null;
    }

    /** Position after {@code ::TYPE} or {@code :::TYPE}; -1 if the tokens are not a cast. */
    private static int behindCast(List<Token> tokens, int from) {
        int at = from;
        while (at < tokens.size() && tokens.get(at).isSymbol(':')) {
            at++;
        }
        if (at > from) {
            int type = at;
            while (at < tokens.size() && tokens.get(at).kind() == Token.Kind.WORD && !isOption(tokens.get(at))) {
                at++;
            }
            if (at == type) {
                return -1;
            }
            if (at < tokens.size() && tokens.get(at).isSymbol('(')) {
                while (at < tokens.size() && !tokens.get(at).isSymbol(')')) {
                    at++;
                }
                at++;
            }
        }
        return at <= tokens.size() && (at == tokens.size() || isOption(tokens.get(at))) ? at : -1;
    }

    private static boolean isOption(Token token) {
        return OPTIONS.stream().anyMatch(token::isWord);
    }
}
