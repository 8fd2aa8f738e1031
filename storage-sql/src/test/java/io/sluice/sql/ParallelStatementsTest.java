package io.sluice.sql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.Collections;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Statements in the background do what they do one after the other. More: {@code -Dsluice.test.statements=100000
 * -Dsluice.seed=…}.
 */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class ParallelStatementsTest {
    private static final int STATEMENTS = Integer.getInteger("sluice.test.statements", 1_200);
    private static final long SEED = Long.getLong("sluice.seed", System.nanoTime());
    private static final int MOST_IN_A_TRANSACTION = 20;
    private static final int LOOK_EVERY = 50;
    private static final String BACKGROUND = " RETURNING NOTHING";

    @TempDir
    Path directory;

    private SqlStore store;
    private SqlSession session;

    @BeforeEach
    void open() throws Exception {
        store = store("parallel", new SqlSettings.Parallel(4, 7));
        session = store.engine().open();
    }

    private SqlStore store(String name, SqlSettings.Parallel parallel) throws Exception {
        SqlStore made =
                new SqlStore(directory.resolve(name), SqlSettings.defaults().with(parallel));
        made.create(RowModel.DDL);
        return made;
    }

    @AfterEach
    void close() {
        store.close();
    }

    private String run(String script) {
        return SqlStore.run(session, script);
    }

    @Test
    void backgroundStatementsAreAnsweredAtOnceAndTheNextOtherIsABarrier() {
        assertEquals("begin\nstarted\nstarted\nstarted\n[1,null,x,1 | 2,null,y,5]\ncommit", run("""
                        BEGIN;
                        INSERT INTO a VALUES (1, NULL, 'x', 1) RETURNING NOTHING;
                        INSERT INTO a VALUES (2, NULL, 'y', 4) RETURNING NOTHING;
                        UPDATE a SET n = n + 1 WHERE id = 2 RETURNING NOTHING;
                        SELECT * FROM a;
                        COMMIT;
                        """));
    }

    @Test
    void outsideOfTransactionsReturningNothingWaits() {
        assertEquals("1", run("INSERT INTO a VALUES (1, NULL, 'x', 1) RETURNING NOTHING"));
    }

    @Test
    void moreThanMayWaitKeepTheirOrder() {
        int times = 300;
        run("INSERT INTO a VALUES (1, NULL, 'x', 0)");
        String script = "BEGIN;"
                + String.join(";", Collections.nCopies(times, "UPDATE a SET n = n + 1 WHERE id = 1" + BACKGROUND))
                + "; UPDATE a SET n = n * 2 WHERE id = 1" + BACKGROUND + "; COMMIT";
        assertTrue(run(script).endsWith("commit"));
        assertEquals("[" + 2 * times + "]", run("SELECT n FROM a WHERE id = 1"));
    }

    @Test
    void theEarliestFailureIsNamedAndNothingIsCommitted() {
        run("INSERT INTO a VALUES (1, NULL, 'x', 0)");
        String answer = run("""
                BEGIN;
                INSERT INTO c VALUES (1, NULL) RETURNING NOTHING;
                INSERT INTO a VALUES (1, NULL, 'x', 0) RETURNING NOTHING;
                INSERT INTO b VALUES (77, 1, 1) RETURNING NOTHING;
                COMMIT;
                """);
        assertTrue(
                answer.startsWith("begin\nstarted\nstarted\nstarted\nUNIQUE: statement 2 of those in the background,"
                        + " INSERT INTO a VALUES (1, NULL, 'x', 0) RETURNING NOTHING: table a"),
                answer);
        assertEquals("[0]", run("SELECT count(*) FROM c"));
        assertEquals("begin", run("BEGIN"), "COMMIT has ended the transaction");
    }

    @Test
    void anErrorMetByAnotherStatementEndsTheTransaction() {
        String answer = run("""
                BEGIN;
                INSERT INTO b VALUES (77, 1, 1) RETURNING NOTHING;
                SELECT nonsense FROM a;
                """);
        assertTrue(answer.startsWith("begin\nstarted\nFOREIGN_KEY: statement 1"), answer);
        assertTrue(run("SELECT * FROM a").startsWith("ABORTED"));
        assertEquals("rollback\n[0]", run("ROLLBACK; SELECT count(*) FROM b"));
    }

    @Test
    void rollbackAndTheEndOfASessionWaitForNoOtherSession() {
        assertEquals("begin\nstarted\nrollback\n[0]", run("""
                        BEGIN;
                        INSERT INTO a VALUES (1, NULL, 'x', 1) RETURNING NOTHING;
                        ROLLBACK;
                        SELECT count(*) FROM a;
                        """));
        run("BEGIN; INSERT INTO a VALUES (1, NULL, 'x', 1) RETURNING NOTHING");
        session.close();
        assertEquals("[0]", store.run("SELECT count(*) FROM a"));
    }

    @Test
    void theStoreClosesUnderThem() {
        StringBuilder script = new StringBuilder("BEGIN;");
        for (int i = 0; i < 7; i++) {
            script.append("INSERT INTO a VALUES (").append(i).append(", NULL, 'x', 1) RETURNING NOTHING;");
        }
        run(script.toString());
        store.reopen();
        assertEquals("[0]", store.run("SELECT count(*) FROM a"));
    }

    /** The same statements in both stores, in one of them in the background. */
    private final class Twins {
        private final Random random = new Random(SEED);
        private final RandomStatements statements = new RandomStatements(random);
        private final SqlStore serial;
        private final SqlSession locked;
        private int failed;
        private int committed;

        Twins(SqlStore serial) {
            this.serial = serial;
            locked = serial.engine().open();
        }

        /** One transaction; returns how many statements it had. */
        int transaction() {
            SqlStore.run(locked, "BEGIN");
            run("BEGIN");
            String failure = null;
            int count = 1 + random.nextInt(MOST_IN_A_TRANSACTION);
            for (int i = 0; i < count; i++) {
                String sql = statements.next().sql();
                String context = "seed " + SEED + ": " + sql;
                if (sql.startsWith("SELECT")) {
                    if (random.nextInt(3) > 0) {
                        continue;
                    }
                    String answer = run(sql);
                    if (failure != null) {
                        met(failure, answer, context);
                        run("ROLLBACK");
                        SqlStore.run(locked, "ROLLBACK");
                        return count;
                    }
                    assertEquals(SqlStore.run(locked, sql), answer, context);
                } else {
                    assertEquals("started", run(sql + BACKGROUND), context);
                    failure = failure == null ? failureOf(SqlStore.run(locked, sql)) : failure;
                }
            }
            end(failure);
            return count;
        }

        private void end(@Nullable String failure) {
            String sql = random.nextInt(5) == 0 ? "ROLLBACK" : "COMMIT";
            String answer = run(sql);
            String inOrder = SqlStore.run(locked, sql);
            String context = "seed " + SEED + ": " + sql;
            if (failure == null || sql.equals("ROLLBACK")) {
                assertEquals(inOrder, answer, context);
                committed += sql.equals("COMMIT") ? 1 : 0;
            } else {
                met(failure, answer, context);
            }
        }

        private static @Nullable String failureOf(String answer) {
            return answer.matches("(?s)[A-Z_]+: .*") ? answer : null;
        }

        /** The code and the message, behind which statement it was. */
        private void met(String failure, String answer, String context) {
            failed++;
            int colon = failure.indexOf(": ");
            assertTrue(
                    answer.startsWith(failure.substring(0, colon) + ": statement ")
                            && answer.endsWith(failure.substring(colon)),
                    () -> context + ": in turn " + failure + "; in the background " + answer);
        }

        void look() {
            for (String table : RowModel.TABLES) {
                String all = "SELECT * FROM " + table;
                assertEquals(serial.run(all), store.run(all), "seed " + SEED);
                assertEquals(
                        store.node().digest(table).indexes(),
                        Objects.requireNonNull(store.node().table(table)).imported(),
                        "seed " + SEED);
                assertEquals(
                        serial.node().digest(table).indexes(),
                        store.node().digest(table).indexes(),
                        "seed " + SEED);
            }
        }
    }

    @Test
    void parallelStatementsHaveTheSerialResult() throws Exception {
        try (SqlStore serial = store("serial", new SqlSettings.Parallel(1, 1))) {
            Twins twins = new Twins(serial);
            int done = 0;
            for (int i = 1; done < STATEMENTS; i++) {
                done += twins.transaction();
                if (i % LOOK_EVERY == 0) {
                    twins.look();
                }
            }
            twins.look();
            assertTrue(twins.failed > 0 && twins.committed > 0, twins.failed + " failed, " + twins.committed + " not");
        }
    }
}
