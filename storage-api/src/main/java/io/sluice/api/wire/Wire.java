package io.sluice.api.wire;

import io.sluice.api.error.BadInputException;
import java.util.HexFormat;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Texts of headers, paths and JSON as values. Whatever is none is bad input, named by where it stood. */
public final class Wire {
    private static final HexFormat HEX = HexFormat.of();
    private static final int UUID_LENGTH = 36;

    private Wire() {}

    /** The value, which must be there. */
    public static <T> T required(String name, @Nullable T value) {
        if (value == null) {
            throw new BadInputException(name + " is missing");
        }
        return value;
    }

    /** An id in its canonical form, the only one taken: an id becomes a file's name. */
    public static UUID uuid(String name, String text) {
        try {
            UUID id = UUID.fromString(text);
            if (text.length() == UUID_LENGTH && id.toString().equalsIgnoreCase(text)) {
                return id;
            }
        } catch (IllegalArgumentException e) {
            throw new BadInputException(name + ": not a UUID of the form 8-4-4-4-12", e);
        }
        throw new BadInputException(name + ": not a UUID of the form 8-4-4-4-12");
    }

    /** A number from 0. */
    public static long number(String name, String text) {
        try {
            long number = Long.parseLong(text);
            if (number >= 0) {
                return number;
            }
        } catch (NumberFormatException e) {
            throw new BadInputException(name + ": not a number", e);
        }
        throw new BadInputException(name + ": must not be negative");
    }

    /** A number from 0 that fits an int. */
    public static int smallNumber(String name, String text) {
        long number = number(name, text);
        if (number > Integer.MAX_VALUE) {
            throw new BadInputException(name + ": too large");
        }
        return (int) number;
    }

    /** A key as text. */
    public static String hex(byte[] key) {
        return HEX.formatHex(key);
    }

    /** A key from its text. */
    public static byte[] key(String name, String text) {
        try {
            return HEX.parseHex(text);
        } catch (IllegalArgumentException e) {
            throw new BadInputException(name + ": not an even number of hexadecimal digits", e);
        }
    }

    /** A 64-bit sum from sixteen digits. */
    public static long hexLong(String name, String text) {
        try {
            if (text.length() == Long.BYTES * 2) {
                return HexFormat.fromHexDigitsToLong(text);
            }
        } catch (IllegalArgumentException e) {
            throw new BadInputException(name + ": not sixteen hexadecimal digits", e);
        }
        throw new BadInputException(name + ": not sixteen hexadecimal digits");
    }

    /** A 32-bit checksum from eight digits. */
    public static int hexInt(String name, String text) {
        try {
            if (text.length() == Integer.BYTES * 2) {
                return HexFormat.fromHexDigits(text);
            }
        } catch (IllegalArgumentException e) {
            throw new BadInputException(name + ": not eight hexadecimal digits", e);
        }
        throw new BadInputException(name + ": not eight hexadecimal digits");
    }

    /** A 32-bit checksum as eight digits. */
    public static String hex(int checksum) {
        return HEX.toHexDigits(checksum);
    }
}
