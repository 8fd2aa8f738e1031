package io.sluice.grammar;

import io.sluice.grammar.Expression.Aggregate;
import io.sluice.grammar.Expression.Aggregation;
import io.sluice.grammar.Expression.Call;
import io.sluice.grammar.Expression.Comparator;
import io.sluice.grammar.Expression.Comparison;
import io.sluice.grammar.Expression.Function;
import io.sluice.grammar.Expression.Literal;
import io.sluice.grammar.Source.Given;
import io.sluice.grammar.Tokens.Token;
import io.sluice.model.error.BadInputException;
import io.sluice.model.row.Row;
import io.sluice.model.schema.ColumnType;
import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.TableDef;
import io.sluice.model.schema.TypeKind;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Gives the operands of operators and functions a common type. Integers become DECIMAL, and both become FLOAT8, where
 * the other operand is of that type. A text in quotes, a parameter and NULL take the type of the other operand.
 */
final class ExpressionTypes {
    /** Type of texts in quotes, parameters and NULL before the other operand is known. */
    private static final ColumnType UNKNOWN = new ColumnType(TypeKind.STRING, -1, 0, 0);

    static final Expression NULL = new Literal(UNKNOWN, null);

    private static final ColumnType DECIMAL = ColumnType.of(TypeKind.DECIMAL);
    private static final ColumnType FLOAT8 = ColumnType.of(TypeKind.FLOAT8);
    private static final Set<TypeKind> TIMES = Set.of(TypeKind.DATE, TypeKind.TIMESTAMP, TypeKind.TIMESTAMPTZ);

    private final Source source;
    private final TableDef table;
    /** The place of each literal. */
    private final IdentityHashMap<Expression, Given> places = new IdentityHashMap<>();

    ExpressionTypes(Source source, TableDef table) {
        this.source = source;
        this.table = table;
    }

    Expression literal(Given given) {
        ColumnType type =
                switch (given.kind()) {
                    case NUMBER -> numberType(Objects.requireNonNull(given.text()));
                    case WORD -> given.text() == null ? UNKNOWN : Expression.BOOL;
                    default -> given.type() == null ? UNKNOWN : given.type();
                };
        Literal literal = new Literal(type, given.text());
        places.put(literal, given);
        return type.equals(UNKNOWN) ? literal : typed(literal, type, "");
    }

    private static ColumnType numberType(String text) {
        return Literals.read(Expression.INT8, text, new Row(1), 0) == null ? Expression.INT8 : DECIMAL;
    }

    /** Resolves the name of a type. */
    ColumnType named(Token at, String name) {
        try {
            return Ddl.parse("CREATE TABLE t (c " + name + ")", "cast")
                    .get(0)
                    .columns()
                    .get(0)
                    .type();
        } catch (BadInputException e) {
            throw source.unsupported(at, "'" + name + "' is no type of a column");
        }
    }

    /** Gives a literal without a type the type STRING. */
    Expression known(Expression expression) {
        return expression.type().equals(UNKNOWN) ? typed(expression, Expression.STRING, "") : expression;
    }

    private Expression typed(Expression literal, ColumnType type, String which) {
        Given given = places.get(literal);
        if (given != null) {
            String unused = source.fitting(which.isEmpty() ? type.sql() : which, type, given);
        }
        Literal typed = new Literal(type, ((Literal) literal).text());
        if (given != null) {
            places.put(typed, given);
        }
        return typed;
    }

    Expression bool(Expression operand, Token at) {
        Expression condition = operand.type().equals(UNKNOWN) ? typed(operand, Expression.BOOL, "") : operand;
        if (condition.type().kind() != TypeKind.BOOL) {
            throw source.unsupported(
                    at,
                    "a condition is needed here, and this is "
                            + condition.type().sql() + "; compare it with a value");
        }
        return condition;
    }

    Expression text(Expression operand, Token at) {
        Expression text = known(operand);
        if (text.type().kind() != TypeKind.STRING) {
            throw source.unsupported(
                    at, "a text is needed here, and this is " + text.type().sql() + "; write CAST(… AS STRING)");
        }
        return text;
    }

    static Expression negated(Expression condition) {
        return condition instanceof Call call && call.function() == Function.NOT
                ? call.operands().get(0)
                : new Call(Function.NOT, Expression.BOOL, List.of(condition));
    }

    Expression comparison(Comparator operator, Expression left, Expression right, Token at) {
        boolean turned = left instanceof Literal && !(right instanceof Literal);
        Expression first = turned ? right : left;
        Expression second = turned ? left : right;
        if (second instanceof Literal literal && literal.text() == null) {
            Given given = places.get(second);
            throw source.unsupported(
                    given == null ? at : given.at(), "no comparison with NULL is ever true; write IS NULL");
        }
        Comparator sign = turned ? operator.turned() : operator;
        Expression fitting = besideColumn(first, second, false);
        if (fitting != null) {
            return new Comparison(sign, first, fitting);
        }
        List<Expression> same = unified(List.of(first, second), at);
        return new Comparison(sign, same.get(0), same.get(1));
    }

