package io.sluice.it.imports;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.job.ImportReport;
import io.sluice.it.support.Imports;
import io.sluice.it.support.Imports.How;
import io.sluice.it.support.Seeds;
import io.sluice.it.support.SluiceProcess;
import io.sluice.it.support.SluiceProcess.Result;
import io.sluice.it.support.Stock;
import io.sluice.it.support.StockParquet;
import io.sluice.model.schema.TableDef;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Files that pyarrow wrote ({@code make.py} beside them): the same rows make the same table as their CSV, whatever the
 * codec, the pages and the encodings are. What cannot be read is refused by name, and leaves no store.
 */
@SuppressWarnings("NullAway.Init") // JUnit and the set-up set the fields
class ParquetImportTest {
    private static final Path FILES = Path.of("src/test/resources/io/sluice/it/imports/parquet");
    private static final String SQL = "CREATE TABLE t (id INT8 PRIMARY KEY, b BOOL, i8 INT2, u16 INT4, u32 INT8,"
            + " u64 DECIMAL(20), f FLOAT4, d FLOAT8, h FLOAT4, s STRING, x BYTES, u UUID, day DATE, t3 TIME(3), t6 TIME,"
            + " local TIMESTAMP, utc TIMESTAMPTZ(3), d9 DECIMAL(9,2), d18 DECIMAL(18,4), d38 DECIMAL(38,10),"
            + " INDEX by_day (day), UNIQUE INDEX by_u (u));";

    private static final long SEED = Seeds.of(ParquetImportTest.class);

    @TempDir
    Path directory;

    private Path schema;
    private Path store;

    @BeforeEach
    void write() throws IOException {
        schema = Files.writeString(directory.resolve("t.sql"), SQL);
        store = directory.resolve("store");
    }

    private Result importing(String... more) {
        List<String> arguments = new ArrayList<>(List.of(
                "import", "--schema", schema.toString(), "--store", store.toString(), "--memory", "64m", "--json"));
        arguments.addAll(Arrays.asList(more));
        return SluiceProcess.call(arguments.toArray(new String[0]));
    }

    private String digest(String... more) throws IOException {
        Result result = importing(more);
        assertEquals(0, result.exitCode(), String.join(" ", more) + ": " + result);
        return result.report().get("digest").asText();
    }

    private void assertRefused(Result result, String... said) {
        assertEquals(2, result.exitCode(), result.toString());
        for (String part : said) {
            assertTrue(result.err().contains(part), "'" + part + "' is not in " + result);
        }
        assertFalse(result.err().contains("\tat "), result.toString());
        assertFalse(Files.exists(store), "a store was made: " + result);
    }

    @ParameterizedTest
    @ValueSource(strings = {"zstd", "snappy-v2", "gzip-plain", "lz4-int96", "none-decimal-int", "deltas"})
    void sameRowsMakeTheSameTable(String file) throws Exception {
        String expected = digest(FILES.resolve("rows.csv").toString());
        String parquet = FILES.resolve(file + ".parquet").toString();
        for (String mode : List.of("merge", "direct", "two-pass")) {
            store = directory.resolve("store-" + mode);
            assertEquals(expected, digest("--mode", mode, "--workers", "3", parquet), mode);
        }
        // Without its suffix the first bytes tell.
        Path bare = Files.copy(Path.of(parquet), directory.resolve("bare"));
        store = directory.resolve("store-bare");
        assertEquals(expected, digest(bare.toString()));
    }

    @Test
    void sampleHasTheRowsOfItsCsv() throws Exception {
        schema = Path.of("../samples/shop.sql");
        String expected = digest("../samples/orders.csv");
        store = directory.resolve("store-of-parquet");
        assertEquals(expected, digest("../samples/orders.parquet"));
    }

    @Test
    void rowGroupsMakeTheSameTableWithAnyNumberOfWorkers() {
        TableDef table = Imports.table(Stock.SQL);
        List<Integer> numbers = Stock.shuffled(20_000, SEED);
        Path csv = Stock.write(directory.resolve("stock.csv"), numbers);
        Path parquet = StockParquet.write(directory.resolve("stock.parquet"), numbers, 20, 0);
        String expected = String.valueOf(Imports.intoNewStore(directory.resolve("csv"), table, How.USUAL, csv)
                .digest());
        for (int workers : new int[] {1, 2, 4}) {
            How how = How.USUAL
                    .of(InputFormat.Avro.containers(false))
                    .direct()
                    .with(2 * Imports.SMALL_MEMORY_BYTES, workers);
            ImportReport report = Imports.intoNewStore(directory.resolve("of-" + workers), table, how, parquet);
            assertEquals(expected, report.digest(), workers + " workers: " + report);
            assertEquals(numbers.size(), report.rows().read(), report.toString());
        }
    }

    @Test
    void inferredTableTakesTheFile() throws Exception {
        String file = FILES.resolve("zstd.parquet").toString();
        Result inferred = SluiceProcess.call("schema", "infer", "--table", "t", file);
        assertEquals(0, inferred.exitCode(), inferred.toString());
        for (String column :
                List.of("u64 DECIMAL(20,0)", "u UUID", "utc TIMESTAMPTZ(3)", "local TIMESTAMP,", "h FLOAT4")) {
            assertTrue(inferred.out().contains(column), column + " is not in " + inferred);
        }
        Files.writeString(schema, inferred.out());
        digest(file);
    }

