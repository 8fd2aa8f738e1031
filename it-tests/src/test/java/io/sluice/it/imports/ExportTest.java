package io.sluice.it.imports;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.api.node.NodeClient;
import io.sluice.cli.export.ExportFormat;
import io.sluice.cli.export.ExportTarget;
import io.sluice.cli.export.TableExport;
import io.sluice.importer.source.remote.S3Settings;
import io.sluice.it.support.Seeds;
import io.sluice.it.support.ServedNode;
import io.sluice.it.support.SluiceProcess;
import io.sluice.it.support.SluiceProcess.Result;
import io.sluice.it.support.Stock;
import io.sluice.model.error.OperationFailedException;
import io.sluice.testing.ObjectStore;
import io.sluice.testing.SomeTests;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Exported files import to the same table, and no failure leaves files that look like an export. */
@SuppressWarnings("NullAway.Init") // JUnit and the set-up set the fields
@SomeTests(4)
class ExportTest {
    private static final long SEED = Seeds.of(ExportTest.class);
    private static final int ROWS = 2_000;
    private static final String TYPES = "CREATE TABLE t (id INT8, b BOOL, i2 INT2, i4 INT4, u INT UNSIGNED, f4 FLOAT4,"
            + " f8 FLOAT8, d DECIMAL, d9 DECIMAL(9,2), d18 DECIMAL(18,4), d38 DECIMAL(38,10), s STRING DEFAULT 'it''s',"
            + " v STRING(9) NOT NULL, x BYTES, day DATE, t6 TIME, t3 TIME(3), local TIMESTAMP, utc TIMESTAMPTZ,"
            + " local0 TIMESTAMP(0), g UUID, PRIMARY KEY (v, id DESC), UNIQUE INDEX by_g (g),"
            + " INDEX by_s (s, day DESC) STORING (x));\n";

    /** The least and the greatest values, NULLs beside empty texts, and texts that need escapes. */
    private static final List<String> EDGES = List.of(
            "1,,,,,,,,,,,,a,,,,,,,,",
            "2,,,,,,,,,,,\"\",\"\",\"\",,,,,,,",
            "-9223372036854775808,true,-32768,-2147483648,0,-0,-0,1E+30,-0.01,-99999999999999.9999,0.0000000001,"
                    + "NULL,\\N,\\x00ff,0001-01-01,00:00:00,00:00:00.001,0001-01-01 00:00:00,0001-01-01 00:00:00+00,"
                    + "1970-01-01 00:00:00,00000000-0000-0000-0000-000000000000",
            "9223372036854775807,false,32767,2147483647,4294967295,NaN,Infinity,NaN,9999999.99,1.5,"
                    + "9999999999999999999999999999.9999999999,\" a, \"\"b\"\"\r\n\t\\ \",é😀,\\x5c78,9999-12-31,"
                    + "24:00:00,23:59:59.999,9999-12-31 23:59:59.999999,4714-11-24 00:00:00+00 BC,"
                    + "2024-02-29 12:00:00,ffffffff-ffff-ffff-ffff-ffffffffffff",
            "5,true,0,0,7,3.4028235e38,5e-324,-Infinity,0,0,0,\"\uFEFFmark\",b,\\x,4713-01-01 BC,12:00:00,12:00:00,"
                    + "294246-01-01 00:00:00,2000-01-01 00:00:00.5+00,-infinity,12345678-1234-5678-1234-567812345678");

    @TempDir
    Path directory;

    private Path store;
    private Path to;

    @BeforeEach
    void name() {
        store = directory.resolve("store");
        to = directory.resolve("to");
    }

    private static Result sluice(String... arguments) {
        return SluiceProcess.call(arguments);
    }

    private static Result done(String... arguments) {
        Result result = sluice(arguments);
        assertEquals(0, result.exitCode(), String.join(" ", arguments) + ": " + result);
        return result;
    }

