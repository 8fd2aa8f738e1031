package io.sluice.model.schema;

import io.sluice.model.error.BadInputException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Parses a DEFAULT clause: a constant, in parentheses, with casts or after the name of its type. The column's type
 * mostly says the same as those; where an offset from UTC means something else to it, {@link Default#in} heeds them. An
 * import does not evaluate expressions.
 */
final class DefaultReader {
    /** Words that end the expression, because they begin the next clause of the column. */
    private static final Set<String> OPTIONS = Set.of("""
            NOT NULL PRIMARY UNIQUE KEY CONSTRAINT REFERENCES CHECK FAMILY DEFAULT ON COMMENT
            COLLATE AUTO_INCREMENT GENERATED CREATE VISIBLE INVISIBLE FOR SRID
            """.trim().split("\\s+", -1));

    /** A time with an offset from UTC behind it that is not zero, and the era. */
    private static final Pattern WITH_OFFSET =
            Pattern.compile("(?i)(.*\\d:\\d\\d[\\d:.]*)\\s*[+-](?![0:]+(?:\\s|$))\\d\\d(?::?\\d\\d){0,2}(\\s+BC)?\\s*");

    private final DdlProblems problems;
    private final SqlTypes types;
    /** The types of casts, the outermost first. */
    private final List<ColumnType> casts = new ArrayList<>();

    private DefaultReader(DdlProblems problems, SqlTypes types) {
        this.problems = problems;
        this.types = types;
    }

    /**
     * A parsed DEFAULT clause.
     *
     * @param text the constant as text of its type, or null for NULL and for an expression
     * @param isConstant whether it is a constant
     * @param casts the types to which the constant is cast, the outermost first
     */
    record Default(@Nullable String text, boolean isConstant, List<ColumnType> casts) {
        Default {
            casts = List.copyOf(casts);
        }

        private static Default expression() {
            return new Default(null, false, List.of());
        }

        /**
         * Returns the default as text of a column's type. An offset from UTC is removed if a cast to TIMESTAMP drops
         * it; one that would move a TIMESTAMP is an expression, which an import does not evaluate.
         */
        Default in(ColumnType column) {
            String found = text;
            TypeKind before = null;
            for (int i = casts.size(); i >= 0 && found != null; i--) {
                TypeKind kind = i == 0 ? column.kind() : casts.get(i - 1).kind();
                Matcher offset = WITH_OFFSET.matcher(found);
                boolean changes = before != null && before != kind && offset.matches();
                if (changes && before == TypeKind.TIMESTAMPTZ) {
                    return expression();
                }
                if (changes && before == TypeKind.TIMESTAMP) {
                    found = offset.group(1) + (offset.group(2) == null ? "" : offset.group(2));
                }
                before = kind;
            }
            return new Default(found, isConstant, List.of());
        }
    }

    /** Parses what follows the word DEFAULT. */
    static Default read(TokenCursor cursor, DdlProblems problems, SqlTypes types) {
        int start = cursor.position();
        int place = cursor.place();
        // Brackets of arrays, and CASE, which PostgreSQL writes without parentheses.
        int open = 0;
        while (!cursor.atEnd()
                && (open > 0 || (!cursor.isSymbol(',') && (cursor.position() == start || !isOption(cursor))))) {
            if (cursor.isSymbol('(')) {
                cursor.parenthesized();
                continue;
            }
            if (cursor.isSymbol('[') || cursor.isWord("CASE")) {
                open++;
            } else if (open > 0 && (cursor.isSymbol(']') || cursor.isWord("END"))) {
                open--;
            }
            cursor.skip();
        }
        List<Token> tokens = cursor.since(start);
        if (tokens.isEmpty()) {
            throw problems.at(
                    place, "expected a constant after DEFAULT: a number, a text in single quotes, TRUE, FALSE or NULL");
        }
        return new DefaultReader(problems, types).constant(tokens);
    }

    private Default constant(List<Token> written) {
        List<Token> tokens = written;
        for (int size = 0; size != tokens.size(); ) {
            size = tokens.size();
            tokens = inside(afterType(beforeCast(tokens)));
        }
        String sign = "";
        if (tokens.size() == 2 && (tokens.get(0).isSymbol('-') || tokens.get(0).isSymbol('+'))) {
            sign = tokens.get(0).isSymbol('-') ? "-" : "";
            tokens = tokens.get(1).kind() == Token.Kind.NUMBER ? tokens.subList(1, 2) : List.of();
        }
        if (tokens.size() != 1) {
            return Default.expression();
        }
        Token token = tokens.get(0);
        return switch (token.kind()) {
            // A number of bytes means another value to each type and system.
            case NUMBER -> token.text().matches("0[xX].*") ? Default.expression() : of(sign + token.text());
            case STRING -> of(token.string());
            case WORD ->
                token.isWord("TRUE")
                        ? of("true")
                        : token.isWord("FALSE") ? of("false") : new Default(null, token.isWord("NULL"), List.of());
            // SQLite and MySQL write texts in double quotes, too.
            case QUOTED_NAME ->
                token.text().startsWith("\"") ? of(Token.identifier(token.text())) : Default.expression();
            case SYMBOL -> Default.expression();
        };
    }

    private Default of(String text) {
        return new Default(text, true, casts);
    }

    /** The type that tokens name; null if they do not. */
    private @Nullable ColumnType type(List<Token> tokens) {
        if (tokens.isEmpty() || !tokens.get(0).isName()) {
            return null;
        }
        TokenCursor cursor = new TokenCursor(tokens, problems);
        try {
            ColumnType type = types.read(cursor).type();
            return cursor.atEnd() ? type : null;
        } catch (SqlTypes.BadType | BadInputException e) {
            return null;
        }
    }

    /** The constant of {@code TYPE 'text'} and {@code CAST(constant AS TYPE)}. */
    private List<Token> afterType(List<Token> tokens) {
        int last = tokens.size() - 1;
        if (last > 0 && tokens.get(last).kind() == Token.Kind.STRING) {
            ColumnType type = type(tokens.subList(0, last));
            if (type != null) {
                casts.add(type);
                return tokens.subList(last, last + 1);
            }
        }
        List<Token> argument = last > 1 && tokens.get(0).isWord("CAST") ? tokens.subList(1, last + 1) : List.of();
        List<Token> cast = inside(argument);
        for (int i = cast.size() - 1; i > 0 && cast != argument; i--) {
            ColumnType type = cast.get(i).isWord("AS") ? type(cast.subList(i + 1, cast.size())) : null;
            if (type != null) {
                casts.add(type);
                return cast.subList(0, i);
            }
        }
        return tokens;
    }

    /** The tokens before {@code ::} or {@code :::}, outside of parentheses. */
    private List<Token> beforeCast(List<Token> tokens) {
        int depth = 0;
        for (int i = 0; i < tokens.size(); i++) {
            depth += tokens.get(i).isSymbol('(') ? 1 : tokens.get(i).isSymbol(')') ? -1 : 0;
            if (depth == 0 && tokens.get(i).isSymbol(':')) {
                List<Token> cast = tokens.subList(i, tokens.size());
                if (!isCast(cast)) {
                    return tokens;
                }
                addCasts(cast);
                return tokens.subList(0, i);
            }
        }
        return tokens;
    }

    /** Adds the types of casts, which the tokens have from the innermost on. Unknown types mean nothing. */
    private void addCasts(List<Token> tokens) {
        int end = tokens.size();
        for (int i = end - 1; i >= 0; i--) {
            if (tokens.get(i).isSymbol(':')) {
                ColumnType type = type(tokens.subList(i + 1, end));
                if (type != null) {
                    casts.add(type);
                }
                end = i;
            }
        }
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
