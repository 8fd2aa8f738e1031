package io.sluice.it.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.api.node.IndexChecksum;
import io.sluice.client.RemoteNode;
import io.sluice.it.support.Imports;
import io.sluice.it.support.Imports.How;
import io.sluice.it.support.NodeProcess;
import io.sluice.it.support.NodeProcesses;
import io.sluice.it.support.Seeds;
import io.sluice.it.support.SluiceProcess;
import io.sluice.it.support.SluiceProcess.Result;
import io.sluice.model.kv.KvChecksum;
import io.sluice.testing.SomeTests;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Three storage node processes hold the same table as one store, in each mode and with each number of replicas, and are
 * read as one.
 *
 * <p>All imports go to the same three nodes, one after the other.
 *
 * <p>With 10 warehouses: {@code mvn -B verify -Plong -pl it-tests -am -Dtest=none -Dit.test=ThreeNodesIT
 * -Dsurefire.failIfNoSpecifiedTests=false -Dfailsafe.failIfNoSpecifiedTests=false}
 */
@SuppressWarnings("NullAway.Init") // made before all tests
@SomeTests(1)
class ThreeNodesIT {
    private static final long SEED = Seeds.of(ThreeNodesIT.class);
    private static final String LONG = "sluice.it.warehouses";
    /** Set by {@code -Plong}; otherwise part of one: it has 100,000 rows of 330 bytes with their index entries. */
    private static final String WAREHOUSES = System.getProperty(LONG, "1");

    private static final String SCALE = System.getProperty(LONG) == null ? "0.3" : "1";

    private static final int NODES = 3;
    /** Arrival, and for what is Put the log, and draining, and one merge of everything. */
    private static final double MOST_WRITTEN = 5;
    /** Permitted deviation of a node from an even share in mode two-pass, as a fraction of the whole. */
    private static final double UNEVEN = 0.10;

    @TempDir
    static Path directory;

    private static Path schema;
    private static Path rows;
    private static String digest;
    private static NodeProcesses nodes;

    @BeforeAll
    static void start() throws Exception {
        schema = directory.resolve("stock.sql");
        rows = directory.resolve("stock.csv");
        Result written = SluiceProcess.call(
                "workload",
                "tpcc",
                "stock",
                "--warehouses",
                WAREHOUSES,
                "--scale",
                SCALE,
                "--shuffle",
                "--seed",
                Long.toString(SEED),
                "--schema",
                schema.toString(),
                "-o",
                rows.toString());
        assertEquals(0, written.exitCode(), written.toString());
        digest = Objects.requireNonNull(Imports.intoNewStore(
                        directory.resolve("embedded"), Imports.table(Files.readString(schema)), How.USUAL, rows)
                .digest());
        nodes = NodeProcesses.start(directory, NODES);
    }

    @AfterAll
    static void end() {
        nodes.close();
    }

    /** Each mode and each number of replicas in the usual run, all of both in the long one. */
    static List<Arguments> ways() {
        List<Arguments> usual =
                List.of(Arguments.of("merge", 2), Arguments.of("direct", 1), Arguments.of("two-pass", 2));
        List<Arguments> rest = List.of(
                Arguments.of("merge", 1),
                Arguments.of("direct", 2),
                Arguments.of("two-pass", 1),
                Arguments.of("auto", 1));
        return System.getProperty(LONG) == null
                ? usual
                : Stream.concat(usual.stream(), rest.stream()).toList();
    }

    @ParameterizedTest
    @MethodSource("ways")
    void theSameTableAsInOneStore(String mode, int replicas) throws Exception {
        JsonNode report = imported(mode, replicas);
        try {
            String context = mode + ", replicas " + replicas + ", seed " + SEED + ": " + report;
            assertEquals(digest, report.get("digest").asText(), context);
            assertTrue(report.get("verified").asBoolean(), context);
            assertTrue(report.get("writeAmplification").asDouble() < MOST_WRITTEN, context);
            assertTrue(mode.equals("auto") || report.get("mode").asText().equals(mode), context);
            Result digested = sluice("digest", "stock", "--json");
            assertEquals(digest, json(digested).get("digest").asText(), context);
            assertHeldBy(replicas, mode.equals("two-pass") ? UNEVEN : 1, report);
        } finally {
            Result dropped = sluice("drop", "stock");
            assertEquals(0, dropped.exitCode(), dropped.toString());
        }
    }

