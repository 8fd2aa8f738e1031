package io.sluice.grammar;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.TableDef;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The meaning of statements, and the positions and reasons of errors. */
class SqlParserTest {
    private static final Map<String, TableDef> TABLES =
            Ddl.parse("""
                    CREATE TABLE p (a INT, b INT, c STRING, d DECIMAL(6,2) DEFAULT 1.50, e BOOL, t TIMESTAMP,
                        f FLOAT, "Q" BYTES, n INT2 NOT NULL DEFAULT 7,
                        PRIMARY KEY (a, b DESC), INDEX by_c (c, d), UNIQUE INDEX by_t (t));
                    CREATE TABLE h (x INT);
                    """, "test").stream().collect(Collectors.toMap(TableDef::name, Function.identity()));

    /** A literal in the statements below, with its optional type word. */
    private static final Pattern LITERAL =
            Pattern.compile("(?:TIMESTAMP )?'((?:[^']|'')*)'|-?(?<![\\w\"])[0-9]+(?:\\.[0-9]+)?(?:e[0-9]+)?");

    private static Statement parse(String sql) {
        return new SqlParser().parse(SqlScript.split(sql).get(0), TABLES::get);
    }

    private static final List<String> MEANINGS = List.of(
            "BEGIN => Begin[]",
            "start  transaction => Begin[]",
            "commit => Commit[]",
            "ROLLBACK => Rollback[]",
            "insert into p (a, b, c) values (1, -2, 'it''s') => "
                    + "insert p [[1, -2, it's, 1.50, null, null, null, null, 7]]",
            "INSERT INTO P (b, a, d, e, n) VALUES (1, 2, NULL, true, DEFAULT), (3, 4, DEFAULT, FALSE, 5) "
                    + "RETURNING NOTHING => insert p [[2, 1, null, null, true, null, null, null, 7], "
                    + "[4, 3, null, 1.50, false, null, null, null, 5]] (returning nothing)",
            "INSERT INTO public.p VALUES (1, 2, 'c', 1e2, NULL, '2024-01-01 10:00:00', 1.5, '\\x00ff', 3) => "
                    + "insert p [[1, 2, c, 1e2, null, 2024-01-01 10:00:00, 1.5, \\x00ff, 3]]",
            "UPDATE p SET c = 'x', d = d + 1.5, n = DEFAULT, f = f * -2, b = a WHERE a = 1 => "
                    + "update p set c = x, d = column d + 1.5, n = 7, f = column f * -2, b = column a by primary [1]",
            "update p set \"Q\" = NULL where a = 1 and b > 2 and b <= 9 returning nothing => "
                    + "update p set Q = null by primary [1] > 2 < or = 9 (returning nothing)",
            "DELETE FROM p WHERE (a = 5) AND (b IN (1, 2)) => delete p by primary [5, 1] or [5, 2]",
            "DELETE FROM p WHERE a IN (1, 2) AND b = 5 => delete p by primary [1, 5] or [2, 5]",
            "DELETE FROM p WHERE b = 5 AND 7 = a => delete p by primary [7, 5]",
            "DELETE FROM p => delete p",
            "SELECT * FROM p => select [a, b, c, d, e, t, f, Q, n] of p",
            "SELECT c, \"Q\" FROM p WHERE c = 'k' AND d BETWEEN 1 AND 2.005 LIMIT 3 => "
                    + "select [c, Q] of p by by_c [k] > or = 1 < or = 2.005 limit 3",
            "SELECT count(*) FROM p WHERE 3 < a => select [#0 as count] of p by primary [] > 3 group [(count)]",
            "SELECT a FROM p WHERE a IN (1, 2) OR a = 3 => select [a] of p by primary [1] or [2] or [3]",
            "SELECT a FROM p WHERE a = 1 OR b = 2 => select [a] of p if (or (= a '1') (= b '2'))",
            "SELECT a FROM p WHERE NOT a = 1 AND c = 'k' => select [a] of p by by_c [k] if (not (= a '1'))",
            "SELECT a FROM p WHERE a <> 1 AND a > 0 AND a > 2 => "
                    + "select [a] of p by primary [] > 0 if (and (<> a '1') (> a '2'))",
            "SELECT a FROM p WHERE a NOT IN (1) => select [a] of p if (not (in a '1'))",
            "SELECT a FROM p WHERE a NOT BETWEEN 1 AND 2 => select [a] of p if (not (and (>= a '1') (<= a '2')))",
            "SELECT a FROM p WHERE t IS NOT NULL => select [a] of p if (not (is_null t))",
            "SELECT a FROM p WHERE a = b => select [a] of p if (= a b)",
            "SELECT a FROM p WHERE b = 1 => select [a] of p if (= b '1')",
            "SELECT a FROM p WHERE a > 1 AND b = 2 => select [a] of p by primary [] > 1 if (= b '2')",
            "SELECT a FROM p WHERE c LIKE 'ab%' => select [a] of p by by_c [] > or = ab < ac if (like c 'ab%')",
            "SELECT a FROM p WHERE NOT e OR e AND a = 1 IS NULL => "
                    + "select [a] of p if (or (not e) (and e (is_null (= a '1'))))",
            "SELECT DISTINCT c FROM p ORDER BY c => select distinct [c] of p order c",
            "SELECT c, sum(a), count(DISTINCT b) + 1 AS n FROM p GROUP BY c HAVING min(d) > 1 ORDER BY sum(a) => "
                    + "select [#0 as c, #1 as sum, (add #2 '1') as n] of p group [c, (sum a), (count distinct b),"
                    + " (min d)] having (> #3 '1') order #1",
            "SELECT CASE WHEN e THEN 1 ELSE d END FROM p => select [(case e '1' d) as d] of p",
            "DELETE FROM p WHERE c = 'x' AND f <> 2 RETURNING a, b + 1 AS n => "
                    + "delete p by by_c [x] if (<> f '2') (returning [a, (add b '1') as n])",
            "SELECT p.a FROM p WHERE p.t IS NULL => select [a] of p by by_t [null]",
            "SELECT a FROM p WHERE t >= TIMESTAMP '2024-01-01 00:00:00' => "
                    + "select [a] of p by by_t [] > or = 2024-01-01 00:00:00",
            "EXPLAIN DELETE FROM p WHERE a = 1 => explain delete p by primary [1]",
            "SELECT rowid, x FROM h WHERE rowid = 4 => select [rowid, x] of h by primary [4]");

