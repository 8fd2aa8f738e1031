package io.sluice.grammar;

import net.sf.jsqlparser.parser.CCJSqlParser;
import net.sf.jsqlparser.parser.ParseException;
import net.sf.jsqlparser.parser.TokenMgrException;
import net.sf.jsqlparser.statement.Statement;
import org.jspecify.annotations.Nullable;

/**
 * The syntax tree of a statement, parsed by JSqlParser.
 *
 * @param root root of the tree; do not change it
 * @param parameters number of question marks
 */
record SyntaxTree(Statement root, int parameters) {
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

    /**
     * Parses a statement. Calls the generated parser directly, because the usual entry point starts a thread for every
     * statement. Like the entry point it first tries the grammar without nested expressions, which takes a third of the
     * time for an INSERT.
     *
     * @throws StatementException if the text is not SQL; the message has the position
     */
    static SyntaxTree of(StatementText text) {
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
