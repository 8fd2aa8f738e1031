package io.sluice.cli;

import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class ArgumentsTest {
    private static byte[] commandLine(byte[]... given) {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        line.writeBytes(utf8("java\0io.sluice.cli.Sluice\0"));
        for (byte[] each : given) {
            line.writeBytes(each);
            line.write(0);
        }
        return line.toByteArray();
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static void refused(String expected, String charset, byte[] line, String... args) {
        String problem = Arguments.problem(charset, line, args);
        assertTrue(problem != null && problem.startsWith(expected), () -> "problem: " + problem);
    }

    @Test
    void bytesThatAreNotUtf8AreRefused() {
        byte[] latin = {'a', (byte) 0xe9};
        refused("argument 2 is not UTF-8", "UTF-8", commandLine(utf8("sql"), latin), "sql", "a\uFFFD");
        // The replacement character itself is a character like any other.
        assertNull(Arguments.problem("UTF-8", commandLine(utf8("sql"), utf8("a\uFFFD")), "sql", "a\uFFFD"));
        assertNull(Arguments.problem("UTF-8", commandLine(utf8("\uD83D\uDE00é")), "\uD83D\uDE00é"));
    }

    @Test
    void charactersBeyondAsciiNeedUtf8() {
        byte[] line = commandLine(utf8("-e"), utf8("é"), utf8("?"));
        for (String charset : new String[] {"ANSI_X3.4-1968", "ISO-8859-1", ""}) {
            refused("argument 2 has characters beyond ASCII", charset, line, "-e", "??", "?");
            assertNull(Arguments.problem(charset, commandLine(utf8("id = ?"), utf8("1")), "id = ?", "1"));
        }
    }

    @Test
    void suspiciousArgumentsAreRefusedWithoutTheCommandLine() {
        assertNull(Arguments.problem("UTF-8", null, "é ?"));
        assertTrue(String.valueOf(Arguments.problem("UTF-8", null, "a\uFFFD")).contains("is not UTF-8"));
        assertNull(Arguments.problem("US-ASCII", null, "plain"));
        assertTrue(String.valueOf(Arguments.problem("US-ASCII", null, "id = ?")).contains("may have"));
        // The arguments were not on the command line.
        assertTrue(String.valueOf(Arguments.problem("US-ASCII", utf8("java\0@file\0"), "id", "?"))
                .contains("argument 2 may have"));
    }

    @Test
    void thisProcessHasArgumentsOfItsOwn() {
        assertNull(Arguments.check("plain", "ASCII"));
    }
}
