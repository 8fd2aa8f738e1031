package io.sluice.sql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.grammar.RowSink;
import io.sluice.grammar.SqlScript;
import io.sluice.grammar.StatementText;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Plans, limits and results of SELECT and RETURNING; {@link QueriesAgainstPostgresTest} compares results at large. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class QueriesTest {
    private static final String DDL = """
            CREATE TABLE sale (shop INT, day INT, item STRING NOT NULL, price DECIMAL(8,2), weight FLOAT,
                PRIMARY KEY (shop, day), INDEX by_item (item), INDEX by_price (price DESC));
            """;
    private static final String ROWS = """
            INSERT INTO sale VALUES (1, 1, 'pen', 1.50, 0.5), (1, 2, 'ink', 4, NULL), (1, 3, 'pen', NULL, 'NaN'),
                (2, 1, 'pad', 2.25, -1), (2, 2, 'pen', 1.5, 'Infinity'), (3, 7, 'ink', 4.00, '-Infinity');
            """;

    @TempDir
    Path directory;

    private SqlStore store;

    @BeforeEach
    void open() throws Exception {
        store = new SqlStore(directory, SqlSettings.defaults().with(new SqlSettings.Memory(1 << 20, 1 << 20, 20_000)));
        store.create(DDL);
        assertEquals("6", store.run(ROWS));
    }

    @AfterEach
    void close() {
        store.close();
    }

    private String plan(String sql) {
        return store.run("EXPLAIN " + sql).replaceAll(" \\| may read.*|^\\[|\\]$", "");
    }

    @Test
    void conditionsBecomeKeySpansWhereTheyCan() {
        assertEquals(
                "read rows of sale | scan 1 span of index primary | test each row: the keys do not cover the whole condition",
                plan("SELECT * FROM sale WHERE shop = 1 AND price > 1"));
        assertEquals(
                "read rows of sale | scan 2 spans of index primary",
                plan("SELECT * FROM sale WHERE shop = 1 OR shop IN (3, 1)"));
        assertEquals(
                "read rows of sale | get 1 row by primary key", plan("SELECT * FROM sale WHERE shop = 1 AND day = 2"));
        assertEquals(
                "read rows of sale | scan 1 span of index by_item | fetch each row by its primary key"
                        + " | test each row: the keys do not cover the whole condition",
                plan("SELECT * FROM sale WHERE item LIKE 'p%' AND NOT weight IS NULL"));
        assertEquals(
                "count rows of sale | scan 1 span of index by_item",
                plan("SELECT count(*) FROM sale WHERE item = 'x'"));
    }

    @Test
    void documentsAndArraysAreComparedButNotSorted() throws Exception {
        store.create(
                "CREATE TABLE note (id INT PRIMARY KEY, doc JSONB, tags STRING[], INDEX by_id (id) STORING (doc));");
        assertEquals(
                "2",
                store.run("INSERT INTO note VALUES (1, '{\"b\":1.50,\"a\":[]}', '{x,NULL}'), (2, NULL, '[\"y z\"]')"));
        assertEquals("[1,{\"a\": [], \"b\": 1.50},{x,NULL} | 2,null,{\"y z\"}]", store.run("SELECT * FROM note"));
        assertEquals("1", store.run("UPDATE note SET doc = '[1]', tags = NULL WHERE doc IS NULL"));
        assertEquals("[2,[1],null]", store.run("SELECT * FROM note WHERE tags IS NULL"));
        assertEquals("[1]", store.run("SELECT id FROM note WHERE CAST(doc AS STRING) LIKE '%1.50%'"));
        assertEquals("1", store.run("INSERT INTO note VALUES (4, '[1]', '{a}')"));
        assertEquals("[2 | 4]", store.run("SELECT id FROM note WHERE doc = '[1.0]'"));
        assertEquals("[1]", store.run("SELECT id FROM note WHERE tags = '{x,NULL}'"));
        for (String sql : List.of(
                "SELECT id FROM note WHERE doc < '[1]'",
                "SELECT id FROM note ORDER BY tags",
                "SELECT max(doc) FROM note")) {
            String problem = store.run(sql);
            assertTrue(problem.contains("have no order"), sql + ": " + problem);
        }
        String bad = store.run("INSERT INTO note VALUES (3, '{', NULL)");
        assertTrue(bad.contains("must be a JSON document"), bad);
    }

    @Test
    void infiniteDatesAreInfiniteTimes() throws Exception {
        store.create("CREATE TABLE day (id INT PRIMARY KEY, d DATE, t TIMESTAMP, z TIMESTAMPTZ);");
        assertEquals(
                "4",
                store.run("INSERT INTO day VALUES (1, 'infinity', 'infinity', '-infinity'),"
                        + " (2, '-infinity', '-infinity', 'infinity'),"
                        + " (3, '2024-01-01', '2024-01-01 10:00:00', '2024-01-01 10:00:00Z'),"
                        + " (4, '294276-12-31', '294276-12-31 10:00:00', '1969-12-31 23:59:59Z')"));
        assertEquals("[3 | 4]", store.run("SELECT id FROM day WHERE d < t"));
        assertEquals(
                "[infinity,infinity | -infinity,-infinity | 2024-01-01 00:00:00,2024-01-01 00:00:00+00"
                        + " | 294276-12-31 00:00:00,294276-12-31 00:00:00+00]",
                store.run("SELECT CAST(d AS TIMESTAMP), CAST(d AS TIMESTAMPTZ) FROM day"));
        assertEquals(
                "[infinity,-infinity | -infinity,infinity | 2024-01-01,2024-01-01 | 294276-12-31,1969-12-31]",
                store.run("SELECT CAST(t AS DATE), CAST(z AS DATE) FROM day"));
        assertEquals("1", store.run("INSERT INTO day VALUES (5, '294277-01-01', NULL, NULL)"));
        assertEquals(
                "BAD_VALUE: the result of 294277-01-01 is out of range for TIMESTAMP",
                store.run("SELECT CAST(d AS TIMESTAMP) FROM day WHERE id = 5"));
    }

    @Test
    void typeWordBeforeStringIsItsType() throws Exception {
        store.create(
                "CREATE TABLE moment (t TIMESTAMP PRIMARY KEY, z TIMESTAMPTZ, d DATE, c TIME, o TIMETZ, i INTERVAL,"
                        + " s STRING, n INT, INDEX by_z (z), INDEX by_d (d));");
        assertEquals(
                "1",
                store.run("INSERT INTO moment VALUES (TIMESTAMPTZ '2024-01-01 00:00:00+02',"
                        + " TIMESTAMP '2024-01-01 00:00:00+02', TIMESTAMPTZ '2024-01-01 00:00:00+02', TIME '10:00',"
                        + " TIME '10:00', TIME '10:00', TIMESTAMPTZ '2024-01-01 00:00:00+02', 1)"));
        String row = "2023-12-31 22:00:00,2024-01-01 00:00:00+00,2023-12-31,10:00:00,10:00:00+00,10:00:00,"
                + "2023-12-31 22:00:00+00";
        assertEquals("[" + row + ",1]", store.run("SELECT * FROM moment"));
        for (String condition : List.of(
                "t = TIMESTAMPTZ '2024-01-01 00:00:00+02'",
                "t = '2024-01-01 00:00:00+02'::TIMESTAMPTZ",
                "TIMESTAMPTZ '2024-01-01 00:30:00+02' > t",
                "t IN (TIMESTAMPTZ '2024-01-01 00:00:00+02')",
                "t < DATE '2024-01-01'",
                "z < TIMESTAMP '2024-01-01 00:30:00+02'",
                "z = DATE '2024-01-01'",
                "d = TIMESTAMP '2023-12-31'",
                "d < TIMESTAMP 'infinity'",
                "d < TIMESTAMP '2023-12-31 00:00:01'",
                "d > TIMESTAMPTZ '2023-12-31 01:00:00+02'",
                "o = TIME '10:00'",
                "i = TIME '10:00'")) {
            assertEquals("[1]", store.run("SELECT n FROM moment WHERE " + condition), condition);
        }
        for (String condition : List.of("t < TIMESTAMPTZ '2024-01-01 00:30:00+02'", "d = TIMESTAMP '2023-12-31'")) {
            String plan = plan("SELECT n FROM moment WHERE " + condition);
            assertTrue(plan.contains("1 span of index"), plan);
        }
        assertEquals("1", store.run("UPDATE moment SET t = DATE 'infinity', d = TIMESTAMP '2024-02-02 10:00:00'"));
        assertEquals("[infinity,2024-02-02]", store.run("SELECT t, d FROM moment"));
        assertEquals(
                "UNSUPPORTED: line 1, column 23: column n INT8: DATE cannot be converted to INT8",
                store.run("UPDATE moment SET n = DATE '2024-01-01'"));
        assertEquals(
                "BAD_VALUE: line 1, column 23: DATE: '2024': DATE must be yyyy-mm-dd, or infinity or -infinity",
                store.run("UPDATE moment SET s = DATE '2024'"));
        String mixed = store.run("SELECT n FROM moment WHERE s = DATE '2024-01-01'");
        assertTrue(mixed.contains("STRING and DATE do not go together"), mixed);
    }

    @Test
    void castsWithinOneKindApplyPrecisionAndLength() throws Exception {
        store.create("CREATE TABLE wide (id INT PRIMARY KEY, t TIMESTAMP, z TIMESTAMPTZ, c TIME, o TIMETZ, b BIT(5),"
                + " v VARBIT(8), y BYTES, s STRING, d DECIMAL, r TIMESTAMP(0));");
        assertEquals(
                "1",
                store.run("INSERT INTO wide VALUES (1, '2024-01-01 00:00:00.5', '2024-01-01 00:00:00.26Z',"
                        + " '23:59:59.7', '10:00:00.5+02', '10101', '1010', '\\x010203', '10101', 1.005, NULL)"));
        for (List<String> each : List.of(
                List.of("t::TIMESTAMP(0)", "2024-01-01 00:00:01"),
                List.of("t::TIMESTAMPTZ(0)", "2024-01-01 00:00:01+00"),
                List.of("z::TIMESTAMPTZ(1)", "2024-01-01 00:00:00.3+00"),
                List.of("z::TIMESTAMP", "2024-01-01 00:00:00.26"),
                List.of("CASE WHEN id = 2 THEN r ELSE t END::TIMESTAMP(0)", "2024-01-01 00:00:01"),
                List.of("CAST('infinity'::TIMESTAMP AS TIMESTAMP(0))", "infinity"),
                List.of("c::TIME(0)", "24:00:00"),
                List.of("o::TIMETZ(0)", "10:00:01+02"),
                List.of("b::BIT(3)", "101"),
                List.of("b::BIT(7)", "1010100"),
                List.of("b::VARBIT(3)", "101"),
                List.of("v::BIT(6)", "101000"),
                List.of("v::VARBIT(2)", "10"),
                List.of("v::VARBIT(9)", "1010"),
                List.of("s::BIT(3)", "101"),
                List.of("'10101'::BIT(7)", "1010100"),
                List.of("y::BYTES(2)", "\\x0102"),
                List.of("'\\x010203'::BYTES(2)", "\\x0102"),
                List.of("s::VARCHAR(3)", "101"),
                List.of("s::CHAR(4)", "1010"),
                List.of("d::DECIMAL(5,2)", "1.01"),
                List.of("'NaN'::DECIMAL::DECIMAL(5,2)", "NaN"))) {
            String sql = "SELECT " + each.get(0) + " FROM wide";
            assertEquals("[" + each.get(1) + "]", store.run(sql), sql);
        }
        for (List<String> each : List.of(
                List.of("b::BIT(200000000)", "a cast to BIT(200000000) appends zeros up to 1048576 bits only"),
                List.of("d::DECIMAL(2,2)", "the result of 1.005 is out of range for DECIMAL(2,2)"),
                List.of(
                        "'Infinity'::DECIMAL::DECIMAL(5,2)",
                        "the result of Infinity is out of range for DECIMAL(5,2)"))) {
            assertEquals("BAD_VALUE: " + each.get(1), store.run("SELECT " + each.get(0) + " FROM wide"));
        }
    }

    /** PostgreSQL 15 gives these results: a number is a FLOAT8, unless a list has several. */
    @Test
    void numbersBesideFloat4AreFloat8() throws Exception {
        store.create("CREATE TABLE narrow (f FLOAT4 PRIMARY KEY, n INT2);");
        assertEquals("4", store.run("INSERT INTO narrow VALUES (0.1, 1), (0.5, 2), (16777216, 3), ('Infinity', 4)"));
        for (List<String> each : List.of(
                List.of("f = 0.1", "[]"),
                List.of("f = '0.1'", "[1]"),
                List.of("f = 0.1::FLOAT4", "[1]"),
                List.of("f IN (0.1)", "[]"),
                List.of("f IN (0.1, 0.5)", "[1 | 2]"),
                List.of("f = 0.5", "[2]"),
                List.of("f > 0.1", "[1 | 2 | 3 | 4]"),
                List.of("f <= 0.1", "[]"),
                List.of("f > '0.1'", "[2 | 3 | 4]"),
                List.of("f = 16777217", "[]"),
                List.of("f >= 16777216.5", "[4]"),
                List.of("f > 1e300", "[4]"),
                List.of("f = 'Infinity'", "[4]"),
                List.of("CASE f WHEN 0.1 THEN TRUE ELSE FALSE END", "[]"))) {
            assertEquals(
                    each.get(1), store.run("SELECT n FROM narrow WHERE " + each.get(0) + " ORDER BY n"), each.get(0));
        }
        assertTrue(plan("SELECT n FROM narrow WHERE f = 0.5").contains("get 1 row by primary key"));
        assertTrue(plan("SELECT n FROM narrow WHERE f = '0.1'").contains("get 1 row by primary key"));
        assertEquals(
                "[0.1,0.1,null,1]",
                store.run("SELECT NULLIF(f, 0.1), NULLIF(f, 0.5), NULLIF(n, 1.0), NULLIF(n, 1.5) FROM narrow"
                        + " WHERE n = 1"));
    }

    @Test
    void numbersAreComparedWithNumbersOnly() throws Exception {
        store.create("CREATE TABLE mixed (id INT PRIMARY KEY, s STRING, b BOOL, y BYTES, j JSONB, v INTERVAL);");
        assertEquals("1", store.run("INSERT INTO mixed VALUES (1, '5', true, '5', '5', '5 seconds')"));
        for (String condition : List.of("s = 5", "s > 4", "s IN (5)", "5 = s", "b = 1", "y = 5", "j = 5", "v = 5")) {
            String refused = store.run("SELECT id FROM mixed WHERE " + condition);
            assertTrue(refused.startsWith("UNSUPPORTED: ") && refused.contains("CAST(… AS type)"), refused);
        }
        assertEquals("[1]", store.run("SELECT id FROM mixed WHERE s = '5' AND s = CAST(5 AS STRING) AND j = '5'"));
    }

    @Test
    void castsToArraysConvertNoElements() throws Exception {
        store.create("CREATE TABLE many (id INT PRIMARY KEY, a INT8[], b BOOL[]);");
        assertEquals("1", store.run("INSERT INTO many VALUES (1, '{1,2}', '{t,f}')"));
        assertEquals(
                "[{1,2},{1,2},{3},{\"a b\",c}]",
                store.run("SELECT a::INT8[], CAST(a AS INT2[]), '{3}'::INT8[], '{\"a b\",c}'::STRING[] FROM many"));
        for (String cast : List.of("a::STRING[]", "b::STRING[]", "a::FLOAT8[]", "id::INT8[]")) {
            String refused = store.run("SELECT " + cast + " FROM many");
            assertTrue(refused.startsWith("UNSUPPORTED: ") && refused.contains("cannot be converted"), refused);
        }
    }

    @Test
    void castOfALiteralIsItsType() throws Exception {
        store.create(
                "CREATE TABLE five (id INT4 PRIMARY KEY, s STRING, d DECIMAL(8,2), f FLOAT, b BOOL, day DATE, u UUID,"
                        + " e ENUM('5'), INDEX by_d (d), INDEX by_s (s));");
        assertEquals("1", store.run("INSERT INTO five VALUES (5, '5', 5, 5, true, '2024-01-01', NULL, '5')"));
        for (String condition : List.of(
                "id = '5'::INT8",
                "id = '5'::INT2",
                "id = '5.0'::DECIMAL",
                "id < '5.5'::DECIMAL",
                "id IN ('5.0'::FLOAT8, '5'::INT8)",
                "s = '5'::STRING",
                "s = '5'::VARCHAR(9)",
                "s IN ('5'::STRING)",
                "d = '5'::INT8",
                "d = '5'::FLOAT8",
                "f = '5'::DECIMAL",
                "b = 'true'::BOOL",
                "day = '2024-01-01'::DATE",
                "day < '2024-01-01 00:00:01'::TIMESTAMP",
                "e = '5'::STRING")) {
            assertEquals("[5]", store.run("SELECT id FROM five WHERE " + condition), condition);
        }
        assertTrue(plan("SELECT id FROM five WHERE s = '5'::STRING").contains("1 span of index by_s"));
        for (String condition : List.of(
                "id = '5'::STRING",
                "'5'::STRING > id",
                "id IN (5, '5'::STRING)",
                "id BETWEEN 1 AND '9'::STRING",
                "s = '5'::INT8",
                "d = '5'::STRING",
                "f = 'true'::BOOL",
                "b = '1'::INT8",
                "b = 'true'::STRING",
                "day = '2024-01-01'::STRING",
                "u = '00000000-0000-0000-0000-000000000000'::STRING",
                "CASE id WHEN '5'::STRING THEN true ELSE false END")) {
            String refusal = store.run("SELECT id FROM five WHERE " + condition);
            assertTrue(refusal.contains(" do not go together; "), condition + ": " + refusal);
        }
    }

    @Test
    void castsToTimesOfDay() throws Exception {
        store.create(
                "CREATE TABLE clock (id INT PRIMARY KEY, t TIMESTAMP, z TIMESTAMPTZ, c TIME, o TIMETZ, i INTERVAL);");
        assertEquals(
                "1",
                store.run("INSERT INTO clock VALUES (1, '1969-12-31 23:59:58.25', '2024-01-01 10:00:00.5+02',"
                        + " '10:00:01.5', '10:00:00.5+02', '-1 days -1 hours')"));
        for (List<String> each : List.of(
                List.of("t::TIME", "23:59:58.25"),
                List.of("t::TIME(1)", "23:59:58.3"),
                List.of("z::TIME", "08:00:00.5"),
                List.of("z::TIME(0)", "08:00:01"),
                List.of("z::TIMETZ", "08:00:00.5+00"),
                List.of("o::TIME", "10:00:00.5"),
                List.of("o::TIME(0)", "10:00:01"),
                List.of("c::TIMETZ(0)", "10:00:02+00"),
                List.of("c::INTERVAL", "10:00:01.5"),
                List.of("i::TIME", "23:00:00"),
                List.of("'26:00'::INTERVAL::TIME", "02:00:00"),
                List.of("CAST('10:00:00.4999995'::STRING AS TIME(0))", "10:00:00"))) {
            String sql = "SELECT " + each.get(0) + " FROM clock";
            assertEquals("[" + each.get(1) + "]", store.run(sql), sql);
        }
        assertEquals(
                "BAD_VALUE: the result of infinity is out of range for TIME",
                store.run("SELECT 'infinity'::TIMESTAMP::TIME FROM clock"));
        for (String cast : List.of("t::TIMETZ", "t::INTERVAL", "o::INTERVAL", "o::TIMESTAMP", "i::TIMETZ", "c::DATE")) {
            String refusal = store.run("SELECT " + cast + " FROM clock");
            assertTrue(refusal.contains("cannot be converted to"), cast + ": " + refusal);
        }
    }

    @Test
    void castsConvertValuesAndNotTheirTexts() throws Exception {
        store.create(
                "CREATE TABLE odd (id INT PRIMARY KEY, n JSONB, b JSONB, s JSONB, a INET, v VARBIT, g INT8, f FLOAT,"
                        + " d DECIMAL);");
        assertEquals(
                "1",
                store.run("INSERT INTO odd VALUES (1, '10.5', 'true', '\"10\"', '10.0.0.1', '101', 16777217, 1e-300,"
                        + " 1.00000017881393432617187500001)"));
        for (List<String> each : List.of(
                List.of("n::INT", "11"),
                List.of("n::DECIMAL", "10.5"),
                List.of("n::FLOAT4", "10.5"),
                List.of("n::STRING", "10.5"),
                List.of("b::BOOL", "true"),
                List.of("s::STRING", "\"10\""),
                List.of("a::STRING", "10.0.0.1"),
                List.of("v::INT", "5"),
                List.of("v::VARBIT(2)", "10"),
                List.of("g::FLOAT4", "1.6777216e+07"),
                List.of("0::FLOAT4", "0"),
                List.of("d::FLOAT4", "1.0000002"))) {
            String sql = "SELECT " + each.get(0) + " FROM odd";
            assertEquals("[" + each.get(1) + "]", store.run(sql), sql);
        }
        for (String cast : List.of(
                "n::INET",
                "n::BIT(3)",
                "n::DATE",
                "n::BYTES",
                "v::JSONB",
                "v::BYTES",
                "v::FLOAT",
                "v::BOOL",
                "a::JSONB",
                "a::BYTES",
                "g::INET")) {
            String refusal = store.run("SELECT " + cast + " FROM odd");
            assertTrue(refusal.contains("cannot be converted to"), cast + ": " + refusal);
        }
        for (String cast :
                List.of("s::INT", "s::BOOL", "n::BOOL", "b::INT", "s::FLOAT", "f::FLOAT4", "'x'::ENUM('a')")) {
            String refusal = store.run("SELECT " + cast + " FROM odd");
            assertTrue(refusal.startsWith("BAD_VALUE: "), cast + ": " + refusal);
        }
    }

    @Test
    void documentsAndArraysWithEqualNumbersAreEqual() throws Exception {
        store.create("CREATE TABLE pair (id INT PRIMARY KEY, j JSONB, k JSONB, n DECIMAL(5,1)[], f FLOAT[], s STRING[],"
                + " i INT[]);");
        assertEquals(
                "4",
                store.run("INSERT INTO pair VALUES"
                        + " (1, '1', '{\"a\":[1e2,-0.0,\"1.0\\\"\"]}', '{1,NULL}', '{-0}', '{1.0}', '{1}'),"
                        + " (2, '1.0', '{\"a\":[100.00,0,\"1.0\\\"\"]}', '{1.0,NULL}', '{0}', '{1}', '{1}'),"
                        + " (3, '\"1.0\"', '[true,-1.50]', '{NaN}', '{-Infinity}', '{-1.0}', '{}'),"
                        + " (4, '\"1\"', '[true,-1.5]', NULL, '{1e20}', '{x}', NULL)"));
        assertEquals("[1 | 2]", store.run("SELECT id FROM pair WHERE j = '1.00'"));
        assertEquals("[3 | 4]", store.run("SELECT id FROM pair WHERE j <> '1'"));
        assertEquals("[1 | 2]", store.run("SELECT id FROM pair WHERE j IN ('1')"));
        assertEquals("[3 | 4]", store.run("SELECT id FROM pair WHERE j NOT IN ('1', '2')"));
        assertEquals("[1 | 2]", store.run("SELECT id FROM pair WHERE j IN (k, CAST('1.000' AS JSONB))"));
        assertEquals("[2 | 2]", store.run("SELECT count(*) FROM pair GROUP BY k"));
        assertEquals("[1 | \"1.0\" | \"1\"]", store.run("SELECT DISTINCT j FROM pair"));
        assertEquals(
                "[3,2,3,4]",
                store.run("SELECT count(DISTINCT j), count(DISTINCT n), count(DISTINCT f),"
                        + " count(DISTINCT s) FROM pair"));
        assertEquals("[1 | 2]", store.run("SELECT id FROM pair WHERE n = '{1.00,null}'"));
        assertEquals("[]", store.run("SELECT id FROM pair WHERE n = '{1.01,null}'"));
        assertEquals("[3]", store.run("SELECT id FROM pair WHERE f IN ('{-Infinity}', '{2}')"));
        assertEquals("[4]", store.run("SELECT id FROM pair WHERE f = '{1.0e20}'"));
        assertEquals("[1]", store.run("SELECT id FROM pair WHERE s = '{1.0}'"));
        assertEquals("[null | null | \"1.0\" | \"1\"]", store.run("SELECT NULLIF(j, '1.0') FROM pair"));
        String mixed = store.run("SELECT id FROM pair WHERE i = s");
        assertTrue(mixed.contains("INT8[] and STRING[] do not go together"), mixed);
    }

    @Test
    void orderOfAnIndexNeedsNoSort() {
        String inOrder = "rows come in the order of the index";
        assertTrue(plan("SELECT * FROM sale ORDER BY shop, day").endsWith(inOrder));
        assertTrue(plan("SELECT * FROM sale WHERE shop = 2 ORDER BY day").endsWith(inOrder));
        assertTrue(plan("SELECT * FROM sale ORDER BY shop DESC").endsWith("sort rows in memory"));
        assertTrue(plan("SELECT * FROM sale ORDER BY day LIMIT 1").endsWith("keep the first rows in memory"));
        String byPrice = "SELECT day FROM sale WHERE price > 0 ORDER BY price DESC";
        assertTrue(plan(byPrice + " NULLS LAST").endsWith(inOrder));
        assertTrue(plan(byPrice).endsWith("sort rows in memory"), "NULLs of a descending index are last");
        assertEquals("[2 | 7 | 1 | 1 | 2]", store.run(byPrice + " NULLS LAST"));
    }

    @Test
    void nanIsTheFirstNumber() {
        assertEquals(
                "[NaN | -Infinity | -1 | 0.5 | Infinity | null]", store.run("SELECT weight FROM sale ORDER BY weight"));
        assertEquals("[2]", store.run("SELECT count(*) FROM sale WHERE weight < -1"));
        assertEquals("[NaN,Infinity]", store.run("SELECT min(weight), max(weight) FROM sale"));
    }

    @Test
    void groupsAndTheirAggregates() {
        assertEquals(
                "[ink,2,8.00,4.0000000000000000 | pad,1,2.25,2.2500000000000000 | pen,3,3.00,1.5000000000000000]",
                store.run("SELECT item, count(*), sum(price), avg(price) FROM sale GROUP BY item ORDER BY 1"));
        assertEquals("[pen]", store.run("SELECT item FROM sale GROUP BY item HAVING count(price) < count(*)"));
        assertEquals("[0,null]", store.run("SELECT count(*), sum(day) FROM sale WHERE shop = 9"));
        assertEquals("[]", store.run("SELECT shop, count(*) FROM sale WHERE shop = 9 GROUP BY shop"));
        assertEquals("[2.25 | 4.00]", store.run("SELECT DISTINCT price FROM sale WHERE item <> 'pen' ORDER BY price"));
    }

    @Test
    void changedRowsAreReturned() {
        assertEquals(
                "[4,pen!]",
                store.run("INSERT INTO sale VALUES (4, 4, 'pen', 1, 1) RETURNING shop, item || '!' AS loud"));
        assertEquals(
                "[1,2.50 | 2,2.50]",
                store.run(
                        "UPDATE sale SET price = price + 1 WHERE item = 'pen' AND price > 1.2 RETURNING shop, price"));
        assertEquals(
                "[2,2,pen,2.50,Infinity]",
                store.run("DELETE FROM sale WHERE shop > 1 AND item = 'pen' AND day = 2 RETURNING *"));
        assertEquals("1", store.run("DELETE FROM sale WHERE weight IS NULL"));
        assertEquals("[5]", store.run("SELECT count(*) FROM sale"));
    }

    @Test
    void memoryOfASortOrOfGroupsIsBounded() {
        StringBuilder insert = new StringBuilder("INSERT INTO sale VALUES (5, 0, 'x', 0, 0)");
        for (int i = 1; i < 400; i++) {
            insert.append(", (5, ")
                    .append(i)
                    .append(", 'x")
                    .append(i)
                    .append("', ")
                    .append(i)
                    .append(", 0)");
        }
        assertEquals("400", store.run(insert.toString()));
        String refusal = store.run("SELECT day FROM sale ORDER BY item DESC");
        assertTrue(refusal.startsWith("TOO_LARGE: ORDER BY needs more than 20000 bytes"), refusal);
        assertTrue(store.run("SELECT item FROM sale GROUP BY item").startsWith("TOO_LARGE: GROUP BY needs"));
        assertTrue(store.run("SELECT DISTINCT item FROM sale").startsWith("TOO_LARGE: DISTINCT needs"));
        assertTrue(store.run("SELECT count(DISTINCT item) FROM sale").startsWith("TOO_LARGE: an aggregate"));
        assertEquals(
                "[x99 | x98]", store.run("SELECT item FROM sale ORDER BY item DESC LIMIT 2"), "LIMIT keeps two rows");
        assertEquals("[406]", store.run("SELECT count(*) FROM sale"));
    }

    @Test
    void memoryOfTheGreatestValuesIsBounded() {
        for (int i = 0; i < 10; i++) {
            String item = i + "x".repeat(3000);
            assertEquals("1", store.run("INSERT INTO sale VALUES (6, " + i + ", '" + item + "', 0, 0)"));
        }
        String byDay = "SELECT day, length(max(item)) FROM sale WHERE shop = 6 GROUP BY day";
        assertTrue(store.run(byDay).startsWith("TOO_LARGE: an aggregate needs more than"), store.run(byDay));
        assertEquals("[3001]", store.run("SELECT length(max(item)) FROM sale WHERE shop = 6"), "one at a time");
    }

    @Test
    void resultsOutOfRangeFail() {
        assertTrue(store.run("SELECT day / (day - 1) FROM sale").startsWith("BAD_VALUE: division by zero"));
        assertTrue(store.run("SELECT day * 9223372036854775807 FROM sale").contains("out of range for INT8"));
        assertTrue(store.run("SELECT item::INT FROM sale").startsWith("BAD_VALUE"));
        assertTrue(store.run("SELECT 1e100000 * 1e100000 FROM sale").contains("out of range for DECIMAL"));
        assertTrue(store.run("SELECT 1e100000 + 1e-100000 FROM sale").contains("out of range for DECIMAL"));
        for (String tiny : List.of(
                "'1e-200'::FLOAT * '1e-200'::FLOAT",
                "'1e-200'::FLOAT / '1e200'::FLOAT",
                "'1e-30'::FLOAT4 * '1e-30'::FLOAT4")) {
            String result = store.run("SELECT " + tiny + " FROM sale");
            assertTrue(result.contains("out of range for FLOAT"), result);
        }
        assertTrue(store.run("SELECT weight / 0 FROM sale WHERE weight = 0.5").contains("division by zero"));
    }

    @Test
    void resultsAtTheLimitsOfFloat() {
        String one = " FROM sale WHERE shop = 1 AND day = 1";
        assertEquals("[NaN,0,0]", store.run("SELECT 'NaN'::FLOAT / 0, 0 * weight, weight / 'Infinity'::FLOAT" + one));
        assertEquals("[-9223372036854775808]", store.run("SELECT '-9223372036854775808'::FLOAT::INT" + one));
        assertTrue(store.run("SELECT '9223372036854775808'::FLOAT::INT" + one).contains("out of range for INT8"));
    }

    @Test
    void aCancelledRequestReadsNoFurther() {
        try (SqlSession session = store.engine().open()) {
            Cancellation gone = new Cancellation();
            List<StatementText> query = SqlScript.split("SELECT max(day) FROM sale");
            assertEquals("[7]", SqlStore.line(session.execute(query, gone).get(0)));
            gone.cancel();
            String result = SqlStore.line(session.execute(query, gone).get(0));
            assertTrue(result.startsWith("FAILED: the statement was cancelled"), result);
            assertEquals("[7]", SqlStore.run(session, "SELECT max(day) FROM sale"), "the next request");
        }
    }

    /** A request that ends within a transaction aborts that; the rows before it were passed on. */
    @Test
    void rowsArePassedOnUntilTheRequestEnds() {
        try (SqlSession session = store.engine().open()) {
            assertEquals("begin", SqlStore.run(session, "BEGIN"));
            List<String> rows = new ArrayList<>();
            Cancellation gone = new Cancellation();
            RowSink sink = new RowSink() {
                @Override
                public void columns(List<String> names) {
                    rows.add(names.toString());
                }

                @Override
                public void row(List<@Nullable String> row) {
                    rows.add(row.toString());
                    if (rows.size() == 3) {
                        gone.cancel();
                    }
                }
            };
            StatementText query = SqlScript.split("SELECT day FROM sale").get(0);
            String result = SqlStore.line(session.execute(query, sink, gone));
            assertTrue(result.startsWith("FAILED: the statement was cancelled"), result);
            assertEquals(3, rows.size(), rows.toString());
            assertTrue(SqlStore.run(session, "SELECT 1 FROM sale").startsWith("ABORTED"));
            assertEquals("rollback", SqlStore.run(session, "ROLLBACK"));
            assertEquals("6", SqlStore.line(session.execute(query, rows(), new Cancellation())));
        }
    }

    private static RowSink rows() {
        return new RowSink() {
            @Override
            public void columns(List<String> names) {}

            @Override
            public void row(List<@Nullable String> row) {}
        };
    }

    /** The same rows and the same queries, on one store and on three. */
    @Test
    void shardedTablesHaveTheSameResults(@TempDir Path other) throws Exception {
        String ddl = "CREATE TABLE c (id INT PRIMARY KEY, i INT, s STRING, INDEX by_i (i))";
        StringBuilder insert = new StringBuilder("INSERT INTO c VALUES (0, NULL, 'x')");
        for (int i = 1; i < 100; i++) {
            insert.append(", (")
                    .append(3 * i)
                    .append(", ")
                    .append(i % 17)
                    .append(", 's")
                    .append(i % 7)
                    .append("')");
        }
        store.create(ddl);
        assertEquals("100", store.run(insert.toString()));
        try (DistributedStores stores = new DistributedStores(other, 1, 60_000)) {
            stores.create(ddl);
            try (SqlSession session = stores.engine().open()) {
                assertEquals("100", SqlStore.run(session, insert.toString()));
                for (String query : List.of(
                        "SELECT i, count(*), sum(id), min(s) FROM c WHERE id > 20 OR s = 's3' GROUP BY i ORDER BY 3 DESC",
                        "SELECT id, s || i FROM c WHERE i <> 4 AND s LIKE 's%' ORDER BY s DESC, id LIMIT 7 OFFSET 3",
                        "SELECT DISTINCT s FROM c WHERE i BETWEEN 3 AND 5 ORDER BY s",
                        "SELECT id FROM c WHERE i = 3 AND s <> 's3'",
                        "DELETE FROM c WHERE s = 's5' AND i > 3 RETURNING id, i",
                        "SELECT avg(id), count(i), max(s) FROM c")) {
                    assertEquals(store.run(query), SqlStore.run(session, query), query);
                }
            }
        }
    }
}
