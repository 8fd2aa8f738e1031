package io.sluice.model.schema;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The DDL of a table declares the same table again. */
class DdlTextTest {
    private static void assertSame(List<TableDef> tables) {
        for (TableDef table : tables) {
            String ddl = DdlText.of(table);
            assertEquals(List.of(table), Ddl.parse(ddl, "again"), ddl);
        }
    }

    @Test
    void tablesOfTpccAreDeclaredAgain() throws IOException {
        try (InputStream in = DdlTextTest.class.getResourceAsStream("tpcc.sql")) {
            assertNotNull(in);
            List<TableDef> tables = Ddl.parse(new String(in.readAllBytes(), StandardCharsets.UTF_8), "tpcc.sql");
            assertTrue(tables.size() > 5, tables.toString());
            assertSame(tables);
        }
    }

    @Test
    void everyTypeClauseAndNameIsDeclaredAgain() {
        assertSame(Ddl.parse("""
                CREATE TABLE parent (a INT8, b STRING(5), PRIMARY KEY (a DESC));
                CREATE TABLE child (a INT8, b INT2 NOT NULL DEFAULT -1, c DECIMAL(9,2), d DECIMAL, e BYTES(7), f TIME(3),
                    g TIMESTAMPTZ(0), h UUID, i INT UNSIGNED, j TINYINT, k STRING DEFAULT 'it''s -- "no" comment',
                    l BOOL DEFAULT true, m DATE, n FLOAT4, o TIMESTAMP,
                    PRIMARY KEY (a DESC, b),
                    UNIQUE INDEX by_c (c DESC, d) STORING (e, f),
                    INDEX by_h (a DESC, h) INTERLEAVE IN PARENT parent (a),
                    FOREIGN KEY (a) REFERENCES parent (a) ON DELETE CASCADE,
                    FOREIGN KEY (i) REFERENCES parent)
                    INTERLEAVE IN PARENT parent (a);
                CREATE TABLE "Odd ""name""\" ("select" INT8 PRIMARY KEY, "a b" STRING, "Order" INT4,
                    INDEX "by Order" ("Order" DESC));
                CREATE TABLE "order" ("key" INT8, "primary" STRING, "index" INT8, PRIMARY KEY ("key", "primary"));
                CREATE TABLE without_key (a INT8, rowid STRING, INDEX (a));
                CREATE TABLE types (a INTERVAL, b TIMETZ(2), c INET, d BIT(3), e VARBIT, f JSONB DEFAULT '{"a": "\\"''"}',
                    g ENUM('it''s', 'a,b', 'c)', '\\')[] DEFAULT '{"a,b"}', h DECIMAL(5,2)[], i MEDIUMINT UNSIGNED,
                    j SMALLINT UNSIGNED, k BIGINT UNSIGNED, l TINYINT UNSIGNED, m STRING(3)[], n TIMESTAMP(3)[], o BIT(2)[],
                    p FLOAT8[], q INT2[], r ENUM('x'), s VARBIT(5), t STRING DEFAULT '', u BYTES DEFAULT '\\x00',
                    v STRING DEFAULT 'NULL', w STRING DEFAULT 'a\\b''', id INT PRIMARY KEY);
                CREATE TABLE families (a INT, b INT, c INT, d INT, PRIMARY KEY (b, a), FAMILY f (b, a), FAMILY "F 2" (d),
                    FAMILY (c), INDEX (d) STORING (c), UNIQUE (c DESC, d));
                CREATE TABLE "check" ("constraint" INT PRIMARY KEY, family INT, "exclude" INT, period INT, "like" INT,
                    "fulltext" INT, "foreign" INT, "not" INT);
                """, "test"));
    }
}
