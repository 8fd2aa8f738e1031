package io.sluice.importer.job;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.importer.decode.CsvDialect;
import io.sluice.importer.decode.CsvDialect.Records;
import io.sluice.importer.decode.NamedDialect;
import io.sluice.importer.decode.RejectLimit;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.decode.json.JsonMembers;
import io.sluice.importer.source.InputFile;
import io.sluice.model.error.BadInputException;
import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.TableDef;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** An input that an import would refuse is refused before, with the options that make its first records rows. */
class PrecheckTest {
    private static final TableDef ITEM = Ddl.parse(
                    "CREATE TABLE item (id INT8 PRIMARY KEY, name STRING NOT NULL, price DECIMAL(10,2))", "test")
            .get(0);

    private static final InputFormat.Csv WITH_HEADER =
            new InputFormat.Csv(CsvDialect.DEFAULT.with(new Records(true, 0, 0)), null);

    @ParameterizedTest
    @CsvSource(delimiter = '~', quoteCharacter = '`', textBlock = """
                    id,name,price/1,Käse,2.50/2,Brot,1.10/     ~ UTF-8        ~ with --header: the first 2 records are rows
                    nr,bez,preis/1,Käse,2.50/2,Brot,1.10/      ~ UTF-8        ~ with --skip 1: the first 2 records are rows
                    1;Käse;2.50/2;Brot;1.10/                   ~ UTF-8        ~ with --delimiter ';': the first 2 records are rows
                    id;name;price/1;Brot;2.50/                 ~ UTF-8        ~ with --delimiter ';' --header: the first record is a row
                    price|name|id/1.10|Brot|7/                 ~ UTF-8        ~ with --delimiter '|' --header: the first record is a row
                    1|Brot|1.10|/2|Salz|3|/                    ~ UTF-8        ~ with --delimiter '|' --columns id,name,price,@end: the first 2 records are rows
                    1,Brot,1.10,/2,Salz,3,/                    ~ UTF-8        ~ with --columns id,name,price,@end: the first 2 records are rows
                    1,Käse,2.50/2,Brot,1.10/                   ~ windows-1252 ~ with --charset windows-1252: the first 2 records are rows
                    id,name,price/1,Käse,2.50/                 ~ UTF-16LE     ~ with --header: the first record is a row
                    ⑴,name,price/1,Käse,2.50/                  ~ UTF-16LE     ~ with --charset UTF-16LE --skip 1: the first record is a row
                    1,'a, b',2.50/2,'it''s',1/                 ~ UTF-8        ~ with --quote "'": the first 2 records are rows
                    1,"a \\"b\\"",2.50/2,c,\\N/                ~ UTF-8        ~ with --escape '\\': the first 2 records are rows
                    1|Brot|NULL/2|Salz|1/                      ~ UTF-8        ~ with --delimiter '|' --nullif 'NULL': the first 2 records are rows
                    1,"a,2.50/2,b,1/                           ~ UTF-8        ~ with --quote '': the first 2 records are rows
                    1, "a, b", 2.50/2, "c", 1/                 ~ UTF-8        ~ with --delimiter ', ': the first 2 records are rows
                    # x/id,name,price/1,Käse,2.50/             ~ UTF-8        ~ with --comment '#' --header: the first record is a row
                    1;Käse;2,50/2;Brot;1,10/                   ~ UTF-8        ~ with --delimiter ';' --decimal ,: the first 2 records are rows
                    1;Käse;2.500,50/2;Brot;1,10/               ~ windows-1252 ~ with --charset windows-1252 --delimiter ';' --decimal , --thousands .: the first 2 records are rows
                    1,Käse/2,Brot,1.10/3,Salz,1/               ~ UTF-8        ~ with --short-rows null: the first 3 records are rows
                    1,Brot,NULL/2,Salz,1/                      ~ UTF-8        ~ with --nullif 'NULL': the first 2 records are rows
                    1\tBrot\t\\N/                              ~ UTF-8        ~ with --dialect postgresql-text: the first record is a row
                    1||Brot||1.10/2||Salz||3/                  ~ UTF-8        ~ with --delimiter '||': the first 2 records are rows
                    1\u0001Brot\u00011.10/                     ~ UTF-8        ~ with --delimiter '\\x01': the first record is a row
                    1^Brot^1.10/                               ~ UTF-16LE     ~ with --delimiter '^': the first record is a row
                    1,Brot,NA/2,Salz,1/                        ~ UTF-8        ~ with --nullif 'NA': the first 2 records are rows
                    1\tBrot\t2.50/                             ~ UTF-8        ~ with --delimiter '\\t': the first record is a row
                    """)
    void optionsAreNamedThatWereTried(String text, String charset, String options, @TempDir Path directory)
            throws IOException {
        BadInputException refused = assertThrows(
                BadInputException.class,
                () -> check(file(directory, text, Charset.forName(charset)), InputFormat.DEFAULT, RejectLimit.NONE));
        assertEquals("Tried " + options, lastLine(refused));
    }