    private void importing(String sql, String rows, String... more) throws IOException {
        Path schema = Files.writeString(directory.resolve("t.sql"), sql);
        Path csv = Files.writeString(directory.resolve("t.csv"), rows);
        List<String> arguments = new ArrayList<>(List.of("import", "--schema", schema.toString(), "--memory", "64m"));
        arguments.addAll(List.of("--store", store.toString(), csv.toString()));
        arguments.addAll(List.of(more));
        done(arguments.toArray(new String[0]));
    }

    private void importTypes() throws IOException {
        Random random = new Random(SEED);
        StringBuilder rows = new StringBuilder(String.join("\n", EDGES)).append('\n');
        for (int i = 0; i < ROWS; i++) {
            rows.append(String.format(
                    "%d,true,%d,%d,1,%s,%s,%d.50,%d.25,1,2,s%d,v%d,\\x%08x,2024-01-%02d,12:00:00,12:00:00,"
                            + "2024-01-01 00:00:00,2024-01-01 00:00:00+00,2024-01-01 00:00:00,12345678-1234-5678-1234-%012d%n",
                    i + 100,
                    i % 100,
                    random.nextInt(),
                    random.nextFloat(),
                    random.nextGaussian(),
                    i,
                    i,
                    i % 50,
                    i % 7,
                    random.nextInt(),
                    1 + i % 28,
                    i));
        }
        importing(TYPES, rows.toString());
    }

    private String digest(Path of) {
        List<String> lines =
                done("digest", "t", "--store", of.toString()).out().lines().toList();
        return lines.get(lines.size() - 1);
    }

    private List<String> names(Path in) throws IOException {
        if (!Files.exists(in)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(in)) {
            return files.map(file -> String.valueOf(file.getFileName()))
                    .sorted()
                    .toList();
        }
    }

    /** Runs the import command of a manifest; returns the new store. */
    private Path importedAgain(JsonNode manifest) {
        Path again = directory.resolve("again-" + manifest.get("format").asText());
        String command = manifest.get("import").asText().replace("STORE", again.toString());
        assertTrue(command.startsWith("sluice import "), command);
        done(command.substring("sluice ".length()).split(" ", -1));
        return again;
    }

    @Test
    void importOfTheFilesGivesTheSameDigest() throws IOException {
        importTypes();
        String digest = digest(store);
        for (ExportFormat format : ExportFormat.values()) {
            to = directory.resolve("to-" + format.label());
            Result result = export("--to", to.toString(), "--format", format.label(), "--parts", "3", "--json");
            assertEquals(0, result.exitCode(), result.toString());
            JsonNode manifest =
                    new ObjectMapper().readTree(to.resolve("manifest.json").toFile());
            assertEquals(result.report(), manifest);
            assertEquals(3, manifest.get("files").size(), manifest.toString());
            assertEquals(5, names(to).size(), names(to).toString());
            assertEquals(manifest.get("ddl").asText(), Files.readString(to.resolve("schema.sql")));
            assertFilesAreListed(manifest);
            assertTrue(digest.contains(manifest.get("digest").asText()), digest + " " + manifest);
            assertEquals(digest, digest(importedAgain(manifest)), format + ", seed " + SEED);
        }
    }

    private void assertFilesAreListed(JsonNode manifest) throws IOException {
        long rows = 0;
        for (JsonNode file : manifest.get("files")) {
            assertEquals(
                    Files.size(to.resolve(file.get("name").asText())),
                    file.get("bytes").asLong());
            assertTrue(file.get("rows").asInt() > ROWS / 6, manifest.toString());
            rows += file.get("rows").asInt();
        }
        assertEquals(ROWS + EDGES.size(), rows);
        assertEquals(rows, manifest.get("rows").asInt());
    }

    /** Runs an export of the table t. */
    private Result export(String... more) {
        List<String> arguments = new ArrayList<>(List.of("export", "t", "--store", store.toString()));
        arguments.addAll(List.of(more));
        return sluice(arguments.toArray(new String[0]));
    }

