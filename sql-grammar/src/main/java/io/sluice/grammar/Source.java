package io.sluice.grammar;

import io.sluice.model.row.Row;
import io.sluice.model.schema.Column;
import io.sluice.model.schema.ColumnType;
import io.sluice.model.schema.TableDef;
import io.sluice.model.text.DatumProblem;
import java.util.Locale;
import java.util.function.Function;
import net.sf.jsqlparser.expression.BooleanValue;
import net.sf.jsqlparser.expression.CastExpression;
import net.sf.jsqlparser.expression.DoubleValue;
import net.sf.jsqlparser.expression.Expression;
import net.sf.jsqlparser.expression.JdbcParameter;
import net.sf.jsqlparser.expression.LongValue;
import net.sf.jsqlparser.expression.NullValue;
import net.sf.jsqlparser.expression.SignedExpression;
import net.sf.jsqlparser.expression.StringValue;
import net.sf.jsqlparser.parser.ASTNodeAccess;
import net.sf.jsqlparser.parser.SimpleNode;
import net.sf.jsqlparser.schema.Table;
import net.sf.jsqlparser.statement.ReturningClause;
import org.jspecify.annotations.Nullable;

/** The statement to convert: resolves names, parses literals, and creates errors with positions. */
record Source(StatementText text, Function<String, @Nullable TableDef> tables) {
    private static final String PUBLIC_SCHEMA = "public";
    private static final int MOST_SHOWN = 80;

    /** Creates the error for unsupported SQL at a node of the tree. */
    StatementException unsupported(@Nullable Object node, String message) {
        return refuse(SqlErrorCode.UNSUPPORTED, node, message);
    }

    StatementException refuse(SqlErrorCode code, @Nullable Object node, String message) {
        return text.refuse(code, offset(node), message);
    }

    /** The offset of a node; 0, the start of the statement, for a node without a position. */
    private int offset(@Nullable Object node) {
        SimpleNode place = node instanceof ASTNodeAccess access ? access.getASTNode() : null;
        return place == null || place.jjtGetFirstToken() == null
                ? 0
                : text.offset(place.jjtGetFirstToken().beginLine, place.jjtGetFirstToken().beginColumn);
    }

    /** Resolves a table, which must be named without alias, schema or options. */
    TableDef table(Table named) {
        String schema = named.getSchemaName();
        String plain = (schema == null ? "" : schema + ".") + named.getName();
        if (!named.toString().equals(plain) || (schema != null && !name(schema).equals(PUBLIC_SCHEMA))) {
            throw unsupported(named, "'" + shown(named) + "': name the table alone, without alias, schema or options");
        }
        TableDef table = tables.apply(name(named.getName()));
        if (table == null) {
            throw refuse(SqlErrorCode.UNKNOWN_NAME, named, "there is no table " + name(named.getName()));
        }
        return table;
    }

    /** Resolves an expression that is a column; returns its position. */
    int column(TableDef table, Expression expression) {
        if (!(expression instanceof net.sf.jsqlparser.schema.Column named)) {
            throw unsupported(expression, "'" + shown(expression) + "' is no column; name one of " + table.name());
        }
        Table of = named.getTable();
        boolean own = of == null || of.getName() == null || name(of.toString()).equals(table.name());
        int column = own ? table.columnIndex(name(named.getColumnName())) : -1;
        if (column < 0) {
            throw refuse(SqlErrorCode.UNKNOWN_NAME, named, "table " + table.name() + " has no column " + named);
        }
        return column;
    }

    /** Whether an expression is the unquoted word. */
    static boolean isWord(Expression expression, String word) {
        return expression instanceof net.sf.jsqlparser.schema.Column named
                && named.toString().equalsIgnoreCase(word);
    }

