package io.sluice.grammar;

import io.sluice.grammar.Assignment.Operator;
import io.sluice.grammar.Source.Given;
import io.sluice.grammar.Statement.Returning;
import io.sluice.grammar.Tokens.Token;
import io.sluice.model.schema.Column;
import io.sluice.model.schema.ColumnType;
import io.sluice.model.schema.TableDef;
import io.sluice.model.schema.TypeKind;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Parses INSERT, UPDATE and DELETE. */
final class WriteReader {
    private static final String RETURNING = " [RETURNING values | NOTHING]";
    private static final String INSERT_FORM = "INSERT INTO t [(columns)] VALUES (…), (…)" + RETURNING;
    private static final String UPDATE_FORM =
            "UPDATE t SET column = literal | column | column + literal (or -, *), …" + " [WHERE condition]" + RETURNING;
    private static final String DELETE_FORM = "DELETE FROM t [WHERE condition]" + RETURNING;

    private static final Set<TypeKind> INTEGERS = Set.of(TypeKind.INT2, TypeKind.INT4, TypeKind.INT8);

    private static final Set<TypeKind> NUMBERS =
            Set.of(TypeKind.INT2, TypeKind.INT4, TypeKind.INT8, TypeKind.FLOAT4, TypeKind.FLOAT8, TypeKind.DECIMAL);

    private final Source source;
    private final Tokens tokens;

    WriteReader(Source source) {
        this.source = source;
        tokens = source.tokens();
    }

    /** Parses an INSERT; the cursor is behind that word. */
    Statement insert() {
        tokens.expect("into");
        Token named = tokens.next();
        TableDef table = source.table(INSERT_FORM);
        if (table.columns().stream().anyMatch(Column::hidden)) {
            throw source.unsupported(
                    named,
                    "table " + table.name() + " has no primary key: its rows are numbered by their places in the input,"
                            + " and a new one has none");
        }
        List<Integer> columns = columns(table);
        if (!tokens.take("values")) {
            throw source.unsupported(tokens.next(), "rows must follow VALUES; " + INSERT_FORM);
        }
        List<List<@Nullable String>> rows = new ArrayList<>();
        do {
            rows.add(row(table, columns));
        } while (tokens.take(","));
        return new Statement.Insert(table, rows, returning(table, INSERT_FORM));
    }

    private List<Integer> columns(TableDef table) {
        if (!tokens.take("(")) {
            return table.visibleColumns();
        }
        List<Integer> columns = new ArrayList<>();
        do {
            Token name = tokens.next();
            int column = source.column(table);
            if (columns.contains(column)) {
                throw source.refuse(SqlErrorCode.BAD_VALUE, name, "column " + name.image() + " is named twice");
            }
            columns.add(column);
        } while (tokens.take(","));
        tokens.expect(")");
        return columns;
    }

    private List<@Nullable String> row(TableDef table, List<Integer> columns) {
        if (!tokens.take("(")) {
            throw source.unsupported(tokens.next(), "each row stands in parentheses; " + INSERT_FORM);
        }
        Token first = tokens.next();
        List<@Nullable String> datums = new ArrayList<>();
        for (Column column : table.columns()) {
            datums.add(column.defaultText());
        }
        int count = 0;
        do {
            Column column = count < columns.size() ? table.columns().get(columns.get(count)) : null;
            if (!tokens.take("default")) {
                Given extra = column == null ? source.given() : null;
                if (column != null) {
                    datums.set(columns.get(count), source.literal(column, column.type()));
                } else if (extra == null) {
                    throw tokens.unexpected("expected a literal");
                }
            }
            count++;
        } while (tokens.take(","));
        tokens.expect(")");
        if (count != columns.size()) {
            throw source.refuse(
                    SqlErrorCode.BAD_VALUE, first, "a row has " + count + " values for " + columns.size() + " columns");
        }
        for (int i = 0; i < datums.size(); i++) {
            if (datums.get(i) == null) {
                requireNullable(table, i, first);
            }
        }
        return Collections.unmodifiableList(datums);
    }

    private void requireNullable(TableDef table, int position, Token at) {
        Column column = table.columns().get(position);
        if (!column.nullable()) {
            throw source.refuse(
                    SqlErrorCode.NOT_NULL,
                    at,
                    "column " + column.name() + " of table " + table.name() + " must not be NULL; give it a value");
        }
    }

