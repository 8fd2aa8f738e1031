package io.sluice.cli.memory;

import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses sizes such as {@code 512m} or {@code 4g} into bytes. Units are powers of 1024, as in JVM options. */
public final class SizeConverter implements ITypeConverter<Long> {
    private static final String UNITS = "kmgt";

    @Override
    public Long convert(String value) {
        String text = value.toLowerCase(Locale.ROOT);
        if (text.endsWith("b") && text.length() > 1) {
            text = text.substring(0, text.length() - 1);
        }
        if (text.endsWith("i") && text.length() > 1) {
            text = text.substring(0, text.length() - 1);
        }
        int unit = text.isEmpty() ? -1 : UNITS.indexOf(text.charAt(text.length() - 1));
        String digits = unit < 0 ? text : text.substring(0, text.length() - 1);
        try {
            return Math.multiplyExact(Long.parseUnsignedLong(digits), 1L << (10 * (unit + 1)));
        } catch (NumberFormatException | ArithmeticException e) {
            throw new TypeConversionException("'" + value + "' is no size; write 512m or 4g");
        }
    }
}
