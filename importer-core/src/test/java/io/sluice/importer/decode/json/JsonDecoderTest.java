package io.sluice.importer.decode.json;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.importer.decode.Decoding;
import io.sluice.model.error.BadInputException;
import io.sluice.model.schema.TableDef;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each rule of docs/reference/json.md, on JSON lines and on arrays. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class JsonDecoderTest {
    private static final TableDef TABLE = Decoding.table("a INT8, s STRING, d DECIMAL, b BOOL, n INT8 DEFAULT 7");

    @TempDir
    Path directory;

    private JsonRun run(boolean array, JsonMembers members, TableDef table, byte[] text, int splitBytes) {
        try {
            Path file = Files.createTempFile(directory, "in", ".json");
            Files.write(file, text);
            return JsonRun.of(file, array, members, table, splitBytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private JsonRun lines(String text) {
        return run(false, JsonMembers.BY_NAME, TABLE, text.getBytes(StandardCharsets.UTF_8), 1 << 12);
    }

    private JsonRun array(String text, int splitBytes) {
        return run(true, JsonMembers.BY_NAME, TABLE, text.getBytes(StandardCharsets.UTF_8), splitBytes);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            quoteCharacter = '`',
            value = {
                "{}                                  ~ NULL | NULL | NULL | NULL | 7",
                "{\"a\":1,\"n\":null}                ~ 1 | NULL | NULL | NULL | NULL",
                " { \"a\" : \"12\" , \"B\":true } \r ~ 12 | NULL | NULL | true | 7",
                "{\"b\":false,\"s\":\"\"}            ~ NULL |  | NULL | false | 7",
                "{\"s\":12.50}                       ~ NULL | 12.50 | NULL | NULL | 7",
                "{\"s\":true}                        ~ NULL | true | NULL | NULL | 7",
                "{\"d\":123456789012345678901234567890.000000000000000000010} ~ NULL | NULL | 123456789012345678901234567890.000000000000000000010 | NULL | 7",
                "{\"s\":{\"x\": [1, 2.0e5, null]}}   ~ NULL | {\"x\": [1, 2.0e5, null]} | NULL | NULL | 7",
                "{\"s\":[ ]}                         ~ NULL | [ ] | NULL | NULL | 7",
                "{\"s\":\"\\u00e9\\ud83d\\ude00\\/\\b\"}  ~ NULL | é😀/\b | NULL | NULL | 7",
                "{\"\\u0061\":5,\"zz\":[{\"a\":2}]}  ~ 5 | NULL | NULL | NULL | 7",
                "{\"s\":\"say \\\"x\\\" \\\\\"}      ~ NULL | say \"x\" \\ | NULL | NULL | 7",
            })
    void objectIsOneRow(String line, String row) {
        assertEquals(new JsonRun(List.of(row), List.of(), List.of()), lines(line + "\n"));
        assertEquals(
                List.of(row, row), array("[" + line + "," + line + "]", 1 << 12).rows());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            quoteCharacter = '`',
            value = {
                "[1]                 ~ null, malformed: is not JSON at its byte 1: it is not an object; a file that is one array is read with --format json",
                "5                   ~ null, malformed: is not JSON at its byte 1: it is not an object",
                "{\"a\":1            ~ null, malformed: is not JSON at its byte 7: it ends where ',' or '}' is expected",
                "{\"a\":01}          ~ null, malformed: is not JSON at its byte 6: a number has leading zeros",
                "{\"a\":1.}          ~ null, malformed: is not JSON at its byte 8: '}' stands where a digit is expected",
                "{\"a\":+1}          ~ null, malformed: is not JSON at its byte 6: '+' stands where a value is expected",
                "{\"a\":NaN}         ~ null, malformed: is not JSON at its byte 6: 'N' stands where a value is expected",
                "{\"a\":1,}          ~ null, malformed: is not JSON at its byte 8: '}' stands where a member's name is expected",
                "{a:1}               ~ null, malformed: is not JSON at its byte 2: 'a' stands where a member's name is expected",
                "{\"a\":1} {\"a\":2} ~ null, malformed: is not JSON at its byte 9: '{' stands where the end of the record is expected",
                "{\"a\":1 \"s\":2}   ~ null, malformed: is not JSON at its byte 8: '\"' stands where ',' or '}' is expected",
                "{\"s\":\"x}         ~ null, malformed: is not JSON at its byte 6: the string that begins here is not closed",
                "{\"s\":\"\\x\"}     ~ null, malformed: is not JSON at its byte 7: the backslash begins no escape of JSON",
                "{\"s\":\"\\u00g0\"} ~ null, malformed: is not JSON at its byte 7: the backslash begins no escape of JSON",
                "{\"s\":\"\\ud83d\"} ~ null, malformed: is not JSON at its byte 7: the escape is half a character: one surrogate without the other",
                "{\"s\":\"\\ude00x\"} ~ null, malformed: is not JSON at its byte 7: the escape is half a character: one surrogate without the other",
                "{\"zz\":[1,{\"x\":tru}]} ~ null, malformed: is not JSON at its byte 15: 't' stands where a value is expected",
                "{\"a\":1.5}         ~ a, syntax: INT8 must be a whole number: an optional sign and decimal digits; the value is '1.5'",
                "{\"a\":99999999999999999999} ~ a, out_of_range: out of range for INT8: must be -9223372036854775808 to 9223372036854775807; the value is '99999999999999999999'",
                "{\"a\":{\"x\":1}}   ~ a, syntax: the member is an object or an array, which only columns of type JSONB and STRING take, and ARRAY for arrays of scalars",
                "{\"a\":1,\"A\":2}   ~ a, duplicate_member: the object has several members for it; --json-duplicates last takes the last",
                "{\"x\":1}           ~ null, unknown_member: has no member that is a column of table t",
            })
    void badRecordIsRejectWithItsLine(String line, String reject) {
        String good = "{\"a\":1}\n";
        JsonRun run = lines(good + "\n" + line + "\n" + good);
        assertEquals(List.of("3, " + reject), run.rejects());
        assertEquals(List.of(line), run.records());
        assertEquals(2, run.rows().size());
    }

    @Test
    void controlCharactersAreRejectsAndStayOnReplay() {
        JsonRun zero = lines("{\"s\":\"a\0b\"}\n");
        assertEquals(
                List.of("1, null, malformed: is not JSON at its byte 8: control character 0x0 in a string must be"
                        + " written as an escape"),
                zero.rejects());
        // An array's record is kept as one line, and a line end in a string must not become valid by that.
        JsonRun cut = array("[{\"s\":\"a\nb\"},\n{\"a\":\n1}]", 1 << 12);
        assertEquals(List.of("{\"s\":\"a\tb\"}"), cut.records());
        assertEquals(1, lines(cut.records().get(0) + "\n").rejects().size());
        assertEquals(1, cut.rows().size());
    }

    /** As in CSV, whose framing finds the ends of splits. */
    @ParameterizedTest
    @ValueSource(strings = {"\r", "\n", "\r\n"})
    void lineEndsAreThoseOfTheFraming(String end) {
        String text = String.join(end, "{\"a\":1}", "{\"a\":2}", " ", "{\"a\":x}", "", "{\"a\":3}", "");
        for (int splitBytes : new int[] {1 << 4, 1 << 12}) {
            JsonRun run = run(false, JsonMembers.BY_NAME, TABLE, text.getBytes(StandardCharsets.UTF_8), splitBytes);
            assertEquals(3, run.rows().size(), run.toString());
            assertEquals(
                    List.of("4, null, malformed: is not JSON at its byte 6: 'x' stands where a value is expected"),
                    run.rejects());
            assertEquals(List.of("{\"a\":x}"), run.records());
        }
        assertTrue(JsonDecoder.beginsWithObject(text.getBytes(StandardCharsets.UTF_8), false));
    }

    @Test
    void invalidUtf8AndMarkInsideAreRejects() {
        byte[] bad = "{\"s\":\"aXb\"}\n".getBytes(StandardCharsets.UTF_8);
        bad[7] = (byte) 0xff;
        JsonRun run = run(false, JsonMembers.BY_NAME, TABLE, bad, 1 << 12);
        assertEquals(
                List.of(
                        "1, s, bad_utf8: STRING must be UTF-8: byte 2 of the value begins no valid character; the value is 'a\ufffdb'"),
                run.rejects());
        assertEquals(1, lines("\ufeff{\"a\":1}\n").rows().size());
        assertEquals(1, lines("{\"a\":1}\n\ufeff{\"a\":1}\n").rejects().size());
    }

    @Test
    void nestingIsBounded() {
        String fits = "[".repeat(999) + "]".repeat(999);
        assertEquals(1, lines("{\"s\":" + fits + "}\n").rows().size());
        String deep = "[".repeat(20_000);
        assertEquals(
                List.of("1, null, malformed: is not JSON at its byte 1005: objects and arrays are nested more than"
                        + " 1000 deep"),
                lines("{\"s\":" + deep + "}\n").rejects());
        String objects = "{\"x\":".repeat(5_000) + "1" + "}".repeat(5_000);
        assertEquals(1, lines("{\"zz\":" + objects + "}\n").rejects().size());
    }

    @Test
    void hugeNumbersAreExactOrRejects() {
        String digits = "9".repeat(20_000);
        assertTrue(lines("{\"s\":" + digits + "}\n").rows().get(0).contains(digits));
        assertEquals(1, lines("{\"a\":1e999999999}\n").rejects().size());
        assertEquals(1, lines("{\"d\":1e999999999}\n").rejects().size());
    }

    @Test
    void longLineIsRejectAndReadingGoesOn() {
        String line = "{\"s\":\"" + "x".repeat(JsonRun.MAX_RECORD_BYTES) + "\"}\n";
        for (int splitBytes : new int[] {1 << 8, 1 << 20}) {
            JsonRun run = run(
                    false,
                    JsonMembers.BY_NAME,
                    TABLE,
                    ("{\"a\":1}\n" + line + "{\"a\":2}\n").getBytes(StandardCharsets.UTF_8),
                    splitBytes);
            assertEquals(
                    List.of("2, null, too_long: is longer than 65536 bytes, the limit for one record"), run.rejects());
            assertEquals(2, run.rows().size());
        }
    }

    @Test
    void membersFillDocumentsAndArrays() {
        TableDef table = Decoding.table("id INT8, doc JSONB, tags STRING[], days DATE[]");
        byte[] text = """
                {"id":1,"doc":{"b":1.50,"a":[12345678901234567890.1]},"tags":["x y",null,"\\"",3],"days":["2020-02-29"]}
                {"id":2,"doc":"{\\"a\\":1}","tags":"{a,b}","days":[]}
                {"id":3,"doc":12.0,"tags":null}
                {"id":4,"doc":null}
                {"id":5,"tags":{}}
                {"id":6,"tags":[[1]]}
                {"id":7,"days":["2020-02-30"]}
                {"id":8,"doc":[1,{"x":1e9999}]}
                """.getBytes(StandardCharsets.UTF_8);
        JsonRun run = run(false, JsonMembers.BY_NAME, table, text, 1 << 12);
        assertEquals(
                List.of(
                        "1 | {\"a\": [12345678901234567890.1], \"b\": 1.50} | {\"x y\",NULL,\"\\\"\",3} | {2020-02-29}",
                        // A string is a document of its own; in a column of an array it is the array's text.
                        "2 | \"{\\\"a\\\":1}\" | {a,b} | {}",
                        "3 | 12.0 | NULL | NULL",
                        "4 | NULL | NULL | NULL"),
                run.rows());
        List<String> problems =
                List.of("5, tags, syntax", "6, tags, syntax", "7, days, out_of_range", "8, doc, out_of_range");
        for (int i = 0; i < problems.size(); i++) {
            String reject = run.rejects().get(i);
            assertTrue(reject.startsWith(problems.get(i)), reject);
        }
        assertEquals(problems.size(), run.rejects().size());
    }

    @Test
    void membersAreFoundByPath() {
        TableDef table = Decoding.table("id INT8, city STRING, street STRING, address STRING, dotted INT8");
        JsonMembers members =
                new JsonMembers(List.of("city=address.city", "street=address.s.name", "dotted=a\\.b"), false, false);
        byte[] text = """
                {"id":1,"address":{"city":"Ulm","s":{"name":"x","no":5}},"a.b":3}
                {"id":2,"address":null}
                {"id":3}
                {"id":4,"address":{"s":5}}
                """.getBytes(StandardCharsets.UTF_8);
        JsonRun run = run(false, members, table, text, 1 << 12);
        assertEquals(
                List.of(
                        "1 | Ulm | x | {\"city\":\"Ulm\",\"s\":{\"name\":\"x\",\"no\":5}} | 3",
                        "2 | NULL | NULL | NULL | NULL",
                        "3 | NULL | NULL | NULL | NULL"),
                run.rows());
        assertEquals(List.of("4, null, syntax: has no object in member s, as --json-path wants it"), run.rejects());
    }

    @ParameterizedTest
    @ValueSource(strings = {"city", "=x", "zip=x", "a=", "a=x..y", "a=x;a=y", "a=s"})
    void badPathIsRefused(String paths) {
        JsonMembers members = new JsonMembers(List.of(paths.split(";", -1)), false, false);
        assertThrows(BadInputException.class, () -> new RowReader(TABLE, members));
    }

    @Test
    void unknownAndDuplicateMembersByOption() {
        byte[] text = "{\"a\":1,\"zz\":{\"a\":9}}\n{\"a\":1,\"a\":2}\n".getBytes(StandardCharsets.UTF_8);
        JsonRun strict = run(false, new JsonMembers(List.of(), true, true), TABLE, text, 1 << 12);
        assertEquals(
                List.of("1, null, unknown_member: has member zz, which is no column of table t"), strict.rejects());
        assertEquals(List.of("2 | NULL | NULL | NULL | 7"), strict.rows());
    }

    /** The last one takes the place of the others, and of all that is in them. */
    @Test
    void duplicatesOfMembersWithColumnsAreNotMerged() {
        TableDef table = Decoding.table("x INT8, y INT8 DEFAULT 7, z INT8, doc JSONB");
        List<String> paths = List.of("x=m.x", "y=m.y", "z=m.in.z", "doc=m");
        byte[] text = """
                {"m":{"x":1,"y":2,"in":{"z":3}},"m":{"x":4}}
                {"m":{"x":1,"in":{"z":3}},"M":null}
                {"m":null,"m":{"y":1}}
                {"m":{"in":{"z":1},"in":{}},"m":{"in":{"z":2},"in":{"z":3}}}
                {"m":{"x":1,"in":{"z":1},"in":{"z":2}}}
                {"m":{"x":1,"in":{"z":1}}}
                """.getBytes(StandardCharsets.UTF_8);
        JsonRun last = run(false, new JsonMembers(paths, true, true), table, text, 1 << 12);
        assertEquals(List.of(), last.rejects());
        assertEquals(
                List.of(
                        "4 | 7 | NULL | {\"x\": 4}",
                        "NULL | 7 | NULL | NULL",
                        "NULL | 1 | NULL | {\"y\": 1}",
                        "NULL | 7 | 3 | {\"in\": {\"z\": 3}}",
                        "1 | 7 | 2 | {\"in\": {\"z\": 2}, \"x\": 1}",
                        "1 | 7 | 1 | {\"in\": {\"z\": 1}, \"x\": 1}"),
                last.rows());
        JsonRun none = run(false, new JsonMembers(paths.subList(0, 3), false, false), table, text, 1 << 12);
        assertEquals(List.of("1 | 7 | 1 | NULL"), none.rows());
        assertEquals(
                List.of("m", "M", "m", "in", "in"),
                none.rejects().stream()
                        .map(reject ->
                                reject.replaceAll(".*duplicate_member: has several members (\\w+), whose.*", "$1"))
                        .toList());
    }

    @Test
    void absentMemberOfNotNullColumnIsReject() {
        TableDef table = Decoding.table("a INT8 NOT NULL, b INT8 NOT NULL DEFAULT 3");
        byte[] text = "{\"a\":1}\n{\"b\":1}\n{\"a\":1,\"b\":null}\n".getBytes(StandardCharsets.UTF_8);
        JsonRun run = run(false, JsonMembers.BY_NAME, table, text, 1 << 12);
        assertEquals(List.of("1 | 3"), run.rows());
        assertEquals(
                List.of(
                        "2, a, not_null: is NOT NULL and has no DEFAULT, but the object has no such member",
                        "3, b, not_null: is NOT NULL but the member is null"),
                run.rejects());
    }

    @Test
    void manyUnknownNamesAreForgotten() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 3_000; i++) {
            text.append("{\"a\":").append(i).append(",\"u").append(i).append("\":0}\n");
        }
        assertEquals(3_000, lines(text.toString()).rows().size());
    }

    @Test
    void arrayIsReadInSplitsOfAnySize() {
        StringBuilder text = new StringBuilder(" [\n");
        for (int i = 0; i < 500; i++) {
            text.append(i == 0 ? "" : ",\n")
                    .append("  {\n    \"a\": ")
                    .append(i)
                    .append(",\n");
            text.append("    \"s\": \"],{[\\\\\\\"\"\n  }");
        }
        text.append("\n]\n");
        JsonRun whole = array(text.toString(), 1 << 20);
        assertEquals(500, whole.rows().size());
        assertEquals("499 | ],{[\\\" | NULL | NULL | 7", whole.rows().get(499));
        for (int splitBytes : new int[] {1, 37, 100, 1000}) {
            assertEquals(whole, array(text.toString(), splitBytes));
        }
    }

    @Test
    void badElementsAreRejectsWithTheirLines() {
        String text = "[\n{\"a\":1},\n[2],\n{\"a\":x},\n,\n{\"a\":2}\n]\n";
        for (int splitBytes : new int[] {1, 16, 1 << 12}) {
            JsonRun run = array(text, splitBytes);
            assertEquals(2, run.rows().size());
            assertEquals(
                    List.of(
                            "3, null, malformed: is not JSON at its byte 1: it is not an object; a file that is one"
                                    + " array is read with --format json",
                            "4, null, malformed: is not JSON at its byte 6: 'x' stands where a value is expected",
                            "5, null, malformed: is missing after a comma"),
                    run.rejects());
            assertEquals(List.of("[2]", "{\"a\":x}", ""), run.records());
            JsonRun first = array("[\n,{\"a\":1}]", splitBytes);
            assertEquals(1, first.rows().size());
            assertEquals(List.of("2, null, malformed: is missing before a comma"), first.rejects());
        }
        assertEquals(0, array("[]", 1).rows().size());
        assertEquals(0, array(" [ ] \n", 1).rows().size());
        assertEquals(0, array("", 1).rows().size());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"[{\"a\":1}", "[{\"a\":1},", "[{\"a\":1},{\"a\":2", "{\"a\":1}\n{\"a\":2}\n", "[", " ", "[]x"})
    void cutArrayIsRefused(String text) {
        for (int splitBytes : new int[] {1, 8, 9, 1 << 12}) {
            BadInputException refused = assertThrows(BadInputException.class, () -> array(text, splitBytes));
            assertTrue(refused.toString().contains("the array is not closed"), refused.getMessage());
        }
    }

    @Test
    void longElementEndsTheReading() {
        String text = "[{\"a\":1},{\"s\":\"" + "x".repeat(JsonRun.MAX_RECORD_BYTES) + "\"},{\"a\":2}]";
        for (int splitBytes : new int[] {1, 1 << 20}) {
            BadInputException refused = assertThrows(BadInputException.class, () -> array(text, splitBytes));
            assertTrue(refused.toString().contains("from byte 8 on"), refused.getMessage());
        }
    }
}
