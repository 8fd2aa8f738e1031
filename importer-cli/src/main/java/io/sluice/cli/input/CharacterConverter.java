package io.sluice.cli.input;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses one character, or a name for it: {@code \t}, {@code tab}, {@code \0}. */
final class CharacterConverter implements ITypeConverter<Character> {
    @Override
    public Character convert(String value) {
        return switch (value) {
            case "\\t", "tab" -> '\t';
            case "\\0" -> '\0';
            default -> {
                if (value.length() != 1) {
                    throw new TypeConversionException("'" + value + "' is not one character");
                }
                yield value.charAt(0);
            }
        };
    }
}
