package io.sluice.it.imports;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.api.node.TableStatus;
import io.sluice.importer.job.ImportProgress;
import io.sluice.importer.job.staged.SetPlace;
import io.sluice.importer.job.staged.StoreBackup;
import io.sluice.importer.job.staged.TableBackup;
import io.sluice.it.support.ServedNode;
import io.sluice.it.support.SluiceProcess;
import io.sluice.it.support.SluiceProcess.Result;
import io.sluice.model.error.BadInputException;
import io.sluice.testing.ObjectStore;
import io.sluice.testing.SomeTests;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A backup of all tables is restored to the same tables, and says whether they are of one moment. */
@SuppressWarnings("NullAway.Init") // JUnit and the set-up set the fields
@SomeTests(2)
class StoreBackupTest {
    private static final List<String> TABLES = List.of("p", "c", "a/b");
    private static final String SCHEMA = """
            CREATE TABLE p (a INT8 PRIMARY KEY, s STRING);
            CREATE TABLE c (a INT8, b INT8, s STRING, PRIMARY KEY (a, b)) INTERLEAVE IN PARENT p (a);
            CREATE TABLE "a/b" (a INT8 PRIMARY KEY, s STRING, INDEX by_s (s));
            """;

    @TempDir
    Path directory;

    private Path schema;
    private String backup;

    @BeforeEach
    void write() throws IOException {
        schema = Files.writeString(directory.resolve("schema.sql"), SCHEMA);
        backup = directory.resolve("backup").toString();
    }

    private static Result done(String... arguments) {
        Result result = SluiceProcess.call(arguments);
        assertEquals(0, result.exitCode(), String.join(" ", arguments) + ": " + result);
        return result;
    }

    private static Result refused(String... arguments) {
        Result result = SluiceProcess.call(arguments);
        assertEquals(2, result.exitCode(), String.join(" ", arguments) + ": " + result);
        return result;
    }

    private static String[] with(List<String> place, String... command) {
        List<String> all = new ArrayList<>(List.of(command));
        all.addAll(place);
        return all.toArray(new String[0]);
    }

    private void importAll(List<String> place) throws IOException {
        for (String table : TABLES) {
            boolean child = table.equals("c");
            List<String> rows = IntStream.range(0, 500)
                    .mapToObj(i -> (child ? i % 50 + "," : "") + i + ",s" + i * 7 % 100)
                    .toList();
            Path csv = Files.write(directory.resolve("rows.csv"), rows);
            done(with(place, "import", "--schema", schema.toString(), "--table", table, "--quiet", csv.toString()));
        }
    }

    private static List<String> digests(List<String> place) {
        return TABLES.stream()
                .map(table -> done(with(place, "digest", table)).out())
                .toList();
    }

    private static List<String> store(Path store) {
        return List.of("--store", store.toString());
    }

    private static long count(Result result, String state) {
        return result.out().lines().filter(line -> line.endsWith(state)).count();
    }

    @Test
    void allTablesAreRestored() throws Exception {
        List<String> from = store(directory.resolve("from"));
        List<String> to = store(directory.resolve("to"));
        importAll(from);
        Result made = done(with(from, "backup", "--all", "--output", backup));
        assertEquals(TABLES.size(), count(made, ": backed up"), made.toString());
        assertEquals("", made.err());
        assertEquals(TABLES.size(), count(done("verify", backup), ": verified"));
        done(with(to, "restore", backup, "--quiet", "--verify", "full"));
        assertEquals(digests(from), digests(to));
        Result again = done(with(to, "restore", backup));
        assertEquals(TABLES.size(), count(again, ": already ingested"), again.toString());

        // The end of the backup is missing, as if it was interrupted: the finished sets are kept.
        Path list = Path.of(backup, "backup.json");
        byte[] before = Files.readAllBytes(list);
        Files.delete(list);
        Files.delete(Path.of(backup, "3-a_b", "manifest.json"));
        assertTrue(refused(with(to, "restore", backup)).err().contains("is no staged set"));
        Result resumed = done(with(from, "backup", "--all", "--output", backup));
        assertEquals(2, count(resumed, ": already backed up"), resumed.toString());
        assertEquals(1, count(resumed, ": backed up"), resumed.toString());
        assertEquals(before.length, Files.size(list));

        // Other rows: the backup stays.
        done(with(from, "sql", "-e", "DELETE FROM p WHERE a = 1"));
        assertTrue(
                refused(with(from, "backup", "--all", "--output", backup)).err().contains("name another"));
        assertEquals(TABLES.size(), count(done("verify", backup), ": verified"));
    }