    /** Parses an UPDATE; the cursor is behind that word. */
    Statement update() {
        TableDef table = source.table(UPDATE_FORM);
        tokens.expect("set");
        List<Assignment> assignments = new ArrayList<>();
        Set<Integer> set = new HashSet<>();
        do {
            Token name = tokens.next();
            if (name.is("(")) {
                throw source.unsupported(name, "one column is set at a time: " + UPDATE_FORM);
            }
            int column = source.column(table);
            if (!set.add(column)) {
                throw source.refuse(SqlErrorCode.BAD_VALUE, name, "column " + name.image() + " is set twice");
            }
            tokens.expect("=");
            assignments.add(assignment(table, column));
        } while (tokens.take(","));
        Where where = where(table);
        return new Statement.Update(table, assignments, where, returning(table, UPDATE_FORM));
    }

    private Assignment assignment(TableDef table, int target) {
        Column column = table.columns().get(target);
        Token first = tokens.next();
        if (tokens.take("default")) {
            String text = column.defaultText();
            if (text == null) {
                requireNullable(table, target, first);
            }
            return new Assignment.Literal(target, text);
        }
        boolean constant = first.is("true") || first.is("false") || first.is("null");
        boolean typed = tokens.peek(1).kind() == Tokens.Kind.STRING;
        boolean call = tokens.peek(1).is("(");
        if (!first.isName() || constant || typed || call) {
            String text = source.literal(column, column.type());
            if (text == null) {
                requireNullable(table, target, first);
            }
            return new Assignment.Literal(target, text);
        }
        int from = source.column(table);
        Token operator = tokens.next();
        if (operator.is("||") || "+-*/%".contains(operator.image())) {
            return arithmetic(table, target, from, first);
        }
        TypeKind kind = table.columns().get(from).type().kind();
        if (kind != column.type().kind() && !(number(column.type()) && NUMBERS.contains(kind))) {
            throw source.unsupported(
                    first, "column " + column.name() + " has another type than " + tokens.shownFrom(first));
        }
        // Integers have no fraction, not even of zeros.
        boolean whole = INTEGERS.contains(column.type().kind()) && !INTEGERS.contains(kind);
        return whole ? new Assignment.Arithmetic(target, from, Operator.ADD, "0") : new Assignment.Copy(target, from);
    }

    private Assignment arithmetic(TableDef table, int target, int from, Token first) {
        Token sign = tokens.take();
        Operator operator =
                switch (sign.image()) {
                    case "+" -> Operator.ADD;
                    case "-" -> Operator.SUBTRACT;
                    case "*" -> Operator.MULTIPLY;
                    default -> null;
                };
        if (operator == null) {
            throw source.unsupported(sign, "'" + sign.image() + "': supported are +, - and *; " + UPDATE_FORM);
        }
        ColumnType type = table.columns().get(target).type();
        if (!number(type) || !number(table.columns().get(from).type())) {
            throw source.unsupported(
                    first, "'" + tokens.shownFrom(first) + "…': arithmetic is for columns that hold numbers");
        }
        ColumnType literalType = ColumnType.of(
                type.kind() == TypeKind.FLOAT4 || type.kind() == TypeKind.FLOAT8 ? TypeKind.FLOAT8 : TypeKind.DECIMAL);
        String number = source.literal(table.columns().get(target), literalType);
        if (number == null) {
            throw source.unsupported(first, "'" + tokens.shownFrom(first) + "' would always be NULL; write NULL");
        }
        return new Assignment.Arithmetic(target, from, operator, number.strip());
    }

    private static boolean number(ColumnType type) {
        return NUMBERS.contains(type.kind());
    }

    /** Parses a DELETE; the cursor is behind that word. */
    Statement delete() {
        tokens.expect("from");
        TableDef table = source.table(DELETE_FORM);
        Where where = where(table);
        return new Statement.Delete(table, where, returning(table, DELETE_FORM));
    }

    private Where where(TableDef table) {
        return tokens.take("where")
                ? Conditions.where(table, new ExpressionReader(source, table, false).condition())
                : Where.ALL;
    }

    /** Parses RETURNING, which ends the statement. */
    private Returning returning(TableDef table, String form) {
        Returning returning = Returning.COUNT;
        if (tokens.take("returning")) {
            boolean nothing = tokens.isNext("nothing") && tokens.peek(1).kind() == Tokens.Kind.END;
            returning = nothing ? Returning.NOTHING : new Returning(true, SelectReader.returning(source, table));
            boolean unused = nothing && tokens.take("nothing");
        }
        source.end(form);
        return returning;
    }
}
