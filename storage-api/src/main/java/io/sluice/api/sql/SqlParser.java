package io.sluice.api.sql;

import io.sluice.api.schema.TableDef;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Statements as JSqlParser reads them, bound to tables. Usable by several threads. JSqlParser knows far more of SQL
 * than is supported here, so each reader takes what it knows from the tree, builds the same anew from that alone, and
 * refuses the statement when the two do not print alike: nothing is passed over in silence.
 */
public final class SqlParser {
    static final String SUPPORTED =
            "supported are INSERT … VALUES, UPDATE, DELETE and SELECT on one table by key or key"
                    + " span, BEGIN, COMMIT, ROLLBACK and EXPLAIN";

    private static final String EXPLAIN = "EXPLAIN";

    private final SyntaxTrees trees = new SyntaxTrees();

    /**
     * Reads a statement.
     *
     * @param tables finds a table by its name; null when there is none
     * @throws StatementException when it is no SQL, not supported, or does not fit its table; the message says where
     */
    public Statement parse(StatementText text, Function<String, @Nullable TableDef> tables) {
        String words = text.parsed().strip().toUpperCase(Locale.ROOT).replaceAll("\\s+", " ");
        Statement bare = withoutTable(words);
        if (bare != null) {
            SyntaxTree.requireParameters(text, 0);
            return bare;
        }
        if (words.startsWith(EXPLAIN + " ")) {
            String rest = " ".repeat(EXPLAIN.length()) + text.parsed().substring(EXPLAIN.length());
            StatementText inner = new StatementText(text.text(), rest, text.line(), text.column(), text.parameters());
            return new Statement.Explain(readBounded(inner, tables));
        }
        return readBounded(text, tables);
    }

    /** Parser and printer call themselves for every operator; nothing outside of this call can be left half done. */
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
            return DeleteReader.read(source, delete);
        }
        if (tree instanceof net.sf.jsqlparser.statement.select.PlainSelect select) {
            return new SelectReader(source).read(select);
        }
        throw text.refuse(SqlErrorCode.UNSUPPORTED, 0, "this statement is not supported; " + SUPPORTED);
    }
}
