package io.sluice.it.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.it.support.Imports;
import io.sluice.it.support.Imports.How;
import io.sluice.it.support.NodeProcess;
import io.sluice.it.support.NodeProcesses;
import io.sluice.it.support.Seeds;
import io.sluice.it.support.SluiceProcess;
import io.sluice.it.support.SluiceProcess.Result;
import io.sluice.it.support.Stock;
import io.sluice.node.StorageNode;
import io.sluice.testing.Cases;
import io.sluice.testing.SomeTests;
import io.sluice.testing.TcpProxy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * One of three nodes is far slower than the others, or goes away for a while: the import waits for it, in bounded
 * memory, says for whom it waited, and the table is whole.
 */
@SuppressWarnings("NullAway.Init") // made before all tests
@SomeTests(1)
class SlowNodeIT {
    private static final long SEED = Seeds.of(SlowNodeIT.class);
    private static final int ROWS = 30_000;
    private static final long MIB = 1L << 20;

    /** Twice what a node puts up with, for each of the three connections that an importer has to a node. */
    private static final long SLOW_BYTES_PER_SECOND = 128 << 10;

    private static final long HEAP_MIB = 192;
    /** Of the process beside its heap; docs/how-to/node.md promises it. */
    private static final long BESIDE_HEAP_MIB = 256;

    private static final long POLL_MILLIS = 20;

    @TempDir
    static Path inputs;

    private static Path schema;
    private static Path rows;
    private static String digest;

    @TempDir
    Path directory;

    @BeforeAll
    static void importIntoOneStore() throws IOException {
        schema = Files.writeString(inputs.resolve("stock.sql"), Stock.SQL);
        rows = Stock.write(inputs.resolve("stock.csv"), Stock.shuffled(ROWS, SEED));
        try (StorageNode store = Imports.open(inputs.resolve("store"))) {
            digest = String.valueOf(Imports.run(store, Imports.table(Stock.SQL), How.USUAL, rows)
                    .digest());
        }
    }

    static List<String> streamingModes() {
        return Cases.some(SEED, 1, List.of("direct", "two-pass"));
    }

    @ParameterizedTest
    @MethodSource("streamingModes")
    @EnabledOnOs(OS.LINUX) // which tells how much memory a process took at most
    void importWaitsInBoundedMemoryAndNamesTheNode(String mode) throws Exception {
        try (NodeProcesses nodes = NodeProcesses.start(directory, 3);
                TcpProxy slow = TcpProxy.slow(nodes.get(1).address(), SLOW_BYTES_PER_SECOND)) {
            SluiceProcess process = importInto(mode, addresses(nodes, slow));
            long residentMib = residentMib(process);
            Result result = process.await();
            String context = "seed " + SEED + ", " + residentMib + " MiB resident, " + result;
            assertEquals(0, result.exitCode(), context);
            JsonNode report = result.report();
            assertEquals(digest, report.get("digest").asText(), context);
            String limiter = report.get("limiter").asText();
            assertTrue(limiter.startsWith("node " + slow.address() + ": "), limiter + ", " + context);
            assertTrue(residentMib > 0 && residentMib < HEAP_MIB + BESIDE_HEAP_MIB, context);
        }
    }

    static List<String> modes() {
        return Cases.some(SEED, 1, List.of("merge", "direct", "two-pass"));
    }

    @ParameterizedTest
    @MethodSource("modes")
    void importWaitsForANodeKilledDuringAnUpload(String mode) throws Exception {
        try (NodeProcesses nodes = NodeProcesses.start(directory, 3);
                TcpProxy slow = TcpProxy.slow(nodes.get(1).address(), 4 * SLOW_BYTES_PER_SECOND)) {
            SluiceProcess process = importInto(mode, addresses(nodes, slow));
            slow.awaitBytes(MIB / 2);
            nodes.get(1).kill();
            assertTrue(process.isAlive(), "it was over before the node was killed");
            try (NodeProcess again = nodes.get(1).startAgain()) {
                Result result = process.await();
                String context = "seed " + SEED + ", node " + again.address() + ", " + result;
                assertEquals(0, result.exitCode(), context);
                assertEquals(digest, result.report().get("digest").asText(), context);
                Result read = SluiceProcess.call("digest", "stock", "--json", "--nodes", addresses(nodes, slow));
                assertEquals(digest, read.report().get("digest").asText(), read + "\n" + context);
            }
        }
    }

    /** A job whose node stays away pauses, and resumes when the node is back. */
    @Test
    void aNodeThatStaysAwayPausesTheImport() throws Exception {
        try (NodeProcesses nodes = NodeProcesses.start(directory, 3);
                TcpProxy slow = TcpProxy.slow(nodes.get(1).address(), 4 * SLOW_BYTES_PER_SECOND)) {
            String[] job = {"--job-id", "nightly"};
            SluiceProcess process =
                    importInto("direct", addresses(nodes, slow), job[0], job[1], "--give-up-after", "1");
            slow.awaitBytes(MIB / 2);
            nodes.get(1).kill();
            Result paused = process.await();
            assertEquals(4, paused.exitCode(), paused.toString());
            assertTrue(paused.err().contains("node " + slow.address() + " does not answer"), paused.toString());
            assertEquals("", paused.out());
            try (NodeProcess again = nodes.get(1).startAgain()) {
                Result resumed =
                        importInto("direct", addresses(nodes, slow), job).await();
                String context = "node " + again.address() + ", " + resumed;
                assertEquals(0, resumed.exitCode(), context);
                String found = resumed.report().get("digest").asText();
                assertEquals(digest, found, context);
            }
        }
    }

    private static String addresses(NodeProcesses nodes, TcpProxy second) {
        return nodes.get(0).address() + "," + second.address() + ","
                + nodes.get(2).address();
    }

    private SluiceProcess importInto(String mode, String nodes, String... more) throws IOException {
        List<String> arguments = new ArrayList<>(List.of(
                "import",
                "--schema",
                schema.toString(),
                "--nodes",
                nodes,
                "--mode",
                mode,
                "--memory",
                "64m",
                "--workers",
                "2",
                "--json",
                rows.toString()));
        arguments.addAll(List.of(more));
        return SluiceProcess.start(directory, List.of("-Xmx" + HEAP_MIB + "m"), arguments.toArray(new String[0]));
    }

    /** The most memory that a process had at any time, asked for until it ends; at least once. */
    private static long residentMib(SluiceProcess process) throws InterruptedException {
        Path status = Path.of("/proc", Long.toString(process.pid()), "status");
        long most = 0;
        while (process.isAlive()) {
            try (var lines = Files.lines(status)) {
                most = lines.filter(line -> line.startsWith("VmHWM:"))
                        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) >> 10)
                        .reduce(most, Math::max);
            } catch (IOException | UncheckedIOException e) {
                // It ended between the two questions.
                break;
            }
            Thread.sleep(POLL_MILLIS);
        }
        return most;
    }
}
