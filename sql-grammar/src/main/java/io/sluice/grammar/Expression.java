package io.sluice.grammar;

import io.sluice.model.schema.ColumnType;
import io.sluice.model.schema.TypeKind;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A typed expression on one row. Conditions are expressions of type BOOL, with NULL for unknown. Two expressions are
 * equal if they are written the same way.
 */
public sealed interface Expression {
    ColumnType BOOL = ColumnType.of(TypeKind.BOOL);
    ColumnType INT8 = ColumnType.of(TypeKind.INT8);
    ColumnType STRING = ColumnType.of(TypeKind.STRING);

    /** Type of the values. */
    ColumnType type();

    List<Expression> operands();

    /** Returns the same expression with other operands. */
    Expression with(List<Expression> operands);

    /** Returns the expression with its operands replaced. */
    default Expression map(UnaryOperator<Expression> replacement) {
        return operands().isEmpty()
                ? this
                : with(operands().stream().map(replacement).toList());
    }

    /** An expression without operands. */
    sealed interface Leaf extends Expression {
        @Override
        default List<Expression> operands() {
            return List.of();
        }

        @Override
        default Expression with(List<Expression> operands) {
            return this;
        }
    }

    /**
     * A constant.
     *
     * @param text datum as text of the type; null for NULL
     */
    record Literal(ColumnType type, @Nullable String text) implements Leaf {}

    /** A column of the table, by position. */
    record Column(int column, ColumnType type) implements Leaf {}

    /** A value of a group: a key of GROUP BY, then the aggregates. */
    record Slot(int position, ColumnType type) implements Leaf {}

    record Comparison(Comparator operator, Expression left, Expression right) implements Expression {
        @Override
        public ColumnType type() {
            return BOOL;
        }

        @Override
        public List<Expression> operands() {
            return List.of(left, right);
        }

        @Override
        public Expression with(List<Expression> operands) {
            return new Comparison(operator, operands.get(0), operands.get(1));
        }
    }

    /** An operator of a comparison. */
    enum Comparator {
        EQUAL("="),
        NOT_EQUAL("<>"),
        LESS("<"),
        LESS_OR_EQUAL("<="),
        GREATER(">"),
        GREATER_OR_EQUAL(">=");

        private final String symbol;

        Comparator(String symbol) {
            this.symbol = symbol;
        }

        /** The operator's SQL symbol. */
        public String symbol() {
            return symbol;
        }

        /** Returns the equivalent operator for exchanged operands. */
        Comparator turned() {
            return switch (this) {
                case LESS -> GREATER;
                case LESS_OR_EQUAL -> GREATER_OR_EQUAL;
                case GREATER -> LESS;
                case GREATER_OR_EQUAL -> LESS_OR_EQUAL;
                default -> this;
            };
        }
    }

    /** All conditions, or any of them. */
    record Junction(boolean all, List<Expression> operands) implements Expression {
        public Junction {
            operands = List.copyOf(operands);
        }

        @Override
        public ColumnType type() {
            return BOOL;
        }

        @Override
        public Expression with(List<Expression> others) {
            return new Junction(all, others);
        }
    }

    /** A function of its operands, or an operator other than a comparison. */
    record Call(Function function, ColumnType type, List<Expression> operands) implements Expression {
        public Call {
            operands = List.copyOf(operands);
        }

        @Override
        public Expression with(List<Expression> others) {
            return new Call(function, type, others);
        }
    }

    /** The functions of {@link Call}. */
    enum Function {
        NOT,
        IS_NULL,
        /** The first operand is among the others. */
        IN,
        LIKE,
        ADD,
        SUBTRACT,
        MULTIPLY,
        DIVIDE,
        REMAINDER,
        CONCAT,
        /** Conversion to the type of the call. */
        CAST,
        /** Pairs of condition and value, then the value without a true condition. */
        CASE,
        COALESCE,
        NULLIF,
        ABS,
        LENGTH,
        LOWER,
        UPPER
    }

    /**
     * A value computed from all rows of a group.
     *
     * @param argument null for {@code count(*)}
     * @param distinct whether equal values count once
     */
    record Aggregate(Aggregation function, @Nullable Expression argument, boolean distinct, ColumnType type)
            implements Expression {
        @Override
        public List<Expression> operands() {
            return argument == null ? List.of() : List.of(argument);
        }

        @Override
        public Expression with(List<Expression> operands) {
            return new Aggregate(function, argument == null ? null : operands.get(0), distinct, type);
        }
    }

    /** The aggregate functions. */
    enum Aggregation {
        COUNT,
        SUM,
        MIN,
        MAX,
        AVG
    }
}