    @Test
    void commentsAreNotSuggestedForLinesThatMayBeRows(@TempDir Path directory) throws IOException {
        Path file = file(directory, "1,Brot,1.10/#2,Salz,3/3,Mehl,2/", StandardCharsets.UTF_8);
        assertDoesNotThrow(() -> check(file, InputFormat.DEFAULT, RejectLimit.NONE), "the import rejects the line");
    }

    /** Any line is a row of one text if the delimiter is none of its characters. */
    @Test
    void tableThatTheFileSuggestedKeepsItsDelimiter(@TempDir Path directory) throws IOException {
        TableDef lines = Ddl.parse("CREATE TABLE lines (c1 STRING)", "test").get(0);
        Path file = file(directory, "a/1,2/b/", StandardCharsets.UTF_8);
        List<InputFile> input = List.of(new InputFile(0, file.toString(), file, Files.size(file)));
        assertThrows(BadInputException.class, () -> new Precheck(InputFormat.DEFAULT, lines, RejectLimit.NONE, false)
                .run(input));
        assertDoesNotThrow(() -> new Precheck(InputFormat.DEFAULT, lines, RejectLimit.NONE, true).run(input));
    }

    @Test
    void headerThatIsNoneIsNamed(@TempDir Path directory) throws IOException {
        Path file = file(directory, "1,Brot,2.50/2,Salz,1/", StandardCharsets.UTF_8);
        BadInputException refused =
                assertThrows(BadInputException.class, () -> check(file, WITH_HEADER, RejectLimit.NONE));
        assertEquals(file + ": Tried without --header: the first 2 records are rows", lastLine(refused));
    }

    /** To skip it would lose a row. */
    @Test
    void badFirstRowIsNotTakenForAHeader(@TempDir Path directory) throws IOException {
        Path file = file(directory, "1,Brot,x/2,Salz,1/", StandardCharsets.UTF_8);
        assertDoesNotThrow(() -> check(file, InputFormat.DEFAULT, RejectLimit.NONE));
    }

    @Test
    void nothingIsTriedForAnInputThatTheLimitAllows(@TempDir Path directory) throws IOException {
        Path file = file(directory, "id,name,price/1,Brot,2.50/", StandardCharsets.UTF_8);
        assertDoesNotThrow(() -> check(file, InputFormat.DEFAULT, RejectLimit.parse("1")));
        assertDoesNotThrow(() -> check(file, InputFormat.DEFAULT, RejectLimit.parse("50%")));
    }

    @Test
    void optionsAreTriedForAFewInputsOnly(@TempDir Path directory) throws IOException {
        Path file = file(directory, "id;name;price/1;Brot;2.50/", StandardCharsets.UTF_8);
        InputFile input = new InputFile(0, file.toString(), file, Files.size(file));
        BadInputException refused =
                assertThrows(BadInputException.class, () -> new Precheck(InputFormat.DEFAULT, ITEM, RejectLimit.NONE)
                        .run(Collections.nCopies(10, input)));
        assertEquals(3, refused.toString().split("Tried", -1).length - 1);
        assertEquals(10, refused.toString().split("none of the first 2 records", -1).length - 1);
    }

    /** A last field that is not empty is no end of the record. */
    @ParameterizedTest
    @ValueSource(strings = {"some text/and more/", "1|Brot|1.10|x/2|Salz|3|y/"})
    void noOptionsAreNamedWhenNoneHelp(String text, @TempDir Path directory) throws IOException {
        Path file = file(directory, text, StandardCharsets.UTF_8);
        BadInputException refused =
                assertThrows(BadInputException.class, () -> check(file, InputFormat.DEFAULT, RejectLimit.NONE));
        assertFalse(refused.toString().contains("Tried"), refused.toString());
    }

