package io.sluice.grammar;

import io.sluice.grammar.Tokens.Kind;
import io.sluice.grammar.Tokens.Token;
import io.sluice.model.row.Row;
import io.sluice.model.schema.Column;
import io.sluice.model.schema.ColumnType;
import io.sluice.model.schema.TableDef;
import io.sluice.model.text.DatumProblem;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The statement to parse: resolves names, parses literals, and creates errors with positions. */
record Source(Tokens tokens, Function<String, @Nullable TableDef> tables) {
    private static final String PUBLIC_SCHEMA = "public";

    /** A number that is zero: decimals have no negative zero, so that FLOAT gets none from a literal in PostgreSQL. */
    private static final Pattern NEGATIVE_ZERO = Pattern.compile("-[0.]+([eE].*)?");

    /** Words that cannot be a name unless they are quoted. */
    private static final Set<String> RESERVED = Set.of("""
            all and as asc between by case cast cross desc distinct else end except fetch for from
            group having in inner intersect is join left like limit natural not null offset on or
            order returning right select set then union using values when where with
            """.trim().split("\\s+", -1));

    /**
     * A literal or a parameter.
     *
     * @param text its datum; null for NULL
     * @param type the type that is named before a string; null without one
     */
    record Given(
            Token at,
            @Nullable String text,
            Kind kind,
            @Nullable ColumnType type) {
        /** The literal after its conversion to another type. */
        Given converted(String other) {
            return new Given(at, other, kind, null);
        }

        boolean number() {
            return kind == Kind.NUMBER;
        }
    }

    StatementException unsupported(Token at, String message) {
        return tokens.unsupported(at, message);
    }

    StatementException refuse(SqlErrorCode code, Token at, String message) {
        return tokens.refuse(code, at, message);
    }

    static boolean isReserved(Token token) {
        return token.kind() == Kind.WORD && RESERVED.contains(token.image().toLowerCase(Locale.ROOT));
    }

    /**
     * Parses the name of a table, which must stand without alias, schema or options.
     *
     * @param form the form of the statement, for the error
     */
    TableDef table(String form) {
        Token first = name("a table");
        Token named = first;
        if (tokens.take(".")) {
            named = name("a table");
            if (!first.name().equals(PUBLIC_SCHEMA)) {
                throw unsupported(
                        first,
                        "'" + tokens.shownFrom(first) + "': name the table alone, without alias, schema or options");
            }
        }
        TableDef table = tables.apply(named.name());
        if (table == null) {
            throw refuse(SqlErrorCode.UNKNOWN_NAME, first, "there is no table " + named.name());
        }
        Token after = tokens.next();
        if (after.is(",") || after.is("join") || after.is("cross") || after.is("natural") || after.is("left")) {
            throw unsupported(after, "statements are on one table; only this form is supported: " + form);
        }
        if (after.is("as") || (after.isName() && !isReserved(after))) {
            throw unsupported(after, "'" + after.image() + "': name the table alone, without alias, schema or options");
        }
        return table;
    }

    private Token name(String what) {
        if (isReserved(tokens.next())) {
            throw tokens.unexpected("expected " + what);
        }
        return tokens.expectName(what);
    }

    /** Parses the name of a column, which may stand after that of its table; returns its position. */
    int column(TableDef table) {
        Token first = name("a column of " + table.name());
        boolean qualified = tokens.take(".");
        Token named = qualified ? tokens.expectName("a column of " + table.name()) : first;
        int column = qualified && !first.name().equals(table.name()) ? -1 : table.columnIndex(named.name());
        if (column < 0) {
            throw refuse(
                    SqlErrorCode.UNKNOWN_NAME,
                    first,
                    "table " + table.name() + " has no column " + tokens.shownFrom(first));
        }
        return column;
    }

    /** Parses a literal or a parameter; takes nothing and returns null if neither is next. */
    @Nullable
    Given given() {
        Token first = tokens.next();
        Token second = tokens.peek(1);
        if (first.is("-") || first.is("+")) {
            if (second.kind() != Kind.NUMBER) {
                return null;
            }
            tokens.take();
            tokens.take();
            return new Given(first, (first.is("-") ? "-" : "") + second.image(), Kind.NUMBER, null);
        }
        if (first.parameter() > 0) {
            if (second.kind() == Kind.NUMBER && second.start() == first.end()) {
                throw unsupported(first, "'?" + second.image() + "': parameters are question marks alone");
            }
            tokens.take();
            return new Given(first, tokens.parameter(first), Kind.STRING, null);
        }
        String word = first.kind() == Kind.WORD ? first.image().toLowerCase(Locale.ROOT) : "";
        ColumnType type = TypedLiterals.TYPES.get(word);
        if (second.kind() == Kind.STRING && type != null) {
            tokens.take();
            tokens.take();
            return new Given(first, second.image(), Kind.STRING, type);
        }
        boolean constant = word.equals("true") || word.equals("false") || word.equals("null");
        if (!constant && first.kind() != Kind.NUMBER && first.kind() != Kind.STRING) {
            return null;
        }
        tokens.take();
        return new Given(
                first,
                word.equals("null") ? null : constant ? word : first.image(),
                constant ? Kind.WORD : first.kind(),
                null);
    }

    /** Parses a literal of a column; returns its text, or null for NULL. */
    @Nullable
    String literal(Column column, ColumnType type) {
        Token first = tokens.next();
        Given given = given();
        boolean ends = tokens.next().is(",") || tokens.next().is(")") || tokens.atEnd() || isReserved(tokens.next());
        if (given == null || !ends) {
            if (tokens.atEnd()) {
                throw tokens.unexpected("expected a literal");
            }
            while (!tokens.atEnd() && !tokens.next().is(",") && !tokens.next().is(")")) {
                tokens.take();
            }
            throw unsupported(
                    first,
                    "'" + tokens.shownFrom(first)
                            + "' is no literal; write a number, a text in single quotes, TRUE, FALSE, NULL or ?");
        }
        String text = given.text();
        boolean zero =
                given.number() && text != null && NEGATIVE_ZERO.matcher(text).matches();
        return fitting(column, type, zero && text != null ? given.converted(text.substring(1)) : given);
    }

    /** Converts a literal to the type of a column, checks that it is a value of it, and returns its text. */
    @Nullable
    String fitting(Column column, ColumnType type, Given given) {
        String which = "column " + column.name() + " " + column.type().sql();
        ColumnType named = given.type();
        if (named == null || named.kind() == type.kind()) {
            return fitting(which, type, given);
        }
        String text = Objects.requireNonNull(fitting(named.sql(), named, given));
        String converted = TypedLiterals.assigned(named, text, type);
        if (converted == null) {
            throw unsupported(given.at(), which + ": " + named.sql() + " cannot be converted to " + type.sql());
        }
        return fitting(which, type, given.converted(converted));
    }

    /** Checks that a literal is a value of a type, and returns its text. */
    @Nullable
    String fitting(String which, ColumnType type, Given given) {
        String text = given.text();
        DatumProblem problem = text == null ? null : Literals.read(type, text, new Row(1), 0);
        if (problem != null) {
            String parameter =
                    given.at().parameter() == 0 ? "" : "parameter " + given.at().parameter() + ", ";
            throw refuse(
                    SqlErrorCode.BAD_VALUE, given.at(), parameter + which + ": '" + text + "': " + problem.message());
        }
        return text;
    }

    /** Requires that the statement ends here. */
    void end(String form) {
        if (!tokens.atEnd()) {
            throw unsupported(
                    tokens.next(),
                    "'" + tokens.next().image() + "' cannot stand here; only this form is supported: " + form);
        }
    }
}
