package io.sluice.importer.decode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.importer.decode.CsvDialect.Trait;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.source.InputFile;
import io.sluice.model.error.BadInputException;
import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.TableDef;
import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Files of every named dialect hold for Sluice what they hold for commons-csv in the format of that name. The escapes
 * of PostgreSQL and MySQL are an exception.
 */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class NamedDialectTest {
    private static final long SEED = Long.getLong("sluice.seed", System.nanoTime());
    private static final TableDef TABLE =
            Ddl.parse("CREATE TABLE t (a STRING, b STRING, c STRING)", "test").get(0);

    private static final List<@Nullable String> TEXTS = Arrays.asList(
            "",
            "a",
            "plain text",
            " blanks around ",
            "\ttabs\t",
            "a,b;c|d\te",
            "say \"hello\"",
            "\"",
            "two\nlines",
            "two\r\nlines",
            "ä日本",
            "#",
            "back\\slash",
            "\\",
            "\\t",
            "NULL",
            null,
            null);

    /** Takes for text what Sluice rejects: what follows a quoted field, and a quote that is never closed. */
    private static final Set<NamedDialect> LENIENT = EnumSet.of(NamedDialect.EXCEL);

    // Informix has no \N, so its escape and N are left out where texts are compared: here they are NULL.

    /** With the quote as escape, commons-csv takes a quote inside a field without quotes for an escape. */
    private static final Set<NamedDialect> QUOTE_ESCAPES =
            EnumSet.of(NamedDialect.MONGODB_CSV, NamedDialect.MONGODB_TSV);

    @TempDir
    Path directory;

    @ParameterizedTest
    @EnumSource(NamedDialect.class)
    void whatCommonsCsvWrites(NamedDialect named) throws IOException {
        CSVFormat commons = named.format();
        Random random = new Random(SEED);
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 1000; i++) {
            @Nullable Object[] row = new Object[3];
            for (int column = 0; column < row.length; column++) {
                row[column] = TEXTS.get(random.nextInt(TEXTS.size()));
            }
            text.append(commons.format(row)).append(commons.getRecordSeparator());
        }
        List<List<String>> expected = expected(commons, text.toString());
        assertTrue(expected.size() > 900, "only " + expected.size() + " records of three fields");
        for (int splitBytes : List.of(100, 1 << 20)) {
            assertEquals(expected, actual(named.dialect(), text.toString(), splitBytes), "seed " + SEED);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = NamedDialect.class,
            mode = EnumSource.Mode.EXCLUDE,
            names = {"MYSQL", "POSTGRESQL_TEXT"})
    void whateverCommonsCsvReads(NamedDialect named) throws IOException {
        CsvDialect dialect = named.dialect();
        String delimiter = dialect.delimiter();
        String alphabet = "ab " + (named == NamedDialect.INFORMIX ? "M" : "N") + "\n\n\r\\" + delimiter + delimiter
                + delimiter + (QUOTE_ESCAPES.contains(named) ? "" : "\"");
        int read = 0;
        for (int i = 0; i < 600; i++) {
            long seed = SEED + i;
            Random random = new Random(seed);
            StringBuilder text = new StringBuilder();
            for (int length = random.nextInt(40); length > 0; length--) {
                text.append(alphabet.charAt(random.nextInt(alphabet.length())));
            }
            List<List<String>> expected;
            try {
                CSVFormat format = LENIENT.contains(named)
                        ? named.format()
                                .builder()
                                .setTrailingData(false)
                                .setLenientEof(false)
                                .get()
                        : named.format();
                expected = expected(format, text.toString());
            } catch (UncheckedIOException e) {
                continue;
            }
            read += expected.size();
            int splitBytes = 1 + random.nextInt(40);
            assertEquals(
                    expected,
                    actual(dialect, text.toString(), splitBytes),
                    () -> "seed " + seed + ", splits of " + splitBytes + ": "
                            + text.toString()
                                    .replace("\n", "<LF>")
                                    .replace("\r", "<CR>")
                                    .replace("\t", "<TAB>"));
        }
        assertTrue(read > 30, "only " + read + " records were compared");
    }

    @Test
    void anEscapedNullTextIsAText() throws IOException {
        CsvDialect mysql = NamedDialect.MYSQL.dialect();
        assertEquals(List.of(List.of("<NULL>", "\\N", "x")), raw(mysql, "\\N\t\\\\N\tx\n", 100));
        CsvDialect quoted =
                new CsvDialect("\t", '"', '\\', null, ValueFormat.ofNull("\\N"), Set.of(), CsvDialect.Records.ALL);
        assertEquals(List.of(List.of("\\N", "<NULL>", "\\N")), raw(quoted, "\"\\N\"\t\\N\t\"\\\\N\"\n", 100));
        assertEquals(
                List.of(List.of("<NULL>", "<NULL>", "\\N")),
                raw(quoted.with(Trait.QUOTED_NULL), "\"\\N\"\t\\N\t\"\\\\N\"\n", 100));
    }

    @Test
    void theEscapeAndNAreNullWhateverElseIs() throws IOException {
        CsvDialect named =
                new CsvDialect(",", '"', '\\', null, ValueFormat.ofNull("NULL"), Set.of(), CsvDialect.Records.ALL);
        assertEquals(
                List.of(List.of("<NULL>", "<NULL>", "\\N"), List.of("N", "x\\N", ""), List.of("\\N", "NULL", "\\n")),
                raw(named, "\\N,NULL,\\\\N\nN,x\\N,\n\"\\N\",\"NULL\",\\\\n\n", 100));
        CsvDialect empty = new CsvDialect(",", '"', '^', null, ValueFormat.DEFAULT, Set.of(), CsvDialect.Records.ALL);
        assertEquals(List.of(List.of("<NULL>", "<NULL>", "\\N")), raw(empty, "^N,,\\N\n", 100));
        assertEquals(List.of(List.of("<NULL>", "", "x")), raw(NamedDialect.INFORMIX.dialect(), "\\N|\"\"|x\n", 100));
    }

    @Test
    void postgresTextHasTheEscapesOfCopy() throws IOException {
        CsvDialect text = NamedDialect.POSTGRESQL_TEXT.dialect();
        assertEquals(
                List.of(List.of("\b\f\n\r\t\u000b", "A\u00ff7z", "\t\\N|"), List.of("<NULL>", "", "a\nb")),
                raw(text, "\\b\\f\\n\\r\\t\\v\t\\101\\303\\2777\\x7A\t\\\t\\\\N|\n\\N\t\ta\\\nb\n\\.\n", 9));
        for (String bad : List.of("a\\q", "\\Z", "\\'", "x\\N", "\\ ", "\\")) {
            assertThrows(AssertionError.class, () -> raw(text, "1\t2\t" + bad + "\n", 100), bad);
        }
    }

    @Test
    void mysqlHasTheEscapesOfOutfile() throws IOException {
        CsvDialect mysql = NamedDialect.MYSQL.dialect();
        assertEquals(
                List.of(List.of("\u0000\u001a'\"?", "\b\n\r\t", "\\ \n"), List.of("<NULL>", "\t", "")),
                raw(mysql, "\\0\\Z\\'\\\"\\?\t\\b\\n\\r\\t\t\\\\ \\\n\n\\N\t\\\t\t\n", 9));
        for (String bad : List.of("a\\q", "\\v", "\\101", "\\x41", "x\\N")) {
            assertThrows(AssertionError.class, () -> raw(mysql, "1\t2\t" + bad + "\n", 100), bad);
        }
        CsvDialect enclosed =
                new CsvDialect(",", '"', '\\', null, mysql.values(), mysql.traits(), CsvDialect.Records.ALL);
        assertEquals(
                List.of(List.of("a\"b,\n", "<NULL>", "say \"x\"")),
                raw(enclosed, "\"a\\\"b,\\\n\",\\N,\"say \"\"x\"\"\"\n", 100));
    }

    @Test
    void anEscapeOfPostgresCsvIsOneInsideQuotesOnly() throws IOException {
        CsvDialect csv = NamedDialect.POSTGRESQL_CSV.dialect();
        CsvDialect escaped = new CsvDialect(",", '"', '\\', null, csv.values(), csv.traits(), CsvDialect.Records.ALL);
        assertEquals(
                List.of(List.of("\\N", "\\", "a\"\\\\n,"), List.of("<NULL>", "", "\\x00")),
                raw(escaped, "\\N,\\,\"a\\\"\\\\\\n,\"\n,\"\",\\x00\n", 100));
    }

    @Test
    void theRowLimitCountsRecordsOfEachFile() throws IOException {
        String text = "skipped\nh1,h2,h3\n#no\n\n1,\"a\nb\",c\r\n2,b,c\n\n#,x,x\n3,b,c\n4,b,c\n";
        CsvDialect dialect =
                new CsvDialect(",", '"', null, '#', ValueFormat.DEFAULT, Set.of(), new CsvDialect.Records(false, 2, 3));
        List<List<String>> expected =
                List.of(List.of("1", "a\nb", "c"), List.of("2", "b", "c"), List.of("3", "b", "c"));
        for (int splitBytes = 1; splitBytes < 70; splitBytes++) {
            assertEquals(expected, raw(dialect, text, splitBytes), "splits of " + splitBytes);
        }
    }

    @Test
    void namesAreListedWhenThereIsNone() {
        assertEquals(NamedDialect.POSTGRESQL_CSV, NamedDialect.of("PostgreSQL-csv"));
        BadInputException refused = assertThrows(BadInputException.class, () -> NamedDialect.of("klingon"));
        assertTrue(String.valueOf(refused.getMessage()).contains("rfc4180, excel, tdf, mysql"), refused.toString());
    }

    /** Records of three fields as commons-csv reads them, NULL as the text or nothing that stands for it. */
    private static List<List<String>> expected(CSVFormat format, String text) throws IOException {
        String nullText = format.getNullString() == null ? "" : format.getNullString();
        List<List<String>> records = new ArrayList<>();
        try (CSVParser parser = format.parse(new StringReader(text))) {
            for (CSVRecord record : parser) {
                if (record.size() == 3) {
                    records.add(record.stream()
                            .map(field -> field == null ? nullText : field)
                            .toList());
                }
            }
        }
        return records;
    }

    private List<List<String>> actual(CsvDialect dialect, String text, int splitBytes) throws IOException {
        List<String> texts = dialect.values().nullTexts();
        String nullText = texts.isEmpty() ? "" : texts.get(0);
        return raw(dialect, text, splitBytes).stream()
                .map(row -> row.stream()
                        .map(field -> field.equals("<NULL>") ? nullText : field)
                        .toList())
                .toList();
    }

    private List<List<String>> raw(CsvDialect dialect, String text, int splitBytes) throws IOException {
        Path file = Files.writeString(directory.resolve("input.csv"), text);
        CsvFormat format = new CsvFormat(TABLE, dialect, null, 1 << 20);
        List<List<String>> rows = new ArrayList<>();
        InputFormat csv = new InputFormat.Csv(dialect, null);
        Decoding.run(
                new InputFile(0, "input.csv", file, Files.size(file)),
                csv.framing(),
                csv.reading(splitBytes, 1 << 20),
                SplitDecoder.of(format),
                (row, offset) -> {
                    List<String> texts = new ArrayList<>();
                    for (int i = 0; i < 3; i++) {
                        texts.add(
                                row.isNull(i)
                                        ? "<NULL>"
                                        : new String(
                                                row.buffer(i), row.offset(i), row.length(i), StandardCharsets.UTF_8));
                    }
                    rows.add(texts);
                },
                reject -> assertEquals(
                        "field_count", reject.problem().code(), reject.problem().message()));
        return rows;
    }
}
