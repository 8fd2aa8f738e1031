package io.sluice.api.wire;

import io.sluice.model.error.BadInputException;
import java.util.HexFormat;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Parses and formats values in headers, paths and JSON. A malformed text is bad input; the error names its origin. */
public final class Wire {
    private static final HexFormat HEX = HexFormat.of();
    private static final int UUID_LENGTH = 36;

    private Wire() {}

    /** Returns the value; throws {@link BadInputException} if it is null. */
    public static <T> T required(String name, @Nullable T value) {
        if (value == null) {
            throw new BadInputException(name + " is missing");
        }
        return value;
    }

    /** Parses a UUID in canonical form. Other forms are rejected, because an id becomes a file name. */
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

    /** Parses a number from 0. */
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

    /** Parses a number from 0 that fits an int. */
    public static int smallNumber(String name, String text) {
        long number = number(name, text);
        if (number > Integer.MAX_VALUE) {
            throw new BadInputException(name + ": too large");
        }
        return (int) number;
    }

    /** Formats a key in hexadecimal. */
    public static String hex(byte[] key) {
        return HEX.formatHex(key);
    }

    /** Parses a key from hexadecimal. */
    public static byte[] key(String name, String text) {
        try {
            return HEX.parseHex(text);
        } catch (IllegalArgumentException e) {
            throw new BadInputException(name + ": not an even number of hexadecimal digits", e);
        }
    }

    /** Parses a 64-bit sum from sixteen hexadecimal digits. */
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

    /** Parses a 32-bit checksum from eight hexadecimal digits. */
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

    /** Formats a 32-bit checksum as eight hexadecimal digits. */
    public static String hex(int checksum) {
        return HEX.toHexDigits(checksum);
    }
}
