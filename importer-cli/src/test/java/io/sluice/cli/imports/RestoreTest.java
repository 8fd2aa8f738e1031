package io.sluice.cli.imports;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.cli.Sluice;
import io.sluice.cli.node.LocalNodes;
import io.sluice.cli.output.Console;
import io.sluice.node.ingest.FaultPoints;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests what {@code restore}, {@code ingest} and {@code verify} say of a table or a backup that is not as it was. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class RestoreTest {
    @TempDir
    Path directory;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @BeforeEach
    void importTables() throws IOException {
        for (String table : List.of("a", "b", "c")) {
            Path schema = Files.writeString(
                    directory.resolve(table + ".sql"), "CREATE TABLE " + table + " (id INT8 PRIMARY KEY, s STRING);");
            Path rows = Files.writeString(directory.resolve(table + ".csv"), "1,x\n2,y\n3,z\n");
            done("import", "--schema", schema.toString(), "--store", path("store"), "--quiet", rows.toString());
        }
    }

    @Test
    void restoreOfAChangedTableIsNoSuccess() {
        done("backup", "b", "--store", path("store"), "--output", path("set"));
        done("restore", path("set"), "--store", path("store"));
        assertTrue(out().contains("table b: already ingested\n"), this::out);
        done("sql", "--store", path("store"), "-e", "DELETE FROM b WHERE id > 1");

        assertEquals(2, run("restore", path("set"), "--store", path("store")));
        assertTrue(out().contains("table b: already ingested and changed since\n"), this::out);
        assertTrue(
                err().contains("table b was changed since the set was ingested (rows now: 1, in the set: 3)"), err());
        assertTrue(err().contains("not restored: table b"), err());
        // What runs again after an unknown end needs the set to be there once, whatever became of its rows.
        done("ingest", path("set"), "--store", path("store"));
        assertTrue(out().contains("table b: already ingested and changed since\n"), this::out);
        assertTrue(err().contains("nothing was done"), err());

        done("restore", path("set"), "--store", path("store"), "--append");
        done("scan", "b", "--store", path("store"));
        assertEquals("1,x\n2,y\n3,z\n", out());
    }

    @Test
    void appendedRowsAreChanges() throws IOException {
        done("backup", "b", "--store", path("store"), "--output", path("set"));
        done("drop", "b", "--store", path("store"));
        done("restore", path("set"), "--store", path("store"));
        Path more = Files.writeString(directory.resolve("more.csv"), "4,w\n");
        done("import", "--append", "--schema", path("b.sql"), "--store", path("store"), "--quiet", more.toString());
        assertEquals(2, run("restore", path("set"), "--store", path("store")));
        assertTrue(err().contains("(rows now: 4, in the set: 3)"), err());
    }

    @Test
    void damagedSetOfABackupStopsTheRestoreBeforeItsFirstTable() throws IOException {
        done("backup", "--all", "--store", path("store"), "--output", path("backup"));
        damage("3-c");
        assertEquals(2, run("restore", path("backup"), "--store", path("other")));
        assertTrue(err().contains("3-c: the files do not agree with the manifest, and nothing was ingested"), err());
        assertFalse(Files.exists(directory.resolve("other")), this::out);
    }

    @Test
    void verifyNamesTheDamagedFilesOfAllSets() throws IOException {
        done("backup", "--all", "--store", path("store"), "--output", path("backup"));
        damage("1-a");
        damage("3-c");
        assertEquals(1, run("verify", path("backup")));
        assertTrue(err().contains("1-a: damaged or missing: 1 file"), err());
        assertTrue(err().contains("3-c: damaged or missing: 1 file"), err());
        assertTrue(out().contains("2-b, table b: verified"), this::out);
    }

    @Test
    void tablesAfterOneThatFailsAreBackedUpToo() throws IOException {
        Path strange = Files.createDirectories(directory.resolve("backup/2-b")).resolve("strange");
        Files.createFile(strange);
        assertEquals(2, run("backup", "--all", "--store", path("store"), "--output", path("backup")));
        assertTrue(err().contains("table b is not backed up: "), err());
        assertTrue(err().contains("1 of 3 tables are not backed up"), err());
        assertTrue(out().contains("3-c, table c: backed up"), this::out);
        assertEquals(2, run("restore", path("backup"), "--store", path("other")), this::out);

        Files.delete(strange);
        done("backup", "--all", "--store", path("store"), "--output", path("backup"));
        assertTrue(out().contains("3-c, table c: already backed up"), this::out);
        done("restore", path("backup"), "--store", path("other"));
    }

    private void damage(String set) throws IOException {
        try (Stream<Path> files = Files.list(directory.resolve("backup").resolve(set))) {
            Path sst = files.filter(file -> file.toString().endsWith(".sst"))
                    .findFirst()
                    .orElseThrow();
            try (RandomAccessFile file = new RandomAccessFile(sst.toFile(), "rw")) {
                file.seek(20);
                int before = file.read();
                file.seek(20);
                file.write(before ^ 1);
            }
        }
    }

    private void done(String... args) {
        assertEquals(0, run(args), this::err);
    }

    private int run(String... args) {
        out.reset();
        err.reset();
        Console console = new Console(out, new PrintStream(err, true, StandardCharsets.UTF_8), false);
        return Sluice.execute(Sluice.commands(new LocalNodes(console, FaultPoints.none()), console), args);
    }

    private String path(String name) {
        return directory.resolve(name).toString();
    }

    private String out() {
        return out.toString(StandardCharsets.UTF_8);
    }

    private String err() {
        return err.toString(StandardCharsets.UTF_8);
    }
}
