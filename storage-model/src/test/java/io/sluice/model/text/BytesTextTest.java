package io.sluice.model.text;

import static io.sluice.model.text.DatumProblem.Code.BAD_UTF8;
import static io.sluice.model.text.DatumProblem.Code.SYNTAX;
import static io.sluice.model.text.DatumProblem.Code.TOO_LONG;
import static io.sluice.model.text.Texts.assertProblem;
import static io.sluice.model.text.Texts.assertThrough;
import static io.sluice.model.text.Texts.good;
import static io.sluice.model.text.Texts.limited;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.sluice.model.row.Row;
import io.sluice.model.schema.ColumnType;
import io.sluice.model.schema.TypeKind;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BytesTextTest {
    private static final long SEED = Long.getLong("sluice.seed", System.nanoTime());
    private static final int ROUNDS = 300_000;

    private static final ColumnType STRING = ColumnType.of(TypeKind.STRING);
    private static final ColumnType BYTES = ColumnType.of(TypeKind.BYTES);
    private static final ColumnType UUID_TYPE = ColumnType.of(TypeKind.UUID);
    private static final ColumnType BOOL = ColumnType.of(TypeKind.BOOL);

    @ParameterizedTest
    @ValueSource(
            strings = {"", " ", "a", "  kept  ", "grüße", "漢字", "😀", "a\0b", "12345678", "1234567ü", "12345678ü9"})
    void strings(String text) {
        assertThrough(text, STRING, text);
    }

    @Test
    void stringsPointIntoTheBuffer() {
        byte[] buffer = "..hello..".getBytes(StandardCharsets.UTF_8);
        Row row = new Row(1);
        assertNull(DatumParser.of(STRING).parse(buffer, 2, 7, row, 0));
        assertSame(buffer, row.buffer(0));
        assertEquals(2, row.offset(0));
        assertEquals(5, row.length(0));
    }

    @Test
    void lengthLimitsCountCharacters() {
        assertThrough("äöü", limited(TypeKind.STRING, 3), "äöü");
        assertThrough("😀😀😀", limited(TypeKind.STRING, 3), "😀😀😀");
        assertProblem(TOO_LONG, limited(TypeKind.STRING, 3), "äöüß");
        assertProblem(TOO_LONG, limited(TypeKind.STRING, 3), "abcd");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "80",
                "bf",
                "c0",
                "c080",
                "c1bf",
                "c2",
                "c241",
                "e0",
                "e0a0",
                "e09fbf",
                "e08080",
                "eda080",
                "edbfbf",
                "efbf",
                "f0",
                "f09080",
                "f08fbfbf",
                "f4908080",
                "f5808080",
                "ff",
                "fe",
                "f8888080",
                "616263c3",
                "6162636465666768ff",
                "61626364656667ff68",
                "e282",
                "e28241",
                "f09f9841"
            })
    void refusesInvalidUtf8(String hex) {
        byte[] text = HexFormat.of().parseHex(hex);
        Row row = new Row(3);
        DatumProblem problem = Texts.parse(STRING, text, row);
        assertNotNull(problem, hex);
        assertEquals(BAD_UTF8, problem.code());
    }

    @Test
    void messageHasPositionOfInvalidUtf8() {
        Row row = new Row(3);
        DatumProblem problem = Texts.parse(STRING, HexFormat.of().parseHex("6162c3bcff"), row);
        assertNotNull(problem);
        assertEquals("STRING must be UTF-8: byte 5 of the value begins no valid character", problem.message());
    }

    @Test
    void utf8AgreesWithTheJdk() {
        CharsetDecoder decoder = StandardCharsets.UTF_8
                .newDecoder()
                .onMalformedInput(CodingErrorAction.REPORT)
                .onUnmappableCharacter(CodingErrorAction.REPORT);
        Random random = new Random(SEED);
        int valid = 0;
        for (int i = 0; i < ROUNDS; i++) {
            byte[] text = randomText(random);
            int expected;
            try {
                String decoded = decoder.decode(ByteBuffer.wrap(text)).toString();
                expected = decoded.codePointCount(0, decoded.length());
                valid++;
            } catch (CharacterCodingException e) {
                expected = -1;
            }
            int codePoints = Utf8.codePoints(text, 0, text.length);
            assertEquals(
                    expected,
                    Math.max(-1, codePoints),
                    () -> "seed " + SEED + ", " + HexFormat.of().formatHex(text));
        }
        assertEquals(ROUNDS / 2, valid, ROUNDS / 4, "both kinds of text must be tried");
    }

    /** Random text with all sequence lengths; every other text has a changed byte or is truncated. */
    private static byte[] randomText(Random random) {
        StringBuilder text = new StringBuilder();
        int length = random.nextInt(20);
        for (int i = 0; i < length; i++) {
            switch (random.nextInt(4)) {
                case 0 -> text.appendCodePoint(0x80 + random.nextInt(0x780));
                case 1 ->
                    text.appendCodePoint(
                            random.nextBoolean() ? 0x800 + random.nextInt(0xd000) : 0xe000 + random.nextInt(0x2000));
                case 2 -> text.appendCodePoint(0x10000 + random.nextInt(0x100000));
                default -> text.append("abcdefghijk", 0, 1 + random.nextInt(11));
            }
        }
        byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
        if (bytes.length > 0 && random.nextBoolean()) {
            if (random.nextBoolean()) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
            } else {
                return Arrays.copyOf(bytes, random.nextInt(bytes.length));
            }
        }
        return bytes;
    }

    @Test
    void bytes() {
        assertThrough("\\x", BYTES, "\\x");
        assertThrough("\\x00ff", BYTES, "\\x00fF");
        Row row = new Row(3);
        for (int column = 0; column < 2; column++) {
            byte[] text = ("\\x0" + column).getBytes(StandardCharsets.UTF_8);
            assertNull(DatumParser.of(BYTES).parse(text, 0, text.length, row, column));
        }
        // Both are in the row's scratch buffer, next to each other.
        assertArrayEquals(new byte[] {0}, Arrays.copyOfRange(row.buffer(0), row.offset(0), row.offset(0) + 1));
        assertArrayEquals(new byte[] {1}, Arrays.copyOfRange(row.buffer(1), row.offset(1), row.offset(1) + 1));
        for (String text : List.of("\\x0", "\\x0g", "\\xg0", "\\x000", "\\x 0", "\\xü", "\\x\\000", "\\xhello")) {
            assertProblem(SYNTAX, BYTES, text);
        }
        assertProblem(TOO_LONG, limited(TypeKind.BYTES, 2), "\\x000102");
    }

    /** PostgreSQL's output with {@code bytea_output = 'escape'}, and other texts that its input function accepts. */
    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            value = {
                "``, \\x",
                "abc, \\x616263",
                "` a `, \\x206120",
                "00, \\x3030",
                "x41, \\x783431",
                "b'x', \\x62277827",
                "\\000, \\x00",
                "\\377\\200a\\001, \\xff806101",
                "\\\\, \\x5c",
                "\\\\x41, \\x5c783431",
                "a\\\\000, \\x615c303030",
                "é\\303\\251, \\xc3a9c3a9",
            })
    void bytesInEscapeFormat(String text, String expected) {
        assertThrough(expected, BYTES, text);
    }

    @Test
    void refusesInvalidBytes() {
        for (String text : List.of(
                "\\", "a\\", "\\y00", "\\00", "\\0", "\\400", "\\008", "\\\\\\", "\\n", "\\N", "\\777", "a\\x41")) {
            assertProblem(SYNTAX, BYTES, text);
        }
        for (String text : List.of("abc", "\\000\\000\\000", "a\\\\b")) {
            assertProblem(TOO_LONG, limited(TypeKind.BYTES, 2), text);
        }
        assertThrough("\\x5c00", limited(TypeKind.BYTES, 2), "\\\\\\000");
    }

    @Test
    void everyByteRoundTripsInBothFormats() {
        byte[] all = new byte[256];
        StringBuilder escaped = new StringBuilder();
        for (int i = 0; i < all.length; i++) {
            all[i] = (byte) i;
            boolean plain = i >= ' ' && i < 127;
            escaped.append(i == '\\' ? "\\\\" : plain ? String.valueOf((char) i) : String.format("\\%03o", i));
        }
        String hex = "\\x" + HexFormat.of().formatHex(all);
        assertThrough(hex, BYTES, escaped.toString());
        assertThrough(hex, BYTES, hex);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "6ba7b810-9dad-11d1-80b4-00c04fd430c8", "6BA7B810-9DAD-11D1-80B4-00C04FD430C8",
                "6ba7b8109dad11d180b400c04fd430c8", "{6ba7b810-9dad-11d1-80b4-00c04fd430c8}",
                "{6BA7b8109dad11d180b400c04fd430c8}", " 6ba7b810-9dad-11d1-80b4-00c04fd430c8 "
            })
    void uuids(String text) {
        assertThrough("6ba7b810-9dad-11d1-80b4-00c04fd430c8", UUID_TYPE, text);
    }

    @Test
    void uuidsAgreeWithTheJdk() {
        Random random = new Random(SEED);
        for (int i = 0; i < 10_000; i++) {
            UUID uuid = new UUID(random.nextLong(), random.nextLong());
            Row row = good(UUID_TYPE, uuid.toString());
            assertEquals(uuid, new UUID(row.uuidMost(1), row.uuidLeast(1)), () -> "seed " + SEED);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{}",
                "6ba7b810-9dad-11d1-80b4-00c04fd430c",
                "6ba7b810-9dad-11d1-80b4-00c04fd430c88",
                "6ba7b8109-dad-11d1-80b4-00c04fd430c8",
                "6ba7b810-9dad-11d1-80b4-00c04fd430cg",
                "{6ba7b810-9dad-11d1-80b4-00c04fd430c8",
                "6ba7b810 9dad 11d1 80b4 00c04fd430c8",
                "------------------------------------"
            })
    void refusesInvalidUuids(String text) {
        assertProblem(SYNTAX, UUID_TYPE, text);
    }

    @ParameterizedTest
    @CsvSource({
        "true, true",
        "TRUE, true",
        "t, true",
        "T, true",
        "1, true",
        "yes, true",
        "Y, true",
        "on, true",
        "' true ', true",
        "false, false",
        "False, false",
        "f, false",
        "0, false",
        "no, false",
        "N, false",
        "OFF, false"
    })
    void booleans(String text, String expected) {
        assertThrough(expected, BOOL, text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "2", "tru", "truee", "-1", "o", "of", "T1", "01", "\u0011"})
    void refusesInvalidBooleans(String text) {
        assertProblem(SYNTAX, BOOL, text);
    }

    @Test
    void nullsHaveNoText() {
        assertNull(DatumFormatter.format(new Row(1), 0, STRING));
    }
}
