package io.sluice.sql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.api.node.NodeStatus;
import io.sluice.model.schema.Ddl;
import io.sluice.testing.Await;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Thousands of changed rows leave the tree low, and every KV agreeing with its checksum and the sums. */
class TreeUnderStatementsTest {
    private static final long SEED = Long.getLong("sluice.seed", System.nanoTime());
    private static final int ROWS = 4000;
    private static final int ROUNDS = 12;
    /** Above the height that the compactor allows in a read table, plus files that are being flushed or ingested. */
    private static final int MOST_HEIGHT = 16;

    private static final String DDL =
            "CREATE TABLE t (id INT PRIMARY KEY, n INT NOT NULL, s STRING, INDEX by_n (n), INDEX by_s (s, n))";

    @Test
    @Timeout(180)
    void heightAndLevel0StayBounded(@TempDir Path directory) throws Exception {
        Random random = new Random(SEED);
        try (SqlStore store = new SqlStore(directory)) {
            List<List<@Nullable String>> rows = new ArrayList<>();
            long expected = 0;
            for (int i = 0; i < ROWS; i++) {
                rows.add(List.of(String.valueOf(i), String.valueOf(i % 100), "some text " + i));
                expected += i % 100;
            }
            store.importRows(Ddl.parse(DDL, "test").get(0), rows);
            for (int round = 0; round < ROUNDS; round++) {
                int from = random.nextInt(ROWS / 2);
                int to = from + ROWS / 2;
                assertEquals(
                        String.valueOf(ROWS / 2),
                        store.run("UPDATE t SET n = n + 1 WHERE id >= " + from + " AND id < " + to),
                        "seed " + SEED);
                expected += ROWS / 2;
                // Leaves a file in level 0 each time: memtables are flushed when the log is rotated at opening.
                store.reopen();
            }
            awaitEmptyLevel0(store);
            NodeStatus.Load load = store.node().status().load();
            assertTrue(load.height() <= MOST_HEIGHT, "seed " + SEED + ": " + load);
            assertEquals(
                    store.node().digest("t").indexes(),
                    Objects.requireNonNull(store.node().table("t")).imported(),
                    "seed " + SEED);
            long sum = 0;
            for (String n :
                    store.run("SELECT n FROM t").replaceAll("[\\[\\] ]", "").split("\\|", -1)) {
                sum += Long.parseLong(n);
            }
            assertEquals(expected, sum, "seed " + SEED);
        }
    }

    /** The planner looks once a second. */
    private static void awaitEmptyLevel0(SqlStore store) throws Exception {
        Await.until(() -> store.level0Files() == 0, () -> "level 0 keeps its files; seed " + SEED);
    }
}