    @Test
    void valuesWithoutATypedFormAreKeptAsTextOrRefused() throws IOException {
        importing(
                "CREATE TABLE t (\"odd name\" INT8 PRIMARY KEY, d DATE, s TIMESTAMP, n DECIMAL(5,2));",
                "1,infinity,infinity,NaN\n2,-infinity,-infinity,\n");
        String digest = digest(store);
        for (String format : List.of("csv", "jsonl")) {
            Result result = export("--to", directory.resolve(format) + "/", "--format", format, "--json");
            assertEquals(digest, digest(importedAgain(result.report())), format);
        }
        Result name = export("--to", to + "/", "--format", "avro");
        assertEquals(2, name.exitCode(), name.toString());
        assertTrue(name.err().contains("column odd name is no name in Avro"), name.toString());
        for (String column : List.of("d", "s", "n")) {
            for (String format : List.of("avro", "parquet")) {
                Result result = export("--to", to + "/", "--format", format, "--columns", column);
                assertEquals(2, result.exitCode(), result.toString());
                assertTrue(result.err().contains(" in column " + column + ","), result.toString());
                assertTrue(result.err().contains("use --format csv or jsonl"), result.toString());
                assertEquals(List.of(), names(to));
            }
        }
    }

    @Test
    void documentNullIsNotWrittenAsNull() throws IOException {
        importing("CREATE TABLE t (id INT8 PRIMARY KEY, j JSONB);", "1,null\n2,\n");
        String digest = digest(store);
        Result refused = export("--to", to + "/", "--format", "jsonl");
        assertEquals(2, refused.exitCode(), refused.toString());
        assertTrue(refused.err().contains("the document null in column j"), refused.toString());
        assertEquals(List.of(), names(to));
        for (String format : List.of("csv", "avro", "parquet")) {
            Result result = export("--to", directory.resolve(format) + "/", "--format", format, "--json");
            assertEquals(digest, digest(importedAgain(result.report())), format);
        }
    }

    @Test
    void nullsOfASingleColumnStayRows() throws IOException {
        importing("CREATE TABLE t (s STRING);", "a\n\"\"\n\nb\n", "--dialect", "rfc4180");
        Result result = done("export", "t", "--store", store.toString(), "--to", to + "/", "--format", "csv", "--json");
        Path again = importedAgain(result.report());
        assertEquals("s\na\n\"\"\n\nb\n", Files.readString(to.resolve("part-00000.csv")));
        assertEquals(
                done("scan", "t", "--store", store.toString()).out(),
                done("scan", "t", "--store", again.toString()).out());
    }

    @Test
    void someColumnsInAnyOrderGoToOneFile() throws IOException {
        importing("CREATE TABLE t (a INT8 PRIMARY KEY, b STRING, c STRING);", "1,x,y\n2,,\"\"\n");
        Path file = directory.resolve("t.csv.out");
        Result result = done("export", "t", "--store", store.toString(), "--to", file.toString(), "--columns", "c,a");
        assertEquals("c,a\ny,1\n\"\",2\n", Files.readString(file));
        assertFalse(result.err().contains("import with"), result.toString());
        Result unknown =
                sluice("export", "t", "--store", store.toString(), "--to", directory + "/u", "--columns", "a,q");
        assertEquals(2, unknown.exitCode(), unknown.toString());
        assertTrue(unknown.err().contains("has no column q; it has a, b, c"), unknown.toString());
    }

