package io.sluice.importer.decode.infer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.importer.decode.CsvDialect;
import io.sluice.importer.decode.CsvFormat;
import io.sluice.importer.decode.Decoding;
import io.sluice.importer.decode.SplitDecoder;
import io.sluice.importer.decode.ValueFormat;
import io.sluice.importer.decode.avro.AvroSchemas;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.source.InputFile;
import io.sluice.model.error.BadInputException;
import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.TableDef;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the proposed DDL word for word. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class InferenceTest {
    private static final CsvDialect WITH_HEADER =
            new CsvDialect(",", '"', null, null, ValueFormat.DEFAULT, Set.of(), new CsvDialect.Records(true, 0, 0));

    @TempDir
    Path directory;

    private String infer(String csv, CsvDialect dialect, long sampleRows) throws IOException {
        Path path = directory.resolve("in.csv");
        Files.writeString(path, csv);
        InputFile file = new InputFile(0, "in.csv", path, Files.size(path));
        String ddl = new CsvInference(file, dialect, null, 1 << 20, sampleRows)
                .run("t")
                .ddl();
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
                -- a CSV file names no keys: without a PRIMARY KEY rows are numbered; unique in all 2 records: Id, zip, On Day
                CREATE TABLE "t" (
                  "Id" INT8 NOT NULL, -- no NULL seen
                  "zip" STRING NOT NULL, -- no NULL seen; longest 4 bytes
                  "amount" DECIMAL NOT NULL, -- no NULL seen
                  "big" DECIMAL NOT NULL, -- no NULL seen; INT8 up to record 2, which has '9223372036854775808'
                  "yes" BOOL NOT NULL, -- no NULL seen
                  "On Day" DATE NOT NULL, -- no NULL seen
                  "at" TIMESTAMPTZ NOT NULL, -- no NULL seen
                  "select" STRING NOT NULL, -- no NULL seen; longest 5 bytes
                  "empty" STRING, -- only NULLs were seen: the type is a guess
                  "uuid" UUID NOT NULL -- no NULL seen
                );
                """, ddl);
    }

    @Test
    void aSampleSaysSo() throws IOException {
        String rows = IntStream.range(0, 50).mapToObj(i -> i + "\n").collect(Collectors.joining());
        String ddl = infer(rows + "x\n", CsvDialect.DEFAULT, 50);
        assertTrue(ddl.startsWith("-- from the first 50 records of in.csv; later records were NOT read\n"));
        assertTrue(ddl.contains("  c1 INT8 -- no NULL seen"), ddl);
        assertTrue(ddl.contains("columns have no names"), ddl);
        ddl = infer(rows + "x\n", CsvDialect.DEFAULT, 0);
        assertTrue(
                ddl.contains(
                        "  c1 STRING NOT NULL -- no NULL seen; longest 2 bytes; INT8 up to record 51, which has 'x'"),
                ddl);
    }

    @Test
    void whatIsNoNumberStaysText() throws IOException {
        for (String text :
                new String[] {"007", "+1", "1,5", "0x10", "1e", "-", " 1", "1 ", "T", "y", "NaN", "infinity", "-01"}) {
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
    void givenColumnsNameTheFields() throws IOException {
        Path path = Files.writeString(directory.resolve("in.csv"), "id,,id\n1,a,2\n");
        InputFile file = new InputFile(0, "in.csv", path, Files.size(path));
        String ddl = new CsvInference(file, WITH_HEADER, List.of("id", "@b", "n"), 1 << 20, 0)
                .run("t")
                .ddl();
        assertTrue(ddl.contains("fields are named as by --columns id,@b,n"), ddl);
        assertTrue(ddl.contains("  id INT8 NOT NULL,") && ddl.contains("  n INT8 NOT NULL "), ddl);
        assertTrue(ddl.contains("-- no column @b: skipped by --columns"), ddl);
        BadInputException refused = assertThrows(
                BadInputException.class, () -> new CsvInference(file, WITH_HEADER, List.of("id"), 1 << 20, 0).run("t"));
        assertTrue(refused.toString().contains("names 1 fields, but the first record has 3"), refused.toString());
    }

    @Test
    void jsonThatIsNoneIsSaidWhy() throws IOException {
        Path path = Files.writeString(directory.resolve("in.json"), "{\n \"a\": 1\n}\n");
        InputFile file = new InputFile(0, "in.json", path, Files.size(path));
        BadInputException refused =
                assertThrows(BadInputException.class, () -> new JsonInference(file, false, 1 << 20, 0).run("t"));
        assertTrue(
                refused.toString().contains("has no JSON objects; record 1: Unexpected end-of-input"),
                refused.toString());
        assertTrue(refused.toString().contains("jq -c ."), refused.toString());
    }

    @Test
    void membersThatDifferInCaseAreOneColumn() throws IOException {
        Path path = Files.writeString(directory.resolve("in.json"), "{\"id\":1,\"ID\":2}\n{\"id\":3}\n");
        InputFile file = new InputFile(0, "in.json", path, Files.size(path));
        String ddl = new JsonInference(file, false, 1 << 20, 0).run("t").ddl();
        assertTrue(ddl.contains("id INT8 NOT NULL -- no NULL seen\n"), ddl);
    }

    @Test
    void filesWithoutRecordsSuggestNothing() {
        assertThrows(BadInputException.class, () -> infer("", CsvDialect.DEFAULT, 0));
        assertThrows(BadInputException.class, () -> infer("a,b\n", WITH_HEADER, 0));
        assertThrows(BadInputException.class, () -> infer("a,A\n1,2\n", WITH_HEADER, 0));
    }

    @Test
    void oneThingHasNoPlural() throws IOException {
        String ddl = infer("id,name\n1,\n2,a\n", WITH_HEADER, 0);
        assertTrue(ddl.contains("1 NULL seen; longest 1 byte\n"), ddl);
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
                -- from the schema of in.avro (record n.r)
                -- the schema names no keys: without a PRIMARY KEY rows are numbered; declare one if there is one
                CREATE TABLE t (
                  id INT8 NOT NULL,
                  price DECIMAL(9,2),
                  at TIMESTAMPTZ(3) NOT NULL,
                  tint STRING NOT NULL, -- an enum: A, B
                  tags STRING[] NOT NULL,
                  either INT8 -- a union of int, long
                  -- no column never: it is always null
                  -- no column mixed: a union of string, boolean, which no column type takes
                );
                """, ddl);
    }

    /** Names and values that have been trouble, and any others: what is proposed takes all rows it was made from. */
    @Test
    void whatIsProposedTakesEveryRowItRestsOn() throws IOException {
        long seed = Long.getLong("sluice.seed", new Random().nextLong());
        Random random = new Random(seed);
        int proposed = 0;
        for (int i = 0; i < 400; i++) {
            boolean header = random.nextBoolean();
            CsvDialect dialect = new CsvDialect(
                    random.nextBoolean() ? "," : ";",
                    '"',
                    random.nextInt(4) == 0 ? '\\' : null,
                    null,
                    random.nextInt(3) == 0 ? ValueFormat.ofNull("NULL") : ValueFormat.DEFAULT,
                    Set.of(),
                    new CsvDialect.Records(header, random.nextInt(2), 0));
            String csv = randomCsv(random, dialect);
            Path path = Files.writeString(directory.resolve("random.csv"), csv);
            InputFile file = new InputFile(0, "random.csv", path, Files.size(path));
            String context = "seed " + seed + ", file " + i + ", " + dialect + ":\n" + csv;
            String ddl;
            try {
                ddl = new CsvInference(file, dialect, null, 1 << 20, 0)
                        .run(name(random))
                        .ddl();
            } catch (BadInputException refused) {
                continue;
            }
            proposed++;
            TableDef table = Ddl.parse(ddl, "proposal").get(0);
            List<String> rejects = new ArrayList<>();
            decode(file, new CsvFormat(table, dialect, null, 1 << 20), rejects);
            assertEquals(List.of(), rejects, () -> context + "\n" + ddl);
        }
        assertTrue(proposed > 100, "only " + proposed + " tables were proposed, seed " + seed);
    }

    private static void decode(InputFile file, CsvFormat format, List<String> rejects) {
        InputFormat csv = new InputFormat.Csv(format.dialect(), null);
        Decoding.run(
                file,
                csv.framing(),
                csv.reading(1 << 20, 1 << 20),
                SplitDecoder.of(format),
                (row, offset) -> {},
                reject -> rejects.add(reject.problem().message()));
    }

    private static String name(Random random) {
        List<String> names = List.of(
                "id",
                "Id",
                "rowid",
                "index",
                "primary",
                "unique",
                "constraint",
                "check",
                "family",
                "foreign",
                "key",
                "table",
                "select",
                "user",
                "order",
                "a b",
                " x ",
                "@x",
                "a\"b",
                "a'b",
                "é",
                "日本",
                "1st",
                "c1",
                "--",
                "/*",
                "a;b",
                "a,b",
                "a(b)",
                "like",
                "null",
                "default",
                "end",
                "a\nb",
                "a\rb",
                "a\\b",
                "a`b",
                "[a]",
                "${a}",
                "a.b",
                "interleave",
                "references",
                "not",
                "string",
                "exclude",
                "fulltext",
                "spatial",
                "storing",
                "using",
                "?");
        return names.get(random.nextInt(names.size()));
    }

    private static String value(Random random) {
        List<String> values = List.of(
                "0",
                "-1",
                "007",
                "1.50",
                "1e5",
                "1e400",
                "1e2001",
                "-0",
                "NaN",
                "Infinity",
                "9223372036854775808",
                "true",
                "FALSE",
                "\ton\t\t",
                "t",
                "2024-02-29",
                "2023-02-29",
                "12:34",
                "24:00:00",
                "24:00:00.5",
                "23:59:60",
                "2024-01-01 12:34:56.789",
                "294276-12-31 23:59:59.999999",
                "2020-01-01T10:00:00Z",
                "2020-01-01 10:00+02",
                "0044-03-15 BC",
                "infinity",
                "00000000-0000-0000-0000-000000000001",
                "\\x00ff",
                "\\x0",
                "\\N",
                "NULL",
                "",
                "a\"b",
                "a,b",
                "x\ny",
                " 1",
                "1 ",
                "+1",
                "é",
                "9".repeat(2100),
                "0." + "1".repeat(17_000));
        return values.get(random.nextInt(values.size()));
    }

    private static String randomCsv(Random random, CsvDialect dialect) {
        int columns = 1 + random.nextInt(4);
        int rows = 1 + random.nextInt(5);
        StringBuilder csv =
                new StringBuilder("skipped\n".repeat((int) dialect.records().skip()));
        List<List<String>> records = new ArrayList<>();
        if (dialect.records().header()) {
            records.add(Stream.generate(() -> name(random)).limit(columns).toList());
        }
        String one = value(random);
        boolean alike = random.nextBoolean();
        for (int i = 0; i < rows; i++) {
            records.add(Stream.generate(() -> alike ? one : value(random))
                    .limit(columns)
                    .toList());
        }
        for (List<String> record : records) {
            csv.append(record.stream()
                            .map(text -> random.nextBoolean() || text.matches("(?s).*[\"\n\r,;].*")
                                    ? '"' + text.replace("\"", "\"\"") + '"'
                                    : text)
                            .collect(Collectors.joining(dialect.delimiter())))
                    .append('\n');
        }
        return csv.toString();
    }

    @Test
    void whatNoTableTakesIsRefused() throws IOException {
        for (String name : List.of("a\nb", "a\rb")) {
            String message = String.valueOf(
                    assertThrows(BadInputException.class, () -> infer("x,\"" + name + "\"\n1,2\n", WITH_HEADER, 0))
                            .getMessage());
            assertTrue(message.contains("column name 'a b' cannot be declared in SQL"), message);
            assertTrue(message.endsWith("with --schema; --columns and --json-path fill its columns"), message);
        }
        String nothing = String.valueOf(assertThrows(BadInputException.class, () -> AvroInference.of(
                                AvroSchemas.record(
                                        "{\"type\":\"record\",\"name\":\"r\",\"fields\":[{\"name\":\"n\",\"type\":[\"int\",\"string\"]}]}",
                                        "test"),
                                "t",
                                "in.avro")
                        .ddl())
                .getMessage());
        assertTrue(
                nothing.contains("nothing in the file can be a column")
                        && nothing.contains("n: a union of int, string"),
                nothing);
    }

    @Test
    void aPrecisionThatNoColumnHasIsLeftOut() {
        String ddl = AvroInference.of(
                        AvroSchemas.record(
                                "{\"type\":\"record\",\"name\":\"r\",\"fields\":[{\"name\":\"n\",\"type\":"
                                        + "{\"type\":\"bytes\",\"logicalType\":\"decimal\",\"precision\":1001,\"scale\":2}}]}",
                                "test"),
                        "t",
                        "in.avro")
                .ddl();
        assertTrue(ddl.contains("n DECIMAL NOT NULL -- its precision of 1001 digits"), ddl);
    }

    @ParameterizedTest
    @CsvSource({
        "in/Sales, in/Sales/2024-01.csv, sales",
        "in/sales/, in/sales/2024-01.csv, sales",
        "./sales, ./sales/a.csv, sales",
        "/in/sales.old, /in/sales.old/a.csv, sales",
        "in/sales, in/sales/year=2024/month=1/a.csv, sales",
        "in/sales/year=2024, in/sales/year=2024/month=1/a.csv, sales",
        "file:///in/sales, /in/sales/a.csv, sales",
        "in/sales/a.csv, in/sales/a.csv, a",
        "in/sales/*.csv, in/sales/a.csv, a",
        "s3://b/in/sales/, s3://b/in/sales/a.csv, sales",
        "s3://b/in/sales/a.csv.gz, s3://b/in/sales/a.csv.gz, a"
    })
    void tableOfADirectoryHasItsName(String argument, String first, String table) {
        boolean remote = first.startsWith("s3:");
        InputFile file = new InputFile(0, first, remote ? null : Path.of(first), -1);
        assertEquals(table, Inference.tableName(List.of(argument), file));
    }

    @Test
    void tableOfTheWorkingDirectoryHasItsName() {
        InputFile file = new InputFile(0, "./a.csv", Path.of("./a.csv"), -1);
        String name = Path.of("").toAbsolutePath().getFileName().toString();
        assertEquals(
                name.replaceFirst("(?<=.)[.].*", "").toLowerCase(Locale.ROOT), Inference.tableName(List.of("."), file));
    }
}
