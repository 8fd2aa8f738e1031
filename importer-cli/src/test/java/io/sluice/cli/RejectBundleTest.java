package io.sluice.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.cli.node.LocalNodes;
import io.sluice.cli.output.Console;
import io.sluice.node.ingest.FaultPoints;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests bad rows: every one lies in the bundle, can be repaired there, and makes the table whole again. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class RejectBundleTest {
    private static final String SCHEMA =
            "CREATE TABLE t (id INT8 PRIMARY KEY, name STRING NOT NULL, size INT2 DEFAULT 7, UNIQUE (name));";
    private static final int ROWS = 20_000;

    @TempDir
    Path directory;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @BeforeEach
    void writeSchema() throws IOException {
        write("t.sql", SCHEMA);
    }

    /** Defects of a row {@code id|name|size}, each repaired by one text replacement. */
    private enum Fault {
        LETTER_IN_NUMBER("id", "syntax"),
        TOO_LARGE("size", "out_of_range"),
        MISSING_NAME("name", "not_null"),
        TEXT_AFTER_QUOTE("name", "malformed"),
        FIELD_TOO_MANY("null", "field_count");

        private final String column;
        private final String code;

        Fault(String column, String code) {
            this.column = column;
            this.code = code;
        }

        String spoil(int id) {
            return switch (this) {
                case LETTER_IN_NUMBER -> "O" + id + "|n" + id + "|1";
                case TOO_LARGE -> id + "|n" + id + "|99999";
                case MISSING_NAME -> id + "||1";
                case TEXT_AFTER_QUOTE -> id + "|\"n" + id + "\"!|1";
                case FIELD_TOO_MANY -> id + "|n" + id + "|1|";
            };
        }

        /** Does the replacements of a {@code sed -E} script. */
        static String repair(String line) {
            return line.replaceFirst("^O", "")
                    .replaceFirst("\\|99999$", "|1")
                    .replaceFirst("^(\\d+)\\|\\|", "$1|n$1|")
                    .replaceFirst("\"!", "\"")
                    .replaceFirst("\\|1\\|$", "|1");
        }
    }

    private static long sum(JsonNode counts) {
        long sum = 0;
        for (JsonNode count : counts) {
            sum += count.asLong();
        }
        return sum;
    }

    @Test
    void badRowsAreRepairedAndMakeTheTableWhole() throws IOException {
        List<String> clean = new ArrayList<>(List.of("id|name|size"));
        List<String> dirty = new ArrayList<>(clean);
        List<String> expected = new ArrayList<>();
        for (int id = 0; id < ROWS; id++) {
            clean.add(id + "|n" + id + "|1");
            if (id % 100 == 13) {
                Fault fault = Fault.values()[id / 100 % Fault.values().length];
                dirty.add(fault.spoil(id));
                expected.add("line " + dirty.size() + ", " + fault.column + ", " + fault.code + ": " + fault.spoil(id));
            } else {
                dirty.add(clean.get(clean.size() - 1));
            }
        }
        write("clean.csv", String.join("\r\n", clean) + "\r\n");
        write("dirty.csv", String.join("\r\n", dirty) + "\r\n");

        assertEquals(0, importInto("a", "clean.csv"), this::err);
        assertEquals(2, importInto("b", "dirty.csv", "--max-rejects", "0.99%", "--rejects", path("early")));
        assertFalse(Files.exists(directory.resolve("b")));
        assertEquals("failed", manifest("early").path("state").asText());
        assertEquals(3, importInto("b", "dirty.csv", "--max-rejects", "1%", "--rejects", path("bad")), this::err);
        assertTrue(run("digest", "t", "--store", path("b")) == 0 && out().contains(ROWS - 200 + " rows"), this::out);

        assertEquals(expected, rejects("bad"));
        assertEquals(3, importInto("unkept", "dirty.csv", "--max-rejects", "1%", "--no-rejects", "--json"), this::err);
        JsonNode unkept = new ObjectMapper().readTree(out()).path("rejected");
        assertEquals(200, sum(unkept.path("byReason")));
        assertTrue(unkept.path("bundle").isMissingNode(), unkept.toString());
        assertEquals(2, importInto("never", "dirty.csv", "--no-rejects", "--rejects", path("both")));
        assertTrue(err().contains("--no-rejects"), this::err);
        String data = read("bad/rejects.csv");
        assertTrue(data.startsWith("id|name|size\r\n"), data.substring(0, 20));
        assertEquals(201, data.lines().count());

        List<String> repaired = data.lines().map(Fault::repair).toList();
        write("bad/rejects.csv", String.join("\n", repaired) + "\n");
        for (int times = 0; times < 2; times++) {
            assertEquals(0, run("replay", path("bad"), "--store", path("b"), "--memory", "128m"), this::err);
            assertTrue(err().contains("200 records to replay, 0 of them as they were rejected"), err());
            assertTrue(out().contains(times == 0 ? "imported 200 rows into t" : "imported 0 rows into t"), out());
            assertEquals(digest("a"), digest("b"));
        }
    }

    @Test
    void theBundleKnowsTheDialect() throws IOException {
        write("t.tsv", "1\tname\tone\n2\tna\\\tme\t\\N\tx\n3\t\\N\t1\n");
        int code = run(
                "import",
                "--memory",
                "128m",
                "--schema",
                path("t.sql"),
                "--store",
                path("s"),
                "--dialect",
                "mysql",
                "--columns",
                "id,name,@size",
                "--max-rejects",
                "2",
                "--rejects",
                path("bad"),
                path("t.tsv"));
        assertEquals(3, code, this::err);
        assertEquals("2\tna\\\tme\t\\N\tx\n3\t\\N\t1\n", read("bad/rejects.csv"));
        JsonNode input = manifest("bad").path("input");
        assertEquals("\t", input.path("dialect").path("delimiter").asText());
        assertEquals("\\", input.path("dialect").path("escape").asText());
        assertEquals("[\"id\",\"name\",\"@size\"]", input.path("columns").toString());
        assertEquals(2, run("replay", path("bad"), "--store", path("s"), "--memory", "128m"));
        assertTrue(err().contains("2 records to replay, 2 of them as they were rejected"), err());
        assertTrue(err().contains("rejects.csv, line 1"), err());
        assertEquals(0, run("scan", "t", "--store", path("s")));
        assertEquals("1,name,7\n", out(), "the skipped field's column has its default");
    }

    @Test
    void theBundleKnowsHowValuesAreWritten() throws IOException {
        write("t.csv", "1||a||1.000\n2||b||1.0\n3||-||-\n4||d\n");
        String[] options = {
            "--delimiter",
            "||",
            "--thousands",
            ".",
            "--decimal",
            ",",
            "--nullif",
            "n/a",
            "--nullif",
            "-",
            "--short-rows",
            "null",
            "--columns",
            "id,name,size",
            "--max-rejects",
            "2",
            "--rejects",
            path("bad")
        };
        assertEquals(3, importInto("s", "t.csv", options), this::err);
        assertEquals("2||b||1.0\n3||-||-\n", read("bad/rejects.csv"));
        write("bad/rejects.csv", "2||b||1.001\n3||c\n");
        assertEquals(0, run("replay", path("bad"), "--store", path("s"), "--memory", "128m"), this::err);
        assertEquals(0, run("scan", "t", "--store", path("s")));
        assertEquals("1,a,1000\n2,b,1001\n3,c,7\n4,d,7\n", out(), "a missing field has the column's default");
    }

    @Test
    void headersOfFilesStayWithTheirRecords() throws IOException {
        write("1.csv", "id,name\nx,a\n1,b\n");
        write("2.csv", "name,id\nc,y\nd,z\n");
        assertEquals(
                3,
                run(
                        "import",
                        "--memory",
                        "128m",
                        "--schema",
                        path("t.sql"),
                        "--store",
                        path("s"),
                        "--header",
                        "--max-rejects",
                        "9",
                        "--rejects",
                        path("bad"),
                        path("1.csv"),
                        path("2.csv")),
                this::err);
        assertEquals("id,name\nx,a\n", read("bad/rejects.csv"));
        assertEquals("name,id\nc,y\nd,z\n", read("bad/rejects-2.csv"));
        assertEquals(2, manifest("bad").path("data").size());
    }

    @Test
    void capturedRowsAreReplayedOnceTheirKeysAreFree() throws IOException {
        write("t.csv", "1|a|1\n2|b|1\n1|c|1\n2|b|2\n");
        String[] columns = {"--columns", "id,name,size"};
        assertEquals(2, importInto("s", "t.csv", columns), this::err);
        assertTrue(err().contains("t.csv, line 1 (byte 0): id = 1, name = a"), err());
        assertTrue(err().contains("t.csv, line 3 (byte 12): id = 1, name = c"), err());
        assertFalse(Files.exists(directory.resolve("s")));
        assertEquals(2, importInto("s", "t.csv", "--columns", "id,name,size", "--on-conflict", "capture"));
        assertTrue(err().contains("needs --rejects"), err());
        assertEquals(
                3,
                importInto(
                        "s", "t.csv", "--columns", "id,name,size", "--on-conflict", "capture", "--rejects", path("k")),
                this::err);
        assertTrue(out().contains("2 rows dropped"), out());
        assertEquals("1|c|1\n2|b|2\n", read("k/rejects.csv"));
        assertEquals(2, run("replay", path("k"), "--store", path("s"), "--memory", "128m"));
        assertTrue(err().contains("rejects.csv, line 1 (byte 0)"), err());
        assertTrue(err().contains("table t: id = 1, name = a, size = 1"), err());
        write("k/rejects.csv", "3|c|1\n2|b|2\n");
        assertEquals(
                0,
                run("replay", path("k"), "--store", path("s"), "--memory", "128m", "--on-conflict", "last"),
                this::err);
        assertTrue(out().contains("1 row of the table"), out());
        assertEquals(0, run("scan", "t", "--store", path("s")));
        assertEquals("1,a,1\n2,b,2\n3,c,1\n", out());
    }

    @Test
    void rowsAreAddedToATableOnlyWhenAskedFor() throws IOException {
        write("t.csv", "1|a|1\n");
        write("u.csv", "2|b|1\n");
        assertEquals(0, importInto("s", "t.csv", "--columns", "id,name,size"), this::err);
        assertEquals(2, importInto("s", "u.csv", "--columns", "id,name,size"), this::err);
        assertTrue(err().contains("--append"), err());
        assertEquals(0, importInto("s", "u.csv", "--columns", "id,name,size", "--append"), this::err);
        assertTrue(out().contains("imported 1 row into t"), out());
        assertEquals(0, run("scan", "t", "--store", path("s")));
        assertEquals("1,a,1\n2,b,1\n", out());
        assertEquals(2, importInto("s", "u.csv", "--append", "--mode", "direct"));
        assertTrue(err().contains("--append works in mode merge"), err());
    }

    @Test
    void aBundleThatCannotBeReplayedIsRefused() throws IOException {
        Files.createDirectory(directory.resolve("none"));
        assertEquals(2, run("replay", path("none"), "--store", path("s")));
        assertTrue(err().contains("no such store"), err());
        Files.createDirectory(directory.resolve("s"));
        assertEquals(2, run("replay", path("none"), "--store", path("s")));
        assertTrue(err().contains("manifest.json"), err());
        write("none/manifest.json", "{\"version\":99,\"table\":\"t\"}");
        assertEquals(2, run("replay", path("none"), "--store", path("s")));
        assertTrue(err().contains("version 99"), err());
        String table = ",\"state\":\"imported\",\"table\":\"t\",\"schema\":\"CREATE TABLE t (id INT8 PRIMARY KEY)\"";
        List<String> damaged = List.of(
                "",
                "[]",
                "null",
                "{\"version\":\"x\"}",
                "{\"version\":1}",
                "{\"version\":1,\"state\":\"lost\"}",
                "{\"version\":1" + table + "}",
                "{\"version\":1" + table + ",\"input\":{\"format\":\"csv\"}}",
                "{\"version\":1" + table + ",\"input\":{\"format\":\"csv\"},\"data\":[null]}");
        for (String manifest : damaged) {
            write("none/manifest.json", manifest);
            assertEquals(2, run("replay", path("none"), "--store", path("s")), () -> manifest + err());
            assertTrue(err().contains("manifest.json: is no manifest of a reject bundle: "), err());
            assertFalse(err().contains("io.sluice"), err());
        }
    }

    /** A program that asks for JSON gets a report, whether rows are left to replay or not. */
    @Test
    void aBundleWithoutRecordsIsReplayedLikeAnyOther() throws IOException {
        write("t.csv", "1|a|1\nx|b|1\n");
        String[] options = {"--columns", "id,name,size", "--max-rejects", "1", "--rejects", path("bad")};
        assertEquals(3, importInto("s", "t.csv", options), this::err);
        write("bad/rejects.csv", "");
        assertEquals(0, run("replay", path("bad"), "--store", path("s"), "--memory", "128m", "--json"), this::err);
        JsonNode report = new ObjectMapper().readTree(out());
        assertEquals(0, report.path("rowsImported").asInt(-1), this::out);
        Files.createDirectory(directory.resolve("empty"));
        assertEquals(2, run("replay", path("bad"), "--store", path("empty"), "--memory", "128m"));
        try (Stream<Path> left = Files.list(directory.resolve("empty"))) {
            assertEquals(0, left.count(), "a store for a table that it cannot have");
        }
        write("bad/rejects.jsonl", "{\"cut\":false}\nx\n");
        assertEquals(2, run("replay", path("bad"), "--store", path("s"), "--memory", "128m"));
        assertTrue(err().contains("rejects.jsonl, line 2: is not JSON"), err());
    }

    @Test
    void rejectsDoNotGoWhereSomethingIs() throws IOException {
        write("t.csv", "1,a,1\n");
        Files.createDirectory(directory.resolve("bad"));
        write("bad/precious", "");
        assertEquals(
                2, importInto("s", "t.csv", "--delimiter", ",", "--columns", "id,name,size", "--rejects", path("bad")));
        assertTrue(err().contains("is not empty"), err());
        assertFalse(Files.exists(directory.resolve("s")));
    }

    @Test
    void aDryRunReportsAllRejectsAndMakesNothing() throws IOException {
        write("t.csv", "1,a,1\nx,b,2\n3,c,3\n4,d\n");
        write("good.csv", "1,a,1\n3,c,3\n");
        String[] dry = {"import", "--dry-run", "--memory", "128m", "--schema", path("t.sql"), path("t.csv")};
        assertEquals(2, run(dry));
        assertTrue(out().contains("t.csv, line 2 (byte 6), column id: "), out());
        assertTrue(out().contains("t.csv, line 4 (byte 18): the record has 2 fields"), out());
        assertTrue(out().contains("dry run: 2 rows for t, 2 rejects, more than --max-rejects allows"), out());
        List<String> again = new ArrayList<>(List.of(dry));
        again.addAll(List.of("--max-rejects", "50%", "--rejects", path("bad"), "--json"));
        assertEquals(3, run(again.toArray(new String[0])), this::err);
        JsonNode report = new ObjectMapper().readTree(out());
        assertEquals("x,b,2\n4,d\n", read("bad/rejects.csv"));
        assertEquals(0, importInto("s", "good.csv", "--delimiter", ",", "--columns", "id,name,size"), this::err);
        assertEquals(digest("s"), report.path("digest").asText());
    }

    @Test
    void columnsNeedAFieldADefaultOrNull() throws IOException {
        write("t.csv", "1\n");
        assertEquals(2, importInto("s", "t.csv", "--columns", "id"));
        assertTrue(err().contains("column name is NOT NULL and is missing"), err());
        write("t.sql", SCHEMA.replace("DEFAULT 7", "DEFAULT 'seven'"));
        assertEquals(2, importInto("s", "t.csv", "--columns", "id,name"));
        assertTrue(err().contains("column size: its DEFAULT 'seven'"), err());
    }

    private int importInto(String store, String file, String... more) {
        List<String> args = new ArrayList<>(
                List.of("import", "--memory", "128m", "--schema", path("t.sql"), "--store", path(store), path(file)));
        if (Stream.of(more).noneMatch(option -> option.equals("--columns"))) {
            args.addAll(List.of("--header"));
        }
        if (Stream.of(more).noneMatch(option -> option.equals("--delimiter"))) {
            args.addAll(List.of("--delimiter", "|"));
        }
        args.addAll(List.of(more));
        return run(args.toArray(new String[0]));
    }

    private String digest(String store) {
        assertEquals(0, run("digest", "t", "--store", path(store)), this::err);
        return out().replaceAll("(?s).*digest ", "").strip();
    }

    /** Line, column, code and original bytes of every reject. */
    private List<String> rejects(String bundle) throws IOException {
        byte[] data = Files.readAllBytes(directory.resolve(bundle).resolve("rejects.csv"));
        ObjectMapper json = new ObjectMapper();
        List<String> rejects = new ArrayList<>();
        for (String line : Files.readAllLines(directory.resolve(bundle).resolve("rejects.jsonl"))) {
            JsonNode reject = json.readTree(line);
            assertEquals(path("dirty.csv"), reject.path("file").asText());
            String record = new String(
                    data, reject.path("offset").asInt(), reject.path("length").asInt(), StandardCharsets.UTF_8);
            rejects.add("line " + reject.path("line").asLong() + ", "
                    + reject.path("column").asText() + ", "
                    + reject.path("code").asText() + ": " + record);
        }
        return rejects;
    }

    private JsonNode manifest(String bundle) throws IOException {
        return new ObjectMapper().readTree(read(bundle + "/manifest.json"));
    }

    private int run(String... args) {
        out.reset();
        err.reset();
        Console console = new Console(out, new PrintStream(err, true, StandardCharsets.UTF_8), false);
        LocalNodes nodes = new LocalNodes(console, FaultPoints.none());
        return Sluice.execute(Sluice.commands(nodes, console), args);
    }

    private String out() {
        return out.toString(StandardCharsets.UTF_8);
    }

    private String err() {
        return err.toString(StandardCharsets.UTF_8);
    }

    private String path(String name) {
        return directory.resolve(name).toString();
    }

    private String read(String name) throws IOException {
        return Files.readString(directory.resolve(name));
    }

    private void write(String name, String text) throws IOException {
        Files.writeString(directory.resolve(name), text);
    }
}
