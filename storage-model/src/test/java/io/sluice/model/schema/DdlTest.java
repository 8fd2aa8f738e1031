package io.sluice.model.schema;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.model.error.BadInputException;
import io.sluice.model.schema.Index.Ancestor;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DdlTest {
    private static TableDef one(String sql) {
        return Ddl.select(Ddl.parse(sql, "test.sql"), null, "test.sql");
    }

    private static String text(String resource) throws IOException {
        try (InputStream in = DdlTest.class.getResourceAsStream(resource)) {
            assertNotNull(in);
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static List<TableDef> tpcc() throws IOException {
        return Ddl.parse(text("tpcc.sql"), "tpcc.sql");
    }

    @Test
    void tpccDeclaresNineTables() throws IOException {
        assertEquals(
                List.of(
                        "warehouse",
                        "district",
                        "customer",
                        "history",
                        "order",
                        "new_order",
                        "item",
                        "stock",
                        "order_line"),
                tpcc().stream().map(TableDef::name).toList());
    }

    @Test
    void tpccIndexes() throws IOException {
        StringBuilder indexes = new StringBuilder();
        for (TableDef table : tpcc()) {
            TableText.of(table)
                    .lines()
                    .filter(line -> !Character.isDigit(line.charAt(0)))
                    .forEach(line -> indexes.append(line).append('\n'));
        }
        assertEquals("""
                table warehouse
                unique 1 primary (w_id)
                table district
                unique 1 primary (d_w_id, d_id)
                references [d_w_id] -> warehouse[w_id]
                table customer
                unique 1 primary (c_w_id, c_d_id, c_id)
                index 2 customer_idx (c_w_id, c_d_id, c_last, c_first)
                references [c_w_id, c_d_id] -> district[]
                table history
                unique 1 primary (rowid)
                table order
                unique 1 primary (o_w_id, o_d_id, o_id desc)
                unique 2 order_idx (o_w_id, o_d_id, o_c_id, o_id desc) storing [o_entry_d, o_carrier_id]
                table new_order
                unique 1 primary (no_w_id, no_d_id, no_o_id)
                table item
                unique 1 primary (i_id)
                table stock
                unique 1 primary (s_w_id, s_i_id)
                index 2 stock_s_i_id_idx (s_i_id)
                table order_line
                unique 1 primary (ol_w_id, ol_d_id, ol_o_id desc, ol_number)
                index 2 order_line_fk (ol_supply_w_id, ol_i_id) storing [ol_amount]
                """, indexes.toString());
    }

    @Test
    void tpccHistoryHasRowId() throws IOException {
        assertEquals("""
                table history
                1 h_c_id INT8
                2 h_c_d_id INT8
                3 h_c_w_id INT8
                4 h_d_id INT8
                5 h_w_id INT8
                6 h_date TIMESTAMP
                7 h_amount DECIMAL(6,2)
                8 h_data STRING(24)
                9 rowid INT8 not null hidden
                unique 1 primary (rowid)
                """, TableText.of(Ddl.select(tpcc(), "history", "tpcc.sql")));
    }

    @Test
    void interleavedTables() {
        List<TableDef> tables = Ddl.parse("""
                CREATE TABLE owners (owner_id INT PRIMARY KEY, owner STRING);
                CREATE TABLE owner_accounts (
                    owner_id INT,
                    account_id INT,
                    balance DECIMAL,
                    PRIMARY KEY (owner_id, account_id),
                    INDEX by_account (owner_id, account_id DESC) INTERLEAVE IN PARENT owners (owner_id),
                    FOREIGN KEY (owner_id) REFERENCES owners ON DELETE CASCADE
                ) INTERLEAVE IN PARENT owners (owner_id);
                CREATE UNIQUE INDEX ON owner_accounts (owner_id, balance)
                    INTERLEAVE IN PARENT owners (owner_id);
                """, "test.sql");
        assertEquals("""
                table owner_accounts
                1 owner_id INT8 not null
                2 account_id INT8 not null
                3 balance DECIMAL
                unique 1 primary (owner_id, account_id) in owners/1
                index 2 by_account (owner_id, account_id desc) in owners/1
                unique 3 owner_accounts_owner_id_balance_key (owner_id, balance) in owners/1
                references [owner_id] -> owners[] cascade
                """, TableText.of(tables.get(1)));

        Map<String, Table> bound = new HashMap<>();
        bound.put("owners", Table.bind(tables.get(0), 51, bound::get));
        Table accounts = Table.bind(tables.get(1), 52, bound::get);
        assertEquals(List.of(new Ancestor(51, 1, 1)), accounts.primary().ancestors());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "INT2|INT2",
                "smallint|INT2",
                "INT4|INT4",
                "INT|INT8",
                "Integer|INT8",
                "BIGINT|INT8",
                "INT8|INT8",
                "BOOL|BOOL",
                "BOOLEAN|BOOL",
                "FLOAT4|FLOAT4",
                "REAL|FLOAT4",
                "FLOAT|FLOAT8",
                "FLOAT(24)|FLOAT4",
                "FLOAT(25)|FLOAT8",
                "DOUBLE PRECISION|FLOAT8",
                "double  precision|FLOAT8",
                "FLOAT8|FLOAT8",
                "DECIMAL|DECIMAL",
                "NUMERIC(5)|DECIMAL(5,0)",
                "DEC(12, 2)|DECIMAL(12,2)",
                "DEC|DECIMAL",
                "DECIMAL(4,4)|DECIMAL(4,4)",
                "STRING|STRING",
                "STRING(4)|STRING(4)",
                "TEXT|STRING",
                "VARCHAR|STRING",
                "VARCHAR(10)|STRING(10)",
                "CHAR|STRING(1)",
                "CHAR(9)|STRING(9)",
                "CHARACTER|STRING(1)",
                "CHARACTER(3)|STRING(3)",
                "CHARACTER VARYING|STRING",
                "CHARACTER VARYING(20)|STRING(20)",
                "BYTES|BYTES",
                "BYTEA|BYTES",
                "BLOB|BYTES",
                "DATE|DATE",
                "TIME|TIME",
                "TIME(3)|TIME(3)",
                "TIME WITHOUT TIME ZONE|TIME",
                "TIMESTAMP|TIMESTAMP",
                "TIMESTAMP(0)|TIMESTAMP(0)",
                "TIMESTAMP WITHOUT TIME ZONE|TIMESTAMP",
                "TIMESTAMP(3) WITH TIME ZONE|TIMESTAMPTZ(3)",
                "TIMESTAMP WITH TIME ZONE|TIMESTAMPTZ",
                "timestamp ( 2 ) with time zone|TIMESTAMPTZ(2)",
                "TIMESTAMPTZ|TIMESTAMPTZ",
                "TIMESTAMPTZ(6)|TIMESTAMPTZ",
                "TIMESTAMPTZ(2)|TIMESTAMPTZ(2)",
                "UUID|UUID"
            })
    void types(String written, String expected) {
        for (String option : List.of("", " NOT NULL", " NULL", " DEFAULT NULL", " UNIQUE")) {
            TableDef table = one("CREATE TABLE t (a " + written + option + ", b INT)");
            assertEquals(expected, table.columns().get(0).type().sql(), option);
            assertEquals(!option.equals(" NOT NULL"), table.columns().get(0).nullable(), option);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '!',
            value = {
                "INT DEFAULT 3 NOT NULL|3",
                "INT NOT NULL DEFAULT -3|-3",
                "DECIMAL(8,2) DEFAULT +3.50 UNIQUE|3.50",
                "STRING DEFAULT 'it''s' NULL|it's",
                "STRING DEFAULT ''|!!",
                "BOOL DEFAULT TRUE|true",
                "BOOL DEFAULT false|false",
                "INT DEFAULT NULL|",
                "STRING DEFAULT 'x':::STRING NOT NULL|x",
                "VARCHAR(9) DEFAULT 'x'::character varying(9) NOT NULL|x",
                "TIMESTAMP DEFAULT '2020-01-01 00:00:00'::timestamp without time zone|2020-01-01 00:00:00",
                "INT DEFAULT 3 REFERENCES p (x)|3"
            })
    void defaultsAreConstants(String column, @Nullable String expected) {
        TableDef table = one("CREATE TABLE t (a INT PRIMARY KEY, b " + column + ", c INT)");
        assertEquals(expected, table.columns().get(1).defaultText());
        assertEquals(!column.contains("NOT NULL"), table.columns().get(1).nullable());
        assertEquals("c", table.columns().get(2).name());
    }

    @Test
    void namesAreFoldedUnlessQuoted() {
        assertEquals(
                """
                table My T
                1 a INT8 not null
                2 B;,( INT8
                unique 1 primary (a)
                unique 2 My T_B;,(_key (B;,()
                """,
                TableText.of(one(
                        "CREATE TABLE IF NOT EXISTS \"My T\" (A INT PRIMARY KEY, \"B;,(\" INT, UNIQUE (\"B;,(\"))")));
        assertEquals("stock", one("create table public.Stock (a int)").name());
    }

    @Test
    void commentsAreSkipped() {
        assertEquals("""
                table t
                1 a INT8
                2 b INT8
                3 rowid INT8 not null hidden
                unique 1 primary (rowid)
                """, TableText.of(one("""
                        -- CREATE TABLE no (x INT);
                        CREATE /* TABLE no2 ( */ TABLE t ( -- ) ;
                            a INT, /* , c INT
                            */ b INT -- last
                        ); -- the end""")));
    }

    @Test
    void indexesAreNumberedInOrderOfDeclaration() {
        assertEquals("""
                table t
                1 a INT8 not null
                2 b INT8
                3 c INT8
                4 d STRING
                unique 1 primary (a desc)
                index 2 t_b_idx (b)
                unique 3 t_b_key (b)
                index 4 t_b_idx1 (b) storing [d, c]
                unique 5 u (c, b desc) storing [d]
                unique 6 t_c_key (c)
                unique 7 named (d)
                index 8 t_d_c_idx (d, c)
                index 9 later (c desc) storing [b]
                references [b] -> p[x] cascade
                references [c] -> q[]
                """, TableText.of(one("""
                        CREATE TABLE t (
                            a INT,
                            INDEX (b),
                            b INT UNIQUE REFERENCES p (x) ON DELETE CASCADE ON UPDATE RESTRICT,
                            INDEX (b) STORING (d, c),
                            CONSTRAINT pk PRIMARY KEY (a DESC),
                            UNIQUE INDEX u (c, b DESC) COVERING (d),
                            c INT CONSTRAINT q REFERENCES q NULL,
                            d STRING,
                            UNIQUE (c),
                            CONSTRAINT named UNIQUE (d)
                        );
                        CREATE INDEX ON t (d ASC, c);
                        CREATE INDEX IF NOT EXISTS later ON t (c DESC) STORING (b);""")));
    }

    @Test
    void singleTableIsSelectedWithoutName() {
        List<TableDef> two = Ddl.parse("CREATE TABLE a (x INT); CREATE TABLE b (x INT)", "two.sql");
        assertSame(two.get(1), Ddl.select(two, "b", "two.sql"));
        assertEquals(
                "two.sql declares 2 tables; name the one to import: a, b",
                assertThrows(BadInputException.class, () -> Ddl.select(two, null, "two.sql"))
                        .getMessage());
        assertEquals(
                "two.sql declares no table c; it declares a, b",
                assertThrows(BadInputException.class, () -> Ddl.select(two, "c", "two.sql"))
                        .getMessage());
    }

    private static void assertRefused(String expected, String sql) {
        BadInputException e = assertThrows(BadInputException.class, () -> Ddl.parse(sql, "bad.sql"), sql);
        String message = String.valueOf(e.getMessage());
        assertTrue(message.startsWith(expected), () -> "expected: " + expected + "\nactual:   " + message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "2: column b: unknown type JSONB; supported are BOOL|b JSONB",
                "2: column b: unknown type INT[]; supported|b INT[]",
                "2: column b: unknown type SERIAL|b SERIAL",
                "2: column b: type INT8 (4) takes nothing in parentheses|b INT8(4)",
                "2: column b: type DECIMAL (3, 4): the precision must be 1 to 1000|b DECIMAL(3,4)",
                "2: column b: type VARCHAR (0): one number from 1 must stand|b VARCHAR(0)",
                "2: column b: type TIME (7): one number from 0 to 6|b TIME(7)",
                "2: column a is declared twice|A INT",
                "2: column b is declared both NULL and NOT NULL|b INT NULL NOT NULL",
                "2: column b is in the primary key, so it cannot be NULL|b INT NULL PRIMARY KEY",
                "2: table t has two primary keys|b INT PRIMARY KEY, PRIMARY KEY (a)",
                "2: DEFAULT must be a constant|b INT DEFAULT",
                "2: DEFAULT must be a constant|b INT DEFAULT 3 + 4",
                "2: DEFAULT must be a constant|b INT DEFAULT -x",
                "2: DEFAULT must be a constant|b INT DEFAULT 3::",
                "2: DEFAULT must be a constant|b TIMESTAMP NOT NULL DEFAULT now():::TIMESTAMP",
                "2: CHECK is not supported|b INT CHECK (b > 0)",
                "2: CHECK is not supported|CHECK (a > 0)",
                "2: CHECK is not supported|CONSTRAINT c CHECK (a > 0)",
                "2: column families (FAMILY)|FAMILY f (a)",
                "2: column families (FAMILY)|b INT FAMILY f",
                "2: column b: COLLATE is not supported|b STRING COLLATE de",
                "2: column b: GENERATED is not supported|b INT GENERATED ALWAYS AS IDENTITY",
                "2: table t (line 1) has no column x; it has a|INDEX (x)",
                "2: table t (line 1) has no column x|PRIMARY KEY (x)",
                "2: table t (line 1) has no column x|INDEX (a) STORING (x)",
                "2: table t (line 1) has no column x|FOREIGN KEY (x) REFERENCES p",
                "2: column a is in the index twice|INDEX (a, a DESC)",
                "2: column a is indexed already|INDEX (a) STORING (a)",
                "2: column b is stored twice|b INT, INDEX (a) STORING (b, b)",
                "2: column b is in the primary key, so every index holds it|b INT PRIMARY KEY, INDEX (a) STORING (b)",
                "2: index name i is taken|b INT, INDEX i (a), UNIQUE INDEX i (b)",
                "2: index name primary is taken|INDEX primary (a)",
                "2: an index on an expression is not supported|INDEX (lower(a))",
                "2: an index on an expression is not supported|INDEX i ((a + 1))",
                "2: a partial index (WHERE) is not supported|INDEX (a) WHERE a > 3",
                "2: unexpected USING after an index|PRIMARY KEY (a) USING HASH WITH BUCKET_COUNT = 8",
                "2: index methods (USING)|INDEX i USING gin (a)",
                "2: expected '(' instead of the end|INDEX i",
                "2: the primary index holds every column|b INT, PRIMARY KEY (a) STORING (b)",
                "2: the interleave columns (b) must be the first columns of the index (a)|INDEX (a) INTERLEAVE IN PARENT p (b)",
                "2: expected IN instead of PARENT|INDEX (a) INTERLEAVE PARENT p (a)",
                "2: the foreign key has 1 columns and references 2|FOREIGN KEY (a) REFERENCES p (x, y)",
                "2: expected CASCADE, RESTRICT|FOREIGN KEY (a) REFERENCES p ON DELETE MAYBE",
                "2: unexpected LIKE; it is not supported|LIKE u",
                "2: unexpected ); a column is missing|b INT,",
                "2: unexpected ,; a column is missing|b INT,, c INT",
                "2: unexpected )|b",
                "2: unexpected 3; if it is meant as a name|3 INT",
                "2: unexpected NULLS|INDEX (a NULLS FIRST)",
                "2: TEXT_OPS after index column a is not supported|INDEX (a text_ops)",
                "2: the index has no columns|INDEX ()",
                "1: table t has something that is no column|KEY k (a)"
            })
    void refusesElements(String expected, String element) {
        assertRefused("bad.sql:" + expected, "CREATE TABLE t (a INT,\n " + element + ")");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "unsupported statement DROP TABLE; only|DROP TABLE t",
                "unsupported statement CREATE VIEW|CREATE VIEW v AS SELECT 1",
                "expected columns in parentheses instead of AS|CREATE TABLE t AS SELECT 1",
                "a column has no type|CREATE TABLE t (a)",
                "unexpected ); a column is missing|CREATE TABLE t ()",
                "table t has no columns|CREATE TABLE t (INDEX (a))",
                "unexpected PARTITION after the table|CREATE TABLE t (a INT) PARTITION BY RANGE (a)",
                "table t has no primary key, so it cannot be interleaved|CREATE TABLE t (a INT) INTERLEAVE IN PARENT p (a)",
                "the parenthesis that begins here is never closed|CREATE TABLE t (a INT",
                "there is no table u above|CREATE INDEX ON u (a)",
                "there is no CREATE TABLE|-- nothing",
                "the quoted name that begins here is never closed|CREATE TABLE \"t (a INT)",
                "the string that begins here is never closed|CREATE TABLE t (a INT DEFAULT 'x)",
                "the comment that begins here is never closed|CREATE TABLE t (a INT) /* x",
                "unexpected character '`'|CREATE TABLE `t` (a INT)",
                "a name is empty|CREATE TABLE \"\" (a INT)",
                "schema app is not supported|CREATE TABLE app.t (a INT)",
                "expected the name of a table instead of 3|CREATE TABLE 3 (a INT)",
                "an index on an expression|CREATE TABLE t (a INT); CREATE INDEX i ON t (lower(a))",
                "a partial index|CREATE TABLE t (a INT); CREATE INDEX i ON t (a) WHERE a > 0",
                "table t (line 1) has no column b|CREATE TABLE t (a INT); CREATE INDEX i ON t (b)",
                "table t is declared twice|CREATE TABLE t (a INT); CREATE TABLE t (a INT)"
            })
    void refusesStatements(String expected, String sql) {
        assertRefused("bad.sql:1: " + expected, sql);
    }

    @Test
    void violationsAreReportedTogether() {
        BadInputException e = assertThrows(BadInputException.class, () -> Ddl.parse("""
                        CREATE TABLE t (
                            a INT DEFAULT random(),
                            b JSONB,
                            CHECK (a > b),
                            INDEX (a) WHERE b
                        );
                        DROP TABLE u;
                        CREATE INDEX ON u (a)""", "bad.sql"));
        assertEquals(
                List.of("bad.sql:2", "bad.sql:4", "bad.sql:5", "bad.sql:3", "bad.sql:7"),
                String.valueOf(e.getMessage())
                        .lines()
                        .map(line -> line.substring(0, "bad.sql:1".length()))
                        .toList());
    }

    /** Damaged text parses or throws BadInputException; any other exception would be a defect. */
    @Test
    void damagedTextIsRefusedOrParsed() throws IOException {
        long seed = Long.getLong("sluice.seed", System.nanoTime());
        Random random = new Random(seed);
        List<Token> tokens = SqlLexer.tokens(text("tpcc.sql"), new DdlProblems("tpcc.sql"));
        int read = 0;
        for (int i = 0; i < 4_000; i++) {
            int from = random.nextInt(tokens.size() - 60);
            List<String> words = new ArrayList<>(List.of("CREATE", "TABLE", "t", "(", "a", "INT", ","));
            tokens.subList(from, from + random.nextInt(60)).forEach(token -> words.add(token.text()));
            words.add(")");
            for (int damage = random.nextInt(4); damage > 0; damage--) {
                int at = random.nextInt(words.size());
                switch (random.nextInt(3)) {
                    case 0 -> words.remove(at);
                    case 1 ->
                        words.add(at, tokens.get(random.nextInt(tokens.size())).text());
                    default -> Collections.swap(words, at, random.nextInt(words.size()));
                }
            }
            String sql = String.join(" ", words);
            try {
                Ddl.parse(sql, "damaged.sql");
                read++;
            } catch (BadInputException e) {
                assertTrue(String.valueOf(e.getMessage()).startsWith("damaged.sql:1: "), () -> e + " for " + sql);
            } catch (RuntimeException e) {
                throw new AssertionError("seed " + seed + ": " + sql, e);
            }
        }
        assertTrue(read > 20, "some must be whole: " + read);
    }

    @Test
    void syntaxErrorsNameTheirLine() {
        assertRefused("bad.sql:6: unexpected ,; if it is meant as a name, put it in double quotes", """

                -- two lines before the statement
                CREATE TABLE t (
                    a INT, INDEX (a), -- more
                    /* one
                    */ b, c INT)""");
    }
}