    @Test
    void filesAreReplacedOnlyWhenAsked() throws IOException {
        importing(
                Stock.SQL.replace("stock", "t"),
                Stock.numbers(ROWS).stream().map(Stock::line).collect(Collectors.joining("\n")));
        String[] csv = {"export", "t", "--store", store.toString(), "--to", to.toString(), "--parts", "3"};
        done(csv);
        List<String> first = names(to);
        Files.writeString(to.resolve("mine.txt"), "kept");
        Result refused = sluice(csv);
        assertEquals(2, refused.exitCode(), refused.toString());
        assertTrue(refused.err().contains("--overwrite"), refused.toString());
        assertTrue(names(to).containsAll(first));
        done(
                "export",
                "t",
                "--store",
                store.toString(),
                "--to",
                to.toString(),
                "--format",
                "jsonl",
                "--parts",
                "1",
                "--overwrite");
        assertEquals(List.of("manifest.json", "mine.txt", "part-00000.jsonl", "schema.sql"), names(to));

        Path file = Files.writeString(directory.resolve("file.csv"), "old");
        Result exists = sluice("export", "t", "--store", store.toString(), "--to", file.toString());
        assertEquals(2, exists.exitCode(), exists.toString());
        assertEquals("old", Files.readString(file));
        done("export", "t", "--store", store.toString(), "--to", file.toString(), "--overwrite");
        assertEquals(ROWS + 1, Files.readAllLines(file).size());
    }

    @Test
    void addressesAndCompressedNamesAreRefused() throws IOException {
        importing("CREATE TABLE t (a INT8 PRIMARY KEY);", "1\n");
        for (String bad : List.of("gs://bucket/t", "s3://bucket", "t.csv.gz")) {
            Result result = sluice("export", "t", "--store", store.toString(), "--to", bad);
            assertEquals(2, result.exitCode(), result.toString());
            assertTrue(result.err().contains(bad), result.toString());
        }
    }

    @Test
    void objectStoreGetsTheFilesAndAtLastTheManifest() throws Exception {
        importTypes();
        String digest = digest(store);
        try (ObjectStore objects = new ObjectStore(Files.createDirectory(directory.resolve("objects")))) {
            objects.createBucket("exports");
            objects.useCredentials();
            List<String> options = new ArrayList<>(objects.options());
            options.addAll(List.of("--to", "s3://exports/t", "--parts", "2", "--json"));
            Result result = export(options.toArray(new String[0]));
            assertEquals(0, result.exitCode(), result.toString());
            List<String> all = List.of("manifest.json", "part-00000.csv", "part-00001.csv", "schema.sql");
            assertEquals(all, objects.names("exports", "t"));
            assertEquals(
                    result.report(),
                    new ObjectMapper()
                            .readTree(objects.file("exports", "t/manifest.json").toFile()));
            Path schema = directory.resolve("schema.sql");
            Files.copy(objects.file("exports", "t/schema.sql"), schema);
            Path again = directory.resolve("again");
            String command = result.report().get("import").asText();
            command = command.replace("STORE", again.toString()).replace("SCHEMA.sql", schema.toString());
            assertTrue(command.endsWith(" s3://exports/t/part-*.csv"), command);
            done((command + " " + String.join(" ", objects.options()))
                    .substring("sluice ".length())
                    .split(" ", -1));
            assertEquals(digest, digest(again));

            Result refused = export(options.toArray(new String[0]));
            assertEquals(2, refused.exitCode(), refused.toString());
            assertTrue(refused.err().contains("s3://exports/t: holds manifest.json and more"), refused.toString());
            options.set(options.indexOf("2"), "1");
            options.add("--overwrite");
            Result replaced = export(options.toArray(new String[0]));
            assertEquals(0, replaced.exitCode(), replaced.toString());
            assertEquals(List.of(all.get(0), all.get(1), all.get(3)), objects.names("exports", "t"));
            objects.forgetCredentials();
        }
    }

    @Test
    void killedExportLeavesNoFileThatLooksWhole() throws Exception {
        importTypes();
        long millis = 300L + new Random(SEED).nextInt(700);
        SluiceProcess process = SluiceProcess.start(
                directory,
                List.of(),
                "export",
                "t",
                "--store",
                store.toString(),
                "--to",
                to.toString(),
                "--parts",
                "3");
        Result result = process.killAfter(millis);
        // The kill may come before the export has removed the file that it locks.
        List<String> names =
                names(to).stream().filter(name -> !name.equals(".export.part")).toList();
        if (names.contains("manifest.json")) {
            assertEquals(5, names.size(), names + ", seed " + SEED);
        } else if (!names.contains("schema.sql")) {
            // The files are renamed only when all are complete.
            long whole = names.stream().filter(name -> !name.endsWith(".part")).count();
            assertTrue(whole == 0 || result.exitCode() != 0, names + ", seed " + SEED);
        }
        done("export", "t", "--store", store.toString(), "--to", to.toString(), "--parts", "3", "--overwrite");
        assertEquals(5, names(to).size(), names(to) + ", seed " + SEED);
    }

