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
 * Checks that no argument lost a byte before {@code main}. The JVM decodes arguments, and names of files, in the
 * charset of the locale, and puts other characters in place of bytes that it cannot decode. On Linux the bytes that
 * were given are in /proc, to be compared.
 */
final class Arguments {
    private static final Path COMMAND_LINE = Path.of("/proc/self/cmdline");

    /** What the JVM puts in place of bytes that are not UTF-8. */
    private static final char REPLACEMENT = '\uFFFD';

    /** What it puts in place of bytes that are not ASCII, where the locale's charset is. */
    private static final char UNKNOWN = '?';

    private Arguments() {}

    /** Why the arguments cannot be used as they are; null when they are what was given. */
    static @Nullable String check(String... args) {
        String charset = System.getProperty("sun.jnu.encoding", "");
        boolean utf8 = isUtf8(charset);
        boolean doubtful = Arrays.stream(args).anyMatch(arg -> isDoubtful(arg, utf8));
        return doubtful ? problem(charset, commandLine(), args) : null;
    }

    /**
     * The same for arguments of which some may have lost bytes.
     *
     * @param charset in which the JVM decoded them
     * @param commandLine the process's arguments as the kernel has them, each with a zero byte behind it; null: unknown
     */
    static @Nullable String problem(String charset, byte @Nullable [] commandLine, String... args) {
        boolean utf8 = isUtf8(charset);
        List<byte[]> given = commandLine == null ? null : given(commandLine, args);
        for (int i = 0; i < args.length; i++) {
            byte[] bytes = given == null ? null : given.get(i);
            String argument = "argument " + (i + 1);
            if (utf8 && (bytes == null ? isDoubtful(args[i], true) : !isText(bytes))) {
                return argument + " is not UTF-8 text: give it in UTF-8";
            }
            if (!utf8 && (bytes == null ? isDoubtful(args[i], false) : !isAscii(bytes))) {
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
    private static boolean isDoubtful(String arg, boolean utf8) {
        return arg.chars().anyMatch(c -> c == REPLACEMENT || (!utf8 && (c == UNKNOWN || c > 0x7f)));
    }

    private static byte @Nullable [] commandLine() {
        try {
            return Files.readAllBytes(COMMAND_LINE);
        } catch (IOException e) {
            // Only Linux has it.
            return null;
        }
    }

    /** The bytes of the arguments, which are the last of the command line; null when those are others. */
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
