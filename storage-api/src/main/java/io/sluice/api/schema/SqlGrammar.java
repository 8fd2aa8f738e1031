package io.sluice.api.schema;

import io.sluice.api.error.BadInputException;
import io.sluice.api.schema.Declared.DirectedName;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import net.sf.jsqlparser.parser.CCJSqlParser;
import net.sf.jsqlparser.parser.ParseException;
import net.sf.jsqlparser.parser.TokenMgrException;
import net.sf.jsqlparser.statement.Statement;
import net.sf.jsqlparser.statement.create.index.CreateIndex;
import net.sf.jsqlparser.statement.create.table.ColumnDefinition;
import net.sf.jsqlparser.statement.create.table.CreateTable;
import net.sf.jsqlparser.statement.create.table.Index.ColumnParams;

/**
 * JSqlParser, asked for the two things that Sluice takes from it: column definitions and index columns. Its generated
 * parser is called directly, because the usual entry point starts threads and retries for every statement.
 */
final class SqlGrammar {
    private SqlGrammar() {}

    /**
     * The columns of a CREATE TABLE that has nothing but columns.
     *
     * @param sql the statement
     * @param firstLine line of the source at which it begins
     */
    static List<ColumnDefinition> columns(String sql, int firstLine, DdlProblems problems) {
        CreateTable statement = (CreateTable) parse(sql, firstLine, problems);
        List<ColumnDefinition> columns = statement.getColumnDefinitions();
        if (columns == null) {
            throw problems.at(firstLine, "a column has no type; write one behind its name, such as INT or STRING");
        }
        return columns;
    }

    /** The columns of an index from what stands between its parentheses. */
    static List<DirectedName> indexColumns(List<Token> tokens, int line, DdlProblems problems) {
        for (Token token : tokens) {
            if (token.isSymbol('(')) {
                throw problems.at(token.line(), "an index on an expression is not supported; index plain columns");
            }
        }
        String columns = tokens.stream().map(Token::text).collect(Collectors.joining(" "));
        CreateIndex statement = (CreateIndex) parse("CREATE INDEX i ON t (" + columns + ")", line, problems);
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
                        written + " behind index column " + column.getColumnName()
                                + " is not supported; write ASC or DESC");
        };
    }

    private static Statement parse(String sql, int firstLine, DdlProblems problems) {
        try {
            return new CCJSqlParser(sql).Statement();
        } catch (ParseException e) {
            net.sf.jsqlparser.parser.Token bad = e.currentToken == null ? null : e.currentToken.next;
            throw bad == null
                    ? problems.at(firstLine, "this is no SQL that Sluice understands")
                    : unexpected(bad, firstLine, problems);
        } catch (TokenMgrException e) {
            throw problems.at(firstLine, "this is no SQL that Sluice understands");
        }
    }

    private static BadInputException unexpected(
            net.sf.jsqlparser.parser.Token bad, int firstLine, DdlProblems problems) {
        return problems.at(
                firstLine + bad.beginLine - 1,
                "unexpected " + (bad.image == null || bad.image.isEmpty() ? "end" : bad.image)
                        + "; if it is meant as a name, put it in double quotes");
    }
}
