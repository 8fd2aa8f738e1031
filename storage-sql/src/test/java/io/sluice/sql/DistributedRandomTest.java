package io.sluice.sql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.sql.RowModel.Refused;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Statements at random in several sessions on tables that three stores hold parts of, against a plain model: every
 * answer is the model's, with stores closed and opened in between. More: {@code -Dsluice.test.statements=100000
 * -Dsluice.seed=…}.
 */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class DistributedRandomTest {
    private static final int STATEMENTS = Integer.getInteger("sluice.test.statements", 3_000) / 2;
    private static final long SEED = Long.getLong("sluice.seed", System.nanoTime());
    private static final int CLIENTS = 3;
    private static final int LOOK_EVERY = 500;
    /** Far above what anything here takes: a store that asks too early makes a conflict of what is none. */
    private static final long ASK_AFTER_MILLIS = 60_000;
    /** Rows that are never there, one on each store: reading them takes all snapshots. */
    private static final String EVERYWHERE = "SELECT * FROM c WHERE id IN (50, 150, 250)";

    @TempDir
    Path directory;

    private final Random random = new Random(SEED);
    private final RandomStatements statements = new RandomStatements(random);
    private final RowModel committed = new RowModel();
    private final List<Set<String>> commits = new ArrayList<>();
    private final List<Client> clients = new ArrayList<>();
    private DistributedStores stores;
    private int conflicts;
    private int transactions;

    /** A session, and what it must see. */
    private final class Client {
        private SqlSession session = stores.engine().open();
        private @Nullable RowModel then;
        private @Nullable RowModel now;
        private boolean aborted;
        private int commitsBefore;

        private boolean open() {
            return now != null || aborted;
        }

        private void forget() {
            then = null;
            now = null;
            aborted = false;
        }

        void step() {
            if (!open() && random.nextInt(2) == 0) {
                assertEquals("begin\n[]", SqlStore.run(session, "BEGIN; " + EVERYWHERE));
                then = committed.copy();
                now = committed.copy();
                commitsBefore = commits.size();
            } else if (open() && random.nextInt(4) == 0) {
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
            String answer = SqlStore.run(session, "COMMIT");
            String context = "seed " + SEED + ": " + answer;
            RowModel mine = now;
            RowModel found = then;
            if (mine == null || found == null) {
                assertTrue(answer.startsWith("ABORTED: "), context);
                return;
            }
            transactions++;
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
                assertTrue(!since.isEmpty(), context + ": no other session did anything");
                conflicts++;
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void everyAnswerIsTheModels(int replicas) throws Exception {
        stores = new DistributedStores(directory, replicas, ASK_AFTER_MILLIS);
        try {
            stores.create(RowModel.DDL);
            for (int i = 0; i < CLIENTS; i++) {
                clients.add(new Client());
            }
            // Some seeds have no conflict for long.
            for (int i = 1; i <= STATEMENTS || (conflicts == 0 && i <= 10 * STATEMENTS); i++) {
                clients.get(random.nextInt(CLIENTS)).step();
                if (i % (3 * LOOK_EVERY) == 0) {
                    restart();
                }
                if (i % LOOK_EVERY == 0) {
                    look();
                }
            }
            String context = "seed " + SEED + ": " + conflicts + " conflicts of " + transactions;
            assertTrue(conflicts > 0 && conflicts < transactions, context);
        } finally {
            stores.close();
        }
    }

    /** Stores come back one by one; what was not committed is gone with the sessions. */
    private void restart() {
        clients.forEach(client -> client.session.close());
        stores.engine().close();
        for (int i = 0; i < DistributedStores.NODES; i++) {
            stores.restart(i);
        }
        stores.replaceCoordinator();
        for (Client client : clients) {
            client.session = stores.engine().open();
            client.forget();
        }
    }

    private void look() {
        String context = "seed " + SEED;
        try (SqlSession session = stores.engine().open()) {
            assertEquals(committed.selectA(row -> true), SqlStore.run(session, "SELECT * FROM a"), context);
            assertEquals(committed.selectB(row -> true), SqlStore.run(session, "SELECT * FROM b"), context);
            assertEquals(committed.selectC(row -> true), SqlStore.run(session, "SELECT * FROM c"), context);
            assertEquals(
                    committed.byN(row -> row.n() != null),
                    SqlStore.run(session, "SELECT * FROM a WHERE n > -1000"),
                    context);
        }
    }
}
