package io.sluice.sql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.IngestTiming;
import io.sluice.grammar.RowSink;
import io.sluice.grammar.SqlErrorCode;
import io.sluice.grammar.SqlScript;
import io.sluice.grammar.StatementException;
import io.sluice.grammar.StatementText;
import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.TableDef;
import io.sluice.testing.Await;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Sessions beside each other, beside imports, and at their end; what is bounded. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class SqlSessionsTest {
    private static final String DDL = "CREATE TABLE t (id INT PRIMARY KEY, n INT, s STRING, INDEX by_n (n))";
    private static final int CLIENTS = 4;

    @TempDir
    Path directory;

    private SqlStore store(SqlSettings sql) throws Exception {
        SqlStore store = new SqlStore(directory, sql);
        store.create(DDL);
        store.run("INSERT INTO t VALUES (1, 0, 'a'), (2, 0, 'b')");
        return store;
    }

    @Test
    @Timeout(60)
    void anIdleSessionEnds() throws Exception {
        try (SqlStore store = store(SqlSettings.defaults().with(new SqlSettings.Sessions(256, 50)))) {
            SqlEngine engine = store.engine();
            SqlSession session = engine.open();
            SqlStore.run(session, "BEGIN; DELETE FROM t");
            Await.until(() -> engine.sessions() == 0, () -> "the session stays open");
            assertNull(engine.session(session.id()));
            assertTrue(SqlStore.run(session, "COMMIT").startsWith("SESSION: "));
            assertEquals("[2]", store.run("SELECT count(*) FROM t"));
        }
    }

    @Test
    void theNumberOfSessionsIsLimited() throws Exception {
        try (SqlStore store = store(SqlSettings.defaults().with(new SqlSettings.Sessions(2, 60_000)))) {
            SqlEngine engine = store.engine();
            SqlSession one = engine.open();
            assertNotNull(engine.session(engine.open().id()));
            StatementException refusal = assertThrows(StatementException.class, engine::open);
            assertEquals(SqlErrorCode.SESSION, refusal.code());
            one.close();
            engine.open().close();
        }
    }

    @Test
    void memoryIsBounded() throws Exception {
        try (SqlStore store = store(SqlSettings.defaults().with(new SqlSettings.Memory(20_000, 20_000)))) {
            StringBuilder many = new StringBuilder("INSERT INTO t VALUES (1000, 1, 'x')");
            for (int i = 1001; i < 1100; i++) {
                many.append(", (").append(i).append(", 1, 'x')");
            }
            assertTrue(store.run(many.toString()).startsWith("TOO_LARGE: "));
            assertEquals("[2]", store.run("SELECT count(*) FROM t"));
            for (int i = 1000; i < 1200; i++) {
                assertEquals("1", store.run("INSERT INTO t VALUES (" + i + ", 1, 'x')"));
            }
            assertTrue(store.run("DELETE FROM t").startsWith("TOO_LARGE: "));
            assertTrue(store.run("SELECT * FROM t").startsWith("TOO_LARGE: "));
            assertEquals("[202]", store.run("SELECT count(*) FROM t"));
        }
    }

    /** Half of such a statement may be done. */
    @Test
    void aStatementThatFailsUnexpectedlyAbortsItsTransaction() throws Exception {
        RowSink broken = new RowSink() {
            @Override
            public void columns(List<String> names) {}

            @Override
            public void row(List<@Nullable String> row) {
                throw new ArithmeticException("of a kind that no statement should have");
            }
        };
        try (SqlStore store = store(SqlSettings.defaults());
                SqlSession session = store.engine().open()) {
            assertEquals("begin\n1", SqlStore.run(session, "BEGIN; INSERT INTO t VALUES (3, 0, 'c')"));
            StatementText select = SqlScript.split("SELECT * FROM t").get(0);
            assertThrows(ArithmeticException.class, () -> session.execute(select, broken));
            assertTrue(SqlStore.run(session, "COMMIT").startsWith("ABORTED: "));
            assertEquals("[2]", store.run("SELECT count(*) FROM t"));
        }
    }

    @Test
    void aTransactionOlderThanTheRecentCommitsIsRefused() throws Exception {
        try (SqlStore store = store(SqlSettings.defaults().with(new SqlSettings.Recent(3, 1 << 20)));
                SqlSession slow = store.engine().open()) {
            SqlStore.run(slow, "BEGIN; UPDATE t SET n = 1 WHERE id = 1");
            for (int i = 0; i < 4; i++) {
                store.run("UPDATE t SET n = n + 1 WHERE id = 2");
            }
            String answer = SqlStore.run(slow, "COMMIT");
            assertTrue(answer.startsWith("CONFLICT: too much was committed"), answer);
        }
    }

    @Test
    @Timeout(120)
    void autocommitStatementsRetryConflicts() throws Exception {
        int each = 50;
        try (SqlStore store = store(SqlSettings.defaults())) {
            ExecutorService pool = Executors.newFixedThreadPool(CLIENTS);
            try {
                List<Future<String>> clients = new ArrayList<>();
                for (int i = 0; i < CLIENTS; i++) {
                    clients.add(pool.submit(() -> {
                        String last = "";
                        for (int n = 0; n < each && (last.isEmpty() || last.equals("1")); n++) {
                            last = store.run("UPDATE t SET n = n + 1 WHERE id = 1");
                        }
                        return last;
                    }));
                }
                for (Future<String> client : clients) {
                    assertEquals("1", client.get());
                }
            } finally {
                pool.shutdownNow();
            }
            assertEquals("[" + CLIENTS * each + "]", store.run("SELECT n FROM t WHERE id = 1"));
            assertEquals("[1]", store.run("SELECT id FROM t WHERE n = " + CLIENTS * each));
        }
    }

    @Test
    @Timeout(120)
    void closingUnderLoadFailsStatementsAndNothingElse() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(CLIENTS);
        try {
            store(SqlSettings.defaults()).close();
            for (int round = 0; round < 10; round++) {
                SqlStore store = new SqlStore(directory);
                CountDownLatch busy = new CountDownLatch(CLIENTS);
                List<Future<String>> clients = new ArrayList<>();
                for (int i = 0; i < CLIENTS; i++) {
                    int id = i;
                    clients.add(pool.submit(() -> untilFailed(store, id, busy)));
                }
                busy.await();
                Thread.sleep(round);
                store.close();
                for (Future<String> client : clients) {
                    String end = client.get();
                    assertTrue(end.startsWith("FAILED: ") || end.startsWith("SESSION: "), end);
                }
            }
        } finally {
            pool.shutdownNow();
            assertTrue(pool.awaitTermination(1, TimeUnit.MINUTES));
        }
        try (SqlStore store = new SqlStore(directory)) {
            assertEquals(
                    store.node().digest("t").indexes(),
                    Objects.requireNonNull(store.node().table("t")).imported());
        }
    }

    private static String untilFailed(SqlStore store, int id, CountDownLatch busy) {
        SqlSession session = store.engine().open();
        int times = 0;
        while (true) {
            String sql = id % 2 == 0
                    ? "BEGIN; UPDATE t SET n = n + 1 WHERE id = " + (id + 1) + "; SELECT * FROM t WHERE n > 0; COMMIT"
                    : "SELECT * FROM t";
            String answer = SqlStore.run(session, sql);
            String last = answer.substring(answer.lastIndexOf('\n') + 1);
            if (last.startsWith("FAILED") || last.startsWith("SESSION")) {
                return last;
            }
            if (last.startsWith("CONFLICT")) {
                continue;
            }
            if (times++ == 0) {
                busy.countDown();
            }
        }
    }

    @Test
    void aTableThatIsAddedToIsReadOnly() throws Exception {
        TableDef table = Ddl.parse(DDL, "test").get(0);
        try (SqlStore store = store(SqlSettings.defaults());
                SqlSession before = store.engine().open()) {
            SqlStore.run(before, "BEGIN; UPDATE t SET n = 5 WHERE id = 1");
            try (ImportSession adding = store.node().beginImport(ImportRequest.append(table))) {
                assertEquals("[2]", store.run("SELECT count(*) FROM t"));
                assertTrue(store.run("DELETE FROM t").startsWith("BUSY: an import is adding rows to table t"));
                assertTrue(SqlStore.run(before, "COMMIT").startsWith("CONFLICT: "));
                assertEquals(List.of(), Objects.requireNonNull(adding.append()).holders(List.of()));
            }
            assertEquals("2", store.run("DELETE FROM t"));
        }
    }

    @Test
    void aTableThatIsBeingImportedIsNotThere() throws Exception {
        TableDef table = Ddl.parse(DDL.replace("TABLE t", "TABLE u"), "test").get(0);
        try (SqlStore store = store(SqlSettings.defaults());
                SqlSession before = store.engine().open()) {
            SqlStore.run(before, "BEGIN");
            try (ImportSession importing = store.node().beginImport(ImportRequest.of(table, IngestTiming.AT_END))) {
                assertTrue(store.run("SELECT * FROM u").startsWith("UNKNOWN_NAME: "));
                assertEquals("u", importing.table().name());
            }
            store.importRows(table, List.of());
            assertTrue(SqlStore.run(before, "SELECT * FROM u").startsWith("CONFLICT: "));
            assertEquals("[]", store.run("SELECT * FROM u"));
        }
    }

    @Test
    void aTableDroppedUnderATransaction() throws Exception {
        try (SqlStore store = store(SqlSettings.defaults());
                SqlSession session = store.engine().open()) {
            SqlStore.run(session, "BEGIN; UPDATE t SET n = 1 WHERE id = 1");
            store.node().drop("t");
            assertTrue(SqlStore.run(session, "COMMIT").startsWith("CONFLICT: "));
            assertTrue(SqlStore.run(session, "SELECT * FROM t").startsWith("UNKNOWN_NAME: "));
        }
    }
}
