package io.sluice.sql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.IngestTiming;
import io.sluice.model.schema.Ddl;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each condition of a delete by span, failing alone, as EXPLAIN tells it. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class HierarchyPlanTest {
    private static final String ROOT = "CREATE TABLE a (id INT PRIMARY KEY, n INT, INDEX by_n (n));";
    private static final String CHILD = """
            CREATE TABLE b (a INT, k INT, PRIMARY KEY (a, k), FOREIGN KEY (a) REFERENCES a (id) ON DELETE CASCADE)
                INTERLEAVE IN PARENT a (a);
            """;

    @TempDir
    Path directory;

    /** The lines of EXPLAIN that say how rows go. */
    private static List<String> how(SqlStore store, String delete) {
        String lines = store.run("EXPLAIN " + delete);
        return List.of(lines.substring(1, lines.length() - 1).split(" \\| ")).stream()
                .filter(line -> line.startsWith("by span") || line.startsWith("not by span"))
                .toList();
    }

    private List<String> how(String ddl, String delete) throws Exception {
        try (SqlStore store = new SqlStore(directory)) {
            store.create(ddl);
            return how(store, delete);
        }
    }

    private void obstacle(String expected, String ddl, String delete) throws Exception {
        assertEquals(List.of("not by span: " + expected), how(ddl, delete));
    }

    @Test
    void allConditionsHold() throws Exception {
        assertEquals(
                List.of("by span: scan a, b, s, g once, then one range delete per span,"
                        + " and the entries of secondary indexes by key"),
                how(ROOT + CHILD + """
                                CREATE TABLE s (a INT, k INT, PRIMARY KEY (a, k),
                                    FOREIGN KEY (a) REFERENCES a ON DELETE CASCADE) INTERLEAVE IN PARENT a (a);
                                CREATE TABLE g (a INT, k INT, x INT, PRIMARY KEY (a, k, x),
                                    FOREIGN KEY (a) REFERENCES a (id) ON DELETE CASCADE,
                                    FOREIGN KEY (a, k) REFERENCES b (a, k)) INTERLEAVE IN PARENT b (a, k);
                                """, "DELETE FROM a WHERE id > 3"));
    }

    @Test
    void severalColumnFamilies() throws Exception {
        String families = CHILD.replace("k INT,", "k INT, v INT,")
                .replace("ON DELETE CASCADE)", "ON DELETE CASCADE, FAMILY (a, k), FAMILY (v))");
        obstacle("table b has several column families", ROOT + families, "DELETE FROM a WHERE id > 3");
    }

    @Test
    void anotherIndex() throws Exception {
        obstacle("the condition is on index by_n, not on the primary key", ROOT + CHILD, "DELETE FROM a WHERE n = 1");
    }

    @Test
    void notTheRoot() throws Exception {
        obstacle("table b is itself interleaved in a", ROOT + CHILD + """
                        CREATE TABLE g (a INT, k INT, x INT, PRIMARY KEY (a, k, x),
                            FOREIGN KEY (a, k) REFERENCES b (a, k) ON DELETE CASCADE) INTERLEAVE IN PARENT b (a, k);
                        """, "DELETE FROM b WHERE a = 1");
    }

    @Test
    void nothingInside() throws Exception {
        obstacle("no table is interleaved in a", ROOT, "DELETE FROM a WHERE id = 1");
    }

    @Test
    void keyFromOutside() throws Exception {
        obstacle(
                "the foreign key (x, y) of table o to b comes from outside the hierarchy",
                ROOT + CHILD + """
                        CREATE TABLE o (id INT PRIMARY KEY, x INT, y INT,
                            FOREIGN KEY (x, y) REFERENCES b (a, k) ON DELETE CASCADE);
                        """,
                "DELETE FROM a WHERE id = 1");
    }

    @Test
    void keyThatIsNotThePrefix() throws Exception {
        obstacle(
                "the foreign key (other) of table g to a is not its interleave prefix",
                ROOT + CHILD + """
                        CREATE TABLE g (a INT, k INT, x INT, other INT REFERENCES a (id) ON DELETE CASCADE,
                            PRIMARY KEY (a, k, x),
                            FOREIGN KEY (a, k) REFERENCES b (a, k) ON DELETE CASCADE) INTERLEAVE IN PARENT b (a, k);
                        """,
                "DELETE FROM a WHERE id = 1");
    }

    @Test
    void rootThatRefersToItself() throws Exception {
        obstacle(
                "the foreign key (boss) of table a to a is not its interleave prefix",
                "CREATE TABLE a (id INT PRIMARY KEY, boss INT REFERENCES a (id));" + CHILD,
                "DELETE FROM a WHERE id = 1");
    }

    @Test
    void descendantThatDoesNotCascade() throws Exception {
        obstacle(
                "table g refers to no table that it lies in, by its interleave prefix and ON DELETE CASCADE",
                ROOT + CHILD + """
                        CREATE TABLE g (a INT, k INT, x INT, PRIMARY KEY (a, k, x),
                            FOREIGN KEY (a, k) REFERENCES b (a, k)) INTERLEAVE IN PARENT b (a, k);
                        """,
                "DELETE FROM a WHERE id = 1");
    }

    @Test
    void indexInside() throws Exception {
        obstacle(
                "index by_a of table o is interleaved in the hierarchy",
                ROOT
                        + CHILD
                        + "CREATE TABLE o (id INT PRIMARY KEY, a INT, INDEX by_a (a, id) INTERLEAVE IN PARENT a (a));",
                "DELETE FROM a WHERE id = 1");
    }

    @Test
    void importUnderWay() throws Exception {
        try (SqlStore store = new SqlStore(directory)) {
            store.create(ROOT + CHILD);
            var coming = Ddl.parse(ROOT + CHILD.replace("TABLE b", "TABLE z"), "test")
                    .get(1);
            try (var session = store.node().beginImport(ImportRequest.of(coming, IngestTiming.AT_END))) {
                assertEquals("z", session.table().name());
                assertEquals(
                        List.of("not by span: table z is being imported into the same hierarchy"),
                        how(store, "DELETE FROM a WHERE id = 1"));
            }
            assertTrue(how(store, "DELETE FROM a WHERE id = 1").get(0).startsWith("by span: scan a, b once"));
        }
    }

    @Test
    void severalAtOnce() throws Exception {
        List<String> found = how(
                ROOT
                        + CHILD.replace("ON DELETE CASCADE", "")
                        + "CREATE TABLE o (id INT PRIMARY KEY, x INT REFERENCES a (id));",
                "DELETE FROM a WHERE n > 1");
        assertEquals(3, found.size(), found.toString());
    }
}
