package io.sluice.sql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.engine.store.Family;
import io.sluice.engine.store.FamilyNames;
import io.sluice.engine.store.LsmFile;
import io.sluice.engine.store.RocksStore;
import io.sluice.model.schema.Ddl;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests which rows deletes by span delete and which they keep. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class SpanDeleteTest {
    private static final String DDL = """
            CREATE TABLE p (id INT PRIMARY KEY, v INT);
            CREATE TABLE c (p INT, k INT, v INT, PRIMARY KEY (p, k), INDEX by_v (v),
                FOREIGN KEY (p) REFERENCES p (id) ON DELETE CASCADE) INTERLEAVE IN PARENT p (p);
            CREATE TABLE s (p INT, k INT, PRIMARY KEY (p, k),
                FOREIGN KEY (p) REFERENCES p (id) ON DELETE CASCADE) INTERLEAVE IN PARENT p (p);
            CREATE TABLE g (p INT, k INT, t INT, PRIMARY KEY (p, k, t),
                FOREIGN KEY (p, k) REFERENCES c (p, k) ON DELETE CASCADE) INTERLEAVE IN PARENT c (p, k);
            CREATE TABLE q (name BYTES PRIMARY KEY);
            CREATE TABLE r (name BYTES, k INT, PRIMARY KEY (name, k),
                FOREIGN KEY (name) REFERENCES q (name) ON DELETE CASCADE) INTERLEAVE IN PARENT q (name);
            """;
    private static final int CHILDREN = 30;

    @TempDir
    Path directory;

    private SqlStore store;

    @BeforeEach
    void open() throws Exception {
        open(SqlSettings.defaults());
        store.create(DDL);
    }

    private void open(SqlSettings settings) {
        store = new SqlStore(directory, settings);
    }

    /** Opens the store again with other bounds. */
    private void reopen(SqlSettings sql) {
        store.close();
        open(sql);
    }

    @AfterEach
    void close() {
        for (String table : List.of("p", "c", "s", "g", "q", "r")) {
            assertEquals(
                    Objects.requireNonNull(store.node().table(table)).imported(),
                    store.node().digest(table).indexes(),
                    "the sums of " + table);
        }
        store.close();
    }

    /** Parents with 30 children, 30 of their siblings, and 30 grandchildren in one of the children. */
    private void fill(int... parents) {
        for (int id : parents) {
            check("INSERT INTO p VALUES (" + id + ", 1)", "1");
            String children = rows(k -> "(" + id + ", " + k + ", " + (k % 7) + ")");
            check("INSERT INTO c VALUES " + children, String.valueOf(CHILDREN));
            check("INSERT INTO s VALUES " + rows(k -> "(" + id + ", " + k + ")"), String.valueOf(CHILDREN));
            check("INSERT INTO g VALUES " + rows(k -> "(" + id + ", 5, " + k + ")"), String.valueOf(CHILDREN));
        }
    }

    private static String rows(IntFunction<String> row) {
        return IntStream.range(0, CHILDREN).mapToObj(row).collect(Collectors.joining(", "));
    }

    private void check(String script, String expected) {
        assertEquals(expected, store.run(script), script);
    }

    private void counts(int parents) {
        for (String table : List.of("c", "s", "g")) {
            check("SELECT count(*) FROM " + table, "[" + parents * CHILDREN + "]");
        }
        check("SELECT count(*) FROM p", "[" + parents + "]");
        check("SELECT count(*) FROM c WHERE v >= 0", "[" + parents * CHILDREN + "]");
    }

    @Test
    void siblingsAndGrandchildrenGoAndNeighboursStay() {
        fill(-1, 0, 1, 2, 10, 11, 109, 110, 255, 256, 65_535, 65_536);
        check("DELETE FROM p WHERE id = 1", "1 and {c=30, g=30, s=30}");
        check("SELECT id FROM p WHERE id IN (0, 1, 2, 10, 11)", "[0 | 2 | 10 | 11]");
        counts(11);
        check("DELETE FROM p WHERE id BETWEEN 109 AND 110", "2 and {c=60, g=60, s=60}");
        check("DELETE FROM p WHERE id IN (256, -1, 7, 65535)", "3 and {c=90, g=90, s=90}");
        check("SELECT id FROM p", "[0 | 2 | 10 | 11 | 255 | 65536]");
        counts(6);
        check("DELETE FROM p", "6 and {c=180, g=180, s=180}");
        counts(0);
        fill(1);
        counts(1);
    }

    @Test
    void prefixesThatEndInFf() {
        List<String> names = List.of("'\\xfe'", "'\\xff'", "'\\xff00'", "'\\xff01'", "'\\xffff'", "'\\xffffff'");
        for (String name : names) {
            check("INSERT INTO q VALUES (" + name + ")", "1");
            check("INSERT INTO r VALUES " + rows(k -> "(" + name + ", " + k + ")"), "30");
        }
        check("DELETE FROM q WHERE name = '\\xff'", "1 and {r=30}");
        check("SELECT count(*) FROM r", "[150]");
        check("DELETE FROM q WHERE name = '\\xffff'", "1 and {r=30}");
        check("SELECT count(*) FROM q", "[4]");
        check("DELETE FROM q WHERE name > '\\xff00'", "2 and {r=60}");
        check("SELECT count(*) FROM r WHERE name IN ('\\xfe', '\\xff00')", "[60]");
    }

    @Test
    void stepsEndBetweenParents() {
        fill(IntStream.range(0, 12).toArray());
        // A parent is 91 KVs: after the first KV behind 100 a step ends, so with every second parent.
        reopen(SqlSettings.defaults().with(new SqlSettings.Deletes(true, 100)));
        check("DELETE FROM p WHERE id >= 1", "11 and {c=330, g=330, s=330}");
        counts(1);
    }

    @Test
    void aStepDeletesWholeRootRows() {
        fill(IntStream.range(0, 12).toArray());
        // Memory for the index entries of a few parents: a step ends when half is used.
        reopen(SqlSettings.defaults().with(new SqlSettings.Memory(40_000, 1 << 20)));
        check("DELETE FROM p WHERE id > 0", "11 and {c=330, g=330, s=330}");
        counts(1);
    }

    @Test
    void aTransactionDeletesAllOrRefuses() {
        fill(IntStream.range(0, 12).toArray());
        reopen(SqlSettings.defaults().with(new SqlSettings.Memory(40_000, 1 << 20)));
        assertTrue(store.run("BEGIN; DELETE FROM p WHERE id > 0").contains("TOO_LARGE: "));
        counts(12);
        check(
                "BEGIN; DELETE FROM p WHERE id < 2; SELECT count(*) FROM c; ROLLBACK",
                "begin\n2 and {c=60, g=60, s=60}\n[300]\nrollback");
        counts(12);
    }

    @Test
    void aTransactionSeesAndOverwritesWhatItErased() {
        fill(1, 2, 3);
        check(
                "BEGIN; INSERT INTO s VALUES (2, 99); DELETE FROM c WHERE p = 2 AND k >= 20; DELETE FROM p WHERE id = 2;"
                        + " SELECT count(*) FROM s; SELECT * FROM p WHERE id = 2; DELETE FROM p WHERE id = 2;"
                        + " INSERT INTO p VALUES (2, 5); INSERT INTO c VALUES (2, 5, 7); SELECT * FROM c WHERE p = 2;"
                        + " SELECT p FROM c WHERE v = 7; COMMIT",
                "begin\n1\n10\n1 and {c=20, g=30, s=31}\n[60]\n[]\n0\n1\n1\n[2,5,7]\n[2]\ncommit");
        check("SELECT * FROM c WHERE p = 2", "[2,5,7]");
        check("SELECT * FROM p", "[1,1 | 2,5 | 3,1]");
        check("DELETE FROM p WHERE id <= 2", "2 and {c=31, g=30, s=30}");
    }

    @Test
    void rowsWithoutTheirParentStay() throws Exception {
        fill(1, 2, 3);
        List<List<@Nullable String>> orphans =
                new ArrayList<>(List.of(List.of("2", "70", "1"), List.of("2", "70", "2"), List.of("7", "1", "1")));
        store.append(Ddl.parse(DDL, "test").get(3), orphans);
        check("DELETE FROM p", "3 and {c=90, g=90, s=90}");
        check("SELECT * FROM g", "[2,70,1 | 2,70,2 | 7,1,1]");
        check("DELETE FROM p", "0");
    }

    @Test
    void anOldSnapshotStillSeesTheRows() {
        fill(1, 2, 3);
        try (SqlSession old = store.engine().open()) {
            assertEquals("begin\n[90]", SqlStore.run(old, "BEGIN; SELECT count(*) FROM c"));
            check("DELETE FROM p WHERE id >= 2", "2 and {c=60, g=60, s=60}");
            assertEquals("[90]", SqlStore.run(old, "SELECT count(*) FROM g"));
            assertEquals("[2,1]", SqlStore.run(old, "SELECT * FROM p WHERE id = 2"));
            assertEquals("[30]", SqlStore.run(old, "SELECT count(*) FROM s WHERE p = 2"));
            assertEquals("rollback\n[30]", SqlStore.run(old, "ROLLBACK; SELECT count(*) FROM c"));
        }
    }

    @Test
    void aChildThatComesMeanwhileIsAConflict() {
        fill(1, 2);
        try (SqlSession one = store.engine().open();
                SqlSession two = store.engine().open()) {
            SqlStore.run(one, "BEGIN; DELETE FROM p WHERE id = 1");
            SqlStore.run(two, "BEGIN; INSERT INTO g VALUES (1, 3, 1)");
            assertEquals("commit", SqlStore.run(two, "COMMIT"));
            assertTrue(SqlStore.run(one, "COMMIT").startsWith("CONFLICT: "));

            SqlStore.run(one, "BEGIN; INSERT INTO s VALUES (1, 300)");
            SqlStore.run(two, "BEGIN; DELETE FROM p WHERE id = 1");
            assertEquals("commit", SqlStore.run(two, "COMMIT"));
            assertTrue(SqlStore.run(one, "COMMIT").startsWith("CONFLICT: "));

            SqlStore.run(one, "BEGIN; DELETE FROM p WHERE id = 2");
            SqlStore.run(two, "INSERT INTO p VALUES (3, 3)");
            assertEquals("commit", SqlStore.run(one, "COMMIT"));
        }
        check("SELECT id FROM p", "[3]");
    }

    /** Rows of q have no secondary index, so deletes of different ones run at the same time. */
    @Test
    void manyInTheBackground() {
        int rows = 60;
        StringBuilder script = new StringBuilder("BEGIN;");
        for (int round = 0; round < 5; round++) {
            for (int i = 0; i < rows; i++) {
                String name = "'\\x%02x'".formatted(i);
                script.append("INSERT INTO q VALUES (" + name + ") RETURNING NOTHING;");
                script.append("INSERT INTO r VALUES " + rows(k -> "(" + name + ", " + k + ")") + " RETURNING NOTHING;");
                // The last round leaves every third one.
                if (round < 4 || i % 3 != 0) {
                    script.append("DELETE FROM q WHERE name = " + name + " RETURNING NOTHING;");
                }
            }
        }
        String answers = store.run(script + "SELECT count(*) FROM q; SELECT count(*) FROM r; COMMIT");
        int left = rows / 3;
        assertTrue(answers.endsWith("[" + left + "]\n[" + left * CHILDREN + "]\ncommit"), answers);
        check("SELECT count(*) FROM r", "[" + left * CHILDREN + "]");
    }

    @Test
    void mergesDropWhatWasErased() throws Exception {
        fill(1, 2, 3, 4, 5);
        // An ingest writes what was Put before it to a file.
        store.append(Ddl.parse(DDL, "test").get(2), List.of(List.of("1", "500"), List.of("5", "500")));
        check("DELETE FROM p WHERE id IN (2, 4)", "2 and {c=60, g=60, s=60}");
        store.append(Ddl.parse(DDL, "test").get(2), List.of(List.of("1", "501"), List.of("3", "501")));
        check("SELECT count(*) FROM s", "[94]");
        store.reopen();
        check("SELECT id FROM p", "[1 | 3 | 5]");
        store.close();
        try (RocksStore database = RocksStore.open(directory.resolve("store").resolve("db"), 1 << 20)) {
            Family family = database.family(FamilyNames.ofTable(1));
            family.flush();
            // The node may have merged files already; what is left is the same.
            assertTrue(entries(family) >= 3 * 121 + 4, "rows that were not erased are gone");
            List<LsmFile> files = family.files();
            family.merge(files.stream().map(LsmFile::name).toList(), 63, 64 << 20, 1);
            // Three parents of 91 KVs, 30 index entries each, and four rows that came later.
            assertEquals(3 * 121 + 4, entries(family));
        } finally {
            open(SqlSettings.defaults());
        }
        check("SELECT count(*) FROM c WHERE v >= 0", "[90]");
    }

    private static long entries(Family family) {
        return family.countedFiles().stream().mapToLong(LsmFile::entries).sum();
    }
}
