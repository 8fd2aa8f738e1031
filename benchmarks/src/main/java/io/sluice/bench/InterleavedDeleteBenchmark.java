package io.sluice.bench;

import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.IngestTiming;
import io.sluice.grammar.SqlScript;
import io.sluice.grammar.StatementResult;
import io.sluice.model.file.DurableFiles;
import io.sluice.model.kv.KvChecksum;
import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.TableDef;
import io.sluice.node.NodeSettings;
import io.sluice.node.StorageNode;
import io.sluice.sql.SqlEngine;
import io.sluice.sql.SqlSession;
import io.sluice.sql.SqlSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * One DELETE of 1,000 parents, of 2,000 in the table, with what is interleaved in them, committed and synced, in
 * milliseconds: row by row and by span. Before each the store is put back from a copy, so its rows lie in SSTs.
 *
 * <p>{@code java -cp "benchmarks/target/classes:benchmarks/target/lib/*" org.openjdk.jmh.Main InterleavedDelete}
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 5)
@Measurement(iterations = 7)
@Fork(1)
@SuppressWarnings("NullAway.Init") // JMH calls setUp first
public class InterleavedDeleteBenchmark {
    private static final int PARENTS = 1_000;
    private static final int ROWS_PER_INSERT = 1_000;
    private static final long TRANSACTION_BYTES = 1L << 30;

    /** Content of a parent row. */
    public enum Inside {
        /** One child. */
        CHILD(1, false, false),
        /** One row of each of two tables. */
        SIBLINGS(1, true, false),
        /** One child with one child. */
        GRANDCHILD(1, false, true),
        /** 300 children. */
        CHILDREN_300(300, false, false),
        /** 300 children, each with an entry in a secondary index. */
        CHILDREN_300_INDEXED(300, false, false);

        private final int children;
        private final boolean sibling;
        private final boolean grandchild;

        Inside(int children, boolean sibling, boolean grandchild) {
            this.children = children;
            this.sibling = sibling;
            this.grandchild = grandchild;
        }

        String ddl() {
            String key = " PRIMARY KEY (p, k), FOREIGN KEY (p) REFERENCES p (id) ON DELETE CASCADE";
            String index = this == CHILDREN_300_INDEXED ? ", INDEX by_v (v)" : "";
            return "CREATE TABLE p (id INT PRIMARY KEY, v INT);"
                    + "CREATE TABLE c (p INT, k INT, v INT," + key + index + ") INTERLEAVE IN PARENT p (p);"
                    + (sibling ? "CREATE TABLE s (p INT, k INT, v INT," + key + ") INTERLEAVE IN PARENT p (p);" : "")
                    + (grandchild
                            ? "CREATE TABLE g (p INT, k INT, t INT, PRIMARY KEY (p, k, t), FOREIGN KEY (p, k)"
                                    + " REFERENCES c (p, k) ON DELETE CASCADE) INTERLEAVE IN PARENT c (p, k);"
                            : "");
        }

        void fill(SqlSession session) {
            int all = 2 * PARENTS;
            insert(session, "p", all, i -> "(" + i + ", " + i + ")");
            insert(session, "c", all * children, i -> "(" + i / children + ", " + i % children + ", " + i + ")");
            if (sibling) {
                insert(session, "s", all, i -> "(" + i + ", 1, 1)");
            }
            if (grandchild) {
                insert(session, "g", all, i -> "(" + i + ", 0, 1)");
            }
        }

        private static void insert(SqlSession session, String table, int rows, IntFunction<String> row) {
            for (int from = 0; from < rows; from += ROWS_PER_INSERT) {
                String values = IntStream.range(from, Math.min(rows, from + ROWS_PER_INSERT))
                        .mapToObj(row)
                        .collect(Collectors.joining(", "));
                run(session, "INSERT INTO " + table + " VALUES " + values);
            }
        }
    }

    @Param
    public Inside inside;

    @Param({"false", "true"})
    public boolean bySpan;

    private Path directory;
    private StorageNode node;
    private SqlEngine engine;
    private SqlSession session;

    private static StatementResult run(SqlSession session, String statement) {
        List<StatementResult> results = session.execute(SqlScript.split(statement));
        StatementResult last = results.get(results.size() - 1);
        if (last instanceof StatementResult.Failed failed) {
            throw new IllegalStateException(failed.message());
        }
        return last;
    }

    @Setup
    public void fill() throws IOException {
        directory = Files.createTempDirectory("sluice-bench");
        open("full");
        for (TableDef table : Ddl.parse(inside.ddl(), "benchmark")) {
            try (ImportSession empty = node.beginImport(ImportRequest.of(table, IngestTiming.AT_END))) {
                empty.finalizeIngest();
                empty.publish(table.indexes().stream()
                        .map(index -> new IndexChecksum(index.name(), KvChecksum.EMPTY))
                        .toList());
            }
        }
        inside.fill(session);
        close();
    }

    @Setup(Level.Invocation)
    public void putBack() throws IOException {
        Path from = directory.resolve("full");
        try (Stream<Path> paths = Files.walk(from)) {
            for (Path path : paths.toList()) {
                Files.copy(
                        path,
                        directory.resolve("used").resolve(from.relativize(path).toString()));
            }
        }
        open("used");
        run(session, "SELECT count(*) FROM c");
    }

    @TearDown(Level.Invocation)
    public void throwAway() throws IOException {
        close();
        DurableFiles.deleteTree(directory.resolve("used"));
    }

    @TearDown
    public void tearDown() throws IOException {
        DurableFiles.deleteTree(directory);
    }

    private void open(String name) {
        node = StorageNode.open(directory.resolve(name), NodeSettings.defaults());
        engine = SqlEngine.on(
                node,
                SqlSettings.defaults()
                        .with(new SqlSettings.Memory(TRANSACTION_BYTES, 16L << 20))
                        .with(new SqlSettings.Deletes(bySpan, SqlSettings.DEFAULT_CHUNK_KVS)));
        session = engine.open();
    }

    private void close() {
        session.close();
        engine.close();
        node.close();
    }

    @Benchmark
    public StatementResult delete() {
        return run(session, "DELETE FROM p WHERE id BETWEEN 500 AND 1499");
    }
}
