package io.sluice.sql;

import io.sluice.grammar.Assignment;
import io.sluice.grammar.Literals;
import io.sluice.grammar.SqlErrorCode;
import io.sluice.grammar.StatementException;
import io.sluice.model.row.Row;
import io.sluice.model.schema.Column;
import io.sluice.model.schema.ColumnType;
import io.sluice.model.schema.TableDef;
import io.sluice.model.schema.TypeKind;
import java.math.BigDecimal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Evaluates the assignments of an UPDATE. All of them see the old row. */
final class Assignments {
    /** Limit of digits of a number: far more than money needs, yet too few to fill the memory. */
    private static final int MAX_DIGITS = 1000;

    private Assignments() {}

    /** Returns the row after all assignments. It refers to bytes of the old row. */
    static Row applied(TableDef table, List<Assignment> assignments, Row old) {
        Row now = new Row(old.columns());
        now.copyFrom(old);
        for (Assignment assignment : assignments) {
            int target = assignment.column();
            Column column = table.columns().get(target);
            String text = text(table, assignment, old);
            if (text != null) {
                Literals.put(column.type(), text, now, target, column.name());
            } else if (column.nullable()) {
                now.setNull(target);
            } else {
                throw new StatementException(
                        SqlErrorCode.NOT_NULL,
                        "column " + column.name() + " of table " + table.name() + " must not be NULL; in this row it"
                                + " would be");
            }
        }
        return now;
    }

    private static @Nullable String text(TableDef table, Assignment assignment, Row old) {
        if (assignment instanceof Assignment.Literal literal) {
            return literal.text();
        }
        TypeKind kind = table.columns().get(assignment.column()).type().kind();
        if (assignment instanceof Assignment.Copy copy) {
            return kind == TypeKind.FLOAT8 ? Texts.wide(table, old, copy.from()) : Texts.of(table, old, copy.from());
        }
        Assignment.Arithmetic arithmetic = (Assignment.Arithmetic) assignment;
        boolean floating = kind == TypeKind.FLOAT4 || kind == TypeKind.FLOAT8;
        String before = floating ? Texts.wide(table, old, arithmetic.from()) : Texts.of(table, old, arithmetic.from());
        if (before == null) {
            return null;
        }
        return floating ? floatResult(before, arithmetic) : decimalResult(table, before, arithmetic);
    }

    private static String floatResult(String before, Assignment.Arithmetic arithmetic) {
        double left = floating(before);
        double right = floating(arithmetic.number());
        double result =
                switch (arithmetic.operator()) {
                    case ADD -> left + right;
                    case SUBTRACT -> left - right;
                    case MULTIPLY -> left * right;
                };
        boolean overflow = Double.isInfinite(result) && Double.isFinite(left) && Double.isFinite(right);
        boolean underflow =
                arithmetic.operator() == Assignment.Operator.MULTIPLY && result == 0 && left != 0 && right != 0;
        if (overflow || underflow) {
            throw new StatementException(
                    SqlErrorCode.BAD_VALUE,
                    "'" + before + "' " + arithmetic.operator().symbol() + " " + arithmetic.number()
                            + " is out of range for FLOAT8; use DECIMAL for numbers of any magnitude");
        }
        return Double.toString(result);
    }

    /** The number of a text; one of DECIMAL may be out of range. */
    private static double floating(String text) {
        Row number = new Row(1);
        Literals.put(ColumnType.of(TypeKind.FLOAT8), text, number, 0, "of an expression");
        return number.doubleValue(0);
    }

    private static String decimalResult(TableDef table, String before, Assignment.Arithmetic arithmetic) {
        BigDecimal left = number(table, arithmetic, before);
        BigDecimal right = number(table, arithmetic, arithmetic.number());
        BigDecimal result =
                switch (arithmetic.operator()) {
                    case ADD -> left.add(right);
                    case SUBTRACT -> left.subtract(right);
                    case MULTIPLY -> left.multiply(right);
                };
        boolean whole = table.columns().get(arithmetic.column()).type().kind() != TypeKind.DECIMAL;
        return whole && result.signum() == 0 ? "0" : whole ? stripped(result) : result.toString();
    }

    /**
     * Strips trailing zeros: integers are parsed without a fraction. A fraction that is not zero stays and is refused.
     */
    private static String stripped(BigDecimal result) {
        return result.stripTrailingZeros().toPlainString();
    }

    private static BigDecimal number(TableDef table, Assignment.Arithmetic arithmetic, String text) {
        try {
            BigDecimal number = new BigDecimal(text);
            if (Math.abs((long) number.scale()) <= MAX_DIGITS && number.precision() <= MAX_DIGITS) {
                return number;
            }
        } catch (NumberFormatException e) {
            // NaN or infinity: reported below.
        }
        throw new StatementException(
                SqlErrorCode.BAD_VALUE,
                "column " + table.columns().get(arithmetic.from()).name() + " of table " + table.name() + ": '" + text
                        + "' "
                        + arithmetic.operator().symbol() + " " + arithmetic.number()
                        + " cannot be computed; use finite numbers of at"
                        + " most " + MAX_DIGITS + " digits");
    }
}
