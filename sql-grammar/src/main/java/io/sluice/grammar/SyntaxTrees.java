package io.sluice.grammar;

import java.util.LinkedHashMap;
import java.util.Map;
import net.sf.jsqlparser.parser.CCJSqlParser;
import net.sf.jsqlparser.parser.ParseException;
import net.sf.jsqlparser.parser.TokenMgrException;
import net.sf.jsqlparser.statement.Statement;
import org.jspecify.annotations.Nullable;

/**
 * Parses statements with JSqlParser, and caches the syntax trees of those with parameters (LRU). Parsing is most of the
 * cost of a statement on one row. Thread-safe.
 */
final class SyntaxTrees {
    /** Maximum number of trees; few programs have more statements, and a tree takes some kilobytes. */
    private static final int MOST_TREES = 256;
    /** Longer statements are not cached: a program generates them, and the next has another number of rows. */
    private static final int MOST_CHARS = 4096;

    /**
     * A parsed statement.
     *
     * @param root root of the tree; do not change it
     * @param parameters number of question marks
     */
    private record SyntaxTree(Statement root, int parameters) {}

    /** The generated parser, extended to count question marks. */
    private static final class Parser extends CCJSqlParser {
        Parser(StatementText text, boolean nested) throws ParseException {
            super(text.parsed());
            withAllowComplexParsing(nested);
        }

        @Nullable
        SyntaxTree tree() throws ParseException {
            Statement root = Statement();
            return root == null ? null : new SyntaxTree(root, jdbcParameterIndex);
        }
    }

    private final Map<String, SyntaxTree> trees = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, SyntaxTree> eldest) {
            return size() > MOST_TREES;
        }
    };

    /**
     * Returns the tree of a statement, from the cache if possible.
     *
     * @throws StatementException if the text is not SQL, or its numbers of parameters and question marks differ
     */
    Statement of(StatementText text) {
        SyntaxTree tree = text.parameters().isEmpty() || text.parsed().length() > MOST_CHARS ? parse(text) : kept(text);
        requireParameters(text, tree.parameters());
        return tree.root();
    }

    private SyntaxTree kept(StatementText text) {
        synchronized (trees) {
            SyntaxTree known = trees.get(text.parsed());
            if (known != null) {
                return known;
            }
        }
        SyntaxTree read = parse(text);
        synchronized (trees) {
            trees.put(text.parsed(), read);
        }
        return read;
    }

    /**
     * Parses a statement. Calls the generated parser directly, because the usual entry point starts a thread for every
     * statement. Like the entry point it first tries the grammar without nested expressions, which takes a third of the
     * time for an INSERT.
     *
     * @throws StatementException if the text is not SQL; the message has the position
     */
    private static SyntaxTree parse(StatementText text) {
        try {
            SyntaxTree simple = new Parser(text, false).tree();
            if (simple != null) {
                return simple;
            }
        } catch (ParseException | TokenMgrException e) {
            // The full grammar tells whether the statement is wrong or just not simple.
        }
        try {
            SyntaxTree tree = new Parser(text, true).tree();
            if (tree == null) {
                throw text.refuse(SqlErrorCode.SYNTAX, 0, "this is no statement; " + SqlParser.SUPPORTED);
            }
            return tree;
        } catch (ParseException e) {
            net.sf.jsqlparser.parser.Token bad = e.currentToken == null ? null : e.currentToken.next;
            int offset = bad == null ? 0 : text.offset(bad.beginLine, bad.beginColumn);
            String what = bad == null || bad.image == null || bad.image.isEmpty() ? "end" : bad.image;
            throw text.refuse(
                    SqlErrorCode.SYNTAX,
                    offset,
                    "unexpected " + what + "; quote names with double quotes; " + SqlParser.SUPPORTED);
        } catch (TokenMgrException e) {
            throw text.refuse(
                    SqlErrorCode.SYNTAX, 0, "there is a character that SQL does not have; " + SqlParser.SUPPORTED);
        }
    }

    /** Refuses a statement whose numbers of parameters and question marks differ. */
    static void requireParameters(StatementText text, int questionMarks) {
        int given = text.parameters().size();
        if (given != questionMarks) {
            throw text.refuse(
                    SqlErrorCode.BAD_VALUE,
                    0,
                    "parameters: " + given + " for " + questionMarks + " question marks; give one for each");
        }
    }
}