    @Test
    void listOfOtherSetsIsRefused() throws Exception {
        List<String> from = store(directory.resolve("from"));
        importAll(from);
        done(with(from, "backup", "--all", "--output", backup, "--quiet"));
        Path list = Path.of(backup, "backup.json");
        String text = Files.readString(list);
        List<String> to = store(directory.resolve("to"));
        String id = StoreBackup.setsAt(SetPlace.of(Path.of(backup)))
                .get(1)
                .manifest()
                .id();
        for (String[] wrong : new String[][] {
            {text.replace(id, "another"), "holds another set"},
            {text.replace("\"version\" : 1", "\"version\" : 2"), "format version 2"},
            {text.replace("2-c", "../2-c"), "is of no backup"},
            {text.substring(0, text.length() / 2), "was cut"},
        }) {
            Files.writeString(list, wrong[0]);
            Result result = refused(with(to, "restore", backup));
            assertTrue(result.err().contains(wrong[1]), result.toString());
            assertFalse(Files.exists(directory.resolve("to")), "nothing is restored");
        }
        Files.writeString(list, text);
        assertTrue(refused(with(from, "restore", backup, "--append")).err().contains("several tables"));
        assertTrue(refused(with(from, "backup", "--output", backup)).err().contains("name a TABLE, or give --all"));
        assertTrue(refused(with(from, "backup", "p", "--all", "--output", backup))
                .err()
                .contains("name a TABLE, or give --all"));
    }

    @Test
    void clusterWithoutANodeIsBackedUpIntoAnObjectStore() throws Exception {
        try (ObjectStore objects = new ObjectStore(Files.createDirectory(directory.resolve("objects")));
                ServedNode a = ServedNode.open(directory.resolve("a"));
                ServedNode b = ServedNode.open(directory.resolve("b"));
                ServedNode other = ServedNode.open(directory.resolve("other"))) {
            objects.createBucket("backups");
            ServedNode c = ServedNode.open(directory.resolve("c"));
            List<String> from = List.of("--nodes", String.join(",", a.url(), b.url(), c.url()));
            List<String> replicated = new ArrayList<>(from);
            replicated.addAll(List.of("--replicas", "2"));
            importAll(replicated);
            List<String> before = digests(from);
            c.close();
            List<String> to = List.of("--nodes", other.url());
            String place = "s3://backups/night";
            objects.useCredentials();
            List<String> stored = new ArrayList<>(from);
            stored.addAll(objects.options());
            List<String> restored = new ArrayList<>(to);
            restored.addAll(objects.options());
            done(with(stored, "backup", "--all", "--output", place, "--quiet"));
            done(with(objects.options(), "verify", place));
            done(with(restored, "restore", place, "--quiet"));
            objects.forgetCredentials();
            assertEquals(before, digests(to));
        }
    }

    /** Each table is whole, but they are of different moments. */
    @Test
    void changeBetweenTwoTablesIsSeen() throws Exception {
        Path from = directory.resolve("from");
        importAll(store(from));
        try (ServedNode served = ServedNode.open(from)) {
            SetPlace place = SetPlace.of(Path.of(backup));
            assertNull(StoreBackup.read(place));
            StoreBackup.Run run = new StoreBackup.Run(served.node(), place);
            for (TableStatus table : run.tables()) {
                TableBackup one = new TableBackup(served.node(), table, run.place(table), 1, new ImportProgress());
                run.add(table, one.run().set());
                if (table.table().name().equals("p")) {
                    done("sql", "--nodes", served.url(), "-e", "DELETE FROM p WHERE a = 1");
                }
            }
            assertFalse(run.finish().oneMoment());
            assertNotNull(StoreBackup.read(place));
            assertThrows(
                    BadInputException.class,
                    () -> new StoreBackup.Run(
                            served.node(), run.place(run.tables().get(0))));
        }
    }
}