    /** A parameter without a column beside it is a text; a number of ORDER BY is no value. */
    private static final List<String> MEANINGS_OF_LITERALS = List.of(
            "SELECT a FROM p WHERE a = 1.5 => select [a] of p if (= (cast DECIMAL a) '1.5')",
            "SELECT a FROM p WHERE a + 1 * 2 - -3 > b / 2 => "
                    + "select [a] of p if (> (subtract (add a (multiply '1' '2')) '-3') (divide b '2'))",
            "SELECT a x, d * 2 AS y, c || a, a::STRING FROM p ORDER BY y DESC, 1 NULLS FIRST, b OFFSET 2 LIMIT 5 => "
                    + "select [a as x, (multiply d '2') as y, (concat c (cast STRING a)) as ?column?,"
                    + " (cast STRING a) as a] of p order (multiply d '2') desc nulls first order a nulls first order b"
                    + " limit 5 offset 2");

    @Test
    void literalsMean() {
        for (String line : MEANINGS_OF_LITERALS) {
            String[] parts = line.split(" => ", 2);
            assertEquals(parts[1], StatementLine.of(parse(parts[0])));
        }
    }

    private static Stream<Arguments> meanings() {
        return MEANINGS.stream().map(line -> arguments((Object[]) line.split(" => ", 2)));
    }

    @ParameterizedTest
    @MethodSource("meanings")
    void statementMeans(String sql, String expected) {
        assertEquals(expected, StatementLine.of(parse(sql)));
    }