    /** Converts a literal to text of its column; null for NULL. */
    @Nullable
    String literal(Column column, ColumnType type, Expression expression) {
        if (expression instanceof NullValue) {
            return null;
        }
        if (expression instanceof JdbcParameter questionMark) {
            String given = parameter(questionMark);
            return given == null
                    ? null
                    : fitting(column, type, expression, "parameter " + questionMark.getIndex() + ", ", given);
        }
        String datum = literalText(expression);
        if (datum == null) {
            throw unsupported(
                    expression,
                    "'" + shown(expression)
                            + "' is no literal; write a number, a text in single quotes, TRUE, FALSE, NULL or ?");
        }
        return fitting(column, type, expression, "", datum);
    }

    /** Checks that a text is a value of the type, and returns it. */
    private String fitting(Column column, ColumnType type, Expression expression, String which, String datum) {
        DatumProblem problem = Literals.read(type, datum, new Row(1), 0);
        if (problem != null) {
            throw refuse(
                    SqlErrorCode.BAD_VALUE,
                    expression,
                    which + "column " + column.name() + " " + column.type().sql() + ": '" + datum + "': "
                            + problem.message());
        }
        return datum;
    }

    /** The parameter of a question mark; null for NULL. */
    @Nullable
    String parameter(JdbcParameter questionMark) {
        if (questionMark.isUseFixedIndex()) {
            throw unsupported(questionMark, "'" + shown(questionMark) + "': parameters are question marks alone");
        }
        return text.parameters().get(questionMark.getIndex() - 1);
    }

    /** Whether an expression is a non-NULL literal or a parameter. */
    static boolean isLiteral(Expression expression) {
        return expression instanceof JdbcParameter || literalText(expression) != null;
    }

    /** The text of a non-NULL literal; null for another expression. */
    static @Nullable String literalText(Expression expression) {
        if (expression instanceof StringValue string) {
            return string.getPrefix() == null ? string.getValue().replace("''", "'") : null;
        }
        if (expression instanceof LongValue || expression instanceof DoubleValue) {
            return expression.toString();
        }
        if (expression instanceof SignedExpression signed) {
            return signedText(signed);
        }
        if (expression instanceof BooleanValue || isWord(expression, "TRUE") || isWord(expression, "FALSE")) {
            return expression.toString().toLowerCase(Locale.ROOT);
        }
        // DATE '2024-01-01' and similar: the column's type says the same.
        boolean typed = expression instanceof CastExpression cast && cast.isImplicitCast();
        return typed && ((CastExpression) expression).getLeftExpression() instanceof StringValue string
                ? literalText(string)
                : null;
    }

    private static @Nullable String signedText(SignedExpression signed) {
        Expression inner = signed.getExpression();
        boolean number = inner instanceof LongValue || inner instanceof DoubleValue;
        return switch (signed.getSign()) {
            case '-' -> number ? "-" + inner : null;
            case '+' -> number ? inner.toString() : null;
            default -> null;
        };
    }

    /** Whether a statement ends with RETURNING NOTHING; refuses another RETURNING clause. */
    boolean returningNothing(@Nullable ReturningClause clause) {
        if (clause == null) {
            return false;
        }
        String what = clause.size() == 1 ? clause.get(0).toString() : "";
        if (!what.equalsIgnoreCase("NOTHING") || clause.getDataItems() != null) {
            throw unsupported(
                    null, "rows that were changed are not returned; leave RETURNING out, or write RETURNING NOTHING");
        }
        return true;
    }

    /**
     * Refuses a statement with clauses that the reader did not convert.
     *
     * @param taken the converted statement, printed
     * @param tree the whole statement, printed
     * @param form the supported form
     */
    void nothingElse(String taken, String tree, String form) {
        if (!taken.equals(tree)) {
            throw unsupported(null, "only this form is supported: " + form);
        }
    }

    /** Formats SQL for a message, truncated if it is long. */
    static String shown(Object tree) {
        String text = tree.toString();
        return text.length() <= MOST_SHOWN ? text : text.substring(0, MOST_SHOWN) + "…";
    }

    /** Returns the identifier: folded to lower case unless it is quoted. */
    static String name(String written) {
        return written.startsWith("\"") && written.length() > 1
                ? written.substring(1, written.length() - 1).replace("\"\"", "\"")
                : written.toLowerCase(Locale.ROOT);
    }
}
