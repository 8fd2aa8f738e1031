package io.sluice.api.sql;

import io.sluice.api.schema.TableDef;
import java.util.Locale;
import java.util.function.Function;
import net.sf.jsqlparser.parser.CCJSqlParser;
import net.sf.jsqlparser.parser.ParseException;
import net.sf.jsqlparser.parser.TokenMgrException;
import org.jspecify.annotations.Nullable;

/**
 * Statements as JSqlParser reads them, bound to tables. It knows far more of SQL than is supported here, so each reader
 * takes what it knows from the tree, builds the same anew from that alone, and refuses the statement when the two do
 * not print alike: nothing is passed over in silence.
 */
public final class SqlParser {
    static final String SUPPORTED =
            "supported are INSERT … VALUES, UPDATE, DELETE and SELECT on one table by key or key"
                    + " span, BEGIN, COMMIT, ROLLBACK and EXPLAIN";

    private static final String EXPLAIN = "EXPLAIN";

    private SqlParser() {}

    /**
     * Reads a statement.
     *
     * @param tables finds a table by its name; null when there is none
     * @throws StatementException when it is no SQL, not supported, or does not fit its table; the message says where
     */
    public static Statement parse(StatementText text, Function<String, @Nullable TableDef> tables) {
        String words = text.parsed().strip().toUpperCase(Locale.ROOT).replaceAll("\\s+", " ");
        Statement bare = withoutTable(words);
        if (bare != null) {
            return bare;
        }
        if (words.startsWith(EXPLAIN + " ")) {
            String rest = " ".repeat(EXPLAIN.length()) + text.parsed().substring(EXPLAIN.length());
            StatementText inner = new StatementText(text.text(), rest, text.line(), text.column());
            return new Statement.Explain(readBounded(inner, tables));
        }
        return readBounded(text, tables);
    }

    /** Parser and printer call themselves for every operator; nothing outside of this call can be left half done. */
    private static Statement readBounded(StatementText text, Function<String, @Nullable TableDef> tables) {
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

    private static Statement read(StatementText text, Function<String, @Nullable TableDef> tables) {
        net.sf.jsqlparser.statement.Statement tree = tree(text);
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

    /**
     * The generated parser is called directly: the usual entry point starts a thread for every statement. Like that one
     * it looks first for what has no nested expressions, which takes a third of the time for an INSERT.
     */
    private static net.sf.jsqlparser.statement.Statement tree(StatementText text) {
        try {
            net.sf.jsqlparser.statement.Statement simple = tree(text, false);
            if (simple != null) {
                return simple;
            }
        } catch (ParseException | TokenMgrException e) {
            // Whether it is wrong, or only not simple, the other way tells.
        }
        try {
            net.sf.jsqlparser.statement.Statement tree = tree(text, true);
            if (tree == null) {
                throw text.refuse(SqlErrorCode.SYNTAX, 0, "this is no statement; " + SUPPORTED);
            }
            return tree;
        } catch (ParseException e) {
            net.sf.jsqlparser.parser.Token bad = e.currentToken == null ? null : e.currentToken.next;
            int offset = bad == null ? 0 : text.offset(bad.beginLine, bad.beginColumn);
            String what = bad == null || bad.image == null || bad.image.isEmpty() ? "end" : bad.image;
            throw text.refuse(
                    SqlErrorCode.SYNTAX,
                    offset,
                    "unexpected " + what + "; quote names with double quotes; " + SUPPORTED);
        } catch (TokenMgrException e) {
            throw text.refuse(SqlErrorCode.SYNTAX, 0, "there is a character that SQL does not have; " + SUPPORTED);
        }
    }

    private static net.sf.jsqlparser.statement.@Nullable Statement tree(StatementText text, boolean nested)
            throws ParseException {
        return new CCJSqlParser(text.parsed()).withAllowComplexParsing(nested).Statement();
    }
}