    @Test
    void objectOnSeveralLinesIsNamed(@TempDir Path directory) throws IOException {
        Path file = file(directory, "{/  \"id\": 1,/  \"name\": \"a\"/}/", StandardCharsets.UTF_8);
        BadInputException refused = assertThrows(
                BadInputException.class,
                () -> check(file, new InputFormat.Json(false, JsonMembers.BY_NAME), RejectLimit.NONE));
        assertTrue(refused.toString().contains("'jq -c . FILE' writes each on one"), refused.toString());
    }

    @Test
    void otherFormatsAreCalledWhatTheyAre(@TempDir Path directory) throws IOException {
        Path file = file(directory, "PK\3\4 and so on/", StandardCharsets.UTF_8);
        for (InputFormat format : List.of(InputFormat.DEFAULT, WITH_HEADER)) {
            BadInputException refused =
                    assertThrows(BadInputException.class, () -> check(file, format, RejectLimit.NONE));
            assertTrue(refused.toString().contains("It is a zip archive"), refused.toString());
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '~', quoteCharacter = '`', textBlock = """
                    a.csv   ~ UTF-8  ~ input: CSV, delimiter ',', quote '"', no header, not compressed, UTF-8
                    a.csv   ~ UTF-16 ~ input: CSV, delimiter ',', quote '"', no header, not compressed, UTF-16
                    a.gz    ~ UTF-8  ~ input: CSV, delimiter ',', quote '"', no header, gzip, UTF-8
                    """)
    void whatWasFoundIsOneLine(String name, String charset, String found, @TempDir Path directory) throws IOException {
        Path file = directory.resolve(name);
        try (OutputStream out =
                name.endsWith("gz") ? new GZIPOutputStream(Files.newOutputStream(file)) : Files.newOutputStream(file)) {
            out.write("1,Brot,2.50\n".getBytes(Charset.forName(charset)));
        }
        InputFile input = new InputFile(0, file.toString(), file, Files.size(file));
        assertEquals(found, new Precheck(InputFormat.DEFAULT, ITEM, RejectLimit.NONE).found(List.of(input)));
        assertEquals(
                found + "; 2 inputs, of which the first was examined",
                new Precheck(InputFormat.DEFAULT, ITEM, RejectLimit.NONE).found(List.of(input, input)));
    }

    @Test
    void columnsThatNoMemberFillsAreNamed(@TempDir Path directory) throws IOException {
        InputFormat json = new InputFormat.Json(false, JsonMembers.BY_NAME);
        Path file = file(directory, "{\"id\":1,\"name\":\"a\",\"cost\":{\"price\":2}}/", StandardCharsets.UTF_8);
        List<InputFile> input = List.of(new InputFile(0, file.toString(), file, Files.size(file)));
        Precheck precheck = new Precheck(json, ITEM, RejectLimit.NONE);
        assertEquals(List.of(), precheck.remarks());
        precheck.run(input);
        assertEquals(
                List.of(
                        "input: column price without a value in the first record; --json-path names the member that fills a column"),
                precheck.remarks());
        precheck = new Precheck(
                new InputFormat.Json(false, new JsonMembers(List.of("price=cost.price"), false, false)),
                ITEM,
                RejectLimit.NONE);
        precheck.run(input);
        assertEquals(List.of(), precheck.remarks());
    }

    @Test
    void formatsAreNamedWithTheirSettings() {
        CsvDialect dialect = NamedDialect.POSTGRESQL_TEXT.dialect().with(new Records(true, 0, 0));
        assertEquals(
                "CSV, delimiter '\\t', no quote, escape '\\', NULL as '\\N', header",
                new InputFormat.Csv(dialect, null).words());
        assertEquals("JSON lines", new InputFormat.Json(false, JsonMembers.BY_NAME).words());
        assertEquals("Avro container files", InputFormat.Avro.containers(true).words());
    }

    private static void check(Path file, InputFormat format, RejectLimit limit) throws IOException {
        new Precheck(format, ITEM, limit).run(List.of(new InputFile(0, file.toString(), file, Files.size(file))));
    }

    /** Writes lines, which end with slashes. */
    private static Path file(Path directory, String text, Charset charset) throws IOException {
        Path file = directory.resolve("item.csv");
        Files.write(file, text.replace('/', '\n').getBytes(charset));
        return file;
    }

    private static String lastLine(BadInputException refused) {
        List<String> lines = refused.toString().lines().toList();
        return lines.get(lines.size() - 1);
    }
}
