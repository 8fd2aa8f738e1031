package io.sluice.it.imports;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.it.support.SluiceProcess;
import io.sluice.it.support.SluiceProcess.Result;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Files as twelve tools export them ({@code make.py} beside them): every value is the one that was exported, as its
 * {@code expected-*.csv} has it, or the file is refused with the reason.
 */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class ExportedFilesTest {
    private static final Path FILES = Path.of("src/test/resources/io/sluice/it/imports/exports");

    private static final String COLUMNS = "id INT8 PRIMARY KEY, name STRING, price DECIMAL(10,2), ratio FLOAT8,"
            + " paid BOOL, day DATE, seen TIMESTAMP, note STRING, tags STRING[], doc JSONB";

    @TempDir
    Path directory;

    private Result importing(String columns, String file, String... options) throws Exception {
        Path schema = Files.writeString(directory.resolve("t.sql"), "CREATE TABLE t (" + columns + ")");
        List<String> arguments = new ArrayList<>(List.of("import", "--schema", schema.toString(), "--store"));
        arguments.add(directory.resolve("store").toString());
        arguments.addAll(List.of("--memory", "64m", "--quiet"));
        arguments.addAll(Arrays.asList(options));
        arguments.add(FILES.resolve(file).toString());
        return SluiceProcess.call(arguments.toArray(new String[0]));
    }

    /** The declaration of the first columns. */
    private static String first(int columns) {
        // The comma within DECIMAL(10,2) separates no columns.
        return String.join(", ", List.of(COLUMNS.split(", ", -1)).subList(0, columns));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "postgres.txt | 10 | all | --dialect postgresql-text",
                "postgres.csv | 10 | all | --dialect postgresql-csv --header",
                "mysql-outfile.txt | 10 | all | --dialect mysql",
                "duckdb.csv | 10 | all | --header",
                "duckdb.jsonl | 10 | all | --format auto",
                "duckdb.json | 10 | all | --format auto",
                "duckdb.parquet | 10 | all | --format auto",
                "clickhouse.tsv | 8 | all-8 | --dialect mysql --header",
                "clickhouse.jsonl | 10 | all | --format auto",
                "spark.csv | 8 | all-8 | --dialect postgresql-csv --escape \\ --header",
                "spark.parquet | 10 | all | --format auto",
                "pandas.csv | 8 | pandas-csv | --header",
                "pandas.parquet | 10 | all | --format auto",
                "snowflake.parquet | 10 | all | --format auto",
                "mongodb.jsonl | 10 | all | --json-path id=id.$numberLong --json-path price=price.$numberDecimal --json-path seen=seen.$date",
                "excel-en-us.csv | 7 | excel | --header --date-format MM/dd/yyyy --timestamp-format MM/dd/yyyy_HH:mm:ss",
            })
    void valuesAreThoseThatWereExported(String file, int columns, String expected, String options) throws Exception {
        assertImported(first(columns), file, expected, options);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                // pandas writes documents that are texts as texts.
                "pandas.jsonl | doc JSONB | doc STRING | 10 | all | --format auto",
                "excel-de-de.csv | paid BOOL | paid STRING | 7 | excel-de-de | --header --delimiter ; --decimal , --charset windows-1252"
                        + " --date-format dd.MM.yyyy --timestamp-format dd.MM.yyyy_HH:mm:ss",
                "excel-fr-fr.txt | paid BOOL | paid STRING | 7 | excel-fr-fr | --header --delimiter tab --decimal ,"
                        + " --date-format dd/MM/yyyy --timestamp-format dd/MM/yyyy_HH:mm:ss",
            })
    void valuesAreThoseThatWereExportedWithAnotherType(
            String file, String type, String other, int columns, String expected, String options) throws Exception {
        assertImported(first(columns).replace(type, other), file, expected, options);
    }

    private void assertImported(String columns, String file, String expected, String options) throws Exception {
        List<String> each = new ArrayList<>();
        for (String option : options.split(" ", -1)) {
            each.add(option.replace('_', ' '));
        }
        Result result = importing(columns, file, each.toArray(new String[0]));
        assertEquals(0, result.exitCode(), file + ": " + result);
        Result rows = SluiceProcess.call(
                "scan", "t", "--store", directory.resolve("store").toString(), "--format", "csv");
        assertEquals(Files.readString(FILES.resolve("expected-" + expected + ".csv")), rows.out(), file);
    }

    @Test
    void whatIsNoTextIsCalledWhatItIs() throws Exception {
        Result result = importing(COLUMNS, "postgres.bin");
        assertEquals(2, result.exitCode(), result.toString());
        assertTrue(result.err().contains("PostgreSQL"), result.err());
        assertTrue(result.err().contains("binary"), result.err());
        assertFalse(Files.exists(directory.resolve("store")), result.err());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"excel-de-de.csv | windows-1252", "excel-fr-fr.txt | UTF-16"})
    void numbersWithADecimalCommaAreFound(String file, String charset) throws Exception {
        Result inferred =
                SluiceProcess.call("schema", "infer", FILES.resolve(file).toString(), "--charset", charset);
        assertTrue(
                inferred.out().contains("price DECIMAL") && inferred.out().contains("ratio DECIMAL"), inferred.out());
        Result imported = SluiceProcess.call(
                "import",
                FILES.resolve(file).toString(),
                "--charset",
                charset,
                "--table",
                "t",
                "--store",
                directory.resolve("store").toString());
        assertEquals(0, imported.exitCode(), imported.toString());
        assertTrue(imported.err().contains("decimal ','"), imported.err());
        Result rows = SluiceProcess.call(
                "sql", "--store", directory.resolve("store").toString(), "-e", "SELECT sum(price), min(ratio) FROM t");
        assertTrue(rows.out().contains("1234580.39  0.5"), rows.toString());
    }

    @Test
    void wordsOfOtherLanguagesAreNamed() throws Exception {
        Result result = importing(
                first(5),
                "excel-de-de.csv",
                "--header",
                "--delimiter",
                ";",
                "--decimal",
                ",",
                "--charset",
                "windows-1252",
                "--columns",
                "id,name,price,ratio,paid,@day,@seen");
        assertEquals(2, result.exitCode(), result.toString());
        assertTrue(result.err().contains("column paid"), result.err());
        assertTrue(result.err().contains("'WAHR'"), result.err());
    }
}
