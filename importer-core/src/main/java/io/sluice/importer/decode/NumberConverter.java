package io.sluice.importer.decode;

import io.sluice.model.text.DatumProblem;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Converts numbers such as {@code 1.234,5} to {@code 1234.5}. Groups have three digits, but the first, which has one to
 * three and does not begin with 0: {@code 1.5} and {@code 0.123} are refused if the point is for thousands, and become
 * neither 15 nor 123. Text without separators is copied, for the parser to judge.
 */
final class NumberConverter extends ValueConverter {
    private static final byte[] NONE = {};
    private static final int GROUP = 3;

    private final byte[] decimal;
    private final byte[] thousands;
    private final DatumProblem wrongGroups;
    private final DatumProblem wrongStart;
    private final DatumProblem wrongPoint;

    NumberConverter(char decimal, @Nullable Character thousands) {
        this.decimal = String.valueOf(decimal).getBytes(StandardCharsets.UTF_8);
        this.thousands = thousands == null ? NONE : thousands.toString().getBytes(StandardCharsets.UTF_8);
        wrongGroups = new DatumProblem(
                DatumProblem.Code.SYNTAX,
                "must have groups of three digits between " + CsvDialect.quoted(String.valueOf(thousands)));
        wrongStart = new DatumProblem(
                DatumProblem.Code.SYNTAX,
                "begins with 0 before " + CsvDialect.quoted(String.valueOf(thousands))
                        + ", which stands between groups of three digits and not before a fraction");
        wrongPoint = new DatumProblem(
                DatumProblem.Code.SYNTAX,
                "has '.', but numbers have the decimal " + CsvDialect.quoted(String.valueOf(decimal)));
    }

    @Override
    public @Nullable DatumProblem convert(byte[] buffer, int from, int to) {
        byte[] out = begin(to - from);
        int written = 0;
        // Digits since the sign or the last separator; -1 after the whole part.
        int digits = 0;
        boolean grouped = false;
        boolean zero = false;
        int pos = from;
        while (pos < to) {
            byte b = buffer[pos];
            if (digits >= 0 && isAt(thousands, buffer, pos, to)) {
                if (digits == 0 || digits > GROUP || (grouped && digits != GROUP)) {
                    return wrongGroups;
                }
                if (zero && !grouped) {
                    return wrongStart;
                }
                grouped = true;
                digits = 0;
                pos += thousands.length;
                continue;
            }
            boolean isDecimal = isAt(decimal, buffer, pos, to);
            if (b == '.' && !isDecimal) {
                return wrongPoint;
            }
            boolean isDigit = b >= '0' && b <= '9';
            if (digits >= 0 && isDigit) {
                zero |= digits == 0 && b == '0';
                digits++;
            } else if (digits > 0 || grouped) {
                if (grouped && digits >= 0 && digits != GROUP) {
                    return wrongGroups;
                }
                digits = -1;
            }
            out[written++] = isDecimal ? (byte) '.' : b;
            pos += isDecimal ? decimal.length : 1;
        }
        if (grouped && digits >= 0 && digits != GROUP) {
            return wrongGroups;
        }
        end(written);
        return null;
    }

    private static boolean isAt(byte[] separator, byte[] buffer, int pos, int to) {
        return separator.length > 0
                && buffer[pos] == separator[0]
                && (separator.length == 1
                        || (pos + separator.length <= to
                                && Arrays.equals(buffer, pos, pos + separator.length, separator, 0, separator.length)));
    }
}