    @Test
    void changeDuringTheExportFailsIt() throws Exception {
        assertTrue(failureOfExport("DELETE FROM t WHERE a = 1", "").contains("changed while it was exported"));
    }

    /** The table has its rows and its checksums again when the export has read the others. */
    @Test
    void changeThatIsTakenBackDuringTheExportFailsIt() throws Exception {
        String failure = failureOfExport("UPDATE t SET n = 7 WHERE a = 2", "UPDATE t SET n = 2 WHERE a = 2");
        assertTrue(failure.contains("are not those of its checksum"), failure);
    }

    /**
     * The message of an export that fails and leaves no file.
     *
     * @param change comes after the checksums were noted and before rows are read
     * @param back comes when they were read, before the checksums are compared; may be empty
     */
    private String failureOfExport(String change, String back) throws Exception {
        importing("CREATE TABLE t (a INT8 PRIMARY KEY, n INT8);", "1,1\n2,2\n");
        try (ServedNode served = ServedNode.open(store)) {
            Deque<String> changes = new ConcurrentLinkedDeque<>(List.of(change, back));
            NodeClient changing = (NodeClient) Proxy.newProxyInstance(
                    NodeClient.class.getClassLoader(),
                    new Class<?>[] {NodeClient.class},
                    (proxy, method, arguments) -> {
                        int before = method.getName().equals("scan") ? 2 : 1;
                        String sql = changes.size() == before ? changes.remove() : "";
                        if (!sql.isEmpty()) {
                            done("sql", "--nodes", served.url(), "-e", sql);
                        }
                        try {
                            return method.invoke(served.node(), arguments);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    });
            TableExport export = new TableExport(
                    changing,
                    Objects.requireNonNull(served.node().table("t")).table().def(),
                    ExportTarget.of(to.toString(), true, false, S3Settings.DEFAULT),
                    ExportFormat.CSV,
                    null);
            OperationFailedException failure = assertThrows(OperationFailedException.class, () -> export.run(1));
            assertEquals(List.of(), names(to));
            return String.valueOf(failure.getMessage());
        }
    }

    @Test
    void interleavedTableBringsTheStatementsOfItsParents() throws IOException {
        String sql = "CREATE TABLE p (a INT8 PRIMARY KEY);"
                + " CREATE TABLE t (a INT8, b INT8, PRIMARY KEY (a, b)) INTERLEAVE IN PARENT p (a);";
        Path schema = Files.writeString(directory.resolve("both.sql"), sql);
        for (String table : List.of("p", "t")) {
            Path rows = Files.writeString(directory.resolve(table), table.equals("p") ? "1\n2\n" : "1,1\n2,1\n2,2\n");
            done(
                    "import",
                    "--schema",
                    schema.toString(),
                    "--table",
                    table,
                    "--store",
                    store.toString(),
                    rows.toString());
        }
        Result result = done("export", "t", "--store", store.toString(), "--to", to + "/", "--json");
        String ddl = result.report().get("ddl").asText();
        assertTrue(
                ddl.indexOf("CREATE TABLE p") >= 0 && ddl.indexOf("CREATE TABLE p") < ddl.indexOf("CREATE TABLE t"),
                ddl);
        assertEquals(3, result.report().get("rows").asInt());
        List<String> lines = new ArrayList<>(Files.readAllLines(to.resolve("part-00000.csv")));
        assertEquals(List.of("a,b", "1,1", "2,1", "2,2"), lines);
    }
}
