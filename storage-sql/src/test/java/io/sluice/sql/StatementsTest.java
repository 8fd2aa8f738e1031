package io.sluice.sql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.TableDef;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the effect of each statement on rows, indexes and checksums, and refusals. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class StatementsTest {
    private static final String DDL = """
            CREATE TABLE city (id INT PRIMARY KEY, name STRING NOT NULL, code STRING, UNIQUE INDEX by_code (code));
            CREATE TABLE person (id INT PRIMARY KEY, name STRING DEFAULT 'Unknown', age INT2, money DECIMAL(10,2),
                city INT REFERENCES city (id), boss INT REFERENCES person (id),
                INDEX by_age (age DESC, name), INDEX by_city (city), UNIQUE INDEX by_name (name, age));
            CREATE TABLE pet (person INT, no INT, kind STRING, PRIMARY KEY (person, no),
                FOREIGN KEY (person) REFERENCES person (id) ON DELETE CASCADE) INTERLEAVE IN PARENT person (person);
            CREATE TABLE toy (person INT, no INT, t INT, name STRING, PRIMARY KEY (person, no, t),
                FOREIGN KEY (person, no) REFERENCES pet (person, no) ON DELETE CASCADE)
                INTERLEAVE IN PARENT pet (person, no);
            CREATE TABLE note (id INT PRIMARY KEY, code STRING REFERENCES city (code) ON DELETE CASCADE);
            """;

    @TempDir
    Path directory;

    private SqlStore store;

    @BeforeEach
    void open() throws Exception {
        store = new SqlStore(directory);
        store.create(DDL);
        run("""
                INSERT INTO city VALUES (1, 'Ulm', 'U'), (2, 'Jena', 'J'), (3, 'Bonn', NULL);
                INSERT INTO person (id, name, age, money, city) VALUES (1, 'Ann', 30, 10, 1), (2, 'Bob', 40, 2.5, 2),
                    (110, 'Cid', NULL, NULL, NULL);
                INSERT INTO person (id, age, boss) VALUES (-3, 40, 2);
                INSERT INTO pet VALUES (1, 1, 'cat'), (1, 2, 'dog'), (110, 1, 'emu');
                INSERT INTO toy VALUES (1, 2, 1, 'ball'), (1, 2, 2, 'bone');
                """);
    }

    @AfterEach
    void close() {
        for (String table : List.of("city", "person", "pet", "toy", "note")) {
            assertEquals(
                    store.node().digest(table).indexes(),
                    Objects.requireNonNull(store.node().table(table)).imported(),
                    "the sums of " + table + " follow every change");
        }
        store.close();
    }

    private String run(String script) {
        return store.run(script);
    }

    private void check(String script, String expected) {
        assertEquals(expected.strip(), run(script), script);
    }

    private void refused(SqlErrorCodeAndText expected, String script) {
        String result = run(script);
        assertTrue(result.startsWith(expected.code() + ": ") && result.contains(expected.text()), result);
    }

    private record SqlErrorCodeAndText(String code, String text) {}

    private static SqlErrorCodeAndText with(String code, String text) {
        return new SqlErrorCodeAndText(code, text);
    }

    @Test
    void selects() {
        check("SELECT * FROM person WHERE id = 1", "[1,Ann,30,10.00,1,null]");
        check("SELECT id FROM person WHERE id IN (110, 2, 5, 2)", "[2 | 110]");
        check("SELECT id, name FROM person", "[-3,Unknown | 1,Ann | 2,Bob | 110,Cid]");
        check("SELECT id FROM person WHERE id > 1", "[2 | 110]");
        check("SELECT id FROM person WHERE age = 40", "[2 | -3]");
        check("SELECT id, age FROM person WHERE age > 0", "[2,40 | -3,40 | 1,30]");
        check("SELECT id FROM person WHERE age IS NULL", "[110]");
        check("SELECT id FROM person WHERE age > 0 LIMIT 2", "[2 | -3]");
        check("SELECT id FROM person LIMIT 0", "[]");
        check("SELECT count(*) FROM person", "[4]");
        check("SELECT count(*) FROM person WHERE age >= 40", "[2]");
        check("SELECT no, kind FROM pet WHERE person = 1", "[1,cat | 2,dog]");
        check("SELECT name FROM toy WHERE person = 1 AND no = 2 AND t > 1", "[bone]");
        check("SELECT count(*) FROM pet WHERE person BETWEEN 1 AND 110", "[3]");
        check("SELECT id FROM city WHERE code = 'J'", "[2]");
    }

    @Test
    void nothingIsNullInColumnsThatAreNotNull() {
        check("SELECT * FROM person WHERE id IS NULL", "[]");
        check("SELECT count(*) FROM person WHERE id IS NULL", "[0]");
        check("SELECT no FROM pet WHERE person = 1 AND no IS NULL", "[]");
        check("SELECT no FROM pet WHERE person IS NULL AND no > 1", "[]");
        check("SELECT count(*) FROM pet WHERE person IS NULL", "[0]");
        check("UPDATE person SET name = 'x' WHERE id IS NULL", "0");
        check("UPDATE person SET id = 5 WHERE id IS NULL", "0");
        check("DELETE FROM person WHERE id IS NULL", "0");
        check("DELETE FROM pet WHERE person IS NULL", "0");
        check("DELETE FROM toy WHERE person = 1 AND no IN (1, 2) AND t IS NULL", "0");
        check("BEGIN; DELETE FROM pet WHERE person IS NULL RETURNING NOTHING; COMMIT", "begin\nstarted\ncommit");
        assertTrue(run("EXPLAIN DELETE FROM person WHERE id IS NULL").contains("get 0 rows by primary key"));
        check("SELECT count(*) FROM toy", "[2]");
    }

    @Test
    void nanSortsBelowMinusInfinity() throws Exception {
        store.create("""
                CREATE TABLE f (k FLOAT PRIMARY KEY, d FLOAT, n DECIMAL, m DECIMAL, g FLOAT4,
                    INDEX by_d (d DESC), INDEX by_n (n), INDEX by_m (m DESC), INDEX by_g (g))
                """);
        run("""
                INSERT INTO f VALUES ('Infinity', 'Infinity', 'Infinity', 'Infinity', 'Infinity'), (1.5, 1.5, 1.5, 1.5, 1.5),
                    ('-0', '-0', 0, 0, '-0'), (-2, -2, -2, -2, -2),
                    ('-Infinity', '-Infinity', '-Infinity', '-Infinity', '-Infinity'),
                    ('NaN', 'NaN', 'NaN', 'NaN', 'NaN'), (7, NULL, NULL, NULL, NULL)
                """);
        check("SELECT k FROM f", "[NaN | -Infinity | -2 | -0 | 1.5 | 7 | Infinity]");
        check("SELECT k FROM f WHERE k < 0", "[NaN | -Infinity | -2]");
        check("SELECT k FROM f WHERE k > 'NaN' AND k < 'Infinity'", "[-Infinity | -2 | -0 | 1.5 | 7]");
        check("SELECT k FROM f WHERE k >= '-Infinity' AND k <= 0", "[-Infinity | -2 | -0]");
        check("SELECT k FROM f WHERE k IN ('NaN', 0)", "[NaN | -0]");
        check("SELECT d FROM f WHERE d <= 'Infinity'", "[Infinity | 1.5 | -0 | -2 | -Infinity | NaN]");
        check("SELECT d FROM f WHERE d < -2", "[-Infinity | NaN]");
        check("SELECT d FROM f WHERE d > 'NaN' AND d <= 0", "[-0 | -2 | -Infinity]");
        for (String column : List.of("n", "g")) {
            check("SELECT " + column + " FROM f WHERE " + column + " < 0", "[NaN | -Infinity | -2]");
            check("SELECT " + column + " FROM f WHERE " + column + " > '-Infinity' AND " + column + " < 0", "[-2]");
            check("SELECT " + column + " FROM f WHERE " + column + " >= 1", "[1.5 | Infinity]");
        }
        check("SELECT m FROM f WHERE m <= 'Infinity'", "[Infinity | 1.5 | 0 | -2 | -Infinity | NaN]");
        check("SELECT k FROM f WHERE d IS NULL", "[7]");
    }

    @Test
    void floatsOutOfRangeAreRefused() throws Exception {
        store.create("CREATE TABLE f (id INT PRIMARY KEY, d FLOAT, s FLOAT4, n DECIMAL(10,2))");
        run(
                "INSERT INTO f VALUES (1, 1e300, 1e30, 1), (2, 1e-300, 1e-30, 1), (3, 'Infinity', 'NaN', 'NaN'), (4, 0, 0, 0)");
        String before = run("SELECT * FROM f");
        check("INSERT INTO f (id, d) VALUES (11, -0.0), (12, -00e7), (13, '-0.0'), (14, -0.10)", "4");
        check("SELECT id, d FROM f WHERE id > 10", "[11,0 | 12,0 | 13,-0 | 14,-0.1]");
        check("UPDATE f SET d = -.0 WHERE id = 14", "1");
        check("SELECT d FROM f WHERE id = 14", "[0]");
        check("DELETE FROM f WHERE id > 10", "4");
        refused(with("BAD_VALUE", "out of range for FLOAT8"), "INSERT INTO f (id, d) VALUES (5, 1e-400)");
        refused(with("BAD_VALUE", "out of range for FLOAT4"), "INSERT INTO f (id, s) VALUES (5, 1e-50)");
        refused(with("BAD_VALUE", "out of range for DECIMAL(10,2)"), "INSERT INTO f (id, n) VALUES (5, '-inf')");
        refused(with("BAD_VALUE", "out of range for FLOAT8"), "UPDATE f SET d = d * 1e300 WHERE id = 1");
        refused(with("BAD_VALUE", "out of range for FLOAT8"), "UPDATE f SET d = d * 1e-300 WHERE id = 2");
        refused(with("BAD_VALUE", "out of range for FLOAT4"), "UPDATE f SET s = s * 1e30 WHERE id = 1");
        refused(with("BAD_VALUE", "out of range for FLOAT4"), "UPDATE f SET s = s * 1e-30 WHERE id = 2");
        refused(with("BAD_VALUE", "out of range for FLOAT4"), "UPDATE f SET s = d WHERE id = 2");
        refused(with("BAD_VALUE", "out of range for DECIMAL(10,2)"), "UPDATE f SET n = d WHERE id = 3");
        assertEquals(before, run("SELECT * FROM f"));
        check("UPDATE f SET d = d * 1e-300, s = s - 5 WHERE id IN (3, 4)", "2");
        check("SELECT d, s FROM f WHERE id IN (3, 4)", "[Infinity,NaN | 0,-5]");
    }

    @Test
    void limitBoundsTheRowsOfTheResult() {
        check("SELECT count(*) FROM person LIMIT 0", "[]");
        check("SELECT count(*) FROM person WHERE age > 0 LIMIT 0", "[]");
        check("SELECT count(*) FROM person LIMIT 1", "[4]");
        check("SELECT count(*) FROM person WHERE age > 0 LIMIT 2", "[3]");
        check("SELECT id FROM person LIMIT 2", "[-3 | 1]");
    }

    @Test
    void inserts() {
        check("INSERT INTO person (id, name) VALUES (5, 'Dee'), (6, DEFAULT)", "2");
        check("SELECT id, name, age FROM person WHERE id IN (5, 6)", "[5,Dee,null | 6,Unknown,null]");
        refused(with("UNIQUE", "index primary: there is a row with id = 1"), "INSERT INTO city VALUES (1, 'x', 'y')");
        refused(with("UNIQUE", "by_code: there is a row with code = U"), "INSERT INTO city VALUES (9, 'x', 'U')");
        check("INSERT INTO city VALUES (9, 'x', NULL)", "1");
        refused(with("UNIQUE", "index primary"), "INSERT INTO city VALUES (20, 'x', 'a'), (20, 'x', 'b')");
        check("SELECT count(*) FROM city WHERE id = 20", "[0]");
        refused(with("NOT_NULL", "name of table city"), "INSERT INTO city VALUES (21, NULL, 'a')");
        refused(
                with("FOREIGN_KEY", "table city that is not there: city = 77"),
                "INSERT INTO person (id, city) VALUES (8, 77)");
        refused(with("FOREIGN_KEY", "code = zz"), "INSERT INTO note VALUES (1, 'zz')");
        check("INSERT INTO note VALUES (1, 'U'), (2, NULL)", "2");
        check("INSERT INTO person (id, boss) VALUES (50, 51), (51, 50)", "2");
    }

    @Test
    void updates() {
        check("UPDATE person SET money = money + 0.255, age = age - 1 WHERE id = 2", "1");
        check("SELECT money, age FROM person WHERE id = 2", "[2.76,39]");
        check("SELECT id FROM person WHERE age = 39", "[2]");
        check("SELECT id FROM person WHERE age = 40", "[-3]");
        check("UPDATE person SET money = 1 WHERE id > 100", "1");
        check("UPDATE person SET age = age + 1 WHERE id = 110", "1");
        check("SELECT age FROM person WHERE id = 110", "[null]");
        check("UPDATE person SET name = 'x' WHERE id = 4711", "0");
        refused(with("BAD_VALUE", "column age INT2"), "UPDATE person SET age = age * 2000 WHERE id = 1");
        refused(with("BAD_VALUE", "column age INT2"), "UPDATE person SET age = age * 1.01 WHERE id = 1");
        refused(with("FOREIGN_KEY", "city = 9"), "UPDATE person SET city = 9 WHERE id = 1");
        refused(with("NOT_NULL", "name of table city"), "UPDATE city SET name = code WHERE id = 3");
        check("UPDATE city SET name = code WHERE id = 2", "1");
        check("SELECT name FROM city WHERE id = 2", "[J]");
    }

    @Test
    void updatesConvertNumbers() throws Exception {
        store.create("CREATE TABLE number (id INT PRIMARY KEY, i INT4, d DECIMAL, f FLOAT);");
        check("INSERT INTO number VALUES (1, 1, 5.00, 2), (2, 2, 5.50, 2.5), (3, 3, '1e400', 'NaN')", "3");
        check("UPDATE number SET i = d WHERE id = 1", "1");
        check("UPDATE number SET i = f, d = i WHERE id = 1", "1");
        check("SELECT i, d FROM number WHERE id = 1", "[2,5]");
        refused(with("BAD_VALUE", "whole number"), "UPDATE number SET i = d WHERE id = 2");
        refused(with("BAD_VALUE", "cannot be computed"), "UPDATE number SET i = f WHERE id = 3");
        refused(with("BAD_VALUE", "out of range for FLOAT8"), "UPDATE number SET f = d + 1 WHERE id = 3");
        check("UPDATE number SET f = f + 'inf' WHERE id = 2", "1");
        check("SELECT f FROM number WHERE id = 2", "[Infinity]");
        store.create("CREATE TABLE narrow (id FLOAT4 PRIMARY KEY, f FLOAT8, d DECIMAL);");
        check("INSERT INTO narrow VALUES (0.1, 0, 0)", "1");
        check("UPDATE narrow SET f = id, d = id RETURNING f = id, d", "[true,0.1]");
        check("UPDATE narrow SET f = id + 1, id = id + 1 RETURNING f, id", "[1.1000000014901161,1.1]");
    }

    @Test
    void updatesOfKeysActAsIfAtOnce() {
        check("UPDATE toy SET t = t + 1 WHERE person = 1 AND no = 2", "2");
        check("SELECT t, name FROM toy WHERE person = 1", "[2,ball | 3,bone]");
        refused(with("UNIQUE", "there is a row with"), "UPDATE toy SET t = 2 WHERE person = 1 AND no = 2");
        check("UPDATE person SET name = 'Ann', age = 30 WHERE id = 1", "1");
        refused(with("UNIQUE", "by_name"), "UPDATE person SET name = 'Ann', age = 30 WHERE id = 2");
        refused(with("FOREIGN_KEY", "rows of table pet refer"), "UPDATE person SET id = 7 WHERE id = 1");
        refused(with("FOREIGN_KEY", "rows of table person refer"), "UPDATE person SET id = 7 WHERE id = 2");
        check("UPDATE person SET id = 7 WHERE id = -3", "1");
        check("SELECT id FROM person", "[1 | 2 | 7 | 110]");
    }

    @Test
    void deletes() {
        check("DELETE FROM toy WHERE person = 1 AND no = 2 AND t = 1", "1");
        check("DELETE FROM person WHERE id = 1", "1 and {pet=2, toy=1}");
        check("SELECT count(*) FROM pet", "[1]");
        check("SELECT count(*) FROM toy", "[0]");
        refused(
                with("FOREIGN_KEY", "rows of table person refer to this row of table city: id = 2"),
                "DELETE FROM city WHERE id = 2");
        check("DELETE FROM city WHERE id = 1", "1");
        refused(with("FOREIGN_KEY", "rows of table person refer"), "DELETE FROM person WHERE id = 2");
        check("DELETE FROM person WHERE id <= 2", "2");
        check("DELETE FROM person", "1 and {pet=1}");
        check("DELETE FROM person", "0");
        check("INSERT INTO note VALUES (1, 'J'), (2, 'J'), (3, NULL); DELETE FROM city", "3\n2 and {note=2}");
        check("SELECT id FROM note", "[3]");
    }

    @Test
    void transactionsAreAllOrNothing() {
        check(
                "BEGIN; DELETE FROM toy; SELECT count(*) FROM toy; INSERT INTO toy VALUES (1, 1, 1, 'new');"
                        + " SELECT name FROM toy; ROLLBACK; SELECT name FROM toy",
                "begin\n2\n[0]\n1\n[new]\nrollback\n[ball | bone]");
        check("BEGIN; DELETE FROM toy; INSERT INTO toy VALUES (1, 1, 1, 'new'); COMMIT", "begin\n2\n1\ncommit");
        check("SELECT name FROM toy", "[new]");
        refused(with("NO_TRANSACTION", "BEGIN first"), "COMMIT");
        refused(with("NO_TRANSACTION", "BEGIN first"), "ROLLBACK");
        try (SqlSession session = store.engine().open()) {
            SqlStore.run(session, "BEGIN; DELETE FROM toy");
            assertTrue(SqlStore.run(session, "INSERT INTO city VALUES (1, 'x', 'y')")
                    .startsWith("UNIQUE: "));
            assertTrue(SqlStore.run(session, "SELECT * FROM toy").startsWith("ABORTED: "));
            assertTrue(SqlStore.run(session, "COMMIT").startsWith("ABORTED: "));
            assertEquals("[new]", SqlStore.run(session, "SELECT name FROM toy"));
            SqlStore.run(session, "BEGIN; DELETE FROM toy");
            assertTrue(SqlStore.run(session, "DELETE toy WHERE =").startsWith("SYNTAX: "));
            assertEquals("rollback", SqlStore.run(session, "ROLLBACK"));
            assertEquals("[new]", SqlStore.run(session, "SELECT name FROM toy"));
        }
    }

    @Test
    void theFirstToCommitStays() {
        try (SqlSession one = store.engine().open();
                SqlSession two = store.engine().open()) {
            SqlStore.run(one, "BEGIN; UPDATE person SET age = age + 1 WHERE id = 1");
            SqlStore.run(two, "BEGIN; UPDATE person SET age = age + 5 WHERE id = 1");
            assertEquals("[31]", SqlStore.run(one, "SELECT age FROM person WHERE id = 1"));
            assertEquals("commit", SqlStore.run(one, "COMMIT"));
            assertEquals("[35]", SqlStore.run(two, "SELECT age FROM person WHERE id = 1"));
            assertTrue(SqlStore.run(two, "COMMIT").startsWith("CONFLICT: "));
            assertEquals("[31]", SqlStore.run(two, "SELECT age FROM person WHERE id = 1"));

            SqlStore.run(one, "BEGIN; DELETE FROM city WHERE id = 3");
            SqlStore.run(two, "BEGIN; INSERT INTO person (id, city) VALUES (9, 3)");
            assertEquals("commit", SqlStore.run(two, "COMMIT"));
            assertTrue(SqlStore.run(one, "COMMIT").startsWith("CONFLICT: "));

            SqlStore.run(one, "BEGIN; INSERT INTO city VALUES (30, 'a', 'same')");
            SqlStore.run(two, "BEGIN; INSERT INTO city VALUES (31, 'b', 'same')");
            assertEquals("commit", SqlStore.run(one, "COMMIT"));
            assertTrue(SqlStore.run(two, "COMMIT").startsWith("CONFLICT: "));

            SqlStore.run(one, "BEGIN; UPDATE person SET age = 1 WHERE id = 1");
            SqlStore.run(two, "BEGIN; UPDATE person SET age = 1 WHERE id = 2");
            assertEquals("commit", SqlStore.run(one, "COMMIT"));
            assertEquals("commit", SqlStore.run(two, "COMMIT"));
        }
    }

    @Test
    void aTransactionReadsOneSnapshot() throws Exception {
        TableDef city = Ddl.parse(DDL, "test").get(0);
        try (SqlSession old = store.engine().open()) {
            SqlStore.run(old, "BEGIN");
            assertEquals("[3]", SqlStore.run(old, "SELECT count(*) FROM city"));
            run("INSERT INTO city VALUES (40, 'new', 'n'); DELETE FROM person WHERE id = 1");
            store.append(city, List.of(List.of("41", "added", "a")));
            assertEquals("[3]", SqlStore.run(old, "SELECT count(*) FROM city"));
            assertEquals("[Ann]", SqlStore.run(old, "SELECT name FROM person WHERE id = 1"));
            assertEquals("[dog]", SqlStore.run(old, "SELECT kind FROM pet WHERE person = 1 AND no = 2"));
            assertTrue(
                    SqlStore.run(old, "UPDATE city SET name = 'x' WHERE id = 2").startsWith("CONFLICT: "));
            assertEquals("rollback\n[5]", SqlStore.run(old, "ROLLBACK; SELECT count(*) FROM city"));
        }
    }

    @Test
    void explains() {
        String delete = run("EXPLAIN DELETE FROM person WHERE id = 1");
        assertTrue(delete.contains("delete rows of person | get 1 row by primary key"), delete);
        assertTrue(delete.contains("cascade to pet that refer to person | cascade to toy that refer to pet"), delete);
        assertTrue(run("EXPLAIN SELECT * FROM person WHERE age > 3").contains("scan 1 span of index by_age"));
        String returning = run("EXPLAIN DELETE FROM person WHERE id = 1 RETURNING id");
        assertTrue(returning.contains("row by row | not by span: each row is returned | may read"), returning);
        String update = run("EXPLAIN UPDATE person SET age = 1, boss = 2 WHERE id = 1");
        assertTrue(update.contains("get 1 row by primary key | each must find its row of person | may read"), update);
        String key = run("EXPLAIN UPDATE city SET code = 'x' WHERE id = 1");
        assertTrue(key.contains("| refuse if there are rows in note that refer to city | may read"), key);
        check("SELECT count(*) FROM person", "[4]");
    }

    @Test
    void rowsOutliveTheProcess() {
        run("BEGIN; UPDATE person SET name = 'Zoe' WHERE id = 1; INSERT INTO city VALUES (50, 'x', 'y'); COMMIT");
        run("BEGIN; DELETE FROM person WHERE id = 2");
        store.reopen();
        check("SELECT name FROM person WHERE id IN (1, 2)", "[Zoe | Bob]");
        check("SELECT id FROM city WHERE code = 'y'", "[50]");
    }
}
