package io.sluice.grammar;

import io.sluice.model.schema.TableDef;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Parses statements with JSqlParser and binds them to tables. Thread-safe.
 *
 * <p>JSqlParser accepts far more SQL than is supported here. Each reader converts the clauses it supports, builds a
 * tree from the result, and refuses the statement if the two trees print differently. So no clause is ignored silently.
 */
public final class SqlParser {
    static final String SUPPORTED =
            "supported are INSERT … VALUES, UPDATE, DELETE and SELECT on one table by key or key"
                    + " span, BEGIN, COMMIT, ROLLBACK and EXPLAIN";

    private static final String EXPLAIN = "EXPLAIN";
    private static final String DELETE_FORM = "DELETE FROM t [WHERE conditions on an index] [RETURNING NOTHING]";

    private final SyntaxTrees trees = new SyntaxTrees();

    /**
     * Parses a statement.
     *
     * @param tables finds a table by name; null if it does not exist
     * @throws StatementException if the text is not SQL, not supported, or does not fit its table; the message has the
     *     position
     */
    public Statement parse(StatementText text, Function<String, @Nullable TableDef> tables) {
        String words = text.parsed().strip().toUpperCase(Locale.ROOT).replaceAll("\\s+", " ");
        Statement bare = withoutTable(words);
        if (bare != null) {
            SyntaxTrees.requireParameters(text, 0);
            return bare;
        }
        if (words.startsWith(EXPLAIN + " ")) {
            String rest = " ".repeat(EXPLAIN.length()) + text.parsed().substring(EXPLAIN.length());
            StatementText inner = new StatementText(text.text(), rest, text.line(), text.column(), text.parameters());
            return new Statement.Explain(readBounded(inner, tables));
        }
        return readBounded(text, tables);
    }

    /** Parses within the stack: parser and printer recurse per operator. An overflow leaves no state behind. */
    private Statement readBounded(StatementText text, Function<String, @Nullable TableDef> tables) {
        try {
            return read(text, tables);
        } catch (StackOverflowError e) {
            throw text.refuse(SqlErrorCode.UNSUPPORTED, 0, "the statement has too many conditions or operators");
        }
    }

    private static @Nullable Statement withoutTable(String words) {
        return switch (words) {
            case "BEGIN", "BEGIN TRANSACTION", "START TRANSACTION" -> new Statement.Begin();
            case "COMMIT", "COMMIT TRANSACTION", "END" -> new Statement.Commit();
            case "ROLLBACK", "ROLLBACK TRANSACTION", "ABORT" -> new Statement.Rollback();
            default -> null;
        };
    }

    private Statement read(StatementText text, Function<String, @Nullable TableDef> tables) {
        net.sf.jsqlparser.statement.Statement tree = trees.of(text);
        Source source = new Source(text, tables);
        if (tree instanceof net.sf.jsqlparser.statement.insert.Insert insert) {
            return new InsertReader(source).read(insert);
        }
        if (tree instanceof net.sf.jsqlparser.statement.update.Update update) {
            return new UpdateReader(source).read(update);
        }
        if (tree instanceof net.sf.jsqlparser.statement.delete.Delete delete) {
            return delete(source, delete);
        }
        if (tree instanceof net.sf.jsqlparser.statement.select.PlainSelect select) {
            return new SelectReader(source).read(select);
        }
        throw text.refuse(SqlErrorCode.UNSUPPORTED, 0, "this statement is not supported; " + SUPPORTED);
    }

    private static Statement delete(Source source, net.sf.jsqlparser.statement.delete.Delete tree) {
        var taken = new net.sf.jsqlparser.statement.delete.Delete();
        taken.setTable(tree.getTable());
        taken.setWhere(tree.getWhere());
        taken.setReturningClause(tree.getReturningClause());
        source.nothingElse(taken.toString(), tree.toString(), DELETE_FORM);
        boolean returningNothing = source.returningNothing(tree.getReturningClause());
        TableDef table = source.table(tree.getTable());
        return new Statement.Delete(table, new WhereReader(source, table).read(tree.getWhere()), returningNothing);
    }
}
