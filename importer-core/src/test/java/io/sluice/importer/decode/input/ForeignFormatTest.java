package io.sluice.importer.decode.input;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ForeignFormatTest {
    private static @Nullable ForeignFormat of(String text) {
        return ForeignFormat.of(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String remark(String text) {
        ForeignFormat found = of(text);
        return found == null ? "none" : found.remark();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "create table t (a int);\ninsert into t values (1);\n",
                "\ufeff-- by hand\r\n\r\n/* x; */\nDROP TABLE IF EXISTS `t`;\n",
                "/*!40101 SET NAMES utf8 */;\n-- two\nCREATE DATABASE \"x\";\n",
            })
    void scriptsAreNoRows(String text) {
        assertEquals(ForeignFormat.SQL, of(text));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Create Table,Drop Table\n1,2\n",
                "-- a comment\nid,name\n",
                "create,table\n",
                "Use case,x\n",
                "--"
            })
    void rowsMayHaveWordsOfStatements(String text) {
        assertNull(of(text));
    }

    @Test
    void dumpsAreNamed() {
        assertEquals(
                "is a dump of sqlite3; export the table with .mode csv",
                remark("PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\n"));
        assertEquals(
                "is a dump of mariadb-dump; export the table with mariadb-dump --tab",
                remark("/*M!999999\\- enable the sandbox mode */ \n-- MariaDB dump\n"));
    }

    @Test
    void manyCommentsAreReadOnce() {
        StringBuilder comments = new StringBuilder();
        while (comments.length() < 65_000) {
            comments.append("--\n \n/**/\n");
        }
        assertNull(of(comments.toString()));
    }
}
