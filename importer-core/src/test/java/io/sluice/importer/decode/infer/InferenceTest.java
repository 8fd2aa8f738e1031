package io.sluice.importer.decode.infer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.api.error.BadInputException;
import io.sluice.api.schema.Ddl;
import io.sluice.importer.decode.CsvDialect;
import io.sluice.importer.decode.avro.AvroSchemas;
import io.sluice.importer.source.InputFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is proposed, word for word, for a reader to check. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class InferenceTest {
    private static final CsvDialect WITH_HEADER = new CsvDialect(',', '"', null, null, null, true, 0);
    private static final String KEYS =
            "-- a CSV file names no keys: without a PRIMARY KEY rows are numbered; declare one if there is one\n";

    @TempDir
    Path directory;

    private String infer(String csv, CsvDialect dialect, long sampleRows) throws IOException {
        Path path = directory.resolve("in.csv");
        Files.writeString(path, csv);
        InputFile file = new InputFile(0, "in.csv", path, Files.size(path));
        String ddl =
                new CsvInference(file, dialect, 1 << 20, sampleRows).run("t").ddl();
        assertEquals(1, Ddl.parse(ddl, "proposal").size(), ddl);
        return ddl;
    }

    @Test
    void theNarrowestTypeThatLosesNothing() throws IOException {
        String ddl = infer("""
                Id,zip,amount,big,yes,"On Day",at,select,empty,uuid
                1,0123,1.50,9223372036854775807,true,2020-01-01,2020-01-01 10:00:00+02,a,,00000000-0000-0000-0000-000000000001
                2,4567,2,9223372036854775808,false,2020-01-02,2020-01-02T10:00:00Z,"b ""c""\",,00000000-0000-0000-0000-000000000002
                """, WITH_HEADER, 0);
        assertEquals("""
                -- from all 2 records of in.csv
                """ + KEYS + """
                CREATE TABLE "t" (
                  "Id" INT8, -- no NULL seen
                  "zip" STRING, -- no NULL seen; longest 4 bytes
                  "amount" DECIMAL, -- no NULL seen
                  "big" DECIMAL, -- no NULL seen; INT8 up to record 2, which has '9223372036854775808'
                  "yes" BOOL, -- no NULL seen
                  "On Day" DATE, -- no NULL seen
                  "at" TIMESTAMPTZ, -- no NULL seen
                  "select" STRING, -- no NULL seen; longest 5 bytes
                  "empty" STRING, -- only NULLs were seen: the type is a guess
                  "uuid" UUID -- no NULL seen
                );
                """, ddl);
    }

    @Test
    void aSampleSaysSo() throws IOException {
        String rows = IntStream.range(0, 50).mapToObj(i -> i + "\n").collect(Collectors.joining());
        String ddl = infer(rows + "x\n", CsvDialect.DEFAULT, 50);
        assertTrue(
                ddl.startsWith("-- from the first 50 records of in.csv; what comes behind them was NOT looked at\n"));
        assertTrue(ddl.contains("  c1 INT8"), ddl);
        assertTrue(ddl.contains("columns have no names"), ddl);
        ddl = infer(rows + "x\n", CsvDialect.DEFAULT, 0);
        assertTrue(
                ddl.contains("  c1 STRING -- no NULL seen; longest 2 bytes; INT8 up to record 51, which has 'x'"), ddl);
    }

    @Test
    void whatIsNoNumberStaysText() throws IOException {
        for (String text :
                new String[] {"007", "+1", "1,5", "0x10", "1e", "-", " 1", "1 ", "t", "NaN", "infinity", "-01"}) {
            String ddl = infer("\"" + text + "\"\n", CsvDialect.DEFAULT, 0);
            assertTrue(ddl.contains("c1 STRING"), text + ": " + ddl);
        }
        for (String text : new String[] {"2020-01-01 10:00:00.1234567", "10:00:00.1234567"}) {
            assertTrue(infer(text + "\n", CsvDialect.DEFAULT, 0).contains("c1 STRING"), text);
        }
    }

    @Test
    void malformedRecordsAreCounted() throws IOException {
        String ddl = infer("a,b\n1,2\n3\n", WITH_HEADER, 0);
        assertTrue(ddl.contains("-- 1 more records are malformed and were left out"), ddl);
    }

    @Test
    void filesWithoutRecordsSuggestNothing() {
        assertThrows(BadInputException.class, () -> infer("", CsvDialect.DEFAULT, 0));
        assertThrows(BadInputException.class, () -> infer("a,b\n", WITH_HEADER, 0));
        assertThrows(BadInputException.class, () -> infer("a,A\n1,2\n", WITH_HEADER, 0));
    }

    @Test
    void avroSaysItsTypes() {
        String schema = "{'type':'record','name':'r','namespace':'n','fields':["
                + "{'name':'id','type':'long'},"
                + "{'name':'price','type':['null',{'type':'bytes','logicalType':'decimal','precision':9,'scale':2}]},"
                + "{'name':'at','type':{'type':'long','logicalType':'timestamp-millis'}},"
                + "{'name':'tint','type':{'type':'enum','name':'e','symbols':['A','B']}},"
                + "{'name':'tags','type':{'type':'array','items':'string'}},"
                + "{'name':'either','type':['int','null','long']},"
                + "{'name':'never','type':'null'},"
                + "{'name':'mixed','type':['string','boolean']}]}";
        String ddl = AvroInference.of(AvroSchemas.record(schema.replace('\'', '"'), "test"), "t", "in.avro")
                .ddl();
        assertEquals(1, Ddl.parse(ddl, "proposal").size(), ddl);
        assertEquals("""
                -- from the Avro schema of in.avro (record n.r)
                -- an Avro schema names no keys: without a PRIMARY KEY rows are numbered; declare one if there is one
                CREATE TABLE t (
                  id INT8 NOT NULL,
                  price DECIMAL(9,2),
                  at TIMESTAMPTZ(3) NOT NULL,
                  tint STRING NOT NULL, -- an enum: A, B
                  -- no column tags: it is of type array, for which there are no columns; it is skipped
                  either INT8 -- a union of int, long
                  -- no column never: it is always null
                  -- no column mixed: a union of string, boolean, which no column type takes
                );
                """, ddl);
    }
}
