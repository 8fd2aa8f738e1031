package io.sluice.it.imports;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.it.support.Imports;
import io.sluice.it.support.SluiceProcess;
import io.sluice.it.support.SluiceProcess.Result;
import io.sluice.it.support.Stock;
import io.sluice.node.StorageNode;
import io.sluice.testing.SomeTests;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Bad input, a bad store or a bad machine ends the program with the right exit code and one message, without a stack
 * trace.
 */
@SuppressWarnings("NullAway.Init") // JUnit and the set-up set the fields
@SomeTests(6)
class BadInputIT {
    private static final String SCHEMA = "CREATE TABLE t (id INT8 PRIMARY KEY, name STRING, size INT2);";
    private static final int CHUNK_BYTES = 1 << 20;

    @TempDir
    Path directory;

    private Path schema;
    private Path store;

    @BeforeEach
    void writeSchema() throws IOException {
        schema = Files.writeString(directory.resolve("t.sql"), SCHEMA);
        store = directory.resolve("store");
    }

    /**
     * One thing that is wrong with the input.
     *
     * @param what in words
     * @param content of the file, in ISO 8859-1 so that any byte can be written
     * @param options of the command
     * @param said parts of the message
     */
    record Case(String what, String content, List<String> options, List<String> said) {
        @Override
        public String toString() {
            return what;
        }
    }

    static Stream<Case> badFiles() {
        return Stream.of(
                new Case(
                        "too few fields",
                        "1,a,1\n2,b\n",
                        List.of(),
                        List.of("input.csv, line 2 (byte 6): ", "2 fields, expected 3", "2,b")),
                new Case(
                        "too many fields",
                        "1,a,1\n2,b,2,3\n",
                        List.of(),
                        List.of("input.csv, line 2 (byte 6): ", "4 fields, expected 3", "2,b,2,3")),
                new Case(
                        "a value that is none",
                        "1,a,1\nx7,b,2\n",
                        List.of(),
                        List.of("input.csv, line 2 (byte 6), column id: ", "x7,b,2")),
                new Case(
                        "a value out of range",
                        "1,a,1\n2,b,32768\n",
                        List.of(),
                        List.of("input.csv, line 2 (byte 6), column size: ", "INT2", "2,b,32768")),
                new Case(
                        "NULL in the key",
                        "1,a,1\n\n,b,2\n",
                        List.of(),
                        List.of("input.csv, line 3 (byte 7), column id: ", "NOT NULL", ",b,2")),
                new Case(
                        "bad UTF-8",
                        "1,a,1\n2,\"b\u00e4\u00ff\",2\n",
                        List.of(),
                        List.of("input.csv, line 2 (byte 6), column name: ", "UTF-8")),
                new Case(
                        "a quote that is never closed",
                        "1,a,1\n2,\"b,2\n3,c,3\n",
                        List.of(),
                        List.of("input.csv, line 2 (byte 6), column name: ", "never closed", "2,\"b,2\\n3,c,3")),
                new Case(
                        "text behind a quote",
                        "1,a,1\n2,\"b\"x,2\n",
                        List.of(),
                        List.of("input.csv, line 2 (byte 6), column name: ", "quote", "2,\"b\"x,2")),
                new Case(
                        "two rows of one key",
                        "1,a,1\n1,b,2\n",
                        List.of(),
                        List.of("primary", "id = 1, name = a, size = 1", "id = 1, name = b, size = 2")),
                new Case(
                        "an unknown column in the header",
                        "id,nane,size\n1,a,1\n",
                        List.of("--header"),
                        List.of("input.csv, header: column nane is not in table t", "id, name, size")),
                new Case(
                        "an unknown column in the options",
                        "1,a,1\n",
                        List.of("--columns", "id,name,extent"),
                        List.of("--columns: column extent is not in table t")),
                new Case(
                        "more rejects than allowed",
                        "1,a,1\nx,b,2\ny,c,3\n",
                        List.of("--max-rejects", "1"),
                        List.of("input.csv, line 2 (byte 6), column id", "--max-rejects")),
                new Case(
                        "one character in two roles",
                        "1,a,1\n",
                        List.of("--delimiter", ";", "--quote", ";"),
                        List.of("--delimiter and --quote are the same character")));
    }

    @ParameterizedTest
    @MethodSource("badFiles")
    void aBadFileIsRefused(Case bad) throws Exception {
        Path input = Files.writeString(directory.resolve("input.csv"), bad.content(), StandardCharsets.ISO_8859_1);
        Result result = importing(bad.options(), input.toString());
        assertRefused(2, result, bad.said());
        assertNothingVisible();
    }

    @Test
    void everyMissingFileIsNamed() throws Exception {
        Path there = Files.writeString(directory.resolve("there.csv"), "1,a,1\n");
        Result result = importing(List.of(), there.toString(), "missing-1.csv", "missing-*.csv");
        assertRefused(2, result, List.of("missing-1.csv: no such file", "missing-*.csv: no file matches"));
        assertFalse(Files.exists(store), "a store was made for nothing");
    }

