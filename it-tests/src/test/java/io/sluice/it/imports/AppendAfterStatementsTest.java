package io.sluice.it.imports;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.grammar.SqlScript;
import io.sluice.grammar.StatementResult;
import io.sluice.importer.conflict.ConflictPolicy;
import io.sluice.importer.job.ImportReport;
import io.sluice.it.support.Imports;
import io.sluice.it.support.Imports.How;
import io.sluice.model.schema.TableDef;
import io.sluice.node.StorageNode;
import io.sluice.sql.SqlEngine;
import io.sluice.sql.SqlSession;
import io.sluice.sql.SqlSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Rows that are added by an import to a table that statements have changed. */
class AppendAfterStatementsTest {
    private static final TableDef THINGS = Imports.table(
            "CREATE TABLE things (id INT PRIMARY KEY, u INT, s STRING, UNIQUE INDEX by_u (u), INDEX by_s (s))");

    private static void changed(StorageNode node) {
        try (SqlEngine engine = SqlEngine.on(node, SqlSettings.defaults());
                SqlSession session = engine.open()) {
            List<StatementResult> results = session.execute(SqlScript.split("""
                    UPDATE things SET s = 'changed' WHERE id < 50;
                    DELETE FROM things WHERE id BETWEEN 20 AND 30;
                    INSERT INTO things VALUES (1000, 1000, 'new'), (1001, NULL, NULL);
                    UPDATE things SET u = u + 5000 WHERE id = 7;
                    """));
            assertTrue(
                    results.stream().allMatch(result -> result instanceof StatementResult.Changed), results.toString());
        }
    }

    private static Path rows(Path file, int from, int to) throws Exception {
        StringBuilder text = new StringBuilder();
        for (int i = from; i < to; i++) {
            text.append(i).append(',').append(i).append(",text ").append(i % 9).append('\n');
        }
        return Files.writeString(file, text);
    }

    @ParameterizedTest
    @EnumSource(
            value = ConflictPolicy.class,
            names = {"FIRST", "LAST"})
    void addsUp(ConflictPolicy policy, @TempDir Path directory) throws Exception {
        try (StorageNode node = Imports.open(directory.resolve("store"))) {
            Imports.run(node, THINGS, How.USUAL, rows(directory.resolve("a.csv"), 0, 100));
            changed(node);
            ImportReport report = Imports.run(
                    node,
                    THINGS,
                    How.USUAL.appending().onConflict(policy).allowing(1000, directory.resolve("rejects")),
                    rows(directory.resolve("b.csv"), 10, 300));
            assertEquals(node.digest("things").digest(), report.digest());
            assertEquals(
                    node.digest("things").indexes(),
                    Objects.requireNonNull(node.table("things")).imported());
            changed2(node);
        }
        try (StorageNode node = Imports.open(directory.resolve("store"))) {
            assertEquals(
                    node.digest("things").indexes(),
                    Objects.requireNonNull(node.table("things")).imported());
        }
    }

    private static void changed2(StorageNode node) {
        try (SqlEngine engine = SqlEngine.on(node, SqlSettings.defaults());
                SqlSession session = engine.open()) {
            assertTrue(
                    session.execute(SqlScript.split("UPDATE things SET s = NULL WHERE id >= 0"))
                                    .get(0)
                            instanceof StatementResult.Changed);
        }
        assertEquals(
                node.digest("things").indexes(),
                Objects.requireNonNull(node.table("things")).imported());
    }

    @Test
    void rowsThatWereDeletedComeBack(@TempDir Path directory) throws Exception {
        try (StorageNode node = Imports.open(directory.resolve("store"))) {
            Path input = rows(directory.resolve("a.csv"), 0, 100);
            ImportReport first = Imports.run(node, THINGS, How.USUAL, input);
            try (SqlEngine engine = SqlEngine.on(node, SqlSettings.defaults());
                    SqlSession session = engine.open()) {
                session.execute(SqlScript.split("DELETE FROM things WHERE id >= 10"));
            }
            ImportReport again = Imports.run(node, THINGS, How.USUAL.appending(), input);
            assertEquals(90, again.rows().imported());
            assertEquals(10, again.rows().duplicates());
            assertEquals(first.digest(), node.digest("things").digest());
        }
    }
}
