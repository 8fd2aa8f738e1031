package io.sluice.grammar;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The tokens of one statement, and a forward cursor over them. Comments are blanks already. Not thread-safe. */
final class Tokens {
    private static final String[] LONG_SYMBOLS = {"<=", ">=", "<>", "!=", "||", "::"};
    private static final String SYMBOLS = "(),.*+-/%<>=?[]";
    private static final int MAX_SHOWN = 80;

    private final StatementText text;
    private final List<Token> tokens = new ArrayList<>();
    private final int parameters;
    private int at;

    enum Kind {
        WORD,
        QUOTED_NAME,
        NUMBER,
        STRING,
        SYMBOL,
        END
    }

    /**
     * One token.
     *
     * @param image text as written; without its quotes for a string
     * @param parameter position of a question mark among all, from 1; 0 for another token
     */
    record Token(Kind kind, String image, int start, int end, int parameter) {
        boolean is(String word) {
            return (kind == Kind.WORD || kind == Kind.SYMBOL) && image.equalsIgnoreCase(word);
        }

        boolean isName() {
            return kind == Kind.WORD || kind == Kind.QUOTED_NAME;
        }

        /** The identifier: folded to lower case unless it is quoted. */
        String name() {
            return kind == Kind.QUOTED_NAME ? image : image.toLowerCase(Locale.ROOT);
        }
    }

    Tokens(StatementText text) {
        this.text = text;
        parameters = split();
        tokens.add(new Token(Kind.END, "end", text.text().length(), text.text().length(), 0));
    }

    /** Splits the text; returns the number of question marks. */
    private int split() {
        String sql = text.text();
        int marks = 0;
        int i = 0;
        while (i < sql.length()) {
            char c = sql.charAt(i);
            int end;
            if (Character.isWhitespace(c)) {
                i++;
                continue;
            }
            if (c == '\'' || c == '"') {
                end = quoted(sql, i, c);
            } else if (isDigit(c) || (c == '.' && i + 1 < sql.length() && isDigit(sql.charAt(i + 1)))) {
                end = number(sql, i);
            } else if (Character.isLetter(c) || c == '_') {
                end = word(sql, i);
            } else {
                end = symbol(sql, i);
                boolean mark = c == '?';
                marks += mark ? 1 : 0;
                tokens.add(new Token(Kind.SYMBOL, sql.substring(i, end), i, end, mark ? marks : 0));
            }
            i = end;
        }
        return marks;
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private int quoted(String sql, int from, char quote) {
        String both = String.valueOf(quote).repeat(2);
        int end = from;
        do {
            end = sql.indexOf(quote, end + 1);
            if (end < 0) {
                throw text.refuse(SqlErrorCode.SYNTAX, from, "the quote that begins here is never closed");
            }
            end++;
        } while (end < sql.length() && sql.charAt(end) == quote);
        String value = sql.substring(from + 1, end - 1).replace(both, String.valueOf(quote));
        tokens.add(new Token(quote == '"' ? Kind.QUOTED_NAME : Kind.STRING, value, from, end, 0));
        return end;
    }

    private int number(String sql, int from) {
        int end = digits(sql, from);
        if (end < sql.length() && sql.charAt(end) == '.') {
            end = digits(sql, end + 1);
        }
        if (end < sql.length() && (sql.charAt(end) == 'e' || sql.charAt(end) == 'E')) {
            int sign = end + 1;
            boolean signed = sign < sql.length() && "+-".indexOf(sql.charAt(sign)) >= 0;
            int exponent = digits(sql, signed ? sign + 1 : sign);
            end = exponent > (signed ? sign + 1 : sign) ? exponent : end;
        }
        if (end < sql.length() && (Character.isLetter(sql.charAt(end)) || sql.charAt(end) == '_')) {
            throw text.refuse(SqlErrorCode.SYNTAX, end, "a number ends here, and a letter follows it");
        }
        tokens.add(new Token(Kind.NUMBER, sql.substring(from, end), from, end, 0));
        return end;
    }

    private static int digits(String sql, int from) {
        int end = from;
        while (end < sql.length() && isDigit(sql.charAt(end))) {
            end++;
        }
        return end;
    }

    private int word(String sql, int from) {
        int end = from + 1;
        while (end < sql.length()
                && (Character.isLetterOrDigit(sql.charAt(end)) || "_$".indexOf(sql.charAt(end)) >= 0)) {
            end++;
        }
        tokens.add(new Token(Kind.WORD, sql.substring(from, end), from, end, 0));
        return end;
    }

    private int symbol(String sql, int from) {
        for (String symbol : LONG_SYMBOLS) {
            if (sql.startsWith(symbol, from)) {
                return from + symbol.length();
            }
        }
        if (SYMBOLS.indexOf(sql.charAt(from)) < 0) {
            throw text.refuse(
                    SqlErrorCode.SYNTAX,
                    from,
                    "unexpected '" + sql.charAt(from) + "'; put texts into single quotes and names into double quotes");
        }
        return from + 1;
    }

    Token next() {
        return tokens.get(at);
    }

    Token peek(int ahead) {
        return tokens.get(Math.min(at + ahead, tokens.size() - 1));
    }

    Token take() {
        Token token = next();
        at = Math.min(at + 1, tokens.size() - 1);
        return token;
    }

    int position() {
        return at;
    }

    void moveTo(int position) {
        at = position;
    }

    boolean atEnd() {
        return next().kind() == Kind.END;
    }

    /** Whether the next tokens are the words or symbols. */
    boolean isNext(String... words) {
        for (int i = 0; i < words.length; i++) {
            if (!peek(i).is(words[i])) {
                return false;
            }
        }
        return true;
    }

    /** Takes the words or symbols if they are next. */
    boolean take(String... words) {
        boolean next = isNext(words);
        if (next) {
            at += words.length;
        }
        return next;
    }

    /** Takes the words or symbols, which must be next. */
    void expect(String... words) {
        for (String word : words) {
            if (!take(word)) {
                throw unexpected("expected " + word);
            }
        }
    }

    Token expectName(String what) {
        if (!next().isName()) {
            throw unexpected("expected " + what);
        }
        return take();
    }

    /** Creates the error for a token that must not stand here. */
    StatementException unexpected(String expected) {
        String what = atEnd() ? "end" : "'" + shown(next().start(), next().end()) + "'";
        return refuse(SqlErrorCode.SYNTAX, next(), "unexpected " + what + ": " + expected);
    }

    StatementException unsupported(Token where, String message) {
        return refuse(SqlErrorCode.UNSUPPORTED, where, message);
    }

    StatementException refuse(SqlErrorCode code, Token where, String message) {
        return text.refuse(code, where.start(), message);
    }

    /** The text from a token to the last that was taken, truncated if it is long. */
    String shownFrom(Token first) {
        return shown(first.start(), tokens.get(Math.max(0, at - 1)).end());
    }

    private String shown(int from, int to) {
        String all = text.text().substring(from, Math.max(from, to));
        return all.length() <= MAX_SHOWN ? all : all.substring(0, MAX_SHOWN) + "…";
    }

    /** The value of a question mark; null for NULL. */
    @Nullable
    String parameter(Token mark) {
        return text.parameters().get(mark.parameter() - 1);
    }

    /** Refuses a statement whose numbers of parameters and question marks differ. */
    void requireParameters() {
        int given = text.parameters().size();
        if (given != parameters) {
            throw text.refuse(
                    SqlErrorCode.BAD_VALUE,
                    0,
                    "parameters: " + given + " for " + parameters + " question marks; give one for each");
        }
    }
}