    /**
     * Converts a literal to the type of the column that it is compared with; null if that must be done otherwise. A
     * number beside a FLOAT4 is a FLOAT8, as in PostgreSQL: {@code f4 = 0.1} matches no row.
     *
     * @param narrow whether a number beside a FLOAT4 is one, as in a list of several
     */
    private @Nullable Expression besideColumn(Expression first, Expression second, boolean narrow) {
        if (!(first instanceof Expression.Column column) || !(second instanceof Literal literal)) {
            return null;
        }
        Given given = places.get(literal);
        ColumnType type = Literals.comparable(column.type());
        boolean fraction = given != null
                && given.number()
                && type.kind() == TypeKind.INT8
                && literal.type().kind() == TypeKind.DECIMAL;
        boolean mixed = given != null && given.number() && !isNumber(type);
        if (given == null
                || fraction
                || mixed
                || (literal.type().kind() == TypeKind.BOOL && type.kind() != TypeKind.BOOL)) {
            return null;
        }
        // The text of a cast is a value of the cast's type, not one of the column's.
        boolean cast = !given.number()
                && !literal.type().equals(UNKNOWN)
                && !TypedLiterals.TYPES.containsValue(literal.type());
        if (cast && !sameKind(literal.type(), type)) {
            return null;
        }
        Literal fitting = literal;
        if (TypedLiterals.TYPES.containsValue(literal.type())) {
            String text = TypedLiterals.exact(literal.type(), Objects.requireNonNull(literal.text()), type);
            if (text == null) {
                return null;
            }
            fitting = new Literal(literal.type(), text);
            places.put(fitting, given.converted(text));
        }
        io.sluice.model.schema.Column declared = table.columns().get(column.column());
        String which = "column " + declared.name() + " " + declared.type().sql();
        if (declared.type().kind() == TypeKind.FLOAT4 && literal.text() != null && (narrow || !given.number())) {
            Expression checked = typed(fitting, declared.type(), which);
            return new Literal(type, Literals.widened(Objects.requireNonNull(((Literal) checked).text())));
        }
        return typed(fitting, type, which);
    }

    Expression in(Expression left, List<Expression> values, Token at) {
        List<Expression> operands = new ArrayList<>();
        List<Expression> fitting = new ArrayList<>();
        for (Expression value : values) {
            Expression each = besideColumn(left, value, values.size() > 1);
            if (each == null) {
                break;
            }
            fitting.add(each);
        }
        if (fitting.size() == values.size()) {
            operands.add(left);
            operands.addAll(fitting);
        } else {
            operands.add(left);
            operands.addAll(values);
            operands = unified(operands, at);
        }
        return new Call(Function.IN, Expression.BOOL, operands);
    }

    /** Converts values to one type. */
    List<Expression> unified(List<Expression> values, Token at) {
        ColumnType common = null;
        for (Expression value : values) {
            if (!value.type().equals(UNKNOWN)) {
                common = common == null ? plain(value.type()) : common(common, value.type(), at);
            }
        }
        ColumnType type = common == null ? Expression.STRING : common;
        return values.stream().map(value -> converted(value, type)).toList();
    }

    /** The type without limits, as that of a result. */
    static ColumnType plain(ColumnType type) {
        return switch (type.kind()) {
            case INT2, INT4, INT8 -> Expression.INT8;
            case FLOAT4, ARRAY -> type;
            default -> ColumnType.of(type.kind());
        };
    }

    private ColumnType common(ColumnType one, ColumnType other, Token at) {
        if (sameKind(one, other)) {
            return one;
        }
        if (isNumber(one) && isNumber(other)) {
            return isFloat(one) || isFloat(other) ? FLOAT8 : DECIMAL;
        }
        if (TIMES.contains(one.kind()) && TIMES.contains(other.kind())) {
            return one.kind().compareTo(other.kind()) > 0 ? one : plain(other);
        }
        throw source.unsupported(
                at, one.sql() + " and " + other.sql() + " do not go together; convert one with CAST(… AS type)");
    }

    private static boolean sameKind(ColumnType one, ColumnType other) {
        TypeKind kind = plain(one).kind();
        return kind == plain(other).kind() && (kind != TypeKind.ARRAY || sameElements(one, other));
    }

    private static boolean sameElements(ColumnType one, ColumnType other) {
        return plain(one.elementType()).kind() == plain(other.elementType()).kind();
    }