    /** A parameter means the same as the literal in its place, also for a cached text. */
    @ParameterizedTest
    @MethodSource("meanings")
    void parametersMeanTheSameAsLiterals(String sql, String expected) {
        List<String> parameters = new ArrayList<>();
        String marked = LITERAL.matcher(sql).replaceAll(literal -> {
            String text = literal.group(1);
            parameters.add(text == null ? literal.group() : text.replace("''", "'"));
            return "?";
        });
        SqlParser parser = new SqlParser();
        StatementText text = SqlScript.split(marked).get(0).with(parameters);
        assertEquals(expected, StatementLine.of(parser.parse(text, TABLES::get)), marked);
        assertEquals(expected, StatementLine.of(parser.parse(text, TABLES::get)), marked);
    }

    @Test
    void parametersAreNeverParsedAsSql() {
        StatementText text =
                SqlScript.split("SELECT a FROM p WHERE c = ? LIMIT ?").get(0);
        String evil = "x' OR a = 1; DELETE FROM p --?";
        assertEquals(
                "select [a] of p by by_c [" + evil + "] limit 2",
                StatementLine.of(new SqlParser().parse(text.with(List.of(evil, "2")), TABLES::get)));
    }

    @Test
    void parametersMayBeNullWhereLiteralsMay() {
        StatementText insert = SqlScript.split("INSERT INTO p (a, b, c, e) VALUES (?, ?, ?, ?)")
                .get(0)
                .with(Arrays.asList("1", "2", null, "true"));
        assertEquals(
                "insert p [[1, 2, null, 1.50, true, null, null, null, 7]]",
                StatementLine.of(new SqlParser().parse(insert, TABLES::get)));
        refusesParameters("SELECT * FROM p WHERE a = ?", Arrays.asList((String) null), "write IS NULL");
        refusesParameters("UPDATE p SET n = ?", Arrays.asList((String) null), "must not be NULL");
        refusesParameters("UPDATE p SET d = d + ?", Arrays.asList((String) null), "would always be NULL");
    }

    /** Encoding an unpaired surrogate would produce a question mark. */
    @Test
    void unpairedSurrogatesAreRefused() {
        for (String half : List.of("a\ud83d", "\ude00", "\ude00\ud83d", "\ud83dx")) {
            refusesParameters("SELECT * FROM p WHERE c = ?", List.of(half), "half a character");
        }
        StatementText whole =
                SqlScript.split("SELECT a FROM p WHERE c = ?").get(0).with(List.of("\ud83d\ude00"));
        assertEquals(
                "select [a] of p by by_c [\ud83d\ude00]", StatementLine.of(new SqlParser().parse(whole, TABLES::get)));
    }

    @Test
    void invalidParametersAreRefused() {
        refusesParameters("SELECT * FROM p WHERE a = ?", List.of(), "0 for 1 question marks");
        refusesParameters("SELECT * FROM p WHERE a = ?", List.of("1", "2"), "2 for 1 question marks");
        refusesParameters("BEGIN", List.of("1"), "1 for 0 question marks");
        refusesParameters("SELECT * FROM p WHERE a = 'is it?'", List.of("1"), "1 for 0 question marks");
        refusesParameters(
                "SELECT * FROM p WHERE a = ? AND b = ?", List.of("1", "x"), "parameter 2, column b INT8: 'x'");
        refusesParameters("UPDATE p SET d = d * ?", List.of("x"), "parameter 1, column d DECIMAL(6,2): 'x'");
        refusesParameters("SELECT * FROM p LIMIT ?", List.of("-1"), "LIMIT -1 is no number of rows");
        refusesParameters("SELECT * FROM p LIMIT ?", List.of("99999999999999999999"), "too large");
        refusesParameters("SELECT * FROM p WHERE a = ?1", List.of("1"), "question marks alone");
        refusesParameters("SELECT * FROM ?", List.of("p"), "unexpected");
        refusesParameters("SELECT * FROM p WHERE a IN ?", List.of("1"), "values in parentheses");
    }

    private static void refusesParameters(String sql, List<@Nullable String> parameters, String part) {
        StatementText text = SqlScript.split(sql).get(0).with(parameters);
        String refusal = assertThrows(StatementException.class, () -> new SqlParser().parse(text, TABLES::get))
                .text();
        assertTrue(refusal.startsWith("line 1, column ") && refusal.contains(part), refusal);
    }

