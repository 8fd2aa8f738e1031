package io.sluice.node.sql;

import io.sluice.api.row.Row;
import io.sluice.api.schema.Column;
import io.sluice.api.schema.TableDef;
import io.sluice.api.schema.TypeKind;
import io.sluice.api.sql.Assignment;
import io.sluice.api.sql.Literals;
import io.sluice.api.sql.SqlErrorCode;
import io.sluice.api.sql.StatementException;
import java.math.BigDecimal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a row becomes by the assignments of an UPDATE, all of which see it as it was. */
final class Assignments {
    /** The longest number that is worked with: far beyond what money needs, and no way to fill the memory. */
    private static final int MAX_DIGITS = 1000;

    private Assignments() {}

    /** The row after all assignments; its bytes are views of the old one's. */
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
        if (assignment instanceof Assignment.Copy copy) {
            return Texts.of(table, old, copy.from());
        }
        Assignment.Arithmetic sum = (Assignment.Arithmetic) assignment;
        String before = Texts.of(table, old, sum.from());
        if (before == null) {
            return null;
        }
        TypeKind kind = table.columns().get(sum.column()).type().kind();
        boolean floating = kind == TypeKind.FLOAT4 || kind == TypeKind.FLOAT8;
        return floating ? inFloats(before, sum) : exactly(table, before, sum);
    }

    private static String inFloats(String before, Assignment.Arithmetic sum) {
        double left = Double.parseDouble(before);
        double right = Double.parseDouble(sum.number());
        double result =
                switch (sum.operator()) {
                    case ADD -> left + right;
                    case SUBTRACT -> left - right;
                    case MULTIPLY -> left * right;
                };
        boolean overflow = Double.isInfinite(result) && Double.isFinite(left) && Double.isFinite(right);
        boolean underflow = sum.operator() == Assignment.Operator.MULTIPLY && result == 0 && left != 0 && right != 0;
        if (overflow || underflow) {
            throw new StatementException(
                    SqlErrorCode.BAD_VALUE,
                    "'" + before + "' " + sum.operator().symbol() + " " + sum.number()
                            + " is out of range for FLOAT8; use DECIMAL for numbers of any magnitude");
        }
        return Double.toString(result);
    }

    private static String exactly(TableDef table, String before, Assignment.Arithmetic sum) {
        BigDecimal left = number(table, sum, before);
        BigDecimal right = number(table, sum, sum.number());
        BigDecimal result =
                switch (sum.operator()) {
                    case ADD -> left.add(right);
                    case SUBTRACT -> left.subtract(right);
                    case MULTIPLY -> left.multiply(right);
                };
        boolean whole = table.columns().get(sum.column()).type().kind() != TypeKind.DECIMAL;
        return whole && result.signum() == 0 ? "0" : whole ? stripped(result) : result.toString();
    }

    /** Integers are read without a fraction; one that is not zero stays, and is refused. */
    private static String stripped(BigDecimal result) {
        return result.stripTrailingZeros().toPlainString();
    }

    private static BigDecimal number(TableDef table, Assignment.Arithmetic sum, String text) {
        try {
            BigDecimal number = new BigDecimal(text);
            if (Math.abs((long) number.scale()) <= MAX_DIGITS && number.precision() <= MAX_DIGITS) {
                return number;
            }
        } catch (NumberFormatException e) {
            // NaN and infinity: said below.
        }
        throw new StatementException(
                SqlErrorCode.BAD_VALUE,
                "column " + table.columns().get(sum.from()).name() + " of table " + table.name() + ": '" + text + "' "
                        + sum.operator().symbol() + " " + sum.number() + " is not worked out; only finite numbers of at"
                        + " most " + MAX_DIGITS + " digits are");
    }
}
