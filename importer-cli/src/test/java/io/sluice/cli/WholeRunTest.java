package io.sluice.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.cli.node.LocalNodes;
import io.sluice.cli.output.Console;
import io.sluice.model.error.OperationFailedException;
import io.sluice.node.ingest.FaultPoints;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands one after the other over real files and a real store. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class WholeRunTest {
    private static final String MEMORY = "128m";

    @TempDir
    Path directory;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @Test
    void theOrderOfTheInputDoesNotMatter() {
        String schema = path("stock.sql");
        succeed("workload", "tpcc", "stock", "--scale", "0.02", "-o", path("ordered.csv"), "--schema", schema);
        succeed("workload", "tpcc", "stock", "--scale", "0.02", "--shuffle", "-o", path("shuffled.csv"));
        assertNotEquals(read("ordered.csv"), read("shuffled.csv"));

        importInto("a", schema, path("ordered.csv"));
        importInto("b", schema, path("shuffled.csv"));
        String digest = succeed("digest", "stock", "--store", path("a"));
        assertEquals(digest, succeed("digest", "stock", "--store", path("b")));
        assertTrue(digest.contains("2000 rows, digest "), digest);
        importInto("c", schema, path("shuffled.csv"), "--sst-writer", "rocksdb");
        assertEquals(digest, succeed("digest", "stock", "--store", path("c")));

        assertEquals(sorted(read("ordered.csv")), sorted(succeed("scan", "stock", "--store", path("b"))));
        assertTrue(succeed("get", "stock", "1", "777", "--store", path("b")).contains("s_i_id       = 777\n"));
        assertEquals(1, run("get", "stock", "2", "777", "--store", path("b")));

        succeed("drop", "stock", "--store", path("b"));
        assertEquals(2, run("digest", "stock", "--store", path("b")));
    }

    @Test
    void theReportIsOneJsonObject() {
        write("t.sql", "CREATE TABLE t (a INT8, b STRING, PRIMARY KEY (a), INDEX b_idx (b));");
        write("t.csv", "1,one\n2,\n");
        String json = succeed(
                "import", "--json", "--memory", MEMORY, "--schema", path("t.sql"), "--store", path("s"), path("t.csv"));
        assertTrue(json.startsWith("{\"table\":\"t\",\"state\":\"succeeded\",\"mode\":\"merge\",\"modeWhy\":\""), json);
        assertTrue(json.contains("\",\"rowsRead\":2,"), json);
        assertTrue(json.contains("\"kvs\":{\"primary\":2,\"b_idx\":2}"), json);
        assertEquals(1, json.lines().count());
    }

    @Test
    void statementsThatEndWithinATransactionFail() {
        write("t.sql", "CREATE TABLE t (a INT8 PRIMARY KEY);");
        write("t.csv", "1\n2\n");
        importInto("s", path("t.sql"), path("t.csv"));
        String[] sql = {"sql", "--store", path("s"), "-e", "BEGIN; DELETE FROM t"};
        assertEquals(2, run(sql));
        String told = err.toString(StandardCharsets.UTF_8);
        assertTrue(told.contains("the statements end within a transaction, whose changes are undone"), told);
        assertEquals("1\n2\n", succeed("scan", "t", "--store", path("s")));
        sql[sql.length - 1] += "; COMMIT";
        assertEquals(0, run(sql));
        assertEquals("", succeed("scan", "t", "--store", path("s")));
    }

    @Test
    void placeThatTakesNoSstsIsBadInput() {
        write("t.sql", "CREATE TABLE t (a INT8 PRIMARY KEY);");
        write("t.csv", "1\n");
        write("taken", "a file");
        assertEquals(2, run("encode", "--schema", path("t.sql"), "--sst", path("taken"), path("t.csv")));
        String told = err.toString(StandardCharsets.UTF_8);
        assertTrue(told.contains("--sst " + path("taken") + ": cannot write SSTs there: a file is there"), told);
        assertEquals("a file", read("taken"));
    }

    /** The store that an import has made holds the work that a paused import resumes from. */
    @Test
    void pausedImportKeepsItsNewStore() {
        write("t.sql", "CREATE TABLE t (a INT8 PRIMARY KEY);");
        write("t.csv", "1\n2\n");
        String[] importing = {
            "import",
            "--memory",
            MEMORY,
            "--mode",
            "direct",
            "--job-id",
            "one",
            "--schema",
            path("t.sql"),
            "--store",
            path("s"),
            path("t.csv")
        };
        FaultPoints failing = point -> {
            if (point.equals("import-flushed")) {
                throw new OperationFailedException("the disk has failed");
            }
        };
        assertEquals(ExitCode.PAUSED, run(failing, importing), this::err);
        assertTrue(err().contains("run the same command with --job-id one"), this::err);
        assertTrue(Files.exists(directory.resolve("s")), this::err);
        succeed(importing);
        assertTrue(err().contains("resuming the import"), this::err);
        assertTrue(succeed("digest", "t", "--store", path("s")).contains("2 rows, digest "));
    }

    /** A directory that others can enter gets files that they cannot read. */
    @Test
    void stagedSetIsForItsOwner() throws IOException {
        write("t.sql", "CREATE TABLE t (a INT8 PRIMARY KEY, b INT8);");
        write("t.csv", "1,1\n");
        write("other.csv", "1,2\n");
        Path set = Files.createDirectory(directory.resolve("set"));
        Assumptions.assumeTrue(Files.getFileStore(set).supportsFileAttributeView("posix"));
        Files.setPosixFilePermissions(set, PosixFilePermissions.fromString("rwxr-xr-x"));
        succeed("build", "--memory", MEMORY, "--schema", path("t.sql"), "--output", path("set"), path("t.csv"));
        try (Stream<Path> files = Files.list(set)) {
            for (Path file : files.toList()) {
                assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
            }
        }
        succeed("ingest", path("set"), "--store", path("s"));
        succeed("build", "--memory", MEMORY, "--schema", path("t.sql"), "--output", path("late"), path("other.csv"));
        assertEquals(ExitCode.BAD_INPUT, run("ingest", path("late"), "--store", path("s"), "--append"));
        assertTrue(err().contains("or let --on-conflict last choose."), this::err);
    }

    /** A charset or a limit of rejects gives other rows of the same files, and a repeated build tells of rejects. */
    @Test
    void finishedSetIsThatOfTheSameOptions() {
        write("t.sql", "CREATE TABLE t (a INT8 PRIMARY KEY, b STRING);");
        write("t.csv", "1,\u00e9\nx,2\n");
        String[] build = {
            "build",
            "--memory",
            MEMORY,
            "--no-rejects",
            "--schema",
            path("t.sql"),
            path("t.csv"),
            "--output",
            path("set")
        };
        String[] lenient = with(build, "--max-rejects", "1");
        assertEquals(ExitCode.REJECTS, run(lenient), this::err);
        assertEquals(ExitCode.REJECTS, run(lenient), this::err);
        String again = out.toString(StandardCharsets.UTF_8);
        assertTrue(again.contains("already built"), again);
        assertTrue(again.contains("1 record rejected or captured"), again);
        for (String[] other : List.of(build, with(lenient, "--charset", "ISO-8859-1"))) {
            assertEquals(ExitCode.BAD_INPUT, run(other), this::err);
            assertTrue(err().contains("holds a staged set of other inputs, options or rows"), this::err);
        }
    }

    /** As an import does; a column that directories fill needs no field, also if --columns names the others. */
    @Test
    void directoriesFillColumnsOfASet() throws IOException {
        write("t.sql", "CREATE TABLE t (a INT8 PRIMARY KEY, year INT4 NOT NULL);");
        Files.createDirectories(directory.resolve("in/year=2024"));
        write("in/year=2024/t.csv", "1\n");
        String[] of = {"--memory", MEMORY, "--schema", path("t.sql"), "--columns", "a", path("in")};
        succeed(with(new String[] {"import", "--store", path("a")}, of));
        succeed(with(new String[] {"build", "--output", path("set")}, of));
        succeed("ingest", path("set"), "--store", path("b"));
        assertEquals("1,2024\n", succeed("scan", "t", "--store", path("b")));
        assertEquals(succeed("digest", "t", "--store", path("a")), succeed("digest", "t", "--store", path("b")));
    }

    /** The JDK's exception for a missing file has no words but its name. */
    @Test
    void filesThatCannotBeUsedAreExplained() {
        write("t.sql", "CREATE TABLE t (a INT8 PRIMARY KEY);");
        write("t.csv", "1\n");
        String[] build = {"build", "--memory", MEMORY, "--schema", path("t.sql"), path("t.csv"), "--output"};
        assertEquals(ExitCode.BAD_INPUT, run(with(build, path("t.csv"))));
        assertTrue(err().contains("t.csv: no set can be built there: a file is there already"), this::err);
        assertEquals(ExitCode.BAD_INPUT, run("tables", "--nodes", "127.0.0.1:1", "--token-file", path("none")));
        assertTrue(err().contains("none: no such file or directory"), this::err);
        write("empty", "\n");
        assertEquals(ExitCode.BAD_INPUT, run("tables", "--nodes", "127.0.0.1:1", "--token-file", path("empty")));
        assertTrue(err().contains("--token-file " + path("empty") + ": the token has 0 characters"), this::err);
        assertEquals(ExitCode.BAD_INPUT, run("tables", "--nodes", "https://127.0.0.1:1", "--tls-trust", path("empty")));
        assertTrue(err().contains("has no certificate to trust"), this::err);
        assertEquals(ExitCode.FAILED, run("tables", "--server", "http://127.0.0.1:1"));
        assertTrue(err().contains("sluice: the import service at http://127.0.0.1:1 does not answer"), this::err);
        importInto("s", path("t.sql"), path("t.csv"));
        assertEquals(ExitCode.BAD_INPUT, run("export", "t", "--store", path("s"), "--to", path("none/t.csv")));
        assertTrue(err().contains("t.csv.part: no such file or directory; check the directory"), this::err);
        assertEquals(ExitCode.BAD_INPUT, run("lsm", "--store", path("s"), "--html", path("none/t.html")));
        assertTrue(err().contains("t.html: no such file or directory"), this::err);
    }

    /** A dump goes in whole: what was passed over is named, and the ranges of its types hold. */
    @Test
    void dumpIsTheSchema() {
        write("dump.sql", """
                -- MySQL dump 10.13
                /*!40101 SET NAMES utf8mb4 */;
                DROP TABLE IF EXISTS `Film`;
                CREATE TABLE `Film` (
                  `id` int unsigned NOT NULL AUTO_INCREMENT,
                  `Language` tinyint unsigned NOT NULL DEFAULT '1',
                  `meta` json DEFAULT NULL,
                  PRIMARY KEY (`id`),
                  KEY `lang` (`Language`)
                ) ENGINE=InnoDB;
                INSERT INTO `Film` VALUES (1,1,'it\\'s; {}');
                CREATE TABLE `other` (`id` int);
                """);
        write("film.csv", "4294967295,255,\"{\"\"a\"\":1}\"\n-1,1,\n1,256,\n2,1,[]\n3,1,x\n");
        String[] importing = {
            "import",
            "--memory",
            MEMORY,
            "--schema",
            path("dump.sql"),
            "--table",
            "FILM",
            "--store",
            path("s"),
            "--max-rejects",
            "3",
            "--rejects",
            path("bad"),
            path("film.csv")
        };
        assertEquals(3, run(importing), err());
        assertTrue(
                err().contains(
                                "dump.sql: passed over SET, DROP TABLE, options of a table, INSERT; an import reads no rows"
                                        + " from a schema file, so export them as CSV\n"),
                err());
        assertTrue(err().contains("dump.sql: table Film: column id: an import generates no numbers;"), err());
        String rejects = read("bad/rejects.jsonl");
        assertTrue(rejects.contains("out of range for INT UNSIGNED: must be 0 to 4294967295"), rejects);
        assertTrue(rejects.contains("\"column\":\"meta\""), rejects);
        assertTrue(rejects.contains("out of range for TINYINT UNSIGNED: must be 0 to 255"), rejects);
        assertEquals("2,1,[]\n4294967295,255,\"{\"\"a\"\": 1}\"\n", succeed("scan", "Film", "--store", path("s")));
        assertTrue(succeed("digest", "Film", "--store", path("s")).contains("lang"));
    }

    @Test
    void rejectsAreToleratedOnDemand() throws IOException {
        write("t.sql", "CREATE TABLE t (a INT8 PRIMARY KEY, b STRING);");
        write("t.csv", "1,one\nx,two\n3,three\n");
        String[] strict = {"import", "--memory", MEMORY, "--schema", path("t.sql"), "--store", path("s"), path("t.csv")
        };
        assertEquals(2, run(strict));
        assertTrue(err().contains("t.csv, line 2 (byte 6), column a: "), err());
        assertFalse(Files.exists(directory.resolve("s")), "a store was made for an import that failed");

        assertEquals(3, run(with(strict, "--max-rate", "1g", "--max-rejects", "1", "--rejects", path("bad"))));
        assertTrue(read("bad/rejects.jsonl").contains("\"line\":2"), read("bad/rejects.jsonl"));
        assertEquals("x,two\n", read("bad/rejects.csv"));
        assertEquals("1,one\n3,three\n", succeed("scan", "t", "--store", path("s")));
        try (Stream<Path> left = Files.list(directory.resolve("s/work"))) {
            assertFalse(left.findAny().isPresent());
        }
    }

    /** The table and rows of the encoding's own example. */
    @Test
    void encodeShowsWhatRowsBecome() {
        write("accounts.sql", """
                CREATE TABLE accounts (
                  id INT8 PRIMARY KEY,
                  owner STRING,
                  balance DECIMAL
                );
                CREATE UNIQUE INDEX i2 ON accounts (owner) STORING (balance);
                CREATE INDEX i3 ON accounts (owner) STORING (balance);
                """);
        write("accounts.csv", "1,Alice,10000.50\n5,,\n");
        assertEquals(
                """
                {"row":1,"kvs":[{"index":"primary","family":0,"key":"bb898988","value":"4aac12300a2605416c6963651505348d0f4272"},\
                {"index":"i2","family":0,"key":"bb8a12416c696365000188","value":"24090bce03893505348d0f4272"},\
                {"index":"i3","family":0,"key":"bb8b12416c69636500018988","value":"3ad2e728033505348d0f4272"}]}
                {"row":2,"kvs":[{"index":"primary","family":0,"key":"bb898d88","value":"cb0644270a"},\
                {"index":"i2","family":0,"key":"bb8a008d88","value":"%s"},\
                {"index":"i3","family":0,"key":"bb8b008d88","value":"844708bc03"}]}
                """.formatted(valueOf("bb8a008d88", "038d")),
                succeed("encode", "--schema", path("accounts.sql"), "--table-id", "accounts=51", path("accounts.csv")));
    }

    @Test
    void idsFollowTheSchemaUnlessPinned() {
        write("two.sql", "CREATE TABLE a (k INT8 PRIMARY KEY); CREATE TABLE b (k INT8 PRIMARY KEY);");
        write("k.csv", "0\n");
        String[] encode = {"encode", "--schema", path("two.sql"), "--table", "b", path("k.csv")};
        assertTrue(succeed(encode).contains("\"key\":\"8a898888\""));
        assertTrue(succeed(with(encode, "--table-id", "b=54")).contains("\"key\":\"be898888\""));
        assertEquals(2, run(with(encode, "--table-id", "b=1")));
        assertEquals(2, run(with(encode, "--table-id", "c=7")));
    }

    private void importInto(String store, String schema, String file, String... more) {
        String[] usual = {"import", "--quiet", "--memory", MEMORY, "--schema", schema, "--store", path(store), file};
        succeed(with(usual, more));
    }

    private static String valueOf(String key, String body) {
        HexFormat hex = HexFormat.of();
        CRC32 crc = new CRC32();
        crc.update(hex.parseHex(key + body));
        return String.format("%08x", crc.getValue()) + body;
    }

    private static String[] with(String[] args, String... more) {
        String[] all = Arrays.copyOf(args, args.length + more.length);
        System.arraycopy(more, 0, all, args.length, more.length);
        return all;
    }

    private String succeed(String... args) {
        assertEquals(0, run(args), this::err);
        return out.toString(StandardCharsets.UTF_8);
    }

    private int run(String... args) {
        return run(FaultPoints.none(), args);
    }

    private int run(FaultPoints faults, String... args) {
        out.reset();
        err.reset();
        Console console = new Console(out, new PrintStream(err, true, StandardCharsets.UTF_8), false);
        LocalNodes nodes = new LocalNodes(console, faults);
        return Sluice.execute(Sluice.commands(nodes, console), args);
    }

    private String err() {
        return err.toString(StandardCharsets.UTF_8);
    }

    private String path(String name) {
        return directory.resolve(name).toString();
    }

    private String read(String name) {
        try {
            return Files.readString(directory.resolve(name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void write(String name, String text) {
        try {
            Files.writeString(directory.resolve(name), text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<String> sorted(String text) {
        return text.lines().sorted().toList();
    }
}
