package io.sluice.grammar;

import io.sluice.grammar.Tokens.Token;
import io.sluice.model.schema.TableDef;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Parses statements and binds them to tables. Stateless.
 *
 * <p>A recursive-descent parser: {@link Tokens} splits the text, {@link SelectReader} and {@link WriteReader} parse
 * clauses, {@link ExpressionReader} values and conditions. What they do not know is refused with its position.
 */
public final class SqlParser {
    static final String SUPPORTED =
            "supported are INSERT … VALUES, UPDATE, DELETE and SELECT on one table, BEGIN, COMMIT, ROLLBACK and EXPLAIN";

    /** Statements of SQL that are not supported; another first word is an error of syntax. */
    private static final Set<String> OTHERS = Set.of(
            "with", "create", "alter", "drop", "truncate", "grant", "set", "show", "merge", "values", "table", "copy");

    /**
     * Parses a statement.
     *
     * @param tables finds a table by name; null if it does not exist
     * @throws StatementException if the text is not SQL, not supported, or does not fit its table; the message has the
     *     position
     */
    public Statement parse(StatementText text, Function<String, @Nullable TableDef> tables) {
        Tokens tokens = new Tokens(text);
        tokens.requireParameters();
        Statement bare = withoutTable(tokens);
        if (bare != null) {
            return bare;
        }
        boolean explain = tokens.take("explain");
        Statement statement = read(new Source(tokens, tables));
        return explain ? new Statement.Explain(statement) : statement;
    }

    /**
     * The word by which a statement that writes begins: insert, update or delete. Empty for any other one, and for
     * EXPLAIN of one.
     *
     * @throws StatementException if the text is not SQL
     */
    public static String verb(StatementText text) {
        Tokens tokens = new Tokens(text);
        for (String verb : List.of("insert", "update", "delete")) {
            if (tokens.take(verb)) {
                return verb;
            }
        }
        return "";
    }

    private static @Nullable Statement withoutTable(Tokens tokens) {
        Statement bare = null;
        if (tokens.take("start", "transaction") || tokens.take("begin")) {
            bare = new Statement.Begin();
        } else if (tokens.take("commit") || tokens.take("end")) {
            bare = new Statement.Commit();
        } else if (tokens.take("rollback") || tokens.take("abort")) {
            bare = new Statement.Rollback();
        }
        if (bare != null) {
            boolean unused = tokens.take("transaction");
            if (!tokens.atEnd()) {
                throw tokens.unexpected("expected the end of the statement");
            }
        }
        return bare;
    }

    private static Statement read(Source source) {
        Tokens tokens = source.tokens();
        Token first = tokens.next();
        if (tokens.take("select")) {
            return SelectReader.read(source);
        }
        if (tokens.take("insert")) {
            return new WriteReader(source).insert();
        }
        if (tokens.take("update")) {
            return new WriteReader(source).update();
        }
        if (tokens.take("delete")) {
            return new WriteReader(source).delete();
        }
        if (OTHERS.contains(first.image().toLowerCase(Locale.ROOT))) {
            throw source.unsupported(first, "this statement is not supported; " + SUPPORTED);
        }
        throw tokens.unexpected(SUPPORTED);
    }
}
