package io.sluice.cli;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Checks that no argument lost bytes before {@code main}. The JVM decodes arguments and file names in the charset of
 * the locale, and replaces bytes that it cannot decode. On Linux the original bytes are in /proc for comparison.
 */
final class Arguments {
    private static final Path COMMAND_LINE = Path.of("/proc/self/cmdline");

    /** The JVM's replacement for bytes that are not UTF-8. */
    private static final char REPLACEMENT = '\uFFFD';

    /** The JVM's replacement for non-ASCII bytes in an ASCII locale. */
    private static final char UNKNOWN = '?';

    private Arguments() {}

    /** Returns why the arguments are unusable, or null if no byte was lost. */
    static @Nullable String check(String... args) {
        String charset = System.getProperty("sun.jnu.encoding", "");
        boolean utf8 = isUtf8(charset);
        boolean suspicious = Arrays.stream(args).anyMatch(arg -> isSuspicious(arg, utf8));
        return suspicious ? problem(charset, commandLine(), args) : null;
    }

    /**
     * Checks arguments of which some may have lost bytes.
     *
     * @param charset charset with which the JVM decoded them
     * @param commandLine the kernel's copy of the arguments, each followed by a zero byte; null if unknown
     */
    static @Nullable String problem(String charset, byte @Nullable [] commandLine, String... args) {
        boolean utf8 = isUtf8(charset);
        List<byte[]> given = commandLine == null ? null : given(commandLine, args);
        for (int i = 0; i < args.length; i++) {
            byte[] bytes = given == null ? null : given.get(i);
            String argument = "argument " + (i + 1);
            if (utf8 && (bytes == null ? isSuspicious(args[i], true) : !isText(bytes))) {
                return argument + " is not UTF-8 text: give it in UTF-8";
            }
            if (!utf8 && (bytes == null ? isSuspicious(args[i], false) : !isAscii(bytes))) {
                return argument + (bytes == null ? " may have" : " has")
                        + " characters beyond ASCII, and the locale's charset " + charset
                        + " is not UTF-8, so they would be lost: set LC_ALL to a UTF-8 locale, such as C.UTF-8";
            }
        }
        return null;
    }

    private static boolean isUtf8(String charset) {
        String name = charset.toUpperCase(Locale.ROOT);
        return name.equals("UTF-8") || name.equals("UTF8");
    }

    /** Whether an argument has a character that may stand for lost bytes. */
    private static boolean isSuspicious(String arg, boolean utf8) {
        return arg.chars().anyMatch(c -> c == REPLACEMENT || (!utf8 && (c == UNKNOWN || c > 0x7f)));
    }

    private static byte @Nullable [] commandLine() {
        try {
            return Files.readAllBytes(COMMAND_LINE);
        } catch (IOException e) {
            // Only Linux has this file.
            return null;
        }
    }

    /** Returns the bytes of the arguments at the end of the command line; null if they do not match. */
    private static @Nullable List<byte[]> given(byte[] commandLine, String... args) {
        List<byte[]> all = new ArrayList<>();
        int from = 0;
        for (int i = 0; i < commandLine.length; i++) {
            if (commandLine[i] == 0) {
                all.add(Arrays.copyOfRange(commandLine, from, i));
                from = i + 1;
            }
        }
        if (all.size() < args.length) {
            return null;
        }
        List<byte[]> last = all.subList(all.size() - args.length, all.size());
        for (int i = 0; i < args.length; i++) {
            if (isAscii(last.get(i)) && !new String(last.get(i), StandardCharsets.US_ASCII).equals(args[i])) {
                return null;
            }
        }
        return last;
    }

    private static boolean isAscii(byte[] bytes) {
        for (byte b : bytes) {
            if (b < 0) {
                return false;
            }
        }
        return true;
    }

    private static boolean isText(byte[] bytes) {
        try {
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
            return true;
        } catch (CharacterCodingException e) {
            return false;
        }
    }
}
