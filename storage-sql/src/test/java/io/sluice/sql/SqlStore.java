package io.sluice.sql;

import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.IngestTiming;
import io.sluice.api.node.SstFile;
import io.sluice.engine.lsm.LsmHistory;
import io.sluice.grammar.SqlScript;
import io.sluice.grammar.StatementResult;
import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.TableDef;
import io.sluice.node.NodeSettings;
import io.sluice.node.StorageNode;
import io.sluice.sql.apply.ChangeLogs;
import io.sluice.testing.TestSsts;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A store with tables that were imported, and statements on them in few words. */
final class SqlStore implements AutoCloseable {
    private final Path directory;
    private NodeSettings settings;
    private SqlSettings sql;
    private StorageNode node;
    private SqlEngine engine;

    SqlStore(Path directory) {
        this(directory, SqlSettings.defaults());
    }

    SqlStore(Path directory, SqlSettings sql) {
        this(directory, NodeSettings.defaults(), sql);
    }

    SqlStore(Path directory, NodeSettings settings, SqlSettings sql) {
        this.directory = directory;
        this.settings = settings;
        this.sql = sql;
        node = StorageNode.open(directory.resolve("store"), settings);
        engine = SqlEngine.on(node, sql);
    }

    SqlEngine engine() {
        return engine;
    }

    ChangeLogs.Report apply(Path log, ChangeLogs.Settings how) {
        return new ChangeLogs(engine, node.clock()).apply(log, how);
    }

    StorageNode node() {
        return node;
    }

    /** Closes the store and opens it again; sessions are gone. */
    void reopen() {
        close();
        node = StorageNode.open(directory.resolve("store"), settings);
        engine = SqlEngine.on(node, sql);
    }

    /** The same, with other settings from then on. */
    void reopen(NodeSettings other, SqlSettings otherSql) {
        settings = other;
        sql = otherSql;
        reopen();
    }

    /** Imports tables without rows. */
    void create(String ddl) throws Exception {
        for (TableDef table : Ddl.parse(ddl, "test")) {
            importRows(table, List.of());
        }
    }

    /** Imports rows into a new table. */
    void importRows(TableDef table, List<List<@Nullable String>> rows) throws Exception {
        ship(ImportRequest.of(table, IngestTiming.AT_END), rows, false);
    }

    /** Adds rows to a table, none of which is there. */
    void append(TableDef table, List<List<@Nullable String>> rows) throws Exception {
        ship(ImportRequest.append(table), rows, true);
    }

    private void ship(ImportRequest request, List<List<@Nullable String>> rows, boolean append) throws Exception {
        try (ImportSession session = node.beginImport(request)) {
            var ssts = rows.isEmpty() ? List.<SstFile>of() : TestSsts.build(session.table(), rows, directory);
            ssts.forEach(session::ship);
            session.finalizeIngest();
            List<IndexChecksum> sums = append
                    ? Objects.requireNonNull(session.append()).checkOverlap(10).after()
                    : TestSsts.sums(session.table(), ssts);
            session.publish(sums);
        }
    }

    /** Executes statements in a session of their own, and says what became of each, one line each. */
    String run(String script) {
        try (SqlSession session = engine.open()) {
            return run(session, script);
        }
    }

    static String run(SqlSession session, String script) {
        return session.execute(SqlScript.split(script)).stream()
                .map(SqlStore::line)
                .collect(Collectors.joining("\n"));
    }

    static String line(StatementResult result) {
        if (result instanceof StatementResult.Rows rows) {
            return rows.rows().stream()
                    .map(row -> row.stream().map(String::valueOf).collect(Collectors.joining(",")))
                    .collect(Collectors.joining(" | ", "[", "]"));
        }
        if (result instanceof StatementResult.Changed changed) {
            return changed.count() + (changed.cascaded().isEmpty() ? "" : " and " + new TreeMap<>(changed.cascaded()));
        }
        if (result instanceof StatementResult.Returned returned) {
            return Long.toString(returned.rows());
        }
        if (result instanceof StatementResult.Done done) {
            return done.what();
        }
        StatementResult.Failed failed = (StatementResult.Failed) result;
        return failed.code() + ": " + failed.message();
    }

    /** Files in level 0 of the first table's tree, as the event log has it. */
    int level0Files() {
        LsmHistory history = LsmHistory.ofLog(directory.resolve("store"));
        return history == null ? 0 : history.atEnd("t1").figures().l0Files();
    }

    @Override
    public void close() {
        engine.close();
        node.close();
    }
}
