package io.sluice.grammar;

import org.jspecify.annotations.Nullable;

/** One {@code SET column = …}: a literal, a column of the same row, or arithmetic on a column and a number. */
public sealed interface Assignment {
    /** Position of the assigned column. */
    int column();

    /** Assigns the same value to all rows; null for NULL. */
    record Literal(int column, @Nullable String text) implements Assignment {}

    /** Assigns the old value of another column. */
    record Copy(int column, int from) implements Assignment {}

    /**
     * Assigns the result of an operation on a column's old value and a number.
     *
     * @param number a decimal number
     */
    record Arithmetic(int column, int from, Operator operator, String number) implements Assignment {}

    /** An arithmetic operator. */
    enum Operator {
        ADD("+"),
        SUBTRACT("-"),
        MULTIPLY("*");

        private final String symbol;

        Operator(String symbol) {
            this.symbol = symbol;
        }

        /** The operator's SQL symbol. */
        public String symbol() {
            return symbol;
        }
    }
}
