package io.sluice.importer.decode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.importer.decode.CsvDialect.Trait;
import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.TableDef;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Holds the fast decoder to the one that commons-csv does the work of: the same rows with the same bytes in every slot,
 * and the same rejects with the same positions, whatever the file looks like and wherever it is cut into splits.
 */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class CsvDifferentialTest {
    private static final int MAX_RECORD_BYTES = 1 << 20;
    private static final int WHOLE = 1 << 16;
    /** Of each dialect; profile {@code long} sets more. */
    private static final int FILES = Integer.getInteger("sluice.test.files", 50);

    private static final long SEED = Long.getLong("sluice.seed", System.nanoTime());

    @TempDir
    Path directory;

    static Stream<CsvDialect> dialects() {
        return Stream.of(
                CsvDialect.DEFAULT,
                dialect(',', '"', "NULL"),
                dialect('\t', '"', "\\N"),
                dialect(';', '\'', null),
                dialect('|', '\'', "\\N"),
                dialect('\t', null, "\\N"),
                dialect(',', null, null),
                CsvDialect.DEFAULT.with(Trait.QUOTED_NULL),
                dialect(',', '"', "NULL").with(Trait.QUOTED_NULL),
                CsvDialect.DEFAULT.with(Trait.STRICT_QUOTES),
                CsvDialect.DEFAULT.with(Trait.EMPTY_LINES),
                dialect(';', '\'', null).with(Trait.STRICT_QUOTES).with(Trait.EMPTY_LINES),
                CsvDialect.DEFAULT.with(Trait.SHORT_ROWS),
                dialect(';', '"', null).with(Trait.LONG_ROWS),
                dialect(';', '"', null)
                        .with(Trait.SHORT_ROWS)
                        .with(Trait.LONG_ROWS)
                        .with(ValueFormat.ofNull("", "NULL", "n/a")
                                .withNumbers(',', '.')
                                .withPatterns(List.of("dd.MM.yyyy", "e=yyyy-MM-dd"), List.of(), List.of())));
    }

    private static CsvDialect dialect(char delimiter, @Nullable Character quote, @Nullable String nullText) {
        ValueFormat values = nullText == null ? ValueFormat.DEFAULT : ValueFormat.ofNull(nullText);
        return new CsvDialect(String.valueOf(delimiter), quote, null, null, values, Set.of(), CsvDialect.Records.ALL);
    }

    private static CsvFormat format(String table, CsvDialect dialect) {
        TableDef def = Ddl.parse(table, "test").get(0);
        return new CsvFormat(def, dialect, null, MAX_RECORD_BYTES);
    }

    @ParameterizedTest
    @MethodSource("dialects")
    void generatedFilesDecodeAlike(CsvDialect dialect) throws IOException {
        CsvFormat format = format(RandomCsv.TABLE, dialect);
        long rows = 0;
        long rejects = 0;
        for (int i = 0; i < FILES; i++) {
            long seed = SEED + i;
            RandomCsv csv = new RandomCsv(new Random(seed), dialect);
            CsvRun run = assertAlike(csv.file(1 + i % 30), format, "seed " + seed);
            rows += run.rows().size();
            rejects += run.rejects().size();
        }
        assertTrue(rows > 2L * FILES, "only " + rows + " rows got through: the generator makes too little sense");
        assertTrue(rejects > 2L * FILES, "only " + rejects + " rejects: the generator makes too much sense");
    }

    @ParameterizedTest
    @MethodSource("dialects")
    void soupDecodesAlike(CsvDialect dialect) throws IOException {
        List<CsvFormat> formats = List.of(
                format("CREATE TABLE t (a STRING PRIMARY KEY)", dialect),
                format("CREATE TABLE t (a STRING, b INT8, PRIMARY KEY (a))", dialect),
                format("CREATE TABLE t (a STRING, b STRING, c STRING)", dialect));
        for (int i = 0; i < 2 * FILES; i++) {
            long seed = SEED + i;
            RandomCsv csv = new RandomCsv(new Random(seed), dialect);
            assertAlike(csv.soup(1 + i % 60), formats.get(i % formats.size()), "seed " + seed);
        }
    }

    static Stream<String> uglyFiles() {
        return Stream.of(
                "",
                "\n",
                "\r",
                "\r\n",
                "\n\n\n",
                "\r\r\n\n",
                ",",
                ",\n",
                "\"\"",
                "\"\"\n",
                "\"",
                "\"\n",
                "\"\"\"",
                "\"\"\"\"",
                "\"\"\"\"\"",
                "1,\"",
                "1,\"\n",
                "1,a",
                "1,",
                "1,\n",
                "1,\r",
                "1,\r\n",
                "1,a,",
                "1,a,\n2,b\n",
                "1,a\r2,b\r3,c",
                "1,a\r2,b\n3,c\r\n4,d",
                "1,\"a\rb\"\r2,c\r",
                "1,\"a\r\nb\"\r\n2,c\r\n",
                "1,\"a\nb\n\nc\"\n2,d\n3\n",
                "1,\"a\"\"b\"\n",
                "1,\"\"\"a\"\n",
                "1,\"a\"\"\"\n",
                "1,\"a\"\"\n2,b\"\n3,c\n",
                "1,a\"b\n",
                "1,a\"\"b\"\n",
                "1,\"a\"b\n2,c\n",
                "1,\"a\" \n2,\"b\"\t\n3,\"c\"\u001c\n",
                "1,\"a\"\u000b\n2,\"b\"\u000b,\n3,\"c\"\f\n",
                "1,\"a\" b\n2,c\n",
                "1,\"a\"\"b\"c\"d\n2,e\n",
                "1, \"a\"\n",
                "1,\"a,b\",c\n",
                "1,\"a\n2,b\n3,c\n",
                "x,\"a\n2,b\n",
                "\"1\",\"a\"\n\"2\",b\n",
                "\"1\"x,\"a\"y\n2,b\n",
                "\ufeff1,a\n",
                "\ufeff",
                "\ufeff\"1\",a\n",
                "\ufeff\n1,a\n",
                "a,1\n",
                "1\n1,2,3\n,\n1,2\n",
                "1,\0\n2,\"\0\"\n\0,b\n",
                " 1,a\n1 ,b\n",
                "9223372036854775808,a\n",
                "1,a\n\n\n2,b\n\n",
                "1,a\n \n2,b\n",
                "1,'a'\n2,#b\n#3,c\n",
                "1,\\N\n2,NULL\n3,\"\\N\"\n",
                "1,ä\n2,日本\n3,\"ä\"\"ö\"\n",
                "1,a\u0085b\n2,c\u2028d\n",
                "1,a\fb\u000bc\n",
                "1,\"" + "long ".repeat(3000) + "\"\n2,b\n",
                "1," + "wide".repeat(3000) + "\n2,b\n");
    }

    @ParameterizedTest
    @MethodSource("uglyFiles")
    void uglyFilesDecodeAlike(String text) throws IOException {
        byte[] file = text.getBytes(StandardCharsets.UTF_8);
        assertAlike(file, format("CREATE TABLE t (a INT8 PRIMARY KEY, b STRING)", CsvDialect.DEFAULT), "as is");
        assertAlike(file, format("CREATE TABLE t (a STRING, b STRING)", CsvDialect.DEFAULT), "hidden row id");
        assertAlike(file, format("CREATE TABLE t (a STRING, b STRING)", dialect(',', null, "\\N")), "no quotes");
        assertAlike(file, format("CREATE TABLE t (a STRING)", dialect('|', '"', "NULL")), "one column");
    }

    @Test
    void onlySpacesAndTabsMayFollowAClosingQuote() throws IOException {
        CsvFormat format = format("CREATE TABLE t (a INT8 PRIMARY KEY, b STRING)", CsvDialect.DEFAULT);
        for (char c = 0; c < 128; c++) {
            if (c == '\n' || c == '\r' || c == '"' || c == ',') {
                continue;
            }
            byte[] file = ("1,\"a\"" + c + "\n").getBytes(StandardCharsets.UTF_8);
            CsvRun run = assertAlike(file, format, "character " + (int) c);
            boolean padding = c == ' ' || c == '\t';
            assertEquals(padding ? 1 : 0, run.rows().size(), "character " + (int) c);
            assertEquals(padding ? 0 : 1, run.rejects().size(), "character " + (int) c);
        }
    }

    @Test
    void headersAndSkippedRecordsDecodeAlike() throws IOException {
        CsvDialect dialect =
                new CsvDialect(",", '"', null, null, ValueFormat.DEFAULT, Set.of(), new CsvDialect.Records(true, 2, 0));
        CsvFormat format = format("CREATE TABLE t (a INT8 PRIMARY KEY, b STRING, c STRING)", dialect);
        for (String lineEnd : List.of("\n", "\r\n", "\r")) {
            String text = String.join(
                    lineEnd, "export of today", "\"two", "lines\"", "c,\"A\"", "x,1", "y", "z,2", "\"q\",3", "");
            assertAlike(text.getBytes(StandardCharsets.UTF_8), format, "line end of " + lineEnd.length());
        }
    }

    @Test
    void recordsThatAreTooLongDecodeAlike() throws IOException {
        CsvFormat format = new CsvFormat(
                Ddl.parse("CREATE TABLE t (a INT8 PRIMARY KEY, b STRING)", "test")
                        .get(0),
                CsvDialect.DEFAULT,
                null,
                20);
        String fits = "12345678,90123456789";
        assertEquals(20, fits.length());
        for (String text : List.of(fits, fits + "0", "1,\"" + "x".repeat(16) + "\"", "1,\"" + "x".repeat(17) + "\"")) {
            Path file = write((text + "\n2,b\n").getBytes(StandardCharsets.UTF_8));
            CsvRun fast = CsvRun.of(file, format, FastCsvDecoder::new, WHOLE);
            assertEquals(CsvRun.of(file, format, CommonsCsvDecoder::new, WHOLE), fast, text);
            assertEquals(text.length() > 20 ? 1 : 0, fast.rejects().size(), text);
        }
    }

    /** Both decoders over the whole file, and the file cut into splits of every size that makes a difference. */
    private CsvRun assertAlike(byte[] bytes, CsvFormat format, String what) throws IOException {
        Path file = write(bytes);
        Supplier<String> context = () -> what + ", " + format.dialect() + ", file: " + printable(bytes);
        CsvRun whole = CsvRun.of(file, format, FastCsvDecoder::new, WHOLE);
        assertSame(CsvRun.of(file, format, CommonsCsvDecoder::new, WHOLE), whole, context);
        for (int splitBytes : splitSizes(bytes.length)) {
            CsvRun cut = CsvRun.of(file, format, FastCsvDecoder::new, splitBytes);
            assertSame(
                    whole.withoutSplits(), cut.withoutSplits(), () -> "splits of " + splitBytes + ", " + context.get());
        }
        int splitBytes = 1 + bytes.length / 3;
        assertSame(
                CsvRun.of(file, format, CommonsCsvDecoder::new, splitBytes),
                CsvRun.of(file, format, FastCsvDecoder::new, splitBytes),
                () -> "both in splits of " + splitBytes + ", " + context.get());
        return whole;
    }

    /** Field by field, so that a failure shows little more than the difference. */
    private static void assertSame(CsvRun expected, CsvRun actual, Supplier<String> context) {
        if (expected.equals(actual)) {
            return;
        }
        String what = context.get();
        assertEquals(String.join("\n", expected.rows()), String.join("\n", actual.rows()), "rows of " + what);
        assertEquals(String.join("\n", expected.rejects()), String.join("\n", actual.rejects()), "rejects of " + what);
        assertEquals(expected.log(), actual.log(), "log of " + what);
        assertEquals(expected.lines(), actual.lines(), "lines of " + what);
    }

    /** A file on one line: what is not printable ASCII as hex. */
    private static String printable(byte[] bytes) {
        StringBuilder out = new StringBuilder();
        for (byte b : bytes) {
            if (b >= ' ' && b < 0x7f && b != '\\') {
                out.append((char) b);
            } else {
                out.append(String.format("\\%02x", b));
            }
        }
        return out.toString();
    }

    private static List<Integer> splitSizes(int length) {
        List<Integer> sizes = new ArrayList<>();
        for (int size = 1; size <= length + 1; size += Math.max(1, length / 8)) {
            sizes.add(size);
        }
        return sizes;
    }

    private Path write(byte[] bytes) throws IOException {
        return Files.write(directory.resolve("input.csv"), bytes);
    }
}
