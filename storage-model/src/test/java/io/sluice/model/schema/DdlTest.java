package io.sluice.model.schema;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
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
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

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
                "INT DEFAULT 3 REFERENCES p (x)|3",
                "STRING DEFAULT E'\\x41\\102\\u00e9\\U0001F600\\\\\\'\\q'|AB\u00e9\uD83D\uDE00\\'q",
                "STRING DEFAULT 'a\\x41'|a\\x41",
                "FLOAT DEFAULT 1e-5 NOT NULL|1e-5",
                "FLOAT DEFAULT -1.5E+05|-1.5E+05",
                "FLOAT DEFAULT (.5)|.5",
                "FLOAT DEFAULT -.5::FLOAT|-.5",
                // Types before a constant, and casts that mean something else than the column's type.
                "DATE DEFAULT DATE '2020-01-01' NOT NULL|2020-01-01",
                "TIMESTAMPTZ DEFAULT TIMESTAMPTZ '2020-01-01 00:00:00+02'|2020-01-01 00:00:00+02",
                "TIMESTAMPTZ DEFAULT TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:00+02'|2020-01-01 00:00:00+02",
                "TIMESTAMPTZ DEFAULT TIMESTAMP '2020-01-01 00:00:00.5+02:30 BC'|2020-01-01 00:00:00.5 BC",
                "TIMESTAMPTZ DEFAULT ('2020-01-01 00:00:00 -0530'::timestamp)|2020-01-01 00:00:00",
                "TIMESTAMPTZ DEFAULT '2020-01-01 00:00-05'::timestamptz::timestamptz(3)|2020-01-01 00:00-05",
                "TIMESTAMPTZ DEFAULT CAST('2020-01-01 00:00-05' AS TIMESTAMP)|2020-01-01 00:00",
                "TIMESTAMP DEFAULT '2020-01-01 00:00:00+00:00':::TIMESTAMPTZ|2020-01-01 00:00:00+00:00",
                "TIMESTAMP DEFAULT '2020-01-01 00:00:00Z':::TIMESTAMPTZ|2020-01-01 00:00:00Z",
                "TIMESTAMP DEFAULT '2020-01-01'::TIMESTAMPTZ|2020-01-01",
                "TIMESTAMP DEFAULT TIMESTAMPTZ '2020-01-01 00:00:00+02'|",
                "TIMESTAMP DEFAULT '2020-01-01 00:00:00+02'::timestamptz|",
                "TIMESTAMPTZ DEFAULT '2020-01-01 00:00:00+02'::timestamptz::timestamp|",
                "STRING DEFAULT '2020-01-01 00:00:00+02'::timestamptz|",
                "STRING DEFAULT CAST('x' AS VARCHAR(3))|x",
                "INTERVAL DEFAULT INTERVAL '1 day'|1 day",
                "STRING DEFAULT 'x'::unknown.type|x",
                "STRING[] DEFAULT ARRAY['a'::text, ARRAY['b'::text]] NOT NULL|",
                "INT DEFAULT CASE WHEN true THEN CASE 1 WHEN 2 THEN NULL END ELSE NULL::integer END NOT NULL|",
                "BYTES DEFAULT 0x4142|",
                "INT DEFAULT (0X10)|"
            })
    void defaultsAreConstants(String column, @Nullable String expected) {
        TableDef table = one("CREATE TABLE t (a INT PRIMARY KEY, b " + column + ", c INT)");
        assertEquals(expected, table.columns().get(1).defaultText());
        assertEquals(!column.contains("NOT NULL"), table.columns().get(1).nullable());
        assertEquals("c", table.columns().get(2).name());
    }

    /** As pg_dump of PostgreSQL 18 writes them; the column may come from a parent. */
    @Test
    void interleaveParentsMayBeDeclaredLater() {
        List<TableDef> tables = Ddl.parse("""
                CREATE TABLE c (a INT8, b INT8, PRIMARY KEY (a, b)) INTERLEAVE IN PARENT p (a);
                CREATE TABLE p (a INT8 PRIMARY KEY);
                CREATE TABLE s (a INT8 PRIMARY KEY) INTERLEAVE IN PARENT s (a);""", "t.sql");
        assertEquals(2, Table.inNewStore(tables, tables.get(1)).id());
        Table child = Table.inNewStore(tables, tables.get(0));
        assertEquals(1, child.id());
        assertEquals(2, child.primary().ancestors().get(0).tableId());
        BadInputException refused =
                assertThrows(BadInputException.class, () -> Table.inNewStore(tables, tables.get(2)));
        assertTrue(refused.toString().contains("interleaved in table s, which does not exist"), refused.toString());
    }

    @Test
    void notNullIsAConstraintToo() {
        List<TableDef> tables = Ddl.parse(
                "CREATE TABLE p (a INT); CREATE TABLE t (CONSTRAINT n NOT NULL A NO INHERIT, b INT) INHERITS (p);"
                        + " ALTER TABLE ONLY t ADD CONSTRAINT m NOT NULL b NOT VALID",
                "test");
        assertEquals(
                List.of(false, false),
                tables.get(1).columns().stream().limit(2).map(Column::nullable).toList());
        refused("NOT NULL c", "has no column c");
    }

    private static void refused(String element, String expected) {
        String message = String.valueOf(
                assertThrows(BadInputException.class, () -> one("CREATE TABLE t (a INT, " + element + ")"))
                        .getMessage());
        assertTrue(message.contains(expected), message);
    }

    @Test
    void aTableThatExistsIsLeftAndADroppedOneDeclaredAgain() {
        String twice = "CREATE TABLE t (a INT); CREATE TABLE IF NOT EXISTS t (b INT);";
        assertEquals("a", Ddl.parse(twice, "test").get(0).columns().get(0).name());
        String dropped = "DROP TABLE IF EXISTS x, public.t CASCADE; CREATE TABLE t (c INT)";
        assertEquals(
                "c", Ddl.parse(twice + dropped, "test").get(0).columns().get(0).name());
    }

    @Test
    void actionsThatStatementsDoNotTakeAreNoted() {
        Ddl.Schema schema = Ddl.read(
                "CREATE TABLE t (a INT PRIMARY KEY, b INT REFERENCES t ON DELETE SET NULL ON UPDATE CASCADE,"
                        + " c INT REFERENCES t ON UPDATE NO ACTION ON DELETE CASCADE)",
                "test");
        assertEquals(
                List.of("table t: foreign key (b) ON DELETE SET NULL, foreign key (b) ON UPDATE CASCADE:"
                        + " statements refuse a change of a row that others refer to instead"),
                schema.remarks("t"));
    }

    /** SQLite, MySQL and SQL Server find names in any case. */
    @Test
    void referencedColumnsAreFoundInAnyCase() {
        List<TableDef> tables = Ddl.parse(
                "CREATE TABLE c (id INT PRIMARY KEY, p INT REFERENCES Parent (ID), q INT REFERENCES absent (X));"
                        + " CREATE TABLE \"Parent\" (\"Id\" INT PRIMARY KEY)",
                "test");
        assertEquals(
                List.of(
                        new ForeignKey(List.of(1), "Parent", List.of("Id"), false),
                        new ForeignKey(List.of(2), "absent", List.of("x"), false)),
                tables.get(0).foreignKeys());
    }

    @Test
    void theDefaultOfADomainIsNoted() {
        Ddl.Schema schema = Ddl.read(
                "CREATE DOMAIN d AS INT DEFAULT 5 CHECK (VALUE > 0); CREATE TABLE t (a INT PRIMARY KEY, b d)", "test");
        assertTrue(
                schema.remarks("t").get(0).contains("does not take its DEFAULT"),
                schema.remarks("t").toString());
    }

    @Test
    void indexesOfSeveralSystemsInTables() {
        assertEquals(
                """
                table t
                1 a INT8 not null
                2 vector INT8
                unique 1 primary (a)
                index 2 i (vector desc)
                unique 3 u (a, vector)
                index 4 v (vector)
                """,
                TableText.of(one("CREATE TABLE t (a INT PRIMARY KEY, vector INT, INDEX i NONCLUSTERED (vector DESC),"
                        + " UNIQUE INDEX u CLUSTERED (a, vector), INDEX v (vector ASC) NOT VISIBLE,"
                        + " VECTOR INDEX w (a)); CREATE VECTOR INDEX x ON t (a)")));
    }

    /** A backslash escapes only in MySQL, whose tables have engines. */
    @Test
    void aColumnIsNoEngine() {
        String view = "CREATE VIEW v AS SELECT c.id FROM c WHERE (c.engine = 1) AND engine = 'V8' AND (engine = c.id);";
        TableDef table = one(view + "CREATE TABLE t (a STRING DEFAULT 'C:\\', b INT)");
        assertEquals("C:\\", table.columns().get(0).defaultText());
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
        String written = String.valueOf(e.getMessage());
        boolean withColumn = expected.matches("(?s)bad.sql:\\d+:\\d+: .*");
        String message = withColumn ? written : written.replaceAll("(?m)^(bad.sql:\\d+):\\d+: ", "$1: ");
        assertTrue(message.startsWith(expected), () -> "expected: " + expected + "\nactual:   " + message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "2: column b: type INT8(4) takes nothing in parentheses|b INT8(4)",
                "2: column b: type DECIMAL(3, 4): the precision must be 1 to 1000|b DECIMAL(3,4)",
                "2: column b: type VARCHAR(0): one number from 1 must stand|b VARCHAR(0)",
                "2: column b: unknown type WORD; write a type of|b WORD",
                "2: column b: type TIME(8): one number from 0 to 6|b TIME(8)",
                "2: column b: unexpected FROBNICATE; expected a comma|b INT FROBNICATE",
                "2: unexpected EXISTS; expected PRIMARY KEY|CONSTRAINT c EXISTS (a)",
                "2: the primary key cannot be kept: it has an expression; declare|PRIMARY KEY ((lower(a)))",
                "2: column a is declared twice|A INT",
                "2: column b is declared both NULL and NOT NULL|b INT NULL NOT NULL",
                "2: column b is in the primary key, so it cannot be NULL|b INT NULL PRIMARY KEY",
                "2: table t has two primary keys|b INT PRIMARY KEY, PRIMARY KEY (a)",
                "2: expected a constant after DEFAULT|b INT DEFAULT",
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
                "2: the primary key cannot be kept: its method hash|PRIMARY KEY (a) USING HASH WITH BUCKET_COUNT = 8",
                "2: column index: unknown type i|INDEX i",
                "2: the primary index holds every column|b INT, PRIMARY KEY (a) STORING (b)",
                "2: the interleave columns (b) must be the first columns of the index (a)|INDEX (a) INTERLEAVE IN PARENT p (b)",
                "2: expected IN instead of PARENT|INDEX (a) INTERLEAVE PARENT p (a)",
                "2: the foreign key has 1 columns and references 2|FOREIGN KEY (a) REFERENCES p (x, y)",
                "2: expected CASCADE, RESTRICT|FOREIGN KEY (a) REFERENCES p ON DELETE MAYBE",
                "2: unexpected LIKE; expected PRIMARY KEY|LIKE u",
                "2: unexpected ); a column is missing|b INT,",
                "2: unexpected ,; a column is missing|b INT,, c INT",
                "2: expected a type after column b instead of the end|b",
                "2: expected the name of a column instead of 3; put|3 INT",
                "2: the index has no columns|INDEX ()",
            })
    void refusesElements(String expected, String element) {
        assertRefused("bad.sql:" + expected, "CREATE TABLE t (a INT,\n " + element + ")");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "unsupported statement FROB THE; expected CREATE TABLE|FROB THE TABLE",
                "unsupported statement CREATE TABEL|CREATE TABEL t (a INT)",
                "ALTER TABLE ... DROP is not supported|CREATE TABLE t (a INT); ALTER TABLE t DROP COLUMN a",
                "ALTER COLUMN ... TYPE is not supported|CREATE TABLE t (a INT); ALTER TABLE t ALTER COLUMN a TYPE TEXT",
                "there is no table u above|ALTER TABLE u ADD PRIMARY KEY (a)",
                "there is no table p above|CREATE TABLE t (a INT) INHERITS (p)",
                "unexpected NONSENSE after the table|CREATE TABLE t (a INT) NONSENSE",
                "unexpected CREATE after an option|CREATE TABLE t (a INT) ON x CREATE TABLE u (a INT)",
                "the rows of COPY that begin here have no end|COPY t FROM stdin;",
                "the body that begins here has a BEGIN|CREATE TRIGGER t BEGIN SELECT 1;",
                "expected a type after column a|CREATE TABLE t (a)",
                "expected columns in parentheses instead of AS|CREATE TABLE t AS SELECT 1",
                "table t has no columns|CREATE TABLE t ()",
                "table t has no columns|CREATE TABLE t (INDEX (a))",
                "table t has no primary key, so it cannot be interleaved|CREATE TABLE t (a INT) INTERLEAVE IN PARENT p (a)",
                "the parenthesis that begins here is never closed|CREATE TABLE t (a INT",
                "there is no table u above|CREATE INDEX ON u (a)",
                "there is no CREATE TABLE|-- nothing",
                "the quoted name that begins here is never closed|CREATE TABLE \"t (a INT)",
                "the string that begins here is never closed|CREATE TABLE t (a INT DEFAULT 'x)",
                "the comment that begins here is never closed|CREATE TABLE t (a INT) /* x",
                "a name is empty|CREATE TABLE \"\" (a INT)",
                "expected the name of a table instead of 3|CREATE TABLE 3 (a INT)",
                "table t (line 1) has no column b|CREATE TABLE t (a INT); CREATE INDEX i ON t (b)",
                "table t is declared twice|CREATE TABLE t (a INT); CREATE TABLE t (a INT)"
            })
    void refusesStatements(String expected, String sql) {
        assertRefused("bad.sql:1: " + expected, sql);
    }

    /** Elements are taken, and a note names what an import does not do as declared. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '!',
            value = {
                "b JSONB|2 b JSONB|!!",
                "b JSON NOT NULL, INVERTED INDEX i (b)|2 b JSONB not null|table t: INVERTED index: left out, because its kind is not supported",
                "b JSON, UNIQUE INDEX i (a, b)|2 b JSONB|table t: index i: left out, because column b of type JSONB has no ordered keys; its values are not checked",
                "b INT8[], INDEX (b)|2 b INT8[]|table t: index t_b_idx: left out, because column b of type INT8[] has no ordered keys",
                "b VARCHAR(3)[]|2 b STRING(3)[]|!!",
                "b DECIMAL(5,2) ARRAY|2 b DECIMAL(5,2)[]|!!",
                "b INT4[3]|2 b INT4[]|!!",
                "b TIMESTAMP WITH TIME ZONE[] NOT NULL|2 b TIMESTAMPTZ[] not null|!!",
                "b INT[][]|2 b STRING|table t: column b: INT[][] is stored and compared as text, which an import does not check",
                "b geomcollection|2 b STRING|table t: column b: geomcollection is stored and compared as text, which an import does not check",
                "b public.datemultirange|2 b STRING|table t: column b: public.datemultirange is stored and compared as text, which an import does not check",
                "b public.halfvec(3)|2 b STRING|table t: column b: public.halfvec is stored and compared as text, which an import does not check",
                "b JSONB[]|2 b STRING|table t: column b: JSONB[] is stored and compared as text, which an import does not check",
                "b TIME(7)|2 b TIME|table t: column b: TIME(7) is rounded to microseconds",
                "b REAL|2 b FLOAT4|table t: column b: REAL has 4 bytes here, as in PostgreSQL and CockroachDB; write FLOAT8 for the 8 bytes of SQLite and MySQL",
                "[b] [real]|2 b FLOAT4|!!",
                "b FLOAT4|2 b FLOAT4|!!",
                "b TIMESTAMP DEFAULT TIMESTAMPTZ '2020-01-01 00:00+02'|2 b TIMESTAMP|table t: column b: an import does not evaluate the DEFAULT; fill the column from the input, or it is NULL",
                "b BIT|2 b BOOL|table t: column b: BIT is taken as BOOL",
                "b SERIAL|2 b INT8 not null|table t: column b: an import generates no numbers; fill the column from the input",
                "b INT GENERATED ALWAYS AS IDENTITY (START 3)|2 b INT8 not null|table t: column b: an import generates no numbers; fill the column from the input",
                "b INT AUTO_INCREMENT|2 b INT8|table t: column b: an import generates no numbers; fill the column from the input",
                "b INT GENERATED ALWAYS AS (a + 1) STORED|2 b INT8|table t: column b: an import does not evaluate the expression; fill the column from the input",
                "b INT AS (a + 1) PERSISTED|2 b INT8|table t: column b: an import does not evaluate the expression; fill the column from the input",
                "b INT DEFAULT 3 + 4|2 b INT8|table t: column b: an import does not evaluate the DEFAULT; fill the column from the input, or it is NULL",
                "b INT DEFAULT -x NOT NULL|2 b INT8 not null|table t: column b: an import does not evaluate the DEFAULT; fill the column from the input, or it is NULL",
                "b TIMESTAMP NOT NULL DEFAULT now():::TIMESTAMP|2 b TIMESTAMP not null|table t: column b: an import does not evaluate the DEFAULT; fill the column from the input, or it is NULL",
                "b INT CHECK (b > 0)|2 b INT8|table t: CHECK b: an import does not check it",
                "b INT, CONSTRAINT c CHECK (a > 0) NOT VALID|2 b INT8|table t: CHECK c: an import does not check it",
                "b INT, FAMILY f (a)|2 b INT8|!!",
                "b STRING COLLATE de|2 b STRING|table t: column b: COLLATE is not kept; texts compare by their bytes",
                "b INT, INDEX i (lower(a))|2 b INT8|table t: index i: left out, because it has an expression",
                "b INT, UNIQUE INDEX (a) WHERE a > 3|2 b INT8|table t: index (a): left out, because it is partial (WHERE); its values are not checked",
                "b INT, UNIQUE NULLS NOT DISTINCT (b)|2 b INT8|table t: index (b): left out, because it allows one NULL (NULLS NOT DISTINCT); its values are not checked",
                "b INT, CONSTRAINT c UNIQUE NULLS NOT DISTINCT (b)|2 b INT8|table t: index c: left out, because it allows one NULL (NULLS NOT DISTINCT); its values are not checked",
                "b INT, UNIQUE WITHOUT INDEX (b)|2 b INT8|table t: UNIQUE WITHOUT INDEX: an import does not check it",
                "b INT, INDEX i USING gin (a)|2 b INT8|table t: index i: left out, because its method gin is not supported",
                "b TEXT, KEY i (b(10))|2 b STRING|table t: index i: left out, because it holds only the beginning of a column",
                "b INT, INDEX i (a NULLS FIRST)|2 b INT8|table t: index i: left out, because NULLS after a column is not supported",
                "b BIGINT UNSIGNED|2 b BIGINT UNSIGNED|table t: column b: BIGINT UNSIGNED takes values up to 9223372036854775807; larger ones are rejects",
                "b TINYINT(1)|2 b TINYINT|!!",
                "b INT(11) UNSIGNED ZEROFILL|2 b INT UNSIGNED|!!",
                "[b] [tinyint]|2 b TINYINT UNSIGNED|!!",
                "`b` MEDIUMINT|2 b MEDIUMINT|!!",
                "b SMALLINT UNSIGNED|2 b SMALLINT UNSIGNED|!!",
                "b NVARCHAR(max)|2 b STRING|!!",
                "b VARBINARY(16)|2 b BYTES(16)|!!",
                "key character varying(20)|2 key STRING(20)|!!",
                "fulltext tsvector|2 fulltext STRING|table t: column fulltext: tsvector is stored and compared as text, which an import does not check",
                "exclude BOOL, spatial BOOL|2 exclude BOOL|!!",
                "b TIMESTAMPTZ DEFAULT '2020-01-01'::timestamp with time zone NOT NULL|2 b TIMESTAMPTZ not null|!!",
                "[b] AS ([a]+(1)) PERSISTED NOT NULL|2 b STRING not null|table t: column b: no type is declared, so it is taken as STRING; write the type after the name; table t: column b: an import does not evaluate the expression; fill the column from the input",
                "[b] [varchar](5) MASKED WITH (FUNCTION = 'default()') NULL|2 b STRING(5)|passed over WITH of a column; table t: column a: INT has 8 bytes here, as in CockroachDB; write INT4 for 4 bytes",
                "[b] [varbinary](max) FILESTREAM NULL|2 b BYTES|passed over FILESTREAM; table t: column a: INT has 8 bytes here, as in CockroachDB; write INT4 for 4 bytes",
                "b INT8, INDEX i (b) VISIBILITY 0.50|2 b INT8|!!",
                "b INT8, KEY i (b) IGNORED|2 b INT8|!!",
                "b TEXT COMPRESSED|2 b STRING|passed over COMPRESSED; table t: column a: INT has 8 bytes here, as in CockroachDB; write INT4 for 4 bytes",
                "b INT8 AS (a) PERSISTENT|2 b INT8|table t: column b: an import does not evaluate the expression; fill the column from the input",
                "b regclass|2 b STRING|table t: column b: regclass is stored and compared as text, which an import does not check",
                "b LONG VARCHAR, c LONG RAW, d UNSIGNED BIG INT|2 b STRING|table t: column d: UNSIGNED BIG INT takes values up to 9223372036854775807; larger ones are rejects",
                "b BIGNUM|2 b DECIMAL|table t: column b: BIGNUM is taken as DECIMAL, with all digits",
                "b TIME_NS|2 b TIME|table t: column b: TIME_NS is rounded to microseconds",
                "family TEXT, index INT|2 family STRING|!!"
            })
    void takesElementsWithNotes(String element, String column, String note) {
        Ddl.Schema schema = Ddl.read("CREATE TABLE t (a INT,\n " + element + ")", "t.sql");
        String text = TableText.of(schema.tables().get(0));
        assertEquals(column, text.lines().skip(2).findFirst().orElse(""), text);
        assertEquals(note, String.join("; ", schema.remarks("t")));
    }

    @Test
    void escapesAreThoseOfTheSystem() {
        String mysql =
                "CREATE TABLE t (a INT PRIMARY KEY, b VARCHAR(99) DEFAULT '\\%\\_\\Z\\x41\\0\\'' ) ENGINE=InnoDB";
        String postgres = "CREATE TABLE t (a INT PRIMARY KEY, b VARCHAR DEFAULT E'\\b\\f\\n\\r\\t')";
        assertEquals("\b\f\n\r\t", one(postgres).columns().get(1).defaultText());
        assertEquals("\\%\\_\u001ax41\0'", one(mysql).columns().get(1).defaultText());
        assertEquals(
                1,
                Ddl.parse("INSERT INTO t VALUES (E'\\xe9\\0\\UFFFFFFFF');\nCREATE TABLE t (b INT)", "t.sql")
                        .size());
        assertEquals(
                "t.sql:1:37: the escape \\xe9 is no character of its own; write the character itself",
                assertThrows(
                                BadInputException.class,
                                () -> Ddl.parse("CREATE TABLE t (b VARCHAR DEFAULT E'\\xe9')", "t.sql"))
                        .getMessage());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "PRAGMA foreign_keys=OFF;\nCREATE TABLE t (a INTEGER, b REAL);",
                "CREATE TABLE t (a INTEGER PRIMARY KEY AUTOINCREMENT, b real);",
                "CREATE TABLE t (a INTEGER PRIMARY KEY, b REAL) WITHOUT ROWID;",
                "CREATE TABLE t (a int, b real(10,2)) ENGINE=InnoDB;",
                "-- MySQL dump 10.13\nCREATE TABLE t (a int, b real unsigned);"
            })
    void realHasTheBytesOfItsSystem(String sql) {
        Ddl.Schema schema = Ddl.read(sql, "t.sql");
        assertEquals(
                TypeKind.FLOAT8, schema.tables().get(0).columns().get(1).type().kind());
        assertTrue(schema.remarks("t").stream().noneMatch(note -> note.contains("4 bytes here")));
    }

    @Test
    void columnsOfSqliteNeedNoType() {
        Ddl.Schema schema =
                Ddl.read("CREATE TABLE t(k PRIMARY KEY, a, b DEFAULT 1, c NOT NULL, d ANY) WITHOUT ROWID;", "t.sql");
        TableDef table = schema.tables().get(0);
        assertEquals(
                List.of("STRING", "STRING", "STRING", "STRING", "STRING"),
                table.columns().stream().map(column -> column.type().sql()).toList());
        assertEquals("1", table.columns().get(2).defaultText());
        assertTrue(
                schema.remarks("t").get(1).startsWith("table t: column k, column a, column b, column c: no type"),
                schema.remarks("t").get(1));
    }

    @Test
    void indexesAndKeysOfViewsAndPartitionsArePassedOver() {
        Ddl.Schema schema = Ddl.read("""
                CREATE TABLE public.t (a INT8 PRIMARY KEY);
                CREATE MATERIALIZED VIEW public."Sums" AS SELECT 1 AS a WITH NO DATA;
                CREATE UNIQUE INDEX i ON public."Sums" USING btree (a);
                CREATE TABLE t_2020 PARTITION OF t FOR VALUES IN (2020);
                CREATE INDEX j ON ONLY t_2020 (a);
                ALTER TABLE ONLY t_2020 ADD CONSTRAINT t_2020_pkey PRIMARY KEY (a);
                CREATE FOREIGN TABLE f (a INT8) SERVER s;
                ALTER TABLE f ADD CHECK (a > 0);""", "t.sql");
        assertEquals(1, schema.tables().size());
        assertTrue(
                schema.remarks("t").get(0).contains("CREATE INDEX of a view or partition (2), ")
                        && schema.remarks("t").get(0).contains("ALTER TABLE ... ADD (2)"),
                schema.remarks("t").get(0));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "CHANGE MASTER TO MASTER_LOG_FILE='binlog.000003', MASTER_LOG_POS=157;",
                "CREATE RULE r AS ON DELETE TO t DO INSTEAD ( SELECT 1;\n SELECT ')';\n);",
                "ALTER TABLE t CONFIGURE ZONE USING num_replicas = 5, gc.ttlseconds = 1, constraints = '[]';",
                "sys.sp_addrolemember @rolename = N'db_owner', @membername = N'bob'\nGO\nsp_recompile N't'\nGO",
                "CREATE PRIMARY XML INDEX i ON t (a)\nGO\nENABLE TRIGGER tr ON t\nGO\nDBCC CHECKIDENT ('t')\nGO",
            })
    void statementsOfDumpsArePassedOver(String statements) {
        Ddl.Schema schema = Ddl.read("CREATE TABLE t (a INT8);\n" + statements, "t.sql");
        assertEquals(1, schema.tables().size());
        assertTrue(schema.remarks("t").get(0).startsWith("passed over "));
    }

    @Test
    void internalTablesOfSqliteArePassedOver() {
        Ddl.Schema schema = Ddl.read("""
                CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT);
                CREATE TABLE sqlite_sequence(name,seq);
                CREATE VIRTUAL TABLE f USING fts5(body);
                CREATE TABLE IF NOT EXISTS 'f_content'(id INTEGER PRIMARY KEY, c0);
                CREATE TABLE sqlite_stat1(tbl,idx,stat);""", "t.sql");
        assertEquals(1, schema.tables().size());
        assertTrue(
                schema.remarks("t").get(0).contains("SQLite's internal tables (3)"),
                schema.remarks("t").get(0));
    }

    @Test
    void rangesOfIntegers() {
        TableDef table = one("CREATE TABLE t (a TINYINT, b TINYINT UNSIGNED, c SMALLINT UNSIGNED, d MEDIUMINT,"
                + " e MEDIUMINT UNSIGNED, f INT UNSIGNED, g BIGINT UNSIGNED, h INT2, i INT4, j INT8)");
        assertEquals(
                List.of(
                        "-128..127",
                        "0..255",
                        "0..65535",
                        "-8388608..8388607",
                        "0..16777215",
                        "0..4294967295",
                        "0..9223372036854775807",
                        "-32768..32767",
                        "-2147483648..2147483647",
                        "-9223372036854775808..9223372036854775807"),
                table.visibleColumns().stream()
                        .map(column -> table.columns().get(column).type())
                        .map(type -> type.minInt() + ".." + type.maxInt())
                        .toList());
        for (int column : table.visibleColumns()) {
            ColumnType type = table.columns().get(column).type();
            assertEquals(
                    type,
                    one("CREATE TABLE t (a " + type.sql() + ")")
                            .columns()
                            .get(0)
                            .type());
        }
    }

    @Test
    void tablesAreSelectedInAnyCase() {
        List<TableDef> tables = Ddl.parse(
                "CREATE TABLE \"Album\" (x INT); CREATE TABLE b (x INT); CREATE TABLE \"B\" (x INT)", "t.sql");
        assertSame(tables.get(0), Ddl.select(tables, "ALBUM", "t.sql"));
        assertSame(tables.get(1), Ddl.select(tables, "b", "t.sql"));
        assertSame(tables.get(2), Ddl.select(tables, "B", "t.sql"));
    }

    @Test
    void violationsAreReportedTogether() {
        BadInputException e = assertThrows(BadInputException.class, () -> Ddl.parse("""
                        CREATE TABLE t (
                            a INT DEFAULT,
                            b WORD,
                            CHECK a > b,
                            INDEX (a) WITHOUT b
                        );
                        FROB TABLE u;
                        CREATE INDEX ON u (a)""", "bad.sql"));
        assertEquals(
                List.of("bad.sql:2", "bad.sql:3", "bad.sql:4", "bad.sql:5", "bad.sql:7"),
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
        String tpcc = text("tpcc.sql");
        List<List<Token>> statements = SqlLexer.statements(tpcc, new DdlProblems("tpcc.sql", tpcc), new PassedOver());
        List<Token> tokens = statements.stream().flatMap(List::stream).toList();
        int read = 0;
        for (int i = 0; i < 4_000; i++) {
            List<String> words = new ArrayList<>();
            if (i % 4 == 0) {
                statements.get(i / 4 % statements.size()).forEach(token -> words.add(token.text()));
            } else {
                int from = random.nextInt(tokens.size() - 60);
                words.addAll(List.of("CREATE", "TABLE", "t", "(", "a", "INT", ","));
                tokens.subList(from, from + random.nextInt(60)).forEach(token -> words.add(token.text()));
                words.add(")");
            }
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
                assertTrue(String.valueOf(e.getMessage()).startsWith("damaged.sql:1:"), () -> e + " for " + sql);
            } catch (RuntimeException e) {
                throw new AssertionError("seed " + seed + ": " + sql, e);
            }
        }
        assertTrue(read > 20, "some must be whole: " + read);
    }

    @Test
    void syntaxErrorsNameTheirLineAndColumn() {
        assertRefused("bad.sql:6:8: expected a type after column b instead of the end, such as INT or STRING", """

                -- two lines before the statement
                CREATE TABLE t (
                    a INT, INDEX (a), -- more
                    /* one
                    */ b, c INT)""");
    }

    /** The rules are those of CockroachDB 20.2, which puts columns that no clause names into the first family. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "id INT PRIMARY KEY, a INT, b INT|0 0 0",
                "id INT PRIMARY KEY, a INT, b INT, FAMILY \"primary\" (id, a, b)|0 0 0",
                "id INT PRIMARY KEY, a INT, b INT, FAMILY f (id, b), FAMILY (a)|0 1 0",
                "id INT PRIMARY KEY, a INT, b INT, FAMILY f (b), FAMILY g (a)|0 1 0",
                "id INT PRIMARY KEY, a INT, b INT, FAMILY f (id), FAMILY g (b)|0 0 1",
                "id INT PRIMARY KEY, a INT CREATE FAMILY f, b INT FAMILY f|0 0 0",
                "id INT PRIMARY KEY CREATE FAMILY f, a INT CREATE FAMILY, b INT CREATE IF NOT EXISTS FAMILY f|0 1 0",
                "id INT PRIMARY KEY FAMILY f, a INT CREATE IF NOT EXISTS FAMILY g, b INT, FAMILY h (b)|!",
                "id INT PRIMARY KEY CREATE FAMILY f, a INT CREATE FAMILY g, b INT, FAMILY h (b)|0 1 2",
                "id INT, a INT, b INT, FAMILY f (a), FAMILY (b)|0 0 1 0",
            })
    void columnsAreInFamilies(String elements, String families) {
        String ddl = "CREATE TABLE t (" + elements + ")";
        if (families.equals("!")) {
            BadInputException e = assertThrows(BadInputException.class, () -> Ddl.parse(ddl, "t.sql"));
            assertTrue(String.valueOf(e.getMessage()).contains("there is no family f before it"), e.getMessage());
            return;
        }
        TableDef table = Ddl.parse(ddl, "t.sql").get(0);
        assertEquals(
                families,
                table.columns().stream().map(column -> "" + column.family()).collect(Collectors.joining(" ")));
        assertEquals(List.of(table), Ddl.parse(DdlText.of(table), "again"), DdlText.of(table));
        TableDef joined = table.inOneFamily();
        assertEquals(1, joined.families());
        assertFalse(DdlText.of(joined).contains("FAMILY"));
        assertEquals(joined, joined.inOneFamily());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "FAMILY f (a), FAMILY g (id)|column id is in the primary key, so it must be in the first family",
                "FAMILY f (id, a), FAMILY g (a)|column a is in two families; leave one out",
                "FAMILY f (id), FAMILY f (a)|family f is declared twice; rename one",
                "FAMILY f (id), FAMILY g (c)|has no column c; it has id, a, b",
                "c INT CREATE FAMILY f, d INT CREATE FAMILY f|family f exists already",
            })
    void familiesThatCannotBeAreRefused(String element, String problem) {
        String ddl = "CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, " + element + ")";
        BadInputException e = assertThrows(BadInputException.class, () -> Ddl.parse(ddl, "t.sql"));
        assertTrue(String.valueOf(e.getMessage()).contains(problem), e.getMessage());
    }
}
