package io.sluice.sql.query;

import io.sluice.grammar.Expression;
import io.sluice.grammar.Expression.Call;
import io.sluice.grammar.Expression.Comparison;
import io.sluice.grammar.Expression.Junction;
import io.sluice.grammar.Expression.Literal;
import io.sluice.model.schema.ColumnType;
import io.sluice.model.schema.TypeKind;
import java.math.BigDecimal;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.BinaryOperator;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** An expression, ready to be evaluated. Conditions have three values: null is unknown. Thread-safe. */
@FunctionalInterface
public interface Scalar {
    /**
     * Evaluates the expression.
     *
     * @param values values of the columns or of the group, by position
     * @throws io.sluice.grammar.StatementException if there is no result: division by zero, or out of range
     */
    @Nullable
    Object of(@Nullable Object[] values);

    /** Whether a condition is true. */
    default boolean holds(@Nullable Object[] values) {
        return Boolean.TRUE.equals(of(values));
    }

    /** Compiles an expression. */
    static Scalar of(Expression expression) {
        if (expression instanceof Literal literal) {
            String text = literal.text();
            Object value = text == null ? null : Datums.parse(text, literal.type());
            return values -> value;
        }
        if (expression instanceof Expression.Column column) {
            int position = column.column();
            return values -> values[position];
        }
        if (expression instanceof Expression.Slot slot) {
            int position = slot.position();
            return values -> values[position];
        }
        if (expression instanceof Comparison comparison) {
            return comparison(comparison);
        }
        if (expression instanceof Junction junction) {
            return junction(junction);
        }
        if (expression instanceof Call call) {
            return call(call);
        }
        throw new IllegalArgumentException("an aggregate is computed from a group: " + expression);
    }

    private static List<Scalar> all(List<Expression> expressions) {
        return expressions.stream().map(Scalar::of).toList();
    }

    private static Scalar comparison(Comparison comparison) {
        Scalar left = of(comparison.left());
        Scalar right = of(comparison.right());
        TypeKind kind = comparison.left().type().kind();
        return values -> {
            Object a = left.of(values);
            Object b = a == null ? null : right.of(values);
            if (a == null || b == null) {
                return null;
            }
            return switch (comparison.operator()) {
                case EQUAL -> Datums.equal(kind, a, b);
                case NOT_EQUAL -> !Datums.equal(kind, a, b);
                case LESS -> Datums.compare(kind, a, b) < 0;
                case LESS_OR_EQUAL -> Datums.compare(kind, a, b) <= 0;
                case GREATER -> Datums.compare(kind, a, b) > 0;
                case GREATER_OR_EQUAL -> Datums.compare(kind, a, b) >= 0;
            };
        };
    }

    private static Scalar junction(Junction junction) {
        List<Scalar> operands = all(junction.operands());
        boolean all = junction.all();
        return values -> {
            boolean unknown = false;
            for (Scalar operand : operands) {
                Object value = operand.of(values);
                if (value == null) {
                    unknown = true;
                } else if ((Boolean) value != all) {
                    return !all;
                }
            }
            return unknown ? null : (Object) all;
        };
    }

    private static Scalar call(Call call) {
        List<Scalar> operands = all(call.operands());
        ColumnType type = call.type();
        Scalar first = operands.get(0);
        return switch (call.function()) {
            case NOT -> values -> first.of(values) instanceof Boolean truth ? (Object) !truth : null;
            case IS_NULL -> values -> first.of(values) == null;
            case IN -> in(call, operands);
            case LIKE -> like(call, operands);
            case ADD, SUBTRACT, MULTIPLY, DIVIDE, REMAINDER ->
                strict(operands, (a, b) -> Numbers.of(call.function(), type.kind(), a, b));
            case CONCAT -> strict(operands, (a, b) -> (String) a + b);
            case CAST -> {
                ColumnType from = call.operands().get(0).type();
                yield strict(first, a -> Casts.of(a, from, type));
            }
            case CASE -> caseOf(operands);
            case COALESCE -> coalesce(operands);
            case NULLIF -> {
                TypeKind kind = call.operands().get(0).type().kind();
                Scalar second = operands.get(1);
                yield values -> {
                    Object a = first.of(values);
                    Object b = second.of(values);
                    return a != null && b != null && Datums.equal(kind, a, b) ? null : a;
                };
            }
            case ABS -> strict(first, Scalar::abs);
            case LENGTH -> strict(first, a -> (long) ((String) a).codePointCount(0, ((String) a).length()));
            case LOWER -> strict(first, a -> ((String) a).toLowerCase(Locale.ROOT));
            case UPPER -> strict(first, a -> ((String) a).toUpperCase(Locale.ROOT));
        };
    }

    /** A function of values that are not NULL. */
    private static Scalar strict(Scalar operand, UnaryOperator<Object> function) {
        return values -> {
            Object value = operand.of(values);
            return value == null ? null : function.apply(value);
        };
    }

    private static Scalar strict(List<Scalar> operands, BinaryOperator<Object> function) {
        Scalar left = operands.get(0);
        Scalar right = operands.get(1);
        return values -> {
            Object a = left.of(values);
            Object b = right.of(values);
            return a == null || b == null ? null : function.apply(a, b);
        };
    }

    private static Object abs(Object value) {
        if (value instanceof Long number) {
            if (number == Long.MIN_VALUE) {
                throw Numbers.outOfRange("INT8", "abs(" + number + ")");
            }
            return Math.abs(number);
        }
        return value instanceof BigDecimal number ? number.abs() : Math.abs((Double) value);
    }

    private static Scalar in(Call call, List<Scalar> operands) {
        Scalar operand = operands.get(0);
        List<Scalar> others = operands.subList(1, operands.size());
        boolean constant = call.operands().stream().skip(1).allMatch(each -> each instanceof Literal);
        if (constant) {
            Set<Object> keys = new HashSet<>();
            boolean unknown = false;
            for (Scalar other : others) {
                Object key = Datums.key(other.of(new Object[0]));
                unknown |= key == null;
                if (key != null) {
                    keys.add(key);
                }
            }
            boolean hasNull = unknown;
            return values -> {
                Object value = Datums.key(operand.of(values));
                return value == null ? null : keys.contains(value) ? (Object) true : hasNull ? null : (Object) false;
            };
        }
        TypeKind kind = call.operands().get(0).type().kind();
        return values -> {
            Object value = operand.of(values);
            boolean unknown = false;
            for (Scalar other : others) {
                Object each = value == null ? null : other.of(values);
                if (value != null && each != null && Datums.equal(kind, value, each)) {
                    return true;
                }
                unknown |= each == null;
            }
            return unknown ? null : (Object) false;
        };
    }

    private static Scalar like(Call call, List<Scalar> operands) {
        if (call.operands().get(1) instanceof Literal literal) {
            String text = literal.text();
            if (text == null) {
                return values -> null;
            }
            LikePattern pattern = new LikePattern(text);
            return strict(operands.get(0), a -> pattern.matches((String) a));
        }
        return strict(operands, (a, b) -> new LikePattern((String) b).matches((String) a));
    }

    private static Scalar caseOf(List<Scalar> operands) {
        return values -> {
            for (int i = 0; i + 1 < operands.size(); i += 2) {
                if (operands.get(i).holds(values)) {
                    return operands.get(i + 1).of(values);
                }
            }
            return operands.get(operands.size() - 1).of(values);
        };
    }

    private static Scalar coalesce(List<Scalar> operands) {
        return values -> {
            for (Scalar operand : operands) {
                Object value = operand.of(values);
                if (value != null) {
                    return value;
                }
            }
            return null;
        };
    }
}