    @Test
    void aSchemaThatCannotBeReadIsRefused() throws Exception {
        Path input = Files.writeString(directory.resolve("input.csv"), "1,a,1\n");
        Files.writeString(schema, "CREATE TABLE t (\n  id INT8 PRIMARY KEY,\n  name WORD\n);");
        assertRefused(2, importing(List.of(), input.toString()), List.of("t.sql:3:8: column name: unknown type WORD"));
        Files.writeString(schema, "CREATE TABLE t (id INT8 PRIMARY KEY");
        assertRefused(2, importing(List.of(), input.toString()), List.of("t.sql"));
        Files.delete(schema);
        assertRefused(2, importing(List.of(), input.toString()), List.of("t.sql: no such file"));
        assertFalse(Files.exists(store), "a store was made for nothing");
    }

    @Test
    void directoryWithoutAStoreIsUnchanged() throws Exception {
        Path input = Files.writeString(directory.resolve("input.csv"), "1,a,1\n");
        Files.createDirectory(store);
        Path precious = Files.writeString(store.resolve("precious.txt"), "do not touch");
        assertRefused(2, importing(List.of(), input.toString()), List.of(store.toString()));
        try (Stream<Path> files = Files.list(store)) {
            assertEquals(List.of(precious), files.toList());
        }
    }

    @Test
    void aStoreInUseIsRefused() throws Exception {
        Path input = Files.writeString(directory.resolve("input.csv"), "1,a,1\n");
        try (StorageNode holder = Imports.open(store)) {
            Result result = SluiceProcess.run(directory, arguments(List.of(), input.toString()));
            assertRefused(2, result, List.of(store.toString(), "process"));
            assertEquals(List.of(), holder.tables());
        }
        assertEquals(0, importing(List.of(), input.toString()).exitCode());
    }

    @Test
    void anImportWithRejectsEndsWithThree() throws Exception {
        Path input = Files.writeString(directory.resolve("input.csv"), "1,a,1\nx,b,2\n3,c,3\n");
        Path rejects = directory.resolve("rejects");
        Result result =
                importing(List.of("--max-rejects", "1", "--rejects", rejects.toString(), "--json"), input.toString());
        assertEquals(3, result.exitCode(), result.toString());
        assertEquals(2, result.report().get("rowsImported").asInt());
        assertEquals(1, result.report().get("rowsRejected").asInt());
        assertEquals("succeeded_with_rejects", result.report().get("state").asText());
        List<String> lines = Files.readAllLines(rejects.resolve("rejects.jsonl"));
        assertEquals(1, lines.size());
        assertTrue(lines.get(0).contains("\"line\":2,\"byte\":6,\"field\":1,\"column\":\"id\""), lines.toString());
        assertTrue(lines.get(0).contains("\"excerpt\":\"x,b,2\""), lines.toString());
    }

    @Test
    void everyLostRowIsNamed() throws Exception {
        Path input = Files.writeString(directory.resolve("input.csv"), "1,a,1\nx,b,2\n3,c,y\n");
        Result result = SluiceProcess.runIn(
                directory,
                "import",
                "--schema",
                schema.toString(),
                "--store",
                store.toString(),
                "--max-rejects",
                "2",
                "--json",
                input.toString());
        assertEquals(3, result.exitCode(), result.toString());
        assertEquals("{\"syntax\":2}", result.report().at("/rejected/byReason").toString(), result.toString());
        Path bundle = Path.of(result.report().at("/rejected/bundle").asText());
        assertEquals(Path.of("sluice-rejects/t-1"), bundle);
        assertEquals(
                List.of("x,b,2", "3,c,y"),
                Files.readAllLines(directory.resolve(bundle).resolve("rejects.csv")));
    }

    /** An import would refuse it at once; a plan does, too, in the same words. */
    @Test
    void inputWithoutAnyRowHasNoPlan() throws Exception {
        Path input = Files.writeString(directory.resolve("input.csv"), "1;a;1\n2;b;2\n");
        Result plan = SluiceProcess.call("plan", "--schema", schema.toString(), input.toString());
        assertRefused(2, plan, List.of("input.csv, line 1 (byte 0)", "none of the first 2 records", "delimiter"));
        Result imported = importing(List.of(), input.toString());
        assertRefused(2, imported, List.of("input.csv, line 1 (byte 0)", "none of the first 2 records", "delimiter"));
        assertEquals(plan.err(), imported.err());
    }

    /** The plan is that of the other rows, and says what an import would refuse. */
    @Test
    void inputWithOneBadRowHasAPlanAndAWarning() throws Exception {
        Path input = Files.writeString(directory.resolve("input.csv"), "1,a,1\nx,b,2\n3,c,3\n");
        Result plan = SluiceProcess.call("plan", "--schema", schema.toString(), input.toString());
        assertEquals(0, plan.exitCode(), plan::err);
        assertTrue(plan.err().contains("input.csv, line 2 (byte 6), column id: "), plan::err);
        assertTrue(plan.err().contains("An import refuses bad records, unless --max-rejects allows some"), plan::err);
    }

