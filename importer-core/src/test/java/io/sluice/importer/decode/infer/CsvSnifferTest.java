package io.sluice.importer.decode.infer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.importer.decode.CsvDialect;
import io.sluice.importer.decode.ValueFormat;
import io.sluice.importer.source.InputFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests what is found in the first records of CSV files; in the rows below, / ends a line and T is a tab. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class CsvSnifferTest {
    @TempDir
    Path directory;

    private CsvDialect find(String text, boolean delimiter, boolean header) throws IOException {
        Path path = Files.writeString(directory.resolve("in.csv"), text);
        InputFile file = new InputFile(0, "in.csv", path, Files.size(path));
        return new CsvSniffer(file, CsvDialect.DEFAULT, 1 << 20).find(delimiter, true, header);
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
                // No two columns have one name, and each has one.
                "id,id/1,2                      ! , ! false",
                "id,/1,2                        ! , ! false",
                // One record could be either.
                "a,b                            ! , ! false",
                // One column: any delimiter would do.
                "n/1/2                          ! , ! true",
                // Another number of fields in some records: still the delimiter with most.
                "a;b;c/1;2;3/1;2;3/1;2;3/1;2;3/1;2;3/1;2;3/1;2;3/1;2;3/1;2;3/1;2;3/4;5 ! ; ! true",
                // Commas in the first sentence only.
                "Hello, you/and you/and/others   ! , ! false",
            })
    void delimiterAndHeader(String text, String delimiter, boolean header) throws IOException {
        CsvDialect found = find(text.replace('/', '\n').replace('T', '\t'), true, true);
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
        ValueFormat found =
                find(text.replace('/', '\n').replace('T', '\t'), true, true).values();
        assertEquals(form.charAt(0), found.decimal());
        assertEquals(form.length() == 1 ? null : form.charAt(1), found.thousands());
    }

    @Test
    void textOfAnotherCharsetHidesNoDelimiter() throws IOException {
        byte[] text = "id;name;n\n1;\u00c7elik;1,5\n2;Ann;2,5\n".getBytes(StandardCharsets.ISO_8859_1);
        Path path = Files.write(directory.resolve("in.csv"), text);
        InputFile file = new InputFile(0, "in.csv", path, text.length);
        CsvDialect found = new CsvSniffer(file, CsvDialect.DEFAULT, 1 << 20).find(true, true, true);
        assertEquals(";", found.delimiter());
        assertTrue(found.records().header());
        assertEquals(',', found.values().decimal());
        String ddl = new CsvInference(file, found, 1 << 20, 0).run("t").ddl();
        assertTrue(ddl.contains("1 more records are not UTF-8"), ddl);
        assertTrue(ddl.contains("--charset"), ddl);
    }

    @Test
    void whatIsGivenHolds() throws IOException {
        CsvDialect found = find("a;b\n1;2\n", false, true);
        assertEquals(",", found.delimiter());
        found = find("a;b\n1;2\n", true, false);
        assertEquals(";", found.delimiter());
        assertEquals(false, found.records().header());
        assertEquals(CsvDialect.DEFAULT, find("", true, true));
    }
}