    private Expression converted(Expression value, ColumnType type) {
        if (value.type().equals(UNKNOWN)) {
            return typed(value, type, "");
        }
        if (value instanceof Literal literal && isNumber(type)) {
            return new Literal(type, literal.text());
        }
        if (plain(value.type()).kind() == type.kind()) {
            return value;
        }
        return new Call(Function.CAST, type, List.of(value));
    }

    private static boolean isNumber(ColumnType type) {
        return isFloat(type) || type.kind() == TypeKind.DECIMAL || plain(type).kind() == TypeKind.INT8;
    }

    private static boolean isFloat(ColumnType type) {
        return type.kind() == TypeKind.FLOAT4 || type.kind() == TypeKind.FLOAT8;
    }

    Expression arithmetic(Function function, Expression left, Expression right, Token at) {
        List<Expression> same = unified(List.of(left, right), at);
        ColumnType type = same.get(0).type().kind() == TypeKind.FLOAT4
                        && same.get(1).type().kind() == TypeKind.FLOAT4
                ? same.get(0).type()
                : plain(same.get(0).type());
        if (!isNumber(type) || (function == Function.REMAINDER && isFloat(type))) {
            throw source.unsupported(at, "arithmetic is for numbers, and this is " + type.sql());
        }
        return new Call(function, type, same);
    }

    /** One operand must be text; another type is converted. */
    Expression concat(Expression left, Expression right, Token at) {
        boolean text = Stream.of(left, right).anyMatch(each -> each.type().kind() == TypeKind.STRING);
        if (!text) {
            throw source.unsupported(at, "|| joins texts; write CAST(… AS STRING)");
        }
        return new Call(Function.CONCAT, Expression.STRING, List.of(asText(left), asText(right)));
    }

    private Expression asText(Expression operand) {
        Expression known = known(operand);
        return known.type().kind() == TypeKind.STRING
                ? known
                : new Call(Function.CAST, Expression.STRING, List.of(known));
    }

    Expression cast(Expression operand, ColumnType type) {
        if (operand.type().equals(type)) {
            return operand;
        }
        Given given = places.get(operand);
        boolean whole = given != null
                && operand.type().equals(UNKNOWN)
                && (type.kind() == TypeKind.FLOAT4 || Literals.comparable(type).equals(type));
        return whole ? typed(operand, type, "") : new Call(Function.CAST, type, List.of(known(operand)));
    }

    Expression function(Token name, List<Expression> operands) {
        int count = operands.size();
        switch (name.name()) {
            case "coalesce", "nullif" -> {
                boolean nullif = name.name().equals("nullif");
                if (nullif ? count == 2 : count > 0) {
                    List<Expression> same = unified(operands, name);
                    ColumnType own = plain(operands.get(0).type());
                    boolean other = own.kind() != same.get(0).type().kind();
                    if (nullif && other && !operands.get(0).type().equals(UNKNOWN)) {
                        // The result has the type of the first operand, whatever it is compared with.
                        Comparison equal = new Comparison(Comparator.EQUAL, same.get(0), same.get(1));
                        return new Call(Function.CASE, own, List.of(equal, new Literal(own, null), operands.get(0)));
                    }
                    return new Call(
                            nullif ? Function.NULLIF : Function.COALESCE,
                            plain(same.get(0).type()),
                            same);
                }
            }
            case "abs" -> {
                if (count == 1 && isNumber(operands.get(0).type())) {
                    return new Call(Function.ABS, plain(operands.get(0).type()), operands);
                }
            }
            case "length", "lower", "upper" -> {
                if (count == 1) {
                    boolean length = name.name().equals("length");
                    return new Call(
                            length ? Function.LENGTH : name.name().equals("lower") ? Function.LOWER : Function.UPPER,
                            length ? Expression.INT8 : Expression.STRING,
                            List.of(text(operands.get(0), name)));
                }
            }
            default -> {
                // Refused below.
            }
        }
        throw source.unsupported(
                name,
                name.image() + " of " + count + " such values is not supported; the functions are count, sum, min, max,"
                        + " avg, coalesce, nullif, abs (of a number), length, lower and upper (of a text)");
    }

    Aggregate aggregate(Aggregation function, Expression argument, boolean distinct, Token name) {
        ColumnType type = plain(argument.type());
        boolean number = isNumber(type);
        if ((function == Aggregation.SUM || function == Aggregation.AVG) && !number) {
            throw source.unsupported(name, name.image() + " is for numbers, and this is " + type.sql());
        }
        ColumnType result =
                switch (function) {
                    case COUNT -> Expression.INT8;
                    case MIN, MAX -> type;
                    case SUM -> isFloat(type) ? type : DECIMAL;
                    case AVG -> isFloat(type) ? FLOAT8 : DECIMAL;
                };
        return new Aggregate(function, argument, distinct, result);
    }
}
