package io.sluice.node.sql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.api.schema.Ddl;
import io.sluice.node.NodeSettings;
import io.sluice.node.sql.RowModel.A;
import io.sluice.node.sql.RowModel.Refused;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Statements at random in several sessions, against a plain model: every answer is the model's, with imports that add
 * rows and the store closed and opened in between. More: {@code -Dsluice.test.statements=100000 -Dsluice.test.seed=…}.
 */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class RandomStatementsTest {
    private static final int STATEMENTS = Integer.getInteger("sluice.test.statements", 20_000);
    private static final long SEED = Long.getLong("sluice.test.seed", 20261121L);
    private static final int CLIENTS = 4;
    /** Statements between two looks at everything. */
    private static final int LOOK_EVERY = 1000;

    @TempDir
    Path directory;

    private final Random random = new Random(SEED);
    private final RandomStatements statements = new RandomStatements(random);
    private final RowModel committed = new RowModel();
    /** Names of the rows that each commit changed. */
    private final List<Set<String>> commits = new ArrayList<>();

    private final List<Client> clients = new ArrayList<>();
    private SqlStore store;
    private int appended = 1000;
    private int conflicts;
    private int transactions;

    /** A session, and what it must see. */
    private final class Client {
        private SqlSession session = store.node().sql().open();
        private @Nullable RowModel then;
        private @Nullable RowModel now;
        private boolean aborted;
        private int commitsBefore;
        private boolean importedSince;

        boolean open() {
            return now != null || aborted;
        }

        void forget() {
            then = null;
            now = null;
            aborted = false;
        }

        void step() {
            if (!open() && random.nextInt(4) == 0) {
                assertEquals("begin", SqlStore.run(session, "BEGIN"));
                then = committed.copy();
                now = committed.copy();
                commitsBefore = commits.size();
                importedSince = false;
            } else if (open() && random.nextInt(6) == 0) {
                end();
            } else {
                statement(statements.next());
            }
        }

        private void statement(RandomStatements.Drawn drawn) {
            String answer = SqlStore.run(session, drawn.sql());
            String context = "seed " + SEED + ": " + drawn.sql();
            if (aborted) {
                assertTrue(answer.startsWith("ABORTED: "), context + " -> " + answer);
                return;
            }
            RowModel before = now == null ? committed : now;
            RowModel after = before.copy();
            if (now != null && importedSince && answer.startsWith("CONFLICT: ")) {
                aborted = true;
                now = null;
                return;
            }
            try {
                assertEquals(drawn.effect().apply(after), answer, context);
            } catch (Refused refused) {
                assertTrue(answer.startsWith(refused.getMessage() + ": "), context + " -> " + answer);
                aborted = now != null;
                now = null;
                return;
            }
            if (now == null) {
                commits.add(RowModel.changed(before, after));
                committed.merge(before.copy(), after);
            } else {
                now = after;
            }
        }

        private void end() {
            if (random.nextInt(4) == 0) {
                assertEquals("rollback", SqlStore.run(session, "ROLLBACK"));
            } else {
                commit();
            }
            forget();
        }

        private void commit() {
            transactions++;
            String answer = SqlStore.run(session, "COMMIT");
            String context = "seed " + SEED + ": " + answer;
            RowModel mine = now;
            RowModel found = then;
            if (mine == null || found == null) {
                assertTrue(answer.startsWith("ABORTED: "), context);
                return;
            }
            List<Set<String>> since = commits.subList(commitsBefore, commits.size());
            if (answer.equals("commit")) {
                Set<String> changed = RowModel.changed(found, mine);
                for (Set<String> other : since) {
                    assertTrue(Collections.disjoint(changed, other), context);
                }
                commits.add(changed);
                committed.merge(found, mine);
                assertTrue(committed.noOrphans(), context);
            } else {
                assertTrue(answer.startsWith("CONFLICT: "), context);
                assertTrue(!since.isEmpty() || importedSince, context + ": nobody else did anything");
                conflicts++;
            }
        }
    }

    @Test
    void everyAnswerIsTheModels() throws Exception {
        store = new SqlStore(directory, NodeSettings.defaults());
        try {
            store.create(RowModel.DDL);
            for (int i = 0; i < CLIENTS; i++) {
                clients.add(new Client());
            }
            for (int i = 1; i <= STATEMENTS; i++) {
                clients.get(random.nextInt(CLIENTS)).step();
                if (random.nextInt(1500) == 0) {
                    append();
                }
                if (i % (5 * LOOK_EVERY) == 0) {
                    reopen();
                }
                if (i % LOOK_EVERY == 0) {
                    look();
                }
            }
            assertTrue(conflicts * 100 > transactions && conflicts < transactions, conflicts + " of " + transactions);
        } finally {
            store.close();
        }
    }

    private void append() throws Exception {
        List<List<@Nullable String>> rows = new ArrayList<>();
        RowModel before = committed.copy();
        for (int i = random.nextInt(5); i >= 0; i--) {
            A row = new A(appended, appended, "added", appended % 7);
            appended++;
            committed.insert(row);
            rows.add(List.of(
                    String.valueOf(row.id()),
                    String.valueOf(row.u()),
                    row.s(),
                    String.valueOf(Objects.requireNonNull(row.n()))));
        }
        store.append(Ddl.parse(RowModel.DDL, "test").get(0), rows);
        commits.add(RowModel.changed(before, committed));
        clients.forEach(client -> client.importedSince = true);
    }

    /** What was not committed is gone with the sessions. */
    private void reopen() {
        store.reopen();
        for (Client client : clients) {
            client.session = store.node().sql().open();
            client.forget();
        }
    }

    private void look() {
        String context = "seed " + SEED;
        assertEquals(committed.selectA(row -> true), store.run("SELECT * FROM a"), context);
        assertEquals(committed.selectB(row -> true), store.run("SELECT * FROM b"), context);
        assertEquals(committed.selectC(row -> true), store.run("SELECT * FROM c"), context);
        assertEquals(committed.byN(row -> row.n() != null), store.run("SELECT * FROM a WHERE n > -1000"), context);
        for (String table : List.of("a", "b", "c")) {
            assertEquals(
                    store.node().digest(table).indexes(),
                    Objects.requireNonNull(store.node().table(table)).imported(),
                    context);
        }
    }
}