    @Test
    void manyThreadsParseOneText() throws Exception {
        SqlParser parser = new SqlParser();
        StatementText text = SqlScript.split("UPDATE p SET c = ?, d = d + ? WHERE a = ? AND b IN (?, ?)")
                .get(0);
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            List<Future<?>> tasks = new ArrayList<>();
            for (int i = 0; i < 4_000; i++) {
                String own = String.valueOf(i);
                tasks.add(threads.submit(() -> assertEquals(
                        "update p set c = " + own + ", d = column d + " + own + " by primary [" + own + ", " + own
                                + "] or [" + own + ", 7]",
                        StatementLine.of(parser.parse(text.with(List.of(own, own, own, own, "7")), TABLES::get)))));
            }
            for (Future<?> task : tasks) {
                task.get();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = "=>",
            quoteCharacter = '`',
            value = {
                "SELEC * FROM p => SYNTAX => line 1, column 1",
                "SELECT * FROM p WHERE a = => SYNTAX => line 1, column",
                "CREATE TABLE q (a INT) => UNSUPPORTED => supported are INSERT",
                "SELECT * FROM q => UNKNOWN_NAME => line 1, column 15: there is no table q",
                "SELECT z FROM p => UNKNOWN_NAME => line 1, column 8: table p has no column z",
                "SELECT * FROM p WHERE q.a = 1 => UNKNOWN_NAME => table p has no column q.a",
                "SELECT * FROM p x => UNSUPPORTED => name the table alone",
                "SELECT * FROM s.p => UNSUPPORTED => name the table alone",
                "SELECT * FROM p, h => UNSUPPORTED => only this form",
                "SELECT * FROM p JOIN h ON p.a = h.x => UNSUPPORTED => only this form",
                "SELECT a FROM p FOR UPDATE => UNSUPPORTED => only this form",
                "SELECT a FROM p UNION SELECT x FROM h => UNSUPPORTED => only this form",
                "WITH w AS (SELECT 1) SELECT a FROM p => UNSUPPORTED => supported are",
                "SELECT a FROM p WHERE sum(a) > 1 => UNSUPPORTED => groups of rows",
                "SELECT a, sum(b) FROM p => UNSUPPORTED => column a has several values in a group",
                "SELECT sum(sum(a)) FROM p => UNSUPPORTED => cannot be nested",
                "SELECT sum(c) FROM p => UNSUPPORTED => is for numbers",
                "SELECT a FROM p ORDER BY 2 => BAD_VALUE => is no column of the result",
                "SELECT DISTINCT a FROM p ORDER BY b => UNSUPPORTED => in the SELECT list",
                "SELECT a FROM p WHERE c = a => UNSUPPORTED => do not go together",
                "SELECT a FROM p WHERE a => UNSUPPORTED => a condition is needed",
                "SELECT a FROM p WHERE a < b < 3 => SYNTAX => do not chain",
                "SELECT a FROM p WHERE a = (SELECT 1) => UNSUPPORTED => cannot be nested",
                "SELECT a FROM p WHERE e = 'maybe' => BAD_VALUE => column e BOOL",
                "SELECT a::nothing FROM p => UNSUPPORTED => is no type",
                "SELECT substr(c, 1) FROM p => UNSUPPORTED => the functions are",
                "SELECT count(*) OVER () FROM p => UNSUPPORTED => window functions",
                "SELECT a FROM p WHERE a = 1 # 2 => SYNTAX => line 1, column 29",
                "SELECT * FROM p WHERE a = NULL => UNSUPPORTED => write IS NULL",
                "SELECT * FROM p WHERE a IN (SELECT x FROM h) => UNSUPPORTED => values in parentheses",
                "SELECT * FROM p WHERE a = 'x' => BAD_VALUE => column a INT8: 'x'",
                "INSERT INTO p (a) VALUES (1) => NOT_NULL => column b of table p must not be NULL",
                "INSERT INTO p (a, b, n) VALUES (1, 2, 40000) => BAD_VALUE => column n INT2",
                "INSERT INTO p (a, a) VALUES (1, 2) => BAD_VALUE => named twice",
                "INSERT INTO p (a, b) VALUES (1) => BAD_VALUE => 1 values for 2 columns",
                "INSERT INTO p (a, b) VALUES (1, 2), (1) => BAD_VALUE => 1 values for 2 columns",
                "INSERT INTO p (a, b) SELECT 1, 2 => UNSUPPORTED => must follow VALUES",
                "INSERT INTO p (a, b) VALUES (1, 2) ON CONFLICT DO NOTHING => UNSUPPORTED => only this form",
                "INSERT INTO p (a, b) VALUES (1, 1 + 1) => UNSUPPORTED => is no literal",
                "INSERT INTO p (a, b) VALUES (1, now()) => UNSUPPORTED => is no literal",
                "INSERT INTO h VALUES (1) => UNSUPPORTED => no primary key",
                "UPDATE p SET a = 1, a = 2 => BAD_VALUE => set twice",
                "UPDATE p SET n = NULL => NOT_NULL => column n of table p",
                "UPDATE p SET c = a => UNSUPPORTED => another type",
                "UPDATE p SET c = c + 1 => UNSUPPORTED => columns that hold numbers",
                "UPDATE p SET a = a / 2 => UNSUPPORTED => supported are +, - and *",
                "UPDATE p SET (a, b) = (1, 2) => UNSUPPORTED => one column is set at a time",
                "UPDATE p SET a = 1 FROM h WHERE a = 2 => UNSUPPORTED => only this form",
                "UPDATE p SET a = 1 WHERE a = 2 LIMIT 1 => UNSUPPORTED => only this form",
                "DELETE FROM p WHERE a = 1 LIMIT 1 => UNSUPPORTED => only this form",
                "DELETE FROM p USING h WHERE a = 1 => UNSUPPORTED => only this form",
                "EXPLAIN BEGIN => SYNTAX => line 1, column",
            })
    void refuses(String sql, SqlErrorCode code, String part) {
        StatementException refusal = assertThrows(StatementException.class, () -> parse(sql));
        assertEquals(code, refusal.code(), refusal.text());
        assertTrue(refusal.text().contains(part), refusal.text());
        assertTrue(refusal.text().startsWith("line "), refusal.text());
    }

    @Test
    void errorHasPositionInScript() {
        String script = """
                -- a comment; with a semicolon
                BEGIN;
                  DELETE FROM p /* ; */ WHERE a = 'a;

                b';
                SELECT *

                  FROM nowhere;
                ;
                """;
        List<StatementText> cut = SqlScript.split(script);
        assertEquals(3, cut.size());
        assertEquals(
                "line 3, column 35: column a INT8: 'a;\n\nb': ",
                prefix(cut.get(1), "line 3, column 35: column a INT8: 'a;\n\nb': "));
        assertEquals(
                "line 8, column 8: there is no table nowhere",
                prefix(cut.get(2), "line 8, column 8: there is no table nowhere"));
    }

    private static String prefix(StatementText text, String like) {
        String message = assertThrows(StatementException.class, () -> new SqlParser().parse(text, TABLES::get))
                .text();
        return message.substring(0, Math.min(message.length(), like.length()));
    }

    @Test
    void nestingIsBounded() {
        String deep = "SELECT * FROM p WHERE " + "(".repeat(40) + "a = 1" + ")".repeat(40);
        assertEquals(
                SqlErrorCode.UNSUPPORTED,
                assertThrows(StatementException.class, () -> SqlScript.split(deep))
                        .code());
        String many = "1, ".repeat(200) + "1";
        String combined = "SELECT * FROM p WHERE a IN (" + many + ") AND b IN (" + many + ")";
        Where where = ((Statement.Select) parse(combined)).where();
        assertEquals(201, where.ranges().size(), "more combinations than 10,000: the second list is a filter");
        assertNotNull(where.filter());
        String chain = "SELECT * FROM p WHERE a = 1" + " AND a = 1".repeat(20_000);
        assertEquals(
                SqlErrorCode.UNSUPPORTED,
                assertThrows(StatementException.class, () -> parse(chain)).code());
    }
}
