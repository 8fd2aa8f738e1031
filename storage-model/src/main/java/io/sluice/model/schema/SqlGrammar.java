package io.sluice.model.schema;

import io.sluice.model.schema.Declared.DirectedName;
import io.sluice.model.schema.IndexColumn.Direction;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import net.sf.jsqlparser.parser.CCJSqlParser;
import net.sf.jsqlparser.parser.ParseException;
import net.sf.jsqlparser.parser.TokenMgrException;
import net.sf.jsqlparser.statement.Statement;
import net.sf.jsqlparser.statement.create.index.CreateIndex;
import net.sf.jsqlparser.statement.create.table.ColumnDefinition;
import net.sf.jsqlparser.statement.create.table.CreateTable;
import net.sf.jsqlparser.statement.create.table.Index.ColumnParams;

/**
 * Parses column definitions and index columns with JSqlParser. Calls its generated parser directly, because the usual
 * entry point starts threads and retries for every statement.
 */
final class SqlGrammar {
    private static final String NOT_UNDERSTOOD =
            "this is not understood; check parentheses and commas, and put names in double quotes";

    private SqlGrammar() {}

    /** Parses the columns of a CREATE TABLE statement that has only columns. */
    static List<ColumnDefinition> columns(List<Token> statement, DdlProblems problems) {
        List<ColumnDefinition> columns =
                parse(CreateTable.class, "", statement, "", problems).getColumnDefinitions();
        if (columns == null) {
            throw problems.at(
                    statement.get(0).line(), "a column has no type; write one after its name, such as INT or STRING");
        }
        return columns;
    }

    /**
     * Parses the columns of an index.
     *
     * @param list tokens between the index's parentheses
     * @param line where the index begins
     */
    static List<DirectedName> indexColumns(List<Token> list, int line, DdlProblems problems) {
        if (list.isEmpty()) {
            throw problems.at(line, "the index has no columns; name at least one");
        }
        for (Token token : list) {
            if (token.isSymbol('(')) {
                throw problems.at(token.line(), "an index on an expression is not supported; index plain columns");
            }
        }
        CreateIndex statement = parse(CreateIndex.class, "CREATE INDEX i ON t (", list, ")", problems);
        List<DirectedName> names = new ArrayList<>();
        for (ColumnParams column : statement.getIndex().getColumns()) {
            names.add(new DirectedName(Token.identifier(column.getColumnName()), direction(column, line, problems)));
        }
        return names;
    }

    private static Direction direction(ColumnParams column, int line, DdlProblems problems) {
        List<String> params = column.getParams();
        if (params == null || params.isEmpty()) {
            return Direction.ASC;
        }
        String written = String.join(" ", params).toUpperCase(Locale.ROOT);
        return switch (written) {
            case "ASC" -> Direction.ASC;
            case "DESC" -> Direction.DESC;
            default ->
                throw problems.at(
                        line,
                        written + " after index column " + column.getColumnName()
                                + " is not supported; write ASC or DESC");
        };
    }

    private static <T extends Statement> T parse(
            Class<T> kind, String before, List<Token> tokens, String after, DdlProblems problems) {
        OneLine line = OneLine.of(before, tokens);
        try {
            Statement statement = new CCJSqlParser(line.text() + after).Statement();
            if (!kind.isInstance(statement)) {
                // For some texts the parser reports no position.
                throw problems.at(tokens.get(0).line(), NOT_UNDERSTOOD);
            }
            return kind.cast(statement);
        } catch (ParseException e) {
            net.sf.jsqlparser.parser.Token bad = e.currentToken == null ? null : e.currentToken.next;
            throw problems.at(
                    bad == null ? tokens.get(0).line() : line.sourceLine(bad.beginColumn - 1),
                    "unexpected " + (bad == null || bad.image.isEmpty() ? "end" : bad.image)
                            + "; if it is meant as a name, put it in double quotes");
        } catch (TokenMgrException e) {
            throw problems.at(tokens.get(0).line(), NOT_UNDERSTOOD);
        }
    }

    /**
     * Tokens joined in one line, because JSqlParser ends a statement at an empty line. Blanks separate the tokens but
     * not inside parentheses, because {@code (3) WITH TIME ZONE} is one token of JSqlParser.
     *
     * @param ends end column of each token, exclusive, from 0
     */
    private record OneLine(String text, List<Token> tokens, List<Integer> ends) {
        static OneLine of(String before, List<Token> tokens) {
            StringBuilder text = new StringBuilder(before);
            List<Integer> ends = new ArrayList<>();
            boolean blank = false;
            for (Token token : tokens) {
                text.append(blank && !token.isSymbol(')') ? " " : "").append(token.text());
                ends.add(text.length());
                blank = !token.isSymbol('(');
            }
            return new OneLine(text.toString(), tokens, ends);
        }

        /** Source line of the token at a column. */
        int sourceLine(int column) {
            for (int i = 0; i < tokens.size(); i++) {
                if (column < ends.get(i)) {
                    return tokens.get(i).line();
                }
            }
            return tokens.get(tokens.size() - 1).line();
        }
    }
}
