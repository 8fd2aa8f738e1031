package io.sluice.importer.decode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.model.error.BadInputException;
import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.TableDef;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Values that are not written as PostgreSQL does, and records with other numbers of fields than columns. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class ValueFormatTest {
    private static final String TABLE =
            "CREATE TABLE t (k INT8 PRIMARY KEY, n DECIMAL, f FLOAT8, d DATE, o TIME, " + "m TIMESTAMP, z TIMESTAMPTZ)";

    @TempDir
    Path directory;

    private static String convert(ValueFormat format, String column, String text) {
        TableDef table = table(TABLE);
        ValueConverter converter =
                Objects.requireNonNull(format.converter(table.columns().get(table.columnIndex(column))));
        byte[] bytes = (">" + text + "<").getBytes(StandardCharsets.UTF_8);
        var problem = converter.convert(bytes, 1, bytes.length - 1);
        return problem == null
                ? new String(converter.text(), 0, converter.length(), StandardCharsets.UTF_8)
                : "! " + problem.message();
    }

    private static TableDef table(String ddl) {
        return Ddl.parse(ddl, "test").get(0);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                // decimal, thousands, text, converted: ! where it is refused
                ",  | .  | 1.234,5       | 1234.5",
                ",  | .  | -1.234.567    | -1234567",
                ",  | .  | 12            | 12",
                ",  | .  | ,5            | .5",
                ",  | .  | 1.234e5       | 1234e5",
                ",  | .  | 1,5e-3        | 1.5e-3",
                ",  | .  | 1.5           | !",
                ",  | .  | 1.2345        | !",
                ",  | .  | 1234.567      | !",
                ",  | .  | .567          | !",
                ",  | .  | 1..567        | !",
                ",  | .  | 1.234.        | !",
                ",  | .  | 1.23,4        | !",
                ",  | .  | 0.123         | !",
                ",  | .  | -0.123.456    | !",
                ",  | .  | 012.345       | !",
                ",  | .  | 1.000.234     | 1000234",
                ",  | .  | 0,123         | 0.123",
                // A second separator of decimals is for the parser to refuse.
                ",  | .  | 1,2,3         | 1.2.3",
                ",  |    | 1,5           | 1.5",
                ",  |    | 1.5           | !",
                ",  |    | NaN           | NaN",
                ",  | \u202f | 1\u202f234,5 | 1234.5",
                ".  | ,  | 1,234,567.891 | 1234567.891",
                ".  | ,  | 1,234,567.891,2 | 1234567.891,2",
                ".  | '' | 1'234.5       | 1234.5",
            })
    void numbers(String decimal, String thousands, String text, String converted) {
        ValueFormat format = ValueFormat.DEFAULT.withNumbers(
                decimal.charAt(0),
                thousands == null ? null : thousands.isEmpty() ? Character.valueOf('\'') : thousands.charAt(0));
        String found = convert(format, "n", text);
        assertEquals(converted, converted.equals("!") ? found.substring(0, 1) : found);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "d | dd.MM.yyyy              | 29.02.2024                | 2024-02-29",
                "d | dd.MM.yyyy              | 29.02.2023                | !",
                "d | dd.MM.yyyy              | 1.2.2023                  | !",
                "d | d.M.yyyy                | 1.2.2023                  | 2023-02-01",
                "d | M/d/yy                  | 7/4/76                    | 2076-07-04",
                "d | dd-MMM-yyyy             | 04-JUL-1976               | 1976-07-04",
                "d | yyyyMMdd                | 20240229                  | 2024-02-29",
                "d | yyyy-MM-dd              | 2024-02-29 00:00          | !",
                "o | hh:mm a                 | 12:05 am                  | 00:05:00",
                "o | HH:mm[:ss]              | 23:59                     | 23:59:00",
                "o | HHmmss                  | 235958                    | 23:59:58",
                "m | MM/dd/yyyy HH:mm[:ss]   | 02/03/2001 04:05          | 2001-02-03 04:05:00",
                "m | dd.MM.yyyy HH:mm:ss.SSS | 03.02.2001 04:05:06.789   | 2001-02-03 04:05:06.789",
                "m | dd.MM.yyyy              | 03.02.2001                | 2001-02-03 00:00:00",
                "z | dd.MM.yyyy HH:mm XXX    | 03.02.2001 04:05 +01:00   | 2001-02-03 04:05:00+01:00",
                "z | dd.MM.yyyy HH:mm XXX    | 03.02.2001 04:05 Z        | 2001-02-03 04:05:00Z",
                "z | dd.MM.yyyy HH:mm VV     | 03.07.2001 04:05 Europe/Berlin | 2001-07-03 04:05:00+02:00",
                // Clocks skip one hour, and another one comes twice.
                "z | dd.MM.yyyy HH:mm VV     | 31.03.2024 01:59 Europe/Berlin | 2024-03-31 01:59:00+01:00",
                "z | dd.MM.yyyy HH:mm VV     | 31.03.2024 02:00 Europe/Berlin | !",
                "z | dd.MM.yyyy HH:mm VV     | 31.03.2024 02:59 Europe/Berlin | !",
                "z | dd.MM.yyyy HH:mm VV     | 31.03.2024 03:00 Europe/Berlin | 2024-03-31 03:00:00+02:00",
                "z | dd.MM.yyyy HH:mm VV     | 27.10.2024 02:30 Europe/Berlin | 2024-10-27 02:30:00+02:00",
                "z | dd.MM.yyyy HH:mmXXX VV  | 27.10.2024 02:30+01:00 Europe/Berlin | 2024-10-27 02:30:00+01:00",
                "z | dd.MM.yyyy HH:mmXXX VV  | 27.10.2024 02:30+02:00 Europe/Berlin | 2024-10-27 02:30:00+02:00",
                "z | dd.MM.yyyy HH:mm VV XXX | 27.10.2024 02:30 Europe/Berlin +01:00 | 2024-10-27 02:30:00+01:00",
                // Names of standard and of daylight saving time.
                "z | dd.MM.yyyy HH:mm z      | 27.10.2024 02:30 CEST     | 2024-10-27 02:30:00+02:00",
                "z | dd.MM.yyyy HH:mm z      | 27.10.2024 02:30 CET      | 2024-10-27 02:30:00+01:00",
                "z | dd.MM.yyyy HH:mm z      | 27.10.2024 02:30 cet      | 2024-10-27 02:30:00+01:00",
                "z | dd.MM.yyyy HH:mm zzzz   | 27.10.2024 02:30 Central European Summer Time | 2024-10-27 02:30:00+02:00",
                "z | dd.MM.yyyy HH:mm zzzz   | 27.10.2024 02:30 Central European Standard Time | 2024-10-27 02:30:00+01:00",
                "z | dd.MM.yyyy HH:mm z      | 01.07.2024 12:00 CEST     | 2024-07-01 12:00:00+02:00",
                "z | dd.MM.yyyy HH:mm z      | 01.07.2024 12:00 CET      | 2024-07-01 12:00:00+01:00",
                "z | dd.MM.yyyy HH:mm z      | 01.01.2024 12:00 CET      | 2024-01-01 12:00:00+01:00",
                "z | dd.MM.yyyy HH:mm z      | 01.01.2024 12:00 CEST     | 2024-01-01 12:00:00+02:00",
                "z | dd.MM.yyyy HH:mm z      | 01.01.2024 12:00 MSD      | 2024-01-01 12:00:00+04:00",
                "z | dd.MM.yyyy HH:mm z      | 01.07.2024 12:00 MST      | 2024-07-01 12:00:00-07:00",
                "z | dd.MM.yyyy HH:mm z      | 27.10.2024 02:30 Europe/Paris | 2024-10-27 02:30:00+02:00",
                "z | dd.MM.yyyy HH:mm 'z' VV | 01.07.2024 12:00 z CET    | 2024-07-01 12:00:00+02:00",
                "z | dd.MM.yyyy HH:mm z      | 01.07.2024 12:00 UTC      | 2024-07-01 12:00:00Z",
                "z | dd.MM.yyyy HH:mm z      | 31.03.2024 02:30 CET      | !",
                // Java takes MEST for a name of Paris, which has none of it.
                "z | dd.MM.yyyy HH:mm z      | 01.07.2024 12:00 MEST     | 2024-07-01 12:00:00+02:00",
                "z | dd.MM.yyyy HH:mm z      | 01.07.2024 12:00 MET      | 2024-07-01 12:00:00+01:00",
                "z | dd.MM.yyyy HH:mm z      | 01.07.2024 12:00 SAST     | 2024-07-01 12:00:00+02:00",
                // A time without its half of the day is none, and no midnight either.
                "m | MM/dd/yyyy hh:mm        | 12/31/2024 11:59          | !",
                "m | MM/dd/yyyy[ hh:mm[ a]]  | 12/31/2024 11:59          | !",
                "m | MM/dd/yyyy[ hh:mm[ a]]  | 12/31/2024 11:59 PM       | 2024-12-31 23:59:00",
                "m | MM/dd/yyyy[ hh:mm[ a]]  | 12/31/2024                | 2024-12-31 00:00:00",
                "m | MM/dd/yyyy mm:ss        | 12/31/2024 11:59          | !",
                "m | MM/dd/yyyy a            | 12/31/2024 PM             | !",
            })
    void datesAndTimes(String column, String pattern, String text, String converted) {
        List<String> one = List.of(pattern);
        List<String> none = List.of();
        ValueFormat format = ValueFormat.DEFAULT.withPatterns(
                column.equals("d") ? one : none, column.equals("o") ? one : none, "mz".contains(column) ? one : none);
        String found = convert(format, column, text);
        assertEquals(converted, converted.equals("!") ? found.substring(0, 1) : found);
    }

    @Test
    void timeThatClocksSkipIsNamed() {
        ValueFormat format = ValueFormat.DEFAULT.withPatterns(List.of(), List.of(), List.of("dd.MM.yyyy HH:mm VV"));
        assertEquals(
                "! is a time that does not exist: the clocks of its zone skip it",
                convert(format, "z", "31.03.2024 02:30 Europe/Berlin"));
    }

    @Test
    void columnsOwnPatternHoldsBeforeThatOfTheType() {
        ValueFormat format =
                ValueFormat.DEFAULT.withPatterns(List.of("d=yy.MM.dd", "dd.MM.yy"), List.of(), List.of("z=yyyy"));
        assertEquals("2001-02-03", convert(format, "d", "01.02.03"));
        assertNull(format.converter(table(TABLE).columns().get(5)));
    }

    @Test
    void whatCannotBeIsNamed() {
        CsvDialect dialect = CsvDialect.DEFAULT.with(
                ValueFormat.DEFAULT.withNumbers('5', '-').withPatterns(List.of("d=dd.b"), List.of(), List.of("")));
        BadInputException refused = assertThrows(BadInputException.class, dialect::validate);
        String message = String.valueOf(refused.getMessage());
        assertTrue(message.contains("--decimal must be neither"), message);
        assertTrue(message.contains("--thousands must be neither"), message);
        assertTrue(message.contains("--date-format d=dd.b: Unknown pattern letter: b"), message);
        assertTrue(message.contains("--timestamp-format : the pattern is empty"), message);
        ValueFormat unknown = ValueFormat.DEFAULT.withPatterns(List.of("x=yyyy", "k=yyyy"), List.of(), List.of("z=HH"));
        assertEquals(
                "--date-format x=yyyy: table t has no column x\n"
                        + "--date-format k=yyyy: column k is INT8; the option is for DATE",
                assertThrows(BadInputException.class, () -> unknown.validate(table(TABLE)))
                        .getMessage());
    }

    /** Each record as its values, or as the reject's message. */
    private List<String> decode(CsvDialect dialect, String ddl, String text) throws IOException {
        dialect.validate();
        CsvFormat format = new CsvFormat(table(ddl), dialect, null, 1 << 20);
        Path file = Files.writeString(directory.resolve("input.csv"), text);
        List<String> records = new ArrayList<>();
        CsvRun run = CsvRun.of(file, format, SplitDecoder::of, 1 << 10);
        run.rows().forEach(row -> records.add(row.replaceAll("^\\d+: |VALUE ", "")));
        run.rejects()
                .forEach(reject -> records.add("! " + reject.replaceAll("^line \\d+, byte \\d+, |, [0-9a-f]*$", "")));
        return records;
    }

    @Test
    void shortRowsHaveDefaultsOrNullAtTheEnd() throws IOException {
        String ddl = "CREATE TABLE t (a INT8 PRIMARY KEY, b STRING NOT NULL, c STRING, d STRING DEFAULT 'x')";
        String text = "1,one,c,d\n2,two,c\n3,three\n4,four,,\n5\n6,six,c,d,e\n";
        CsvDialect dialect = CsvDialect.DEFAULT.with(CsvDialect.Trait.SHORT_ROWS);
        List<String> expected = List.of(
                "'1', 'one', 'c', 'd'",
                "'2', 'two', 'c', 'x'",
                "'3', 'three', NULL, 'x'",
                "'4', 'four', NULL, NULL",
                "! 2 b, not_null, is NOT NULL but the field is NULL",
                "! 0 null, field_count, has 5 fields, expected 4");
        assertEquals(expected, decode(dialect, ddl, text));
        // The same from the other decoder.
        CsvDialect commented =
                new CsvDialect(",", '"', null, '#', ValueFormat.DEFAULT, dialect.traits(), CsvDialect.Records.ALL);
        assertEquals(expected, decode(commented, ddl, text));
        List<String> strict = decode(CsvDialect.DEFAULT, ddl, text);
        assertEquals(
                2, strict.stream().filter(record -> !record.startsWith("!")).count(), strict.toString());
    }

    @Test
    void longRowsLoseWhatIsBeyondTheColumns() throws IOException {
        String ddl = "CREATE TABLE t (a INT8 PRIMARY KEY, b STRING)";
        CsvDialect dialect = CsvDialect.DEFAULT.withDelimiter("|").with(CsvDialect.Trait.LONG_ROWS);
        assertEquals(
                List.of("'1', 'one'", "'2', 'two'", "! 0 null, field_count, has 1 field, expected 2"),
                decode(dialect, ddl, "1|one|\n2|two|x|\"y\"\n3\n"));
    }

    @Test
    void delimiterMayHaveSeveralCharacters() throws IOException {
        String ddl = "CREATE TABLE t (a INT8 PRIMARY KEY, b STRING, c STRING)";
        CsvDialect dialect = CsvDialect.DEFAULT.withDelimiter("~|~").with(ValueFormat.ofNull("", "\\N", "n/a"));
        assertEquals(
                List.of("'1', 'a|b~', NULL", "'2', NULL, 'x~|~y'", "'3', NULL, 'N'"),
                decode(dialect, ddl, "1~|~a|b~~|~n/a\n2~|~\\N~|~\"x~|~y\"\n3~|~~|~N\n"));
        BadInputException refused = assertThrows(
                BadInputException.class, () -> dialect.withDelimiter("\"|").validate());
        assertEquals("--delimiter must not contain the character of --quote", refused.getMessage());
    }
}
