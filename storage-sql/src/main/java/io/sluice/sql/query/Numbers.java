package io.sluice.sql.query;

import io.sluice.grammar.Expression.Function;
import io.sluice.grammar.SqlErrorCode;
import io.sluice.grammar.StatementException;
import io.sluice.model.schema.TypeKind;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;

/** Arithmetic as PostgreSQL has it: exact for integers and DECIMAL; a result out of range is an error. */
final class Numbers {
    /** Digits of a DECIMAL beyond which arithmetic is refused; PostgreSQL's limit before the point. */
    private static final int MAX_DIGITS = 131_072;
    /** PostgreSQL computes quotients to 16 significant digits at least ... */
    private static final int MIN_QUOTIENT_DIGITS = 16;
    /** ... in digits of base 10,000. */
    private static final int DIGITS_PER_BASE = 4;

    private static final int MAX_QUOTIENT_SCALE = 1000;

    private Numbers() {}

    /** Computes a result from two values of one kind. */
    static Object of(Function function, TypeKind kind, Object left, Object right) {
        return switch (kind) {
            case FLOAT4 -> floating(function, (Double) left, (Double) right, true);
            case FLOAT8 -> floating(function, (Double) left, (Double) right, false);
            case DECIMAL -> decimals(function, left, right);
            default -> longs(function, (Long) left, (Long) right);
        };
    }

    private static long longs(Function function, long left, long right) {
        if ((function == Function.DIVIDE || function == Function.REMAINDER) && right == 0) {
            throw divisionByZero();
        }
        try {
            return switch (function) {
                case ADD -> Math.addExact(left, right);
                case SUBTRACT -> Math.subtractExact(left, right);
                case MULTIPLY -> Math.multiplyExact(left, right);
                case DIVIDE -> right == -1 ? Math.negateExact(left) : left / right;
                default -> right == -1 ? 0 : left % right;
            };
        } catch (ArithmeticException e) {
            throw outOfRange("INT8", left + " and " + right);
        }
    }

    private static double doubles(Function function, double left, double right) {
        return switch (function) {
            case ADD -> left + right;
            case SUBTRACT -> left - right;
            case MULTIPLY -> left * right;
            default -> {
                if (right == 0 && !Double.isNaN(left)) {
                    throw divisionByZero();
                }
                yield left / right;
            }
        };
    }

    private static double floating(Function function, double left, double right, boolean narrow) {
        double exact = doubles(function, left, right);
        double result = narrow ? (float) exact : exact;
        boolean overflow = Double.isInfinite(result) && Double.isFinite(left) && Double.isFinite(right);
        boolean zero = (function == Function.MULTIPLY && right != 0)
                || (function == Function.DIVIDE && !Double.isInfinite(right));
        if (overflow || (zero && result == 0 && left != 0)) {
            throw outOfRange("FLOAT", left + " and " + right);
        }
        return result;
    }

    private static Object decimals(Function function, Object left, Object right) {
        boolean divides = function == Function.DIVIDE || function == Function.REMAINDER;
        if (divides && right instanceof BigDecimal divisor && divisor.signum() == 0 && !isNan(left)) {
            throw divisionByZero();
        }
        if (!(left instanceof BigDecimal a) || !(right instanceof BigDecimal b)) {
            return special(function, left, right);
        }
        BigDecimal result =
                switch (function) {
                    case ADD -> bounded(a, b).add(b);
                    case SUBTRACT -> bounded(a, b).subtract(b);
                    case MULTIPLY -> a.multiply(b);
                    case DIVIDE -> a.divide(b, quotientScale(a, b), RoundingMode.HALF_UP);
                    default -> bounded(a, b).remainder(b).setScale(Math.max(a.scale(), b.scale()));
                };
        if (magnitude(result) > MAX_DIGITS || result.scale() > MAX_DIGITS) {
            throw outOfRange("DECIMAL", "numbers of more than " + MAX_DIGITS + " digits");
        }
        return result;
    }

    /** Refuses to align numbers whose exponents are so far apart that the result would fill the memory. */
    private static BigDecimal bounded(BigDecimal left, BigDecimal right) {
        if (Math.abs(magnitude(left)) > MAX_DIGITS
                || Math.abs(magnitude(right)) > MAX_DIGITS
                || Math.abs((long) left.scale() - right.scale()) > 2L * MAX_DIGITS) {
            throw outOfRange("DECIMAL", "numbers of more than " + MAX_DIGITS + " digits");
        }
        return left;
    }

    /** Number of digits before the point; negative with zeros behind it. */
    private static long magnitude(BigDecimal number) {
        return number.signum() == 0 ? 0 : (long) number.precision() - number.scale();
    }

    /** The result if an operand is NaN or infinite: of a finite one only the sign counts. */
    private static Object special(Function function, Object left, Object right) {
        double a = sign(left);
        double b = sign(right);
        return switch (function) {
            case ADD -> a + b;
            case SUBTRACT -> a - b;
            case MULTIPLY -> a * b;
            case DIVIDE -> Double.isInfinite(b) && !Double.isInfinite(a) && !Double.isNaN(a) ? BigDecimal.ZERO : a / b;
            default -> Double.isInfinite(b) && left instanceof BigDecimal ? left : Double.NaN;
        };
    }

    private static double sign(Object value) {
        return value instanceof BigDecimal number ? number.signum() : (Double) value;
    }

    private static boolean isNan(Object value) {
        return value instanceof Double special && Double.isNaN(special);
    }

    /** Fraction digits of a quotient, as {@code select_div_scale} of PostgreSQL's numeric.c chooses them. */
    static int quotientScale(BigDecimal dividend, BigDecimal divisor) {
        int weight = weight(dividend) - weight(divisor);
        if (firstDigit(dividend) <= firstDigit(divisor)) {
            weight--;
        }
        int scale = MIN_QUOTIENT_DIGITS - weight * DIGITS_PER_BASE;
        scale = Math.max(scale, Math.max(dividend.scale(), divisor.scale()));
        return Math.min(Math.max(scale, 0), MAX_QUOTIENT_SCALE);
    }

    /** Position of the first digit of base 10,000 that is not zero. */
    private static int weight(BigDecimal number) {
        return number.signum() == 0 ? 0 : Math.floorDiv((int) magnitude(number) - 1, DIGITS_PER_BASE);
    }

    private static int firstDigit(BigDecimal number) {
        return number.signum() == 0
                ? 0
                : number.abs()
                        .scaleByPowerOfTen(-DIGITS_PER_BASE * weight(number))
                        .intValue();
    }

    /** Rounds to an integer, halves away from zero. */
    static long toLong(BigDecimal number) {
        BigInteger whole = magnitude(number) > Long.SIZE
                ? BigInteger.ONE.shiftLeft(Long.SIZE)
                : number.setScale(0, RoundingMode.HALF_UP).toBigInteger();
        if (whole.bitLength() >= Long.SIZE) {
            throw outOfRange("INT8", number.toString());
        }
        return whole.longValue();
    }

    static StatementException divisionByZero() {
        return new StatementException(
                SqlErrorCode.BAD_VALUE, "division by zero; NULLIF(divisor, 0) makes the result NULL");
    }

    static StatementException outOfRange(String type, String operands) {
        return new StatementException(
                SqlErrorCode.BAD_VALUE, "the result of " + operands + " is out of range for " + type);
    }
}