    @Test
    @DisabledIfSystemProperty(named = LONG, matches = ".*", disabledReason = "it holds all rows in memory")
    void threeNodesAreReadAsOne() throws Exception {
        Result none = sluice("tables");
        assertEquals(0, none.exitCode(), none.toString());
        long imported = imported("direct", 2).get("rowsImported").asLong();

        JsonNode tables = json(sluice("tables", "--json"));
        assertEquals("stock", tables.get("table").asText());
        assertEquals(imported, tables.get("rows").asLong());
        assertEquals(
                digest, json(sluice("digest", "stock", "--json")).get("digest").asText());

        Result got = sluice("get", "stock", "1", "7", "--format", "csv");
        assertEquals(0, got.exitCode(), got.toString());
        assertTrue(got.out().startsWith("7,1,"), got.toString());
        Result absent = sluice("get", "stock", "99", "7");
        assertEquals(1, absent.exitCode(), absent.toString());

        List<String> scanned = sluice("scan", "stock").out().lines().toList();
        assertEquals(sortedRows(), scanned, "rows in the order of the primary key");
        Result part = sluice("scan", "stock", "--from", "1,100", "--to", "1,104");
        assertEquals(scanned.subList(99, 103), part.out().lines().toList(), part.toString());
        Result byItem = sluice("scan", "stock", "--index", "stock_item_idx", "--from", "2000", "--limit", "3");
        assertEquals(scanned.subList(1999, 2002), byItem.out().lines().toList(), byItem.toString());

        Result drawn = sluice("lsm", "--table", "stock");
        assertEquals(0, drawn.exitCode(), drawn.toString());
        Result trees = sluice("lsm", "--table", "stock", "--json");
        assertEquals(NODES, trees.out().lines().count(), trees.toString());
        for (NodeProcess node : nodes.all()) {
            assertTrue(drawn.out().contains("of the event log of node " + node.address()), drawn.toString());
        }

        Result dropped = sluice("drop", "stock");
        assertEquals(0, dropped.exitCode(), dropped.toString());
        assertEquals("", sluice("tables", "--json").out());
        Result gone = sluice("digest", "stock");
        assertEquals(2, gone.exitCode(), gone.toString());
        assertTrue(gone.err().contains("there is no table stock"), gone.toString());
    }

    private static JsonNode imported(String mode, int replicas) throws Exception {
        Result result = sluice(
                "import",
                "--schema",
                schema.toString(),
                "--replicas",
                Integer.toString(replicas),
                "--mode",
                mode,
                "--memory",
                "64m",
                "--workers",
                "2",
                "--json",
                rows.toString());
        assertEquals(0, result.exitCode(), result.toString());
        return result.report();
    }

    /** Checks that the nodes together hold each KV once per replica, and each node its share. */
    private static void assertHeldBy(int replicas, double uneven, JsonNode report) {
        List<KvChecksum> held = new ArrayList<>();
        long most = 0;
        for (NodeProcess node : nodes.all()) {
            try (RemoteNode client = node.client()) {
                KvChecksum sum = client.digest("stock").indexes().stream()
                        .map(IndexChecksum::sum)
                        .reduce(KvChecksum.EMPTY, KvChecksum::plus);
                held.add(sum);
                most += sum.bytes();
            }
        }
        String context = held + ", " + report;
        long kvs = 0;
        for (JsonNode count : report.get("kvs")) {
            kvs += count.asLong();
        }
        assertEquals(kvs * replicas, held.stream().mapToLong(KvChecksum::count).sum(), context);
        double even = (double) most / NODES;
        for (KvChecksum sum : held) {
            assertTrue(
                    Math.abs(sum.bytes() - even) <= uneven * even,
                    () -> String.format(Locale.ROOT, "%d of %.0f bytes: %s", sum.bytes(), even, context));
        }
    }

    /** The input's rows by item, all of one warehouse. */
    private static List<String> sortedRows() throws Exception {
        try (var lines = Files.lines(rows)) {
            return lines.sorted((a, b) -> Integer.compare(item(a), item(b))).toList();
        }
    }

    private static int item(String row) {
        return Integer.parseInt(row.substring(0, row.indexOf(',')));
    }

    private static Result sluice(String... arguments) throws Exception {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(1, List.of("--nodes", nodes.addresses()));
        return SluiceProcess.call(all.toArray(new String[0]));
    }

    private static JsonNode json(Result result) throws Exception {
        assertEquals(0, result.exitCode(), result.toString());
        return new ObjectMapper().readTree(result.out());
    }
}
