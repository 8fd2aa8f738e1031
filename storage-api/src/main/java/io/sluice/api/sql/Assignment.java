package io.sluice.api.sql;

import org.jspecify.annotations.Nullable;

/** One {@code SET column = …}: a literal, or a column of the same row, to which a number may be added and the like. */
public sealed interface Assignment {
    /** Position of the column that is set. */
    int column();

    /** The same value for all rows; null for NULL. */
    record Literal(int column, @Nullable String text) implements Assignment {}

    /** What another column of the row had before. */
    record Copy(int column, int from) implements Assignment {}

    /**
     * What a column of the row had before, and a number.
     *
     * @param number a decimal number
     */
    record Arithmetic(int column, int from, Operator operator, String number) implements Assignment {}

    /** What is done with the number. */
    enum Operator {
        ADD("+"),
        SUBTRACT("-"),
        MULTIPLY("*");

        private final String symbol;

        Operator(String symbol) {
            this.symbol = symbol;
        }

        /** As SQL writes it. */
        public String symbol() {
            return symbol;
        }
    }
}
