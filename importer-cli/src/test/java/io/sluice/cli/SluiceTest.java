package io.sluice.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.api.node.NodeClient;
import io.sluice.cli.node.LocalNodes;
import io.sluice.cli.output.Console;
import io.sluice.node.ingest.FaultPoints;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class SluiceTest {
    private final FakeNode node = new FakeNode();
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @Test
    void versionHasTheName() {
        assertEquals(0, run("--version"));
        assertTrue(out().startsWith("sluice "), out());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "frobnicate",
                "tables",
                "get pets 1",
                "get pets --store s",
                "get pets 1 2 --store s",
                "get dogs 1 --store s",
                "get pets 1 --store s --json --format csv",
                "get pets 1 --store ",
                "export pets --store s --to ",
                "export pets --store s --to -",
                "export pets --store s --to /dev/null --overwrite",
                "build --schema x.sql x.csv --output ",
                "scan pets --store s --limit many",
                "scan pets --store s --limit -1",
                "scan pets --store s --format xml",
                "scan pets --store s --from \"1",
                "drop dogs --store s",
                "tune dogs --store s",
                "tune pets --store s --tombstone-conversion -1",
                "tune pets --store s --tombstone-conversion many",
                "node --store s --row-cache much",
                "node --store s --row-cache 4000g",
                "serve --nodes n:1 --state s --row-cache 1m",
                "serve --nodes n:1 --state s --disk-reserve 1g",
                "node --store s --disk-reserve much",
                "node --store s --disk-reserve 0",
                "workload",
                "workload tpcc nothing -o -",
                "workload tpcc stock -o - --warehouses 0",
                "workload tpcc stock -o - --scale 2",
                "workload tpcc stock -o - --format parquet",
                "import --schema x.sql x.csv",
                "import --schema x.sql --store s x.csv --mode direct",
                "import --schema x.sql --store s x.csv --mode three-pass",
                "plan --schema x.sql x.csv --nodes 0",
                "plan --schema x.sql x.csv --sample much",
                "import --schema x.sql --store s x.csv --on-conflict newest",
                "import --schema x.sql --store s x.csv --memory 1k",
                "import --schema x.sql --store s x.csv --delimiter ab",
                "import --schema x.sql --store s x.csv --workers 0"
            })
    void badUsageIsExitCode2WithOneMessage(String line) {
        assertEquals(2, run(line.isEmpty() ? new String[0] : line.split(" ")));
        assertTrue(err().startsWith("sluice: "), err());
        assertFalse(err().contains("\tat "), err());
        assertEquals("", out());
    }

    /** Nodes that do not answer may be those of a cluster, whose jobs another service runs. */
    @Test
    void serviceWithoutAnyNodeIsNotStarted(@TempDir Path directory) {
        Path state = directory.resolve("state");
        assertEquals(1, run("serve", "--nodes", "127.0.0.1:1", "--state", state.toString()));
        assertTrue(err().startsWith("sluice: no node of --nodes answers"), err());
        assertTrue(err().contains("Start a node, then this service"), err());
        assertFalse(Files.exists(state));
        assertEquals("", out());
    }

    @Test
    void allWrongOptionsAreReportedTogether() {
        run("import --schema x.sql --store s x.csv --on-conflict newest --workers 0 --max-rejects -1".split(" "));
        assertEquals("""
                sluice: --workers 0: must be at least 1
                --max-rejects -1: must be a number from 0, or a share of the records such as 0.5%
                --on-conflict newest: must be error, first, last, or capture
                """, err());
    }

    @ParameterizedTest
    @CsvSource({
        "impotr x, there is no command impotr; did you mean import?",
        "import --shcema s.sql --store s x.csv, there is no option --shcema; did you mean --schema?",
        "jobs lst, there is no command lst; did you mean",
        "sql --store s SELECT, statements follow -e",
        "import --schma s.sql --store s x.csv, there is no option --schma; did you mean --schema?",
        "import --schema s.sql --delimeter=; --store s x.csv, there is no option --delimeter=;; did you mean",
        "import --zzz, there is no option --zzz",
    })
    void similarNamesAreOffered(String line, String message) {
        assertEquals(2, run(line.split(" ")));
        assertTrue(err().startsWith("sluice: " + message), err());
    }

    @Test
    void aPlaceMayBeAServer() {
        run("tables");
        assertEquals("sluice: give --store DIR, --nodes HOST:PORT,HOST:PORT… or --server URL\n", err());
    }

    @Test
    void getPrintsAColumnALine() {
        assertEquals(0, run("get", "pets", "1", "--store", "s"));
        assertEquals("id   = 1\nname = Rex, the \"dog\"\ntame = true\n", out());
        assertTrue(node.closed);
    }

    @Test
    void getAsJson() {
        assertEquals(0, run("get", "pets", "2", "--store", "s", "--json"));
        assertEquals("{\"id\":2,\"name\":null,\"tame\":false}\n", out());
    }

    @Test
    void getOfNoRowIsExitCode1() {
        assertEquals(1, run("get", "pets", "3", "--store", "s"));
        assertEquals("sluice: table pets has no row with primary key (3)\n", err());
    }

    @Test
    void keysMayBeginWithADash() {
        assertEquals(1, run("get", "--store", "s", "pets", "--", "-3"));
        assertEquals("sluice: table pets has no row with primary key (-3)\n", err());
    }

    @Test
    void scanPrintsCsv() {
        assertEquals(0, run("scan", "pets", "--store", "s", "--header"));
        assertEquals("id,name,tame\n1,\"Rex, the \"\"dog\"\"\",true\n2,,false\n", out());
    }

    @Test
    void scanShowsHiddenColumnsOnDemand() {
        assertEquals(0, run("scan", "pets", "--store", "s", "--hidden", "--format", "json"));
        assertTrue(
                out().startsWith("{\"id\":1,\"name\":\"Rex, the \\\"dog\\\"\",\"tame\":true,\"rowid\":\"77\"}\n"),
                out());
    }

    @Test
    void scanBoundsAreCsvRecords() {
        assertEquals(0, run("scan", "pets", "--store", "s", "--from", "\"a,b\",,\"\"", "--to", "7", "--limit", "5"));
        assertEquals(Arrays.asList("a,b", null, ""), node.scans.get(0).from());
        assertEquals(List.of("7"), node.scans.get(0).to());
        assertEquals(5, node.scans.get(0).limit());
    }

    @Test
    void tablesAsTextAndJson() {
        assertEquals(0, run("tables", "--store", "s"));
        assertEquals(
                "table  id  rows  indexes             published\npets   53     2        1  1970-01-01T00:00:00Z\n",
                out());
        out.reset();
        assertEquals(0, run("tables", "--store", "s", "--json"));
        assertEquals(
                "{\"table\":\"pets\",\"id\":53,\"rows\":2,\"publishedAt\":\"1970-01-01T00:00:00Z\",\"kvs\":{\"primary\":2}}\n",
                out());
    }

    @Test
    void digestAsTextAndJson() {
        assertEquals(0, run("digest", "pets", "--store", "s"));
        assertEquals("""
                index    kvs  bytes            digest
                primary    2     64  00000000000000ff
                2 rows, digest 00000000000000ff
                """, out());
        out.reset();
        assertEquals(0, run("digest", "pets", "--store", "s", "--json"));
        assertEquals(
                "{\"table\":\"pets\",\"rows\":2,\"digest\":\"00000000000000ff\",\"indexes\":[{\"index\":\"primary\","
                        + "\"kvs\":2,\"bytes\":64,\"digest\":\"00000000000000ff\"}]}\n",
                out());
    }

    @Test
    void dropDrops() {
        assertEquals(0, run("drop", "pets", "--store", "s"));
        assertEquals(List.of("pets"), node.dropped);
    }

    @Test
    void tuneTunesAndTells() {
        assertEquals(0, run("tune", "pets", "--store", "s"));
        assertEquals("tombstone conversion: off\nrange tombstones made by scans: 2, abandoned: 1\n", out());
        assertEquals(0, run("tune", "pets", "--store", "s", "--tombstone-conversion", "8"));
        assertEquals(8, node.tuning.tombstoneConversion());
    }

    @Test
    void defectsAreShortUntilDebugged() {
        assertEquals(1, run("digest", "broken", "--store", "s"));
        assertEquals(
                "sluice: internal error: IllegalStateException: boom; run with --debug for the stack trace\n", err());
        err.reset();
        assertEquals(1, run("digest", "broken", "--store", "s", "--debug"));
        assertTrue(err().contains("\tat "), err());
    }

    @Test
    void outputThatCannotBeWrittenIsAFailure() {
        OutputStream full = new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException("No space left on device");
            }
        };
        Console console = new Console(full, new PrintStream(err, true, StandardCharsets.UTF_8), false);
        assertEquals(1, Sluice.execute(commands(console), "scan", "pets", "--store", "s"));
        assertEquals("sluice: cannot write to standard output: No space left on device\n", err());
    }

    private CommandLine commands(Console console) {
        LocalNodes nodes = new LocalNodes(console, FaultPoints.none()) {
            @Override
            public NodeClient open(Path store) {
                return node;
            }

            @Override
            public ImportNode openForImport(Path store) {
                return new ImportNode(node, store);
            }
        };
        return Sluice.commands(nodes, console);
    }

    private int run(String... args) {
        Console console = new Console(out, new PrintStream(err, true, StandardCharsets.UTF_8), false);
        return Sluice.execute(commands(console), args);
    }

    private String out() {
        return out.toString(StandardCharsets.UTF_8);
    }

    private String err() {
        return err.toString(StandardCharsets.UTF_8);
    }
}
