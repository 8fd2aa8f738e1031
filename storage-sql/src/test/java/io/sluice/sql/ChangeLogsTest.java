package io.sluice.sql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.api.node.TableStatus;
import io.sluice.model.error.BadInputException;
import io.sluice.sql.apply.ChangeLogs;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Applies change logs to tables: alike by one thread and by several, and again where they were cut off. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class ChangeLogsTest {
    private static final int CHANGES = Math.min(4_000, Integer.getInteger("sluice.test.statements", 800));
    private static final long SEED = Long.getLong("sluice.seed", System.nanoTime());
    private static final int IDS = 60;
    private static final int CATCH_UP = 400;
    private static final int CATCH_UP_IDS = 12;
    private static final Pattern LINE = Pattern.compile("line (\\d+): ");

    @TempDir
    Path directory;

    private SqlStore store;
    private Path log;

    @BeforeEach
    void open() throws Exception {
        store = store("store");
        log = directory.resolve("changes.jsonl");
    }

    private SqlStore store(String name) throws Exception {
        SqlStore made = new SqlStore(directory.resolve(name));
        made.create(RowModel.DDL);
        return made;
    }

    @AfterEach
    void close() {
        store.close();
    }

    private static ChangeLogs.Settings settings(int workers, int batch, boolean upsert) {
        return new ChangeLogs.Settings(workers, batch, upsert, false, "log");
    }

    private ChangeLogs.Report apply(ChangeLogs.Settings settings) {
        return store.apply(log, settings);
    }

    private void write(String... lines) throws IOException {
        Files.write(log, List.of(lines));
    }

    private void refused(String expected, ChangeLogs.Settings settings) {
        String message = String.valueOf(
                assertThrows(BadInputException.class, () -> apply(settings)).getMessage());
        assertTrue(message.contains(expected), message);
    }

    @Test
    void rowsAreInsertedUpdatedMovedAndDeleted() throws Exception {
        write(
                "{\"table\":\"a\",\"op\":\"insert\",\"row\":{\"id\":1,\"s\":\"x\",\"n\":5}}",
                "",
                "{\"table\":\"a\",\"op\":\"insert\",\"row\":{\"id\":2,\"s\":\"y\",\"u\":7}}",
                "{\"table\":\"a\",\"op\":\"update\",\"key\":{\"id\":1},\"row\":{\"n\":6}}",
                "{\"table\":\"a\",\"op\":\"update\",\"key\":{\"id\":1},\"row\":{\"id\":3,\"u\":null}}",
                "{\"op\":\"c\",\"before\":null,\"after\":{\"id\":9,\"au\":7},\"source\":{\"db\":\"d\",\"table\":\"c\"}}",
                "{\"payload\":{\"op\":\"d\",\"before\":{\"id\":9},\"after\":null,\"source\":{\"table\":\"c\"}}}",
                "null",
                "{\"op\":\"r\",\"after\":{\"id\":8},\"source\":{\"db\":\"d\",\"table\":\"c\",\"pos\":4,\"row\":0,\"op\":\"x\"}}",
                "{\"table\":\"c\",\"op\":\"delete\",\"row\":{\"id\":8,\"au\":null}}",
                "{\"table\":\"a\",\"op\":\"delete\",\"key\":{\"id\":2}}");
        assertEquals(9, apply(settings(2, 100, false)).changes());
        assertEquals("[3,null,x,6]", store.run("SELECT * FROM a"));
        assertEquals("[0]", store.run("SELECT count(*) FROM c"));
    }

    @Test
    void aLogThatGrowsGoesOnWhereItWas() throws Exception {
        write("{\"table\":\"a\",\"op\":\"insert\",\"row\":{\"id\":1,\"s\":\"x\",\"n\":0}}");
        apply(settings(2, 1, false));
        write(
                "{\"table\":\"a\",\"op\":\"insert\",\"row\":{\"id\":1,\"s\":\"x\",\"n\":0}}",
                "{\"table\":\"a\",\"op\":\"update\",\"key\":{\"id\":1},\"row\":{\"n\":1}}");
        store.reopen();
        ChangeLogs.Report report = apply(settings(2, 1, false));
        assertEquals(1, report.skipped());
        assertEquals(1, report.changes());
        assertEquals(0, apply(settings(2, 1, false)).changes());
        assertEquals("[1]", store.run("SELECT n FROM a"));
        write("{\"table\":\"a\",\"op\":\"insert\",\"row\":{\"id\":2,\"s\":\"x\",\"n\":0}}");
        refused("but this is a different log", settings(2, 1, false));
    }

    @Test
    void aBadLineIsNamedAndItsTransactionUndone() throws Exception {
        String good = "{\"table\":\"a\",\"op\":\"insert\",\"row\":{\"id\":1,\"s\":\"x\"}}";
        String second = good.replace("1", "2");
        for (String bad : List.of(
                "{\"table\":\"a\"",
                "[]",
                "{\"op\":\"insert\",\"row\":{\"id\":3}}",
                "{\"table\":\"a\",\"op\":\"upsert\",\"row\":{\"id\":3}}",
                "{\"table\":\"zz\",\"op\":\"insert\",\"row\":{\"id\":3}}",
                "{\"table\":\"a\",\"op\":\"insert\",\"row\":{\"id\":3,\"s\":null}}",
                "{\"table\":\"a\",\"op\":\"insert\",\"row\":{\"id\":\"x\",\"s\":\"x\"}}",
                "{\"table\":\"a\",\"op\":\"insert\",\"row\":{\"id\":3,\"s\":\"x\",\"t\":1}}",
                "{\"table\":\"a\",\"op\":\"insert\",\"row\":{\"s\":\"x\"}}",
                "{\"table\":\"a\",\"op\":\"delete\",\"key\":{\"id\":4}}",
                "{\"table\":\"b\",\"op\":\"insert\",\"row\":{\"a\":44,\"k\":1,\"v\":1}}",
                "{\"table\":\"a\",\"op\":\"insert\",\"row\":{\"id\":1,\"s\":{}}}",
                good)) {
            write(good, second, bad);
            refused("changes.jsonl, line 3: ", new ChangeLogs.Settings(2, 10, false, true, "log"));
            assertEquals("[0]", store.run("SELECT count(*) FROM a"), bad);
        }
        refused("lines 1 to 2 are applied; run it again to go on at line 3", settings(2, 2, false));
        assertEquals("[2]", store.run("SELECT count(*) FROM a"));
    }

    /** Lines at random; most fit the rows, some do not. */
    private static final class RandomLog {
        private final Random random;

        RandomLog(Random random) {
            this.random = random;
        }

        private int id() {
            return random.nextInt(IDS);
        }

        private String number(int bound) {
            return random.nextInt(5) == 0 ? "null" : String.valueOf(random.nextInt(bound));
        }

        private static String line(String table, String op, String key, @Nullable String row) {
            return "{\"table\":\"" + table + "\",\"op\":\"" + op + "\""
                    + (key.isEmpty() ? "" : ",\"key\":{" + key + "}")
                    + (row == null ? "" : ",\"row\":{" + row + "}") + "}";
        }

        String next() {
            String a = "\"id\":" + id();
            String values = "\"u\":" + number(3 * IDS) + ",\"s\":\"s" + random.nextInt(4) + "\",\"n\":" + number(9);
            String b = "\"a\":" + id() + ",\"k\":" + random.nextInt(4);
            return switch (random.nextInt(12)) {
                case 0, 1 -> line("a", "insert", "", a + "," + values);
                case 2 -> line("a", "update", a, values);
                case 3 -> line("a", "update", "", a + "," + values);
                case 4 -> line("a", "update", a, "\"id\":" + id() + "," + values);
                case 5 -> line("a", "delete", a, null);
                case 6, 7 -> line("b", "insert", "", b + ",\"v\":" + random.nextInt(9));
                case 8 -> line("b", "update", b, "\"k\":" + random.nextInt(4) + ",\"v\":1");
                case 9 -> line("b", "delete", b, null);
                case 10 -> line("c", "insert", "", a + ",\"au\":" + number(3 * IDS));
                default -> line("c", "delete", a, null);
            };
        }
    }

    @Test
    void severalThreadsDoWhatOneDoes() throws Exception {
        Random random = new Random(SEED);
        RandomLog lines = new RandomLog(random);
        List<String> all = new ArrayList<>();
        for (int i = 0; i < CHANGES; i++) {
            all.add(lines.next());
        }
        int refusals = 0;
        try (SqlStore serial = store("serial")) {
            while (true) {
                Files.write(log, all);
                int batch = 1 + random.nextInt(40);
                String alone = outcome(serial, settings(1, batch, true));
                String context = "seed " + SEED + ", batch " + batch + ": ";
                assertEquals(alone, outcome(store, settings(4, batch, true)), context);
                same(serial, context);
                Matcher line = LINE.matcher(alone);
                if (!line.find()) {
                    break;
                }
                // What is refused is taken out, and leaves its place.
                int bad = Integer.parseInt(line.group(1)) - 1;
                all.set(bad, " ".repeat(all.get(bad).length()));
                refusals++;
            }
            assertTrue(refusals > 0 && refusals < CHANGES / 2, refusals + " refused, seed " + SEED);
        }
    }

    /** The snapshot has the first changes of the log, which are applied again. */
    @RepeatedTest(4)
    void logFromBeforeTheSnapshotEndsInTheSameRows(RepetitionInfo repetition) throws Exception {
        long seed = SEED + repetition.getCurrentRepetition();
        Random random = new Random(seed);
        List<String> earlier = new ArrayList<>();
        Map<Integer, Integer> rows = new TreeMap<>();
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < CATCH_UP; i++) {
            (i < CATCH_UP / 4 ? earlier : lines).add(next(random, rows));
        }
        int ahead = random.nextInt(lines.size());
        String context = "seed " + seed + ", " + ahead + " lines ahead";
        try (SqlStore direct = store("direct" + seed)) {
            for (SqlStore each : List.of(direct, store)) {
                Files.write(log, earlier);
                each.apply(log, new ChangeLogs.Settings(2, 7, false, true, "earlier"));
            }
            Files.write(log, lines);
            direct.apply(log, settings(2, 7, false));
            Files.write(log, lines.subList(0, ahead));
            store.apply(log, new ChangeLogs.Settings(2, 7, false, true, "ahead"));
            Files.write(log, lines);
            ChangeLogs.Report report = store.apply(log, settings(2, 7, true));
            assertEquals(lines.size(), report.changes(), context);
            same(direct, context + ", " + report);
        }
    }

    /** A change that fits the rows; a row that moves has all columns, and so has one that is inserted. */
    private static String next(Random random, Map<Integer, Integer> rows) {
        int id = random.nextInt(CATCH_UP_IDS);
        int other = random.nextInt(CATCH_UP_IDS);
        int n = random.nextInt(100);
        String key = "\"id\":" + id;
        if (!rows.containsKey(id)) {
            rows.put(id, n);
            return RandomLog.line("a", "insert", "", key + ",\"s\":\"x\",\"n\":" + n);
        }
        switch (random.nextInt(4)) {
            case 0 -> {
                rows.remove(id);
                return RandomLog.line("a", "delete", key, null);
            }
            case 1 -> {
                if (!rows.containsKey(other)) {
                    rows.remove(id);
                    rows.put(other, n);
                    return RandomLog.line("a", "update", key, "\"id\":" + other + ",\"u\":null,\"s\":\"m\",\"n\":" + n);
                }
                return RandomLog.line("a", "update", key, "\"n\":" + n);
            }
            default -> {
                return random.nextBoolean()
                        ? RandomLog.line("a", "update", key, "\"n\":" + n)
                        : RandomLog.line("a", "update", key, "\"s\":\"s" + n + "\"");
            }
        }
    }

    @Test
    void rowsAheadOfTheLogAreReplacedOrPassedOver() throws Exception {
        List<String> lines = List.of(
                "{\"table\":\"a\",\"op\":\"insert\",\"row\":{\"id\":1,\"s\":\"first\",\"n\":1}}",
                "{\"table\":\"a\",\"op\":\"update\",\"key\":{\"id\":1},\"row\":{\"id\":2}}",
                "{\"table\":\"a\",\"op\":\"insert\",\"row\":{\"id\":1,\"s\":\"second\"}}",
                "{\"table\":\"a\",\"op\":\"insert\",\"row\":{\"id\":3,\"s\":\"third\"}}",
                "{\"table\":\"a\",\"op\":\"update\",\"key\":{\"id\":3},\"row\":{\"n\":3}}",
                "{\"table\":\"a\",\"op\":\"delete\",\"key\":{\"id\":3}}");
        Files.write(log, lines);
        apply(settings(1, 100, false));
        String rows = "[1,null,second,null | 2,null,first,1]";
        assertEquals(rows, store.run("SELECT * FROM a"));
        Files.write(log, lines.subList(4, 6));
        refused("line 1", new ChangeLogs.Settings(1, 100, false, true, "log"));
        assertEquals(
                1, apply(new ChangeLogs.Settings(1, 100, true, true, "log")).passedOver());
        Files.write(log, lines);
        assertEquals(
                0, apply(new ChangeLogs.Settings(1, 100, true, true, "log")).passedOver());
        assertEquals(rows, store.run("SELECT * FROM a"));
        // Nothing says which values a row would have that moves from nowhere.
        write("{\"table\":\"a\",\"op\":\"update\",\"key\":{\"id\":7},\"row\":{\"id\":8,\"n\":1}}");
        refused("line 1", new ChangeLogs.Settings(1, 100, true, true, "log"));
    }

    /** Without an index on them, all rows that may refer to a deleted one are read, while others change. */
    @Test
    void rowsThatOthersWriteAreNotReadHalf() throws Exception {
        try (SqlStore scanned = new SqlStore(directory.resolve("scanned"))) {
            scanned.create(
                    "CREATE TABLE parent (id INT PRIMARY KEY); CREATE TABLE child (id INT PRIMARY KEY, p INT REFERENCES"
                            + " parent (id), s STRING, n INT, FAMILY (id, p), FAMILY (s), FAMILY (n));");
            List<String> lines = new ArrayList<>();
            for (int i = 0; i <= 100; i++) {
                lines.add(RandomLog.line("parent", "insert", "", "\"id\":" + i));
            }
            String values = ",\"p\":0,\"s\":\"x\",\"n\":1";
            for (int i = 0; i < 200; i++) {
                lines.add(RandomLog.line("child", "insert", "", "\"id\":" + i + values));
            }
            for (int i = 0; i < 1_000; i++) {
                String id = "\"id\":" + i % 200;
                lines.add(RandomLog.line("child", "delete", id, null));
                lines.add(RandomLog.line("child", "insert", "", id + values));
                if (i % 10 == 0) {
                    lines.add(RandomLog.line("parent", "delete", "\"id\":" + (1 + i / 10), null));
                }
            }
            Files.write(log, lines);
            assertEquals(
                    lines.size(), scanned.apply(log, settings(4, 10_000, false)).changes());
            assertEquals("[1]\n[200]", scanned.run("SELECT count(*) FROM parent; SELECT count(*) FROM child"));
        }
    }

    @Test
    void referencedRowsAreFoundByTheirKeysOfEachType() throws Exception {
        Map<String, String> keys = new TreeMap<>(Map.of(
                "FLOAT4",
                "0.1",
                "FLOAT8",
                "-0",
                "DECIMAL(6,2)",
                "1.5",
                "TIMETZ",
                "12:00:00.5+05:30:15",
                "DATE",
                "-infinity",
                "INTERVAL",
                "1 mon -31 days 25:00:00.000001",
                "INET",
                "1.2.3.4/24",
                "VARBIT",
                "",
                "BYTES",
                "a"));
        try (SqlStore typed = new SqlStore(directory.resolve("keys"))) {
            List<String> lines = new ArrayList<>();
            for (Map.Entry<String, String> each : keys.entrySet()) {
                String table = each.getKey().replaceAll("\\W", "").toLowerCase(Locale.ROOT);
                typed.create("CREATE TABLE p" + table + " (k " + each.getKey() + " PRIMARY KEY); CREATE TABLE c" + table
                        + " (id INT PRIMARY KEY, k " + each.getKey() + " REFERENCES p" + table
                        + " ON DELETE CASCADE);");
                String key = "\"k\":\"" + each.getValue() + "\"";
                lines.add(RandomLog.line("p" + table, "insert", "", key));
                lines.add(RandomLog.line("c" + table, "insert", "", "\"id\":1," + key));
                lines.add(RandomLog.line("p" + table, "delete", key, null));
            }
            Files.write(log, lines);
            assertEquals(lines.size(), typed.apply(log, settings(1, 100, false)).changes());
            for (TableStatus table : typed.node().tables()) {
                assertEquals(
                        "[0]", typed.run("SELECT count(*) FROM " + table.table().name()));
            }
        }
    }

    /** Debezium's numbers of time have units that only its schema tells; its bytes are in Base64. */
    @Test
    void valuesOfDebeziumAreReadOrRefused() throws Exception {
        try (SqlStore typed = new SqlStore(directory.resolve("typed"))) {
            typed.create("CREATE TABLE d (id INT PRIMARY KEY, b BYTES, day DATE, t TIME, ts TIMESTAMP, tz TIMESTAMPTZ,"
                    + " i INTERVAL, n DECIMAL);");
            write(
                    "{\"op\":\"c\",\"after\":{\"id\":1,\"b\":\"aGk/\",\"day\":\"2024-02-29Z\",\"t\":\"04:05:06.7Z\",\"ts\":\"2024-02-29T01:02:03Z\","
                            + "\"tz\":\"2024-02-29T01:02:03.5Z\",\"i\":\"P1DT2H\",\"n\":\"1.50\"},\"source\":{\"table\":\"d\"}}");
            typed.apply(log, settings(1, 10, false));
            assertEquals(
                    "[\\x68693f,2024-02-29,04:05:06.7,2024-02-29 01:02:03,2024-02-29 01:02:03.5+00,1 day 02:00:00,1.50]",
                    typed.run("SELECT b, day, t, ts, tz, i, n FROM d"));
            for (String bad : List.of(
                    "\"day\":19782",
                    "\"t\":120000",
                    "\"ts\":1709168523000",
                    "\"tz\":20240229",
                    "\"i\":7200000000",
                    "\"b\":\"hi?\"")) {
                write("{\"op\":\"c\",\"after\":{\"id\":2," + bad + "},\"source\":{\"table\":\"d\"}}");
                String message = String.valueOf(assertThrows(
                                BadInputException.class,
                                () -> typed.apply(log, new ChangeLogs.Settings(1, 10, false, true, "other")))
                        .getMessage());
                assertTrue(message.contains("line 1: column "), message);
                assertTrue(message.contains(".mode="), message);
            }
        }
    }

    /** PostgreSQL does not send a large value again that an update leaves as it is. */
    @Test
    void valuesThatDebeziumDoesNotSendStay() throws Exception {
        String unavailable = "__debezium_unavailable_value";
        String bytes = Base64.getEncoder().encodeToString(unavailable.getBytes(StandardCharsets.UTF_8));
        try (SqlStore large = new SqlStore(directory.resolve("large"))) {
            large.create("CREATE TABLE l (id INT PRIMARY KEY, s STRING, b BYTES, j JSONB, n INT);");
            String values = "\"s\":\"" + unavailable + "\",\"b\":\"" + bytes + "\",\"j\":\"" + unavailable + "\"";
            String source = "},\"source\":{\"table\":\"l\"}}";
            write(
                    "{\"op\":\"c\",\"after\":{\"id\":1,\"s\":\"x\",\"b\":\"aGk/\",\"j\":\"{}\",\"n\":1" + source,
                    "{\"op\":\"u\",\"before\":null,\"after\":{\"id\":1," + values + ",\"n\":2" + source,
                    "{\"op\":\"c\",\"after\":{\"id\":2," + values + ",\"n\":3" + source);
            String message =
                    String.valueOf(assertThrows(BadInputException.class, () -> large.apply(log, settings(1, 2, false)))
                            .getMessage());
            assertTrue(message.contains("line 3: column s STRING"), message);
            assertTrue(message.contains("REPLICA IDENTITY FULL"), message);
            assertEquals("[1,x,\\x68693f,{},2]", large.run("SELECT * FROM l"));
            // Without REPLICA IDENTITY FULL, only the key is known of a deleted row.
            write("{\"op\":\"d\",\"before\":{\"id\":1,\"s\":\"\",\"b\":\"?\",\"j\":\"\",\"n\":null" + source);
            large.apply(log, new ChangeLogs.Settings(1, 2, false, true, "log"));
            assertEquals("[0]", large.run("SELECT count(*) FROM l"));
        }
    }

    /** The batch before the line that cannot be read is written meanwhile. */
    @Test
    void linesBeforeOneThatIsTooLongAreApplied() throws Exception {
        String line = "{\"table\":\"a\",\"op\":\"insert\",\"row\":{\"id\":1,\"s\":\"x\"}}";
        write(line, line.replace("1", "2"), line.replace("1", "3"), " ".repeat(9 << 20));
        refused(
                "line 4: longer than 8388608 bytes; write one change per line; lines 1 to 3 are applied",
                settings(3, 2, false));
        assertEquals("[3]", store.run("SELECT count(*) FROM a"));
    }

    private String outcome(SqlStore of, ChangeLogs.Settings settings) {
        try {
            of.apply(log, settings);
            return "applied";
        } catch (BadInputException e) {
            return String.valueOf(e.getMessage());
        }
    }

    private void same(SqlStore serial, String context) {
        for (String table : List.of("a", "b", "c")) {
            assertEquals(
                    serial.node().digest(table).indexes(),
                    store.node().digest(table).indexes(),
                    context + table);
            assertEquals(
                    store.node().digest(table).indexes(),
                    Objects.requireNonNull(store.node().table(table)).imported(),
                    context + table);
        }
    }
}
