package io.sluice.sql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.sql.apply.ChangeLogs;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A change log on tables that three stores hold parts of ends in what it ends in on one store. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class DistributedChangeLogTest {
    private static final String DDL = """
            CREATE TABLE owner (id INT PRIMARY KEY, name STRING, UNIQUE INDEX by_name (name));
            CREATE TABLE account (id INT PRIMARY KEY, owner INT REFERENCES owner (id), balance INT,
                INDEX by_owner (owner));
            CREATE TABLE plain (id INT PRIMARY KEY, n INT);
            """;
    private static final String ALL = "SELECT * FROM owner; SELECT * FROM account; SELECT * FROM plain;"
            + " SELECT id FROM account WHERE owner >= 0";
    private static final int LINES = 1500;
    private static final int IDS = 250;
    private static final int BATCH = 200;
    private static final long SEED = Long.getLong("sluice.seed", System.nanoTime());
    private static final long ASK_AFTER_MILLIS = 500;

    @TempDir
    Path directory;

    /** Changes that succeed with {@code --upsert}; owners that a row refers to are not deleted. */
    private static List<String> lines() {
        Random random = new Random(SEED);
        List<String> lines = new ArrayList<>();
        for (int id = 0; id < IDS; id++) {
            lines.add("{\"table\":\"owner\",\"op\":\"insert\",\"row\":{\"id\":" + id + ",\"name\":\"o" + id + "\"}}");
        }
        while (lines.size() < LINES) {
            int id = random.nextInt(IDS);
            switch (random.nextInt(6)) {
                case 0, 1 ->
                    lines.add("{\"table\":\"account\",\"op\":\"insert\",\"row\":{\"id\":" + id + ",\"owner\":"
                            + random.nextInt(IDS) + ",\"balance\":" + random.nextInt(100) + "}}");
                case 2 -> lines.add("{\"table\":\"account\",\"op\":\"delete\",\"key\":{\"id\":" + id + "}}");
                case 3 ->
                    lines.add("{\"table\":\"plain\",\"op\":\"insert\",\"row\":{\"id\":" + id + ",\"n\":"
                            + random.nextInt(100) + "}}");
                case 4 -> lines.add("{\"table\":\"plain\",\"op\":\"delete\",\"key\":{\"id\":" + id + "}}");
                default ->
                    lines.add("{\"table\":\"owner\",\"op\":\"update\",\"key\":{\"id\":" + id + "},\"row\":{\"id\":" + id
                            + ",\"name\":\"p" + lines.size() + "\"}}");
            }
        }
        return lines;
    }

    /** The coordinator is gone before the last agent commits the third batch, or after the log has the commit. */
    @ParameterizedTest
    @CsvSource({"false, before commit, 2", "true, after decision, 3"})
    void distributedStoresApplyALogAsOneStoreDoes(boolean cluster, String last, int batches) throws Exception {
        Path log = Files.write(directory.resolve("changes.jsonl"), lines());
        ChangeLogs.Settings settings = new ChangeLogs.Settings(3, BATCH, true, false, "log");
        String expected;
        try (SqlStore one = new SqlStore(directory)) {
            one.create(DDL);
            assertEquals(LINES, one.apply(log, settings).changes());
            expected = one.run(ALL);
        }
        try (DistributedStores stores = new DistributedStores(directory, 1, ASK_AFTER_MILLIS)) {
            stores.cluster = cluster;
            stores.create(DDL);
            AtomicInteger commits = new AtomicInteger();
            stores.steps = step -> {
                if (step.equals(last) && commits.incrementAndGet() == 3) {
                    throw new IllegalStateException("the coordinator is gone");
                }
            };
            assertThrows(IllegalStateException.class, () -> new ChangeLogs(stores.engine(), Clock.systemUTC())
                    .apply(log, settings));
            stores.steps = step -> {};
            stores.restart(1);
            stores.replaceCoordinator();
            ChangeLogs.Report rest = new ChangeLogs(stores.engine(), Clock.systemUTC()).apply(log, settings);
            assertEquals((long) batches * BATCH, rest.skipped(), "seed " + SEED);
            assertEquals(LINES - (long) batches * BATCH, rest.changes(), "seed " + SEED);
            try (SqlSession session = stores.engine().open()) {
                assertEquals(expected, SqlStore.run(session, ALL), "seed " + SEED);
            }
            assertEquals(
                    LINES,
                    new ChangeLogs(stores.engine(), Clock.systemUTC())
                            .apply(log, settings)
                            .skipped());
        }
    }
}
