package io.sluice.grammar;

import io.sluice.grammar.Assignment.Operator;
import io.sluice.model.schema.Column;
import io.sluice.model.schema.ColumnType;
import io.sluice.model.schema.TableDef;
import io.sluice.model.schema.TypeKind;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import net.sf.jsqlparser.expression.BinaryExpression;
import net.sf.jsqlparser.expression.Expression;
import net.sf.jsqlparser.expression.operators.arithmetic.Addition;
import net.sf.jsqlparser.expression.operators.arithmetic.Multiplication;
import net.sf.jsqlparser.expression.operators.arithmetic.Subtraction;
import net.sf.jsqlparser.statement.update.Update;
import net.sf.jsqlparser.statement.update.UpdateSet;
import org.jspecify.annotations.Nullable;

/** Converts the syntax tree of an UPDATE. */
final class UpdateReader {
    private static final String FORM = "UPDATE t SET column = literal | column | column + literal (or -, *), …"
            + " [WHERE conditions on an index] [RETURNING NOTHING]";
    private static final Set<TypeKind> NUMBERS =
            Set.of(TypeKind.INT2, TypeKind.INT4, TypeKind.INT8, TypeKind.FLOAT4, TypeKind.FLOAT8, TypeKind.DECIMAL);

    private final Source source;

    UpdateReader(Source source) {
        this.source = source;
    }

    Statement read(Update tree) {
        Update taken = new Update();
        taken.setTable(tree.getTable());
        taken.setUpdateSets(tree.getUpdateSets());
        taken.setWhere(tree.getWhere());
        taken.setReturningClause(tree.getReturningClause());
        source.nothingElse(taken.toString(), tree.toString(), FORM);
        boolean returningNothing = source.returningNothing(tree.getReturningClause());
        TableDef table = source.table(tree.getTable());

        List<Assignment> assignments = new ArrayList<>();
        Set<Integer> set = new HashSet<>();
        for (UpdateSet each : tree.getUpdateSets()) {
            if (each.getColumns().size() != 1 || each.getValues().size() != 1) {
                throw source.unsupported(null, "one column is set at a time: " + FORM);
            }
            int column = source.column(table, each.getColumn(0));
            if (!set.add(column)) {
                throw source.refuse(
                        SqlErrorCode.BAD_VALUE, each.getColumn(0), "column " + each.getColumn(0) + " is set twice");
            }
            assignments.add(assignment(table, column, each.getValue(0)));
        }
        return new Statement.Update(
                table, assignments, new WhereReader(source, table).read(tree.getWhere()), returningNothing);
    }

    private Assignment assignment(TableDef table, int target, Expression value) {
        Column column = table.columns().get(target);
        if (value instanceof BinaryExpression arithmetic) {
            return arithmetic(table, target, arithmetic);
        }
        boolean isDefault = Source.isWord(value, "DEFAULT");
        boolean isName = value instanceof net.sf.jsqlparser.schema.Column && Source.literalText(value) == null;
        if (isName && !isDefault) {
            int from = source.column(table, value);
            TypeKind kind = table.columns().get(from).type().kind();
            if (kind != column.type().kind() && !(number(column.type()) && NUMBERS.contains(kind))) {
                throw source.unsupported(value, "column " + column.name() + " has another type than " + value);
            }
            return new Assignment.Copy(target, from);
        }
        String text = isDefault ? column.defaultText() : source.literal(column, column.type(), value);
        if (text == null && !column.nullable()) {
            throw source.refuse(
                    SqlErrorCode.NOT_NULL,
                    value,
                    "column " + column.name() + " of table " + table.name() + " must not be NULL; give it a value");
        }
        return new Assignment.Literal(target, text);
    }

    private Assignment arithmetic(TableDef table, int target, BinaryExpression value) {
        Operator operator = operator(value);
        if (operator == null) {
            throw source.unsupported(value, "'" + Source.shown(value) + "': supported are +, - and *; " + FORM);
        }
        int from = source.column(table, value.getLeftExpression());
        ColumnType type = table.columns().get(target).type();
        if (!number(type) || !number(table.columns().get(from).type())) {
            throw source.unsupported(
                    value, "'" + Source.shown(value) + "': arithmetic is for columns that hold numbers");
        }
        ColumnType literalType = ColumnType.of(
                type.kind() == TypeKind.FLOAT4 || type.kind() == TypeKind.FLOAT8 ? TypeKind.FLOAT8 : TypeKind.DECIMAL);
        String number = source.literal(table.columns().get(target), literalType, value.getRightExpression());
        if (number == null) {
            throw source.unsupported(value, "'" + Source.shown(value) + "' would always be NULL; write NULL");
        }
        return new Assignment.Arithmetic(target, from, operator, number.strip());
    }

    private static @Nullable Operator operator(BinaryExpression value) {
        if (value instanceof Addition) {
            return Operator.ADD;
        }
        if (value instanceof Subtraction) {
            return Operator.SUBTRACT;
        }
        return value instanceof Multiplication ? Operator.MULTIPLY : null;
    }

    private static boolean number(ColumnType type) {
        return NUMBERS.contains(type.kind());
    }
}
