package io.sluice.it.sql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.it.support.NodeProcess;
import io.sluice.it.support.SluiceProcess;
import io.sluice.it.support.SluiceProcess.Result;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code sluice sql} as users run it: on a store, on a node, from options and from standard input. */
class SqlIT {
    private static String at(Path directory, String name) {
        return directory.resolve(name).toString();
    }

    private static Path imported(Path directory) throws Exception {
        Files.writeString(directory.resolve("t.sql"), "CREATE TABLE t (id INT PRIMARY KEY, s STRING, INDEX by_s (s))");
        Files.writeString(directory.resolve("t.csv"), "1,a\n2,b\n3,c\n");
        Result result = SluiceProcess.call(
                "import",
                "--schema",
                at(directory, "t.sql"),
                "--store",
                at(directory, "data"),
                "--quiet",
                at(directory, "t.csv"));
        assertEquals(0, result.exitCode(), result.err());
        return directory.resolve("data");
    }

    @Test
    void onAStore(@TempDir Path directory) throws Exception {
        imported(directory);
        Result result = sql(directory, "UPDATE t SET s = 'z' WHERE id = 2; SELECT * FROM t WHERE s >= 'b'");
        assertEquals(0, result.exitCode(), result.err());
        assertEquals("id  s\n3   c\n2   z\n", result.out());
        assertTrue(result.err().contains("1 row changed"), result.err());

        Result wrong = sql(directory, "DELETE FROM t WHERE s = (SELECT 1); DELETE FROM t");
        assertEquals(2, wrong.exitCode());
        assertTrue(wrong.err().contains("unsupported: line 1, column "), wrong.err());

        Result failed = sql(directory, "BEGIN; DELETE FROM t; INSERT INTO t VALUES (1, 'x'), (1, 'y'); COMMIT");
        assertEquals(1, failed.exitCode());
        assertTrue(failed.err().contains("unique: "), failed.err());

        Result left = SluiceProcess.call(
                "sql",
                "--store",
                at(directory, "data"),
                "--json",
                "-e",
                "SELECT count(*) FROM t; DELETE FROM t WHERE id = 1");
        assertEquals("{\"columns\":[\"count\"],\"rows\":[[\"3\"]]}\n{\"count\":1,\"cascaded\":{}}\n", left.out());
        assertEquals(0, left.exitCode());
        Result unread =
                SluiceProcess.runUnread(directory, "sql", "--store", at(directory, "data"), "-e", "SELECT * FROM t");
        assertEquals("141 ", unread.exitCode() + " " + unread.err());
        assertEquals(2, SluiceProcess.call("sql", "-e", "BEGIN").exitCode());
        Result one = asked(directory, "SELECT s FROM t WHERE id = ?", "2");
        assertEquals("s\nz\n", one.out(), one.err());
        Result likeAnOption = asked(directory, "SELECT id FROM t WHERE s = ?", "--json");
        assertEquals("0 id\n", likeAnOption.exitCode() + " " + likeAnOption.out(), likeAnOption.err());
        Result two = asked(directory, "SELECT s FROM t WHERE id = ?", "2", "3");
        assertEquals(2, two.exitCode());
        assertTrue(two.err().contains("2 for 1 question marks"), two.err());
        assertEquals(
                2,
                SluiceProcess.call("sql", "--store", at(directory, "nowhere"), "-e", "BEGIN")
                        .exitCode());
    }

    private static Result asked(Path directory, String question, String... values) throws Exception {
        List<String> arguments = new ArrayList<>(List.of("sql", "--store", at(directory, "data"), "-e", question));
        for (String value : values) {
            arguments.addAll(List.of("-p", value));
        }
        return SluiceProcess.call(arguments.toArray(new String[0]));
    }

    private static Result sql(Path directory, String statements) throws Exception {
        return SluiceProcess.call("sql", "--store", at(directory, "data"), "-e", statements);
    }

    @Test
    void onANodeFromStandardInput(@TempDir Path directory) throws Exception {
        Path store = imported(directory);
        try (NodeProcess node = NodeProcess.start(store)) {
            SluiceProcess process = SluiceProcess.start(directory, List.of(), "sql", "--nodes", node.address());
            String script = """
                    -- several lines make a statement
                    BEGIN;
                    INSERT INTO t
                        VALUES (4, 'semicolon; inside');
                    SELECT s FROM t
                        WHERE id = 4;
                    COMMIT; SELECT count(*) FROM t;
                    SELECT *
                      FROM nowhere;
                    """;
            process.standardInput().write(script.getBytes(StandardCharsets.UTF_8));
            process.standardInput().close();
            Result result = process.await();
            assertEquals(2, result.exitCode(), result.err());
            assertEquals("s\nsemicolon; inside\ncount\n4\n", result.out());
            assertTrue(
                    result.err().contains("unknown_name: line 9, column 8: there is no table nowhere"), result.err());
        }
    }

    /** Conditions that no row meets, and limits, on a store and by HTTP. */
    @Test
    void nothingIsNullInAKey(@TempDir Path directory) throws Exception {
        Path store = imported(directory);
        String script = "SELECT * FROM t WHERE id IS NULL; SELECT count(*) FROM t WHERE id IS NULL;"
                + " UPDATE t SET s = 'x' WHERE id IS NULL; DELETE FROM t WHERE id IS NULL;"
                + " SELECT count(*) FROM t LIMIT 0; SELECT count(*) FROM t LIMIT 2";
        String expected = "id  s\ncount\n0\ncount\ncount\n3\n";
        Result onStore = sql(directory, script);
        assertEquals("0 " + expected, onStore.exitCode() + " " + onStore.out(), onStore.err());
        try (NodeProcess node = NodeProcess.start(store)) {
            Result onNode = SluiceProcess.call("sql", "--nodes", node.address(), "-e", script);
            assertEquals("0 " + expected, onNode.exitCode() + " " + onNode.out(), onNode.err());
        }
    }

    /** An import of a file accepts the schema that {@code schema infer} prints for it. */
    @Test
    void importsWithTheProposedTable(@TempDir Path directory) throws Exception {
        Files.writeString(
                directory.resolve("odd.csv"),
                "Id,rowid,\"a \"\"b\"\"\",Select,at,f\n1,2,x,y,2024-01-01 24:00:00,1e400\n2,,\\x0,,2024-01-02,-0\n");
        Result ddl = SluiceProcess.call("schema", "infer", "--header", at(directory, "odd.csv"));
        assertEquals(0, ddl.exitCode(), ddl.err());
        Files.writeString(directory.resolve("odd.sql"), ddl.out());
        Result result = SluiceProcess.call(
                "import",
                "--schema",
                at(directory, "odd.sql"),
                "--store",
                at(directory, "data"),
                "--quiet",
                "--header",
                at(directory, "odd.csv"));
        assertEquals(0, result.exitCode(), result.err() + ddl.out());

        Result nothing =
                SluiceProcess.call("schema", "infer", "--header", "--columns", "a,b", at(directory, "odd.csv"));
        assertEquals("2 ", nothing.exitCode() + " " + nothing.out(), nothing.err());
        assertTrue(nothing.err().contains("--columns"), nothing.err());
    }
}