    @Test
    void nestedValuesAreTextsDocumentsOrArrays() throws Exception {
        Files.writeString(
                schema,
                "CREATE TABLE t (id INT8 PRIMARY KEY, tags STRING, grid STRING, counts STRING, item STRING,"
                        + " parts STRING);");
        String expected = digest(FILES.resolve("shapes.csv").toString());
        String parquet = FILES.resolve("shapes.parquet").toString();
        store = directory.resolve("store-parquet");
        assertEquals(expected, digest(parquet));
        Result inferred = SluiceProcess.call("schema", "infer", "--table", "t", parquet);
        assertTrue(inferred.out().startsWith("-- input: Parquet files\n-- from the schema of "), inferred.toString());
        assertTrue(inferred.out().contains("counts JSONB, -- a map"), inferred.toString());
        assertTrue(inferred.out().contains("tags STRING[]"), inferred.toString());
        Files.writeString(schema, inferred.out().replace("id INT8", "id INT8 PRIMARY KEY"));
        store = directory.resolve("store-inferred");
        String typed = digest(parquet);
        assertNotEquals(expected, typed);
        store = directory.resolve("store-inferred-csv");
        assertEquals(typed, digest(FILES.resolve("shapes.csv").toString()));
    }

    @Test
    void columnsWithoutAFormAreRefusedOnlyWhereTheyAreWanted() throws Exception {
        String file = FILES.resolve("nested.parquet").toString();
        Files.writeString(schema, "CREATE TABLE t (id INT8 PRIMARY KEY, tags INT8, nanos TIME);");
        assertRefused(importing(file), "column tags: Avro array cannot", "column nanos: Parquet TIME(NANOS");
        Files.writeString(schema, "CREATE TABLE t (id INT8 PRIMARY KEY, \"a b\" STRING);");
        digest(file);
        Result row = SluiceProcess.call("get", "t", "2", "--store", store.toString(), "--format", "csv");
        assertEquals("2,y\n", row.out(), row.toString());
    }

    @Test
    void valuesThatDoNotFitAreRejectsByRow() throws Exception {
        Files.writeString(schema, "CREATE TABLE t (id INT8 PRIMARY KEY, u16 INT2, s STRING(3));");
        Result result = importing(
                "--max-rejects",
                "100%",
                "--rejects",
                directory.resolve("rejects").toString(),
                FILES.resolve("zstd.parquet").toString());
        assertEquals(3, result.exitCode(), result.toString());
        // Only rows without both values fit.
        assertTrue(result.report().get("rowsRejected").asInt() > 400, result.toString());
        String rejects = Files.readString(directory.resolve("rejects/rejects.jsonl"));
        assertTrue(
                rejects.contains("out of range for INT2: must be -32768 to 32767 (row 1 of row group 1)\""),
                rejects.substring(0, 300));
        assertTrue(rejects.contains("\"line\":1,"), rejects.substring(0, 300));
        Matcher places = Pattern.compile("\"line\":(\\d+),.*?\\(row (\\d+) of row group (\\d+)\\)")
                .matcher(rejects);
        List<String> found = new ArrayList<>();
        while (places.find()) {
            int row = Integer.parseInt(places.group(1)) - 1;
            assertEquals(row % 150 + 1, Integer.parseInt(places.group(2)), places.group());
            assertEquals(row / 150 + 1, Integer.parseInt(places.group(3)), places.group());
            found.add(places.group(3));
        }
        assertEquals(result.report().get("rowsRejected").asInt(), found.size());
        assertTrue(found.contains("2"), rejects.substring(0, 300));
    }

    @Test
    void damagedFilesAreRefused() throws Exception {
        byte[] good = Files.readAllBytes(FILES.resolve("gzip-plain.parquet"));
        Path cut = Files.write(directory.resolve("cut.parquet"), Arrays.copyOf(good, good.length / 2));
        assertRefused(importing(cut.toString()), "cut.parquet: the Parquet data is damaged or cut off: its footer");
        byte[] flipped = good.clone();
        flipped[200] ^= 0x55;
        Path damaged = Files.write(directory.resolve("damaged.parquet"), flipped);
        assertRefused(importing(damaged.toString()), "damaged.parquet: the Parquet data is damaged", "row group 1");
        byte[] encrypted = good.clone();
        System.arraycopy("PARE".getBytes(StandardCharsets.US_ASCII), 0, encrypted, good.length - 4, 4);
        Path secret = Files.write(directory.resolve("secret.parquet"), encrypted);
        assertRefused(importing(secret.toString()), "secret.parquet: the Parquet data is encrypted");
        // Their footers can be read: one column has a key of its own, or all have that of the footer.
        for (String name : List.of("encrypted-column", "encrypted-pages")) {
            String file = FILES.resolve(name + ".parquet").toString();
            assertRefused(importing(file), name + ".parquet: the Parquet data is encrypted");
        }
        byte[] brotli = Files.readAllBytes(FILES.resolve("brotli.parquet"));
        brotli[100] ^= 0x55;
        Path spoilt = Files.write(directory.resolve("spoilt.parquet"), brotli);
        assertRefused(importing(spoilt.toString()), "spoilt.parquet: the Parquet data is damaged", "row group 1");
    }

    /** Its file has two of the columns. */
    @Test
    void brotliPagesAreRead() throws Exception {
        Files.writeString(schema, "CREATE TABLE t (id INT8 PRIMARY KEY, s STRING)");
        String expected = digest(FILES.resolve("zstd.parquet").toString());
        store = directory.resolve("store-brotli");
        assertEquals(expected, digest(FILES.resolve("brotli.parquet").toString()));
    }
}
