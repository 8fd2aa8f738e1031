package io.sluice.importer.decode.avro;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.importer.decode.Decoding;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.decode.json.JsonMembers;
import io.sluice.model.schema.TableDef;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/**
 * Random Parquet files and JSON lines, made by {@code parquet/random_files.py}, have the values that pyarrow, DuckDB
 * and Python's json read from them. {@code -Dsluice.python.files=10000} for more, {@code -Dsluice.seed=N} to repeat,
 * {@code -Dsluice.it.python=FILE} for an interpreter that has the packages pyarrow, duckdb and pytz.
 */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class PythonFilesTest {
    private static final long SEED = Long.getLong("sluice.seed", System.nanoTime());
    private static final int FILES = Integer.getInteger("sluice.python.files", 20);
    private static final String PYTHON = System.getProperty("sluice.it.python", "python3");

    /** Files that one process of Python makes. */
    private static final int BATCH = 100;

    static {
        // The library describes every file.
        ((Logger) LoggerFactory.getLogger("org.apache.parquet")).setLevel(Level.WARN);
    }

    @TempDir
    Path directory;

    private interface Reader {
        AvroRun read(Path file, TableDef table);
    }

    @Test
    void parquetFilesHaveTheValuesThatPyarrowReads() throws Exception {
        assumeTrue(
                python("-c", "import pyarrow.parquet") == 0,
                "this machine lacks a Python with the package pyarrow; name one with -Dsluice.it.python");
        compare("parquet", PythonFilesTest::parquet);
    }

    @Test
    void parquetFilesHaveTheValuesThatDuckDbReads() throws Exception {
        assumeTrue(
                python("-c", "import duckdb, pyarrow.parquet, pytz") == 0,
                "this machine lacks a Python with the packages duckdb, pyarrow and pytz; name one with"
                        + " -Dsluice.it.python");
        compare("duckdb", PythonFilesTest::parquet);
    }

    private static AvroRun parquet(Path file, TableDef table) {
        return AvroRun.of(file, InputFormat.Avro.containers(false), table, 1 << 20);
    }

    @Test
    void jsonLinesHaveTheValuesThatPythonReads() throws Exception {
        assumeTrue(python("-c", "import json") == 0, "this machine lacks python3");
        compare(
                "json",
                (file, table) -> AvroRun.of(file, new InputFormat.Json(false, JsonMembers.BY_NAME), table, 1 << 14));
    }

    private void compare(String kind, Reader reader) throws Exception {
        System.out.println("-Dsluice.seed=" + SEED);
        Path script = AvroRun.resource("../parquet/random_files.py");
        for (int first = 0; first < FILES; first += BATCH) {
            int count = Math.min(BATCH, FILES - first);
            String arguments = kind + " " + SEED + " " + first + " " + count + " " + directory;
            assertEquals(
                    0,
                    python(Stream.concat(Stream.of(script.toString()), Arrays.stream(arguments.split(" ", -1)))
                            .toArray(String[]::new)),
                    () -> "-Dsluice.seed=" + SEED + ": " + log());
            for (int file = first; file < first + count; file++) {
                check(kind, reader, file);
            }
        }
    }

    private void check(String kind, Reader reader, int number) throws IOException {
        String what = "-Dsluice.seed=" + SEED + ", " + kind + " file " + number;
        TableDef table = Decoding.table(Files.readString(directory.resolve(number + ".sql")));
        String rows = number + (kind.equals("json") ? ".json" : ".parquet");
        AvroRun run = reader.read(directory.resolve(rows), table);
        assertEquals("", run.log(), what);
        List<String> expected = new ArrayList<>();
        ObjectMapper mapper = new ObjectMapper();
        for (String line : Files.readAllLines(directory.resolve(number + ".expected"))) {
            expected.add(Arrays.stream(mapper.readValue(line, String[].class))
                    .map(value -> value == null ? "NULL" : value)
                    .collect(Collectors.joining(" | ")));
        }
        assertEquals(expected.size(), run.rows().size(), what);
        for (int i = 0; i < expected.size(); i++) {
            assertEquals(expected.get(i), run.rows().get(i), what + ", row " + (i + 1));
        }
        for (String file : List.of(number + ".sql", number + ".expected", rows)) {
            Files.delete(directory.resolve(file));
        }
    }

    private int python(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(PYTHON));
        command.addAll(List.of(arguments));
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(directory.resolve("log").toFile())
                    .start();
            assertTrue(process.waitFor(10, TimeUnit.MINUTES), "Python does not end");
            return process.exitValue();
        } catch (IOException e) {
            return -1;
        }
    }

    private String log() {
        try {
            return Files.readString(directory.resolve("log"), StandardCharsets.UTF_8);
        } catch (IOException e) {
            return e.toString();
        }
    }
}
