package io.sluice.cli.memory;

import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Parses sizes such as {@code 512m}, {@code 512MiB} or {@code 4g} into bytes. Units are powers of 1024, as in JVM
 * options; {@code MB} is refused, since reports have it as a power of 1000.
 */
public final class SizeConverter implements ITypeConverter<Long> {
    private static final String UNITS = "kmgt";

    @Override
    public Long convert(String value) {
        String text = value.toLowerCase(Locale.ROOT);
        if (text.matches("[0-9]+[kmgt]b")) {
            String binary = text.substring(0, text.length() - 1);
            throw new TypeConversionException("'" + value + "' is ambiguous: reports have "
                    + value.substring(value.length() - 2) + " as a power of 1000, options take powers of 1024; write "
                    + binary + ", which is " + binary.toUpperCase(Locale.ROOT) + "iB");
        }
        String plain = text.replaceFirst("(?<=[0-9])b$|(?<=[kmgt])ib?$", "");
        int unit = plain.isEmpty() ? -1 : UNITS.indexOf(plain.charAt(plain.length() - 1));
        String digits = unit < 0 ? plain : plain.substring(0, plain.length() - 1);
        try {
            return Math.multiplyExact(Long.parseUnsignedLong(digits), 1L << (10 * (unit + 1)));
        } catch (NumberFormatException | ArithmeticException e) {
            throw new TypeConversionException("'" + value + "' is no size; write 512m or 4g");
        }
    }
}
