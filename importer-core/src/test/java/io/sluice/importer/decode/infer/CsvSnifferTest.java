package io.sluice.importer.decode.infer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.importer.decode.CsvDialect;
import io.sluice.importer.decode.CsvFormat;
import io.sluice.importer.decode.Decoding;
import io.sluice.importer.decode.Reject;
import io.sluice.importer.decode.RowConsumer;
import io.sluice.importer.decode.SplitDecoder;
import io.sluice.importer.decode.ValueFormat;
import io.sluice.importer.decode.infer.CsvSniffer.Part;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.source.InputFile;
import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.TableDef;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests what is found in the first records of CSV files; in the rows below, / ends a line and T is a tab. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class CsvSnifferTest {
    @TempDir
    Path directory;

    private CsvSniffer sniffer(String text) throws IOException {
        Path path = Files.writeString(directory.resolve("in.csv"), text);
        InputFile file = new InputFile(0, "in.csv", path, Files.size(path));
        return new CsvSniffer(file, CsvDialect.DEFAULT, 1 << 20);
    }

    private CsvDialect find(String text) throws IOException {
        return sniffer(text).find(EnumSet.allOf(Part.class));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '!',
            value = {
                "id;name/1;a/2;b                ! ; ! true",
                "1;a,b/2;c,d/                   ! ; ! false",
                "idTname/1Ta/                   ! T ! true",
                "1|a|/2|b|/                     ! | ! false",
                "a,b/\"x;y\",1/\"u;v\",2        ! , ! true",
                "\"1;2\",\"3;4\"/\"5;6\",\"7\"  ! , ! false",
                // Texts alone: names, unless a value comes again.
                "city,street/Ulm,Main/Bonn,High ! , ! true",
                "Ulm,Main/Ulm,High              ! , ! false",
                "Ulm,x/Bonn,x                   ! , ! false",
                // A number in the first record, where the others have numbers, too.
                "1,name/2,b                     ! , ! false",
                // Names of numbers, although a name is missing or comes twice.
                "id,id/1,2                      ! , ! true",
                "id,/1,2                        ! , ! true",
                ",name,n/0,a,1/1,b,2            ! , ! true",
                ",name/0,a/1,b                  ! , ! true",
                ",7/0,a/1,b                     ! , ! false",
                ",Ann/1,Bob/,Cy                 ! , ! false",
                "ID,Id,n/1,2,x/3,4,y            ! , ! true",
                "1st,2nd,n/1,2,3                ! , ! true",
                "city,street,street/Ulm,Main,b  ! , ! false",
                // A missing number is no name.
                "Ulm,NA/Bonn,2                  ! , ! false",
                // One record of names: a table without rows.
                "a,b                            ! , ! true",
                "a,1                            ! , ! false",
                // One column: any delimiter would do.
                "n/1/2                          ! , ! true",
                // Another number of fields in some records: still the delimiter with most.
                "a;b;c/1;2;3/1;2;3/1;2;3/1;2;3/1;2;3/1;2;3/1;2;3/1;2;3/1;2;3/1;2;3/4;5 ! ; ! true",
                // The end mark of COPY, or a line of totals, behind few rows.
                "1Ta/2Tb/3Tc/\\.                  ! T ! false",
                "a,b/1,2/3,4/Total: 2 rows        ! , ! true",
                // Names before records of which most have fewer or more fields.
                "a,b,c/1,2,3/1,2/1,2,3,4          ! , ! true",
                // Commas in the first sentence only.
                "Hello, you/and you/and/others   ! , ! false",
            })
    void delimiterAndHeader(String text, String delimiter, boolean header) throws IOException {
        CsvDialect found = find(text.replace('/', '\n').replace('T', '\t'));
        assertEquals(delimiter.replace('T', '\t'), found.delimiter());
        assertEquals(header, found.records().header());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '!',
            quoteCharacter = '`',
            value = {
                "p;n/1,50;a/2;b             ! ,",
                "p;n/1.234,50;a/2.000;b     ! ,.",
                "p;n/1 234,50;a/2,5;b       ! `, `",
                "pTn/1\u00a0234,50Ta/2,5Tb  ! ,\u00a0",
                "p;n/1'234.50;a/2;b         ! .'",
                "p,n/\"1,234.50\",a/2,b   ! .,",
                "p,n/\"1,5\",a/2,b        ! ,",
                // A fraction of three digits may be a thousand and more.
                "p;n/1,234;a/2;b            ! .",
                "p;n/1.234;a/2;b            ! .",
                "p;n/1,234;a/2,5;b          ! ,",
                // Addresses, versions, dates and lists.
                "p;n/192.168.100.200;a      ! .",
                "p;n/1,5;192.168.100.200    ! ,",
                "p;n/1.2.3;a/1.2;b          ! .",
                "p;n/24.12.2024;a           ! .",
                "p;n/1,2,3;a/1,2;b          ! .",
                "p;n/1,5;a/x;b              ! .",
            })
    void numbers(String text, String form) throws IOException {
        ValueFormat found = find(text.replace('/', '\n').replace('T', '\t')).values();
        assertEquals(form.charAt(0), found.decimal());
        assertEquals(form.length() == 1 ? null : form.charAt(1), found.thousands());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '!',
            quoteCharacter = '`',
            value = {
                "idTname/1T\"a/2Tb                   ! delimiter '\\t', no quote, header",
                "idTname/1Ta \"x\" b/2T\"b/3T\\N    ! delimiter '\\t', no quote, NULL as '\\N' or '', header",
                "1,\"a \\\"x\\\" b\"/2,\"b\"           ! delimiter ',', quote '\"', escape '\\', no header",
                "id,name/1,'a, b'/2,'it''s'          ! delimiter ',', quote ''', header",
                "\"id\",\"n\"/\"1\",\"a\"x\"/\"2\",\"b\"/\"3\",\"c\" ! delimiter ',', quote '\"', header",
                "id,name/1,\"a, b\"/2,'x            ! delimiter ',', quote '\"', header",
                "# made by x/id,name/1,a/2,b         ! delimiter ',', quote '\"', comment '#', header",
                "1,\\N/2,b                          ! delimiter ',', quote '\"', NULL as '\\N' or '', no header",
                "id,name/1,\\N/2,b                  ! delimiter ',', quote '\"', NULL as '\\N' or '', header",
                "sep=;/id;name/1;a/2;b               ! delimiter ';', quote '\"', skip 1, header",
            })
    void quotesEscapesAndNulls(String text, String words) throws IOException {
        assertEquals(
                "CSV, " + words,
                find(text.replace('/', '\n').replace('T', '\t')).words());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '!',
            quoteCharacter = '`',
            value = {
                "tag,count/#a,1/#b,2/#c,3/#d,4/#e,5/#f,6/#g,7/#h,8/#i,9/#/x,5 ! delimiter ',', quote '\"', header",
                "#a1,b1/#a2,b2/#a3,b3/#c/x,y              ! delimiter ',', quote '\"', no header",
                "#a1,b1/#a2,b2/#c/x,y/z,w                 ! delimiter ',', quote '\"', no header",
                "# by x/id,name/1,a/#2,b/3,c              ! delimiter ',', quote '\"', no header",
                "# by x/# a, b/id,name/1,a/# c/2,b        ! delimiter ',', quote '\"', comment '#', header",
                "# by x/# a, b, c/1,a/# c/2,b             ! delimiter ',', quote '\"', comment '#', no header",
            })
    void lineThatMayBeARowIsNoComment(String text, String words) throws IOException {
        assertEquals("CSV, " + words, find(text.replace('/', '\n')).words());
    }

    /** The sample ends before the line that may be a row. */
    @Test
    void laterLineWithTheFieldsOfARowIsRejected() throws IOException {
        String text = "# by x\nid,name\n1,a\n# a remark\n" + "2,b\n".repeat(1 << 16) + "#3,c\n4,d\n# end\n#5,e\n";
        CsvDialect found = find(text);
        assertEquals("CSV, delimiter ',', quote '\"', comment '#', header", found.words());
        List<Reject> rejects = new ArrayList<>();
        long[] rows = new long[1];
        TableDef table = Ddl.parse("CREATE TABLE t (id INT8 PRIMARY KEY, name STRING)", "t")
                .get(0);
        InputFile file = new InputFile(0, "in.csv", directory.resolve("in.csv"), text.length());
        decode(file, table, found, (row, offset) -> rows[0]++, rejects);
        assertEquals(2 + (1 << 16), rows[0]);
        assertEquals(
                List.of("#3,c", "#5,e"), rejects.stream().map(Reject::excerpt).toList());
        String message = rejects.get(0).problem().message();
        assertTrue(message.contains("--comment '#' skips such lines"), message);
    }

    /** The sample had only the first file. */
    @Test
    void lineBeforeTheHeaderOfALaterFileIsRejectedIfItMayBeARow() throws IOException {
        CsvDialect found = find("# by x\ncity,name\na,b\nc,d\n");
        assertEquals("CSV, delimiter ',', quote '\"', comment '#', header", found.words());
        String later = "# by x\n\n#a,b\ncity,name\ne,f\n#g,h\n";
        List<String> rows = new ArrayList<>();
        List<Reject> rejects = decode("city STRING, name STRING", found, later, rows);
        assertEquals(1, rows.size());
        assertEquals(
                List.of("3 #a,b", "6 #g,h"),
                rejects.stream().map(CsvSnifferTest::lineOf).toList());
        assertEquals(8, rejects.get(0).place().byteOffset());
        // Only types tell a header from a row, as in the first file.
        rejects = decode("city INT8, name STRING", found, later.replace("e,f", "1,f"), rows);
        assertEquals(
                List.of("6 #g,h"), rejects.stream().map(CsvSnifferTest::lineOf).toList());
        CsvDialect given = CsvDialect.DEFAULT.withComment('#').with(found.records());
        assertEquals(List.of(), decode("city STRING, name STRING", given, later, rows));
        CsvDialect afterTwo = found.with(new CsvDialect.Records(true, 3, 0));
        rejects = decode("city STRING, name STRING", afterTwo, later, rows);
        assertEquals(
                List.of("6 #g,h"), rejects.stream().map(CsvSnifferTest::lineOf).toList());
        assertEquals(4, rows.size());
    }

    private static String lineOf(Reject reject) {
        return reject.place().line() + 1 + " " + reject.excerpt();
    }

    private List<Reject> decode(String columns, CsvDialect dialect, String text, List<String> rows) throws IOException {
        Path path = Files.writeString(directory.resolve("later.csv"), text);
        TableDef table = Ddl.parse("CREATE TABLE t (" + columns + ")", "t").get(0);
        List<Reject> rejects = new ArrayList<>();
        InputFile file = new InputFile(1, "later.csv", path, text.length());
        decode(file, table, dialect, (row, offset) -> rows.add("row"), rejects);
        return rejects;
    }

    private static void decode(
            InputFile file, TableDef table, CsvDialect dialect, RowConsumer rows, List<Reject> rejects) {
        InputFormat csv = new InputFormat.Csv(dialect, null);
        Decoding.run(
                file,
                csv.framing(),
                csv.reading(1 << 14, 1 << 20),
                SplitDecoder.of(new CsvFormat(table, dialect, null, 1 << 20)),
                rows,
                rejects::add);
    }

    @Test
    void givenDelimiterOfABackslashIsNoEscape() throws IOException {
        Path path = Files.writeString(directory.resolve("in.csv"), "id\\n\n1\\a\n2\\\"b\n");
        InputFile file = new InputFile(0, "in.csv", path, Files.size(path));
        CsvDialect found = new CsvSniffer(file, CsvDialect.DEFAULT.withDelimiter("\\"), 1 << 20)
                .find(EnumSet.complementOf(EnumSet.of(Part.DELIMITER)));
        assertEquals("CSV, delimiter '\\', no quote, header", found.words());
    }

    @Test
    void linesBeforeTheRowsAreCounted() throws IOException {
        CsvSniffer sniffer = sniffer("Report\nof a day\n\nid,name\n1,a\n2,b\n");
        assertEquals(2, sniffer.recordsBefore(sniffer.find(EnumSet.allOf(Part.class))));
        // The first line of Excel is skipped already, and an option replaces that.
        sniffer = sniffer("sep=;\nReport\nof a day\n\nid;name\n1;a\n2;b\n");
        assertEquals(3, sniffer.recordsBefore(sniffer.find(EnumSet.allOf(Part.class))));
        sniffer = sniffer("a\nb;c\nd;e\n");
        assertEquals(0, sniffer.recordsBefore(sniffer.find(EnumSet.allOf(Part.class))));
        sniffer = sniffer("id,name,age\n1,a,10\n2,b\n3,c,30,x\n4,d,40\n");
        assertEquals(0, sniffer.recordsBefore(sniffer.find(EnumSet.allOf(Part.class))));
    }

    @Test
    void headerWithMissingAndRepeatedNamesIsCompleted() throws IOException {
        CsvSniffer sniffer = sniffer(",name,Name,n,name_2\n0,a,b,1,c\n1,d,e,2,f\n");
        assertEquals(
                List.of("c1", "name", "Name_3", "n", "name_2"),
                sniffer.renamed(sniffer.find(EnumSet.allOf(Part.class))));
        sniffer = sniffer("id,\"unit\nprice\"\n1,2\n");
        assertEquals(List.of("id", "unit price"), sniffer.renamed(sniffer.find(EnumSet.allOf(Part.class))));
        sniffer = sniffer("id,name\n1,a\n");
        assertNull(sniffer.renamed(sniffer.find(EnumSet.allOf(Part.class))));
    }

    @Test
    void textOfAnotherCharsetHidesNoDelimiter() throws IOException {
        byte[] text = "id;name;n\n1;\u00c7elik;1,5\n2;Ann;2,5\n".getBytes(StandardCharsets.ISO_8859_1);
        Path path = Files.write(directory.resolve("in.csv"), text);
        InputFile file = new InputFile(0, "in.csv", path, text.length);
        CsvDialect found = new CsvSniffer(file, CsvDialect.DEFAULT, 1 << 20).find(EnumSet.allOf(Part.class));
        assertEquals(";", found.delimiter());
        assertTrue(found.records().header());
        assertEquals(',', found.values().decimal());
        String ddl = new CsvInference(file, found, null, 1 << 20, 0).run("t").ddl();
        assertTrue(ddl.contains("1 more records are not UTF-8"), ddl);
        assertTrue(ddl.contains("--charset"), ddl);
    }

    @Test
    void whatIsGivenHolds() throws IOException {
        assertEquals(",", sniffer("a;b\n1;2\n").find(EnumSet.of(Part.HEADER)).delimiter());
        CsvDialect found = sniffer("a;b\n1;2\n").find(EnumSet.of(Part.DELIMITER));
        assertEquals(";", found.delimiter());
        assertEquals(false, found.records().header());
        found = sniffer("id\tn\n1\t\"a\n2\t\\N\n").find(EnumSet.of(Part.DELIMITER));
        assertEquals(Character.valueOf('"'), found.quote());
        assertEquals(List.of(), found.values().nullTexts());
        assertEquals(CsvDialect.DEFAULT, find(""));
    }
}