    /** The table is there, and no message says that nothing was changed. */
    @Test
    void aReportThatCannotBeWrittenUndoesNothing() throws Exception {
        assumeTrue(Files.exists(Path.of("/dev/full")), "this machine lacks /dev/full");
        Path input = Files.writeString(directory.resolve("input.csv"), "1,a,1\n");
        Result result = SluiceProcess.runInto(
                Path.of("/dev/full"),
                directory,
                "import",
                "--schema",
                schema.toString(),
                "--store",
                store.toString(),
                input.toString());
        assertEquals(1, result.exitCode(), result.toString());
        assertTrue(result.err().contains("the rows are imported, but a later step failed"), result.toString());
        try (StorageNode node = Imports.open(store)) {
            assertEquals(1, node.tables().size());
        }
    }

    @Test
    void rejectsThatCannotBeWrittenFailTheImport() throws Exception {
        assumeTrue(Files.exists(Path.of("/dev/full")), "this machine lacks /dev/full");
        Path input = Files.writeString(directory.resolve("input.csv"), "1,a,1\nx,b,2\n3,c,3\n");
        Result result = importing(List.of("--max-rejects", "1", "--rejects", "/dev/full"), input.toString());
        assertRefused(2, result, List.of("--rejects /dev/full: no directory can be written there"));
        assertNothingVisible();
    }

    /** Fillers for a field of a gigabyte. */
    static Stream<String> endlessFields() {
        return Stream.of("x".repeat(100), "x".repeat(99) + "\n", "x".repeat(99) + "\r", "\"\"".repeat(50));
    }

    @ParameterizedTest
    @MethodSource("endlessFields")
    void aFieldOfAGigabyteIsRefusedInBoundedMemory(String filling) throws Exception {
        SluiceProcess process = SluiceProcess.start(
                directory,
                List.of("-Xmx400m"),
                "import",
                "--schema",
                schema.toString(),
                "--store",
                store.toString(),
                "--memory",
                "64m",
                "-");
        byte[] chunk = filling.repeat(CHUNK_BYTES / filling.length()).getBytes(StandardCharsets.UTF_8);
        Thread writer = new Thread(() -> {
            try (OutputStream out = process.standardInput()) {
                out.write("1,a,1\n2,\"".getBytes(StandardCharsets.UTF_8));
                for (long written = 0; written < 1L << 30; written += chunk.length) {
                    out.write(chunk);
                }
            } catch (IOException e) {
                // The program ended before it had read everything, as it may.
                assertTrue(
                        String.valueOf(e.getMessage()).contains("pipe"), () -> new UncheckedIOException(e).toString());
            }
        });
        writer.start();
        Result result = process.await();
        writer.join();
        assertRefused(
                2,
                result,
                List.of("-, line 2 (byte 6)", "longer than 4194304 bytes", "2,\"" + filling.substring(0, 9)));
        assertNothingVisible();
    }

    @Test
    void fullDiskIsReportedAndLeavesNothing() throws Exception {
        Path disk = Files.createDirectory(directory.resolve("disk"));
        assumeTrue(
                run("mount", "-t", "tmpfs", "-o", "size=20m", "tmpfs", disk.toString()),
                "this machine lacks leave to mount");
        try {
            store = disk.resolve("store");
            Files.writeString(schema, Stock.SQL);
            Path input = Stock.write(directory.resolve("stock.csv"), Stock.shuffled(200_000, 5));
            Result result = SluiceProcess.run(
                    directory, arguments(List.of("--mode", "merge", "--memory", "64m"), input.toString()));
            assertRefused(1, result, List.of("The disk is full; the work was undone"));
            assertNothingVisible();
        } finally {
            assertTrue(run("umount", disk.toString()), "umount " + disk);
        }
    }

    private static boolean run(String... command) throws InterruptedException {
        try {
            return new ProcessBuilder(command).start().waitFor() == 0;
        } catch (IOException e) {
            return false;
        }
    }

    private Result importing(List<String> options, String... inputs) {
        return SluiceProcess.call(arguments(options, inputs));
    }

    private String[] arguments(List<String> options, String... inputs) {
        List<String> arguments =
                new ArrayList<>(List.of("import", "--schema", schema.toString(), "--store", store.toString()));
        arguments.addAll(options);
        arguments.addAll(Arrays.asList(inputs));
        return arguments.toArray(new String[0]);
    }

    private static void assertRefused(int exitCode, Result result, List<String> said) {
        assertEquals(exitCode, result.exitCode(), result.toString());
        assertEquals("", result.out(), "no report of a failed import");
        for (String part : said) {
            assertTrue(result.err().contains(part), "'" + part + "' was not said: " + result);
        }
        long messages =
                result.err().lines().filter(line -> line.startsWith("sluice: ")).count();
        assertEquals(1, messages, result.toString());
        assertFalse(result.err().contains("\tat ") || result.err().contains("Exception"), result.toString());
        assertFalse(result.err().contains("internal error"), result.toString());
    }

    private void assertNothingVisible() {
        assertEquals(List.of(), Imports.leftBehind(store));
        try (StorageNode node = Imports.open(store)) {
            assertEquals(List.of(), node.recovered(), "the failed import did not clean up after itself");
            assertEquals(List.of(), node.tables());
        }
    }
}
