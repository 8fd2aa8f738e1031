package io.sluice.sql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.TableDef;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The same statements at random on two stores, one that deletes by spans of keys and one that deletes row by row: every
 * answer is the same, with imports in between that bring rows whose parents are missing, and the stores closed and
 * opened. More: {@code -Dsluice.test.statements=100000 -Dsluice.seed=…}.
 */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class SpanDeleteRandomTest {
    private static final int STATEMENTS = Integer.getInteger("sluice.test.statements", 1_200);
    private static final long SEED = Long.getLong("sluice.seed", System.nanoTime());
    private static final int IDS = 24;
    private static final String DDL = """
            CREATE TABLE p (id INT PRIMARY KEY, v INT, INDEX by_v (v));
            CREATE TABLE c (p INT, k INT, v INT, PRIMARY KEY (p, k DESC), UNIQUE INDEX by_vk (v, p, k),
                FOREIGN KEY (p) REFERENCES p (id) ON DELETE CASCADE) INTERLEAVE IN PARENT p (p);
            CREATE TABLE s (p INT, name STRING, v INT, PRIMARY KEY (p, name),
                FOREIGN KEY (p) REFERENCES p (id) ON DELETE CASCADE) INTERLEAVE IN PARENT p (p);
            CREATE TABLE g (p INT, k INT, t INT, v INT, PRIMARY KEY (p, k DESC, t), INDEX by_v (v DESC),
                FOREIGN KEY (p, k) REFERENCES c (p, k) ON DELETE CASCADE) INTERLEAVE IN PARENT c (p, k);
            CREATE TABLE h (p INT, k INT, u INT, PRIMARY KEY (p, k DESC, u),
                FOREIGN KEY (p) REFERENCES p (id) ON DELETE CASCADE,
                FOREIGN KEY (p, k) REFERENCES c (p, k)) INTERLEAVE IN PARENT c (p, k);
            """;

    @TempDir
    Path directory;

    private final Random random = new Random(SEED);
    private final List<TableDef> tables = Ddl.parse(DDL, "test");
    private int imported = 1_000_000;

    @Test
    void bothStoresGiveTheSameAnswers() throws Exception {
        try (SqlStore spans = store("spans", true);
                SqlStore rows = store("rows", false)) {
            List<SqlStore> both = List.of(spans, rows);
            for (SqlStore store : both) {
                store.create(DDL);
            }
            long deleted = 0;
            for (int i = 1; i <= STATEMENTS; i++) {
                String script = next();
                String answer = rows.run(script);
                assertEquals(answer, spans.run(script), "seed " + SEED + ", statement " + i + ": " + script);
                deleted += answer.contains(" and {") ? 1 : 0;
                if (random.nextInt(400) == 0) {
                    append(both);
                }
                if (random.nextInt(1_500) == 0) {
                    both.forEach(SqlStore::reopen);
                }
                if (i % 100 == 0) {
                    look(both, i);
                }
            }
            assertTrue(deleted > STATEMENTS / 100, "seed " + SEED + ": only " + deleted + " deletes cascaded");
        }
    }

    private SqlStore store(String name, boolean bySpan) throws Exception {
        // Few KVs: so that most deletes of several rows take several steps.
        return new SqlStore(
                Files.createDirectory(directory.resolve(name)),
                SqlSettings.defaults().with(new SqlSettings.Deletes(bySpan, 40)));
    }

    private String next() {
        int id = random.nextInt(IDS);
        return switch (random.nextInt(12)) {
            case 0, 1 -> "INSERT INTO p VALUES (" + id + ", " + small() + ")";
            case 2 -> children("c", id, i -> i + ", " + small());
            case 3 -> children("s", id, i -> "'n" + i + "', " + small());
            case 4 -> children("g", id, i -> small() + ", " + i + ", " + small());
            case 5 -> children("h", id, i -> small() + ", " + i);
            case 6 -> "DELETE FROM p WHERE id = " + id;
            case 7 ->
                random.nextInt(4) == 0
                        ? "DELETE FROM p WHERE id > " + id
                        : "DELETE FROM p WHERE id BETWEEN " + id + " AND " + (id + random.nextInt(4));
            case 8 ->
                "DELETE FROM p WHERE id IN (" + id + ", " + random.nextInt(IDS) + ", " + random.nextInt(IDS) + ")";
            case 9 ->
                "BEGIN; DELETE FROM c WHERE p = " + id + " AND k > 4; INSERT INTO p VALUES (" + (id + IDS)
                        + ", 1); INSERT INTO c VALUES (" + (id + IDS) + ", 3, 3); DELETE FROM p WHERE id BETWEEN " + id
                        + " AND "
                        + (id + IDS) + "; SELECT * FROM c; SELECT * FROM g WHERE v > 2; INSERT INTO p VALUES (" + id
                        + ", 7); INSERT INTO c VALUES (" + id + ", 2, 2); DELETE FROM p WHERE id <= " + id
                        + "; SELECT * FROM p; " + (random.nextInt(3) == 0 ? "COMMIT" : "ROLLBACK");
            case 10 -> "UPDATE c SET v = v + 1 WHERE p = " + id;
            default -> random.nextInt(20) == 0 ? "DELETE FROM p" : "SELECT * FROM c WHERE v = " + small();
        };
    }

    private int small() {
        return random.nextInt(8);
    }

    private String children(String table, int id, IntFunction<String> rest) {
        List<String> rows = new ArrayList<>();
        int from = random.nextInt(20);
        for (int i = from; i <= from + random.nextInt(20); i++) {
            rows.add("(" + id + ", " + rest.apply(i) + ")");
        }
        return "INSERT INTO " + table + " VALUES " + String.join(", ", rows);
    }

    /** Rows of other tables than p, so most of them have no parent. */
    private void append(List<SqlStore> both) throws Exception {
        TableDef table = tables.get(1 + random.nextInt(tables.size() - 1));
        List<List<@Nullable String>> rows = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            imported++;
            String id = String.valueOf(random.nextInt(2 * IDS));
            rows.add(
                    switch (table.name()) {
                        case "c" -> List.of(id, String.valueOf(imported), "1");
                        case "s" -> List.of(id, "x" + imported, "2");
                        case "g" -> List.of(id, String.valueOf(small()), String.valueOf(imported), "3");
                        default -> List.of(id, String.valueOf(small()), String.valueOf(imported));
                    });
        }
        for (SqlStore store : both) {
            store.append(table, rows);
        }
    }

    private void look(List<SqlStore> both, int statement) {
        String context = "seed " + SEED + ", statement " + statement;
        for (TableDef table : tables) {
            String name = table.name();
            assertEquals(both.get(1).run("SELECT * FROM " + name), both.get(0).run("SELECT * FROM " + name), context);
            for (SqlStore store : both) {
                assertEquals(
                        Objects.requireNonNull(store.node().table(name)).imported(),
                        store.node().digest(name).indexes(),
                        context + ": the sums of " + name);
            }
        }
        for (String select : List.of("p WHERE v >= 0", "c WHERE v > -1", "g WHERE v > -1")) {
            assertEquals(
                    both.get(1).run("SELECT * FROM " + select), both.get(0).run("SELECT * FROM " + select), context);
        }
    }
}
