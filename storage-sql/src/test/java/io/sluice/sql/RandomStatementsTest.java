package io.sluice.sql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.sql.RandomStatements.Drawn;
import io.sluice.sql.RowModel.Refused;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Statements at random in several sessions, against a plain model: every answer is the model's, at old snapshots too,
 * with imports that add rows in between. The store is closed now and then, and opened in the next {@link StoreMode}, so
 * what one leaves the others go on with.
 *
 * <p>{@code -Dsluice.test.statements=100000}, which profile {@code long} sets, makes it longer, {@code -Dsluice.seed=…}
 * another one.
 */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class RandomStatementsTest {
    private static final int STATEMENTS = Integer.getInteger("sluice.test.statements", 8_000);
    private static final long SEED = Long.getLong("sluice.seed", System.nanoTime());
    private static final int CLIENTS = 5;
    private static final int IMPORT_EVERY = 250;
    /** Statements between two checks of all rows; the store is reopened after each: 16 modes in 10,000. */
    private static final int LOOK_EVERY = 625;
    /** A DELETE of more KVs than this deletes a range. */
    private static final int MANY = 20;

    @TempDir
    Path directory;

    private final Random random = new Random(SEED);
    private final RandomStatements statements = new RandomStatements(random);
    private final RandomImports imports = new RandomImports(random, statements.tree());
    private final RowModel committed = new RowModel();
    /** Names of the rows that each commit changed. */
    private final List<Set<String>> commits = new ArrayList<>();

    private final List<Client> clients = new ArrayList<>();
    private final List<StoreMode> modes = StoreMode.all();
    private final SeenAtRandom seen = new SeenAtRandom();
    private StoreMode mode;
    private SqlStore store;

    /** A session, and what it must see. */
    private final class Client {
        /** One that only reads, what was there long ago. */
        private final boolean historian;

        private SqlSession session = store.engine().open();
        private @Nullable RowModel then;
        private @Nullable RowModel now;
        private boolean aborted;
        /** The code by which the first of those in the background fails that does. */
        private @Nullable String failing;

        private int commitsBefore;
        private boolean importedSince;

        Client(boolean historian) {
            this.historian = historian;
        }

        boolean open() {
            return now != null || aborted;
        }

        void forget() {
            then = null;
            now = null;
            aborted = false;
            failing = null;
        }

        void step() {
            if (!open() && (historian || random.nextInt(2) == 0)) {
                begin();
            } else if (open() && random.nextInt(historian ? 50 : 4) == 0) {
                end();
            } else {
                statement(historian ? statements.nextRead() : statements.next());
            }
        }

        private void begin() {
            assertEquals("begin", SqlStore.run(session, "BEGIN"));
            then = committed.copy();
            now = committed.copy();
            commitsBefore = commits.size();
            importedSince = false;
        }

        private void statement(Drawn drawn) {
            if (aborted) {
                String answer = SqlStore.run(session, drawn.sql());
                assertTrue(answer.startsWith("ABORTED: "), context(drawn.sql(), answer));
            } else if (now == null) {
                byItself(drawn);
            } else if (mode.parallel() && drawn.writes() && random.nextInt(4) > 0) {
                inBackground(drawn, now);
            } else {
                inTransaction(drawn, now);
            }
        }

        private void byItself(Drawn drawn) {
            String answer = SqlStore.run(session, drawn.sql());
            RowModel after = committed.copy();
            if (ensureRight(drawn, after, answer) && drawn.writes()) {
                commits.add(RowModel.changed(committed, after));
                committed.merge(committed.copy(), after);
            }
        }

        private void inBackground(Drawn drawn, RowModel before) {
            String sql = drawn.sql() + " RETURNING NOTHING";
            assertEquals("started", SqlStore.run(session, sql), () -> context(sql, "not started"));
            seen.background++;
            if (failing == null) {
                RowModel after = before.copy();
                try {
                    noteSpans(drawn, drawn.effect().apply(after));
                    now = after;
                } catch (Refused refused) {
                    failing = refused.getMessage();
                }
            }
        }

        private void inTransaction(Drawn drawn, RowModel before) {
            String answer = SqlStore.run(session, drawn.sql());
            RowModel after = before.copy();
            if (!metFailure(answer) && ensureRight(drawn, after, answer)) {
                now = after;
                seen.old += commits.size() > commitsBefore && !drawn.writes() ? 1 : 0;
            } else {
                aborted = true;
                now = null;
            }
        }

        /** Whether an answer tells of what failed before, or of an import that was not there yet. */
        private boolean metFailure(String answer) {
            if (importedSince && answer.startsWith("CONFLICT: ")) {
                return true;
            }
            if (failing != null) {
                assertTrue(answer.startsWith(failing + ": statement "), () -> context("after " + failing, answer));
                seen.failedInBackground++;
            }
            return failing != null;
        }

        /** Waits for what runs in the background. */
        void barrier() {
            if (now != null) {
                inTransaction(new Drawn("SELECT count(*) FROM c", model -> "[" + model.c.size() + "]"), now);
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
            RowModel mine = now;
            RowModel found = then;
            if (mine == null || found == null) {
                assertTrue(answer.startsWith("ABORTED: "), context("COMMIT", answer));
                return;
            }
            if (failing != null) {
                assertTrue(metFailure(answer), context("COMMIT", answer));
                return;
            }
            seen.transactions++;
            List<Set<String>> since = commits.subList(commitsBefore, commits.size());
            if (answer.equals("commit")) {
                Set<String> changed = RowModel.changed(found, mine);
                for (Set<String> other : since) {
                    assertTrue(Collections.disjoint(changed, other), () -> context("COMMIT", "a lost change"));
                }
                commits.add(changed);
                committed.merge(found, mine);
                assertTrue(committed.noOrphans(), () -> context("COMMIT", "a row without its parent"));
            } else {
                assertTrue(answer.startsWith("CONFLICT: "), context("COMMIT", answer));
                assertTrue(
                        !since.isEmpty() || importedSince,
                        context("COMMIT", answer + ": no other session did anything"));
                seen.conflicts++;
            }
        }
    }

    private String context(String sql, String answer) {
        return "seed " + SEED + ", " + mode + ": " + sql + " -> " + answer;
    }

    /** Holds an answer against the model, which then has what the statement has done; whether that was anything. */
    private boolean ensureRight(Drawn drawn, RowModel model, String answer) {
        try {
            String expected = drawn.effect().apply(model);
            assertEquals(expected, answer, () -> context(drawn.sql(), "not right"));
            noteSpans(drawn, expected);
            return true;
        } catch (Refused refused) {
            assertTrue(answer.startsWith(refused.getMessage() + ": "), () -> context(drawn.sql(), answer));
            return false;
        }
    }

    private void noteSpans(Drawn drawn, String answer) {
        if (mode.bySpan() && drawn.sql().startsWith("DELETE FROM p WHERE id")) {
            int rows = Arrays.stream(answer.split("\\D+"))
                    .mapToInt(Integer::parseInt)
                    .sum();
            seen.manyBySpan += rows > MANY ? 1 : 0;
        }
    }

    @Test
    void everyAnswerIsTheModelsInEveryMode() throws Exception {
        Collections.shuffle(modes, random);
        mode = modes.get(0);
        store = new SqlStore(directory, mode.settings(), mode.sql());
        try {
            store.create(RowModel.DDL);
            tune();
            for (int i = 0; i < CLIENTS; i++) {
                clients.add(new Client(i == 0));
            }
            // Some seeds evict no row, or have no conflict, for long.
            for (int i = 1; i <= STATEMENTS || (!seen.enough() && i <= 10 * STATEMENTS); i++) {
                clients.get(random.nextInt(CLIENTS)).step();
                if (random.nextInt(IMPORT_EVERY) == 0) {
                    append();
                }
                if (i % LOOK_EVERY == 0) {
                    look();
                    reopen(modes.get(i / LOOK_EVERY % modes.size()));
                }
            }
            look();
            seen.store(store);
        } finally {
            store.close();
        }
        System.out.println("seed " + SEED + ": " + seen);
        seen.ensureEnough("seed " + SEED);
    }

    /** Statements in the background would find that the table takes rows, or not, as luck has it. */
    private void append() throws Exception {
        clients.forEach(Client::barrier);
        RowModel before = committed.copy();
        imports.next(store, committed);
        seen.imports++;
        commits.add(RowModel.changed(before, committed));
        clients.forEach(client -> client.importedSince = true);
    }

    /** Uncommitted changes end with the sessions. */
    private void reopen(StoreMode next) {
        seen.store(store);
        mode = next;
        store.reopen(mode.settings(), mode.sql());
        tune();
        for (Client client : clients) {
            client.session = store.engine().open();
            client.forget();
        }
    }

    private void tune() {
        List.of("a", "c", "p").forEach(outermost -> store.node().tune(outermost, mode.tuning()));
    }

    private void look() {
        String context = "seed " + SEED + ", " + mode;
        assertEquals(committed.selectA(row -> true), store.run("SELECT * FROM a"), context);
        assertEquals(committed.selectB(row -> true), store.run("SELECT * FROM b"), context);
        assertEquals(committed.selectC(row -> true), store.run("SELECT * FROM c"), context);
        assertEquals(committed.byN(row -> row.n() != null), store.run("SELECT * FROM a WHERE n > -1000"), context);
        TreeModel tree = committed.tree;
        assertEquals(tree.selectP(row -> true), store.run("SELECT * FROM p"), context);
        assertEquals(tree.selectQ(row -> true), store.run("SELECT * FROM q"), context);
        assertEquals(tree.selectR(), store.run("SELECT * FROM r"), context);
        assertEquals(tree.byVk(row -> true), store.run("SELECT * FROM q WHERE v > -1000"), context);
        for (String table : RowModel.TABLES) {
            assertEquals(
                    store.node().digest(table).indexes(),
                    Objects.requireNonNull(store.node().table(table)).imported(),
                    context);
        }
    }
}
