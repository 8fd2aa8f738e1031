package io.sluice.cli.lsm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.cli.Sluice;
import io.sluice.cli.node.LocalNodes;
import io.sluice.cli.output.Console;
import io.sluice.engine.lsm.LsmEvent;
import io.sluice.engine.lsm.LsmEvents;
import io.sluice.engine.lsm.LsmHistory;
import io.sluice.engine.lsm.LsmLogSettings;
import io.sluice.engine.store.KeyBounds;
import io.sluice.engine.store.LsmFile;
import io.sluice.node.ingest.FaultPoints;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class LsmCommandTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    Path directory;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @Test
    void drawsBySublevelsAndByAge() {
        threeEvents();
        assertEquals(0, run("lsm", "--store", path("s")), this::err);
        assertEquals("""
                table pets, column family t1, after event 4 (flush, 1970-01-01T00:00:01Z); events 1 to 4 of the event log
                height 3, 3 files (1 in level 0), 350 B, write amplification 1.00

                by sublevels: a file stands above the older files whose keys it shares
                L0.0                         |----------------------3----------------------|
                L62                          |----------------------------------2----------------------------------|
                L63   |----------------------1----------------------|
                      a                      h                      p                      t                       z
                3 files, 350 B, 3 sublevels, tallest 3 at [h, p]

                by age: newest on top; = ingested, ~ flushed, # compacted, - there before
                000003.sst  L0      50 B                    ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
                000002.sst  L62    200 B                    ========================================================
                000001.sst  L63    100 B  =====================================
                """, out());
    }

    @Test
    void goesBackToAnyEvent() {
        threeEvents();
        assertEquals(0, run("lsm", "--store", path("s"), "--table", "pets", "--at", "2"), this::err);
        assertTrue(out().contains("after event 2 (ingest, "), out());
        assertTrue(out().contains("height 1, 1 file (0 in level 0), 100 B"), out());
        assertEquals(2, run("lsm", "--store", path("s"), "--at", "0"));
        assertEquals(
                "sluice: --at 0: the events of column family t1 have the numbers 1 to 4\n",
                err.toString(StandardCharsets.UTF_8));
        assertEquals(2, run("lsm", "--store", path("s"), "--at", "5"));
        assertTrue(err().contains("--at 5: the last event has the number 4"), err());
        assertEquals(2, run("lsm", "--store", path("s"), "--table", "pets", "--family", "t1"));
        assertEquals(2, run("lsm", "--store", path("s"), "--json", "--html", path("page")));
    }

    @Test
    void jsonHasFilesAndFigures() throws IOException {
        threeEvents();
        assertEquals(0, run("lsm", "--store", path("s"), "--json"), this::err);
        JsonNode tree = JSON.readTree(out());
        assertEquals("pets", tree.get("table").asText());
        assertEquals(3, tree.get("height").asInt());
        assertEquals(3, tree.get("files").size());
        assertEquals("flushed", tree.get("files").get(2).get("origin").asText());
        assertEquals("68", tree.get("files").get(2).get("smallest").asText());
    }

    @Test
    void saysWhenThereIsNothingToDraw() throws IOException {
        assertEquals(2, run("lsm", "--store", path("nowhere")));
        assertEquals("sluice: there is no store at " + path("nowhere") + "; check the path\n", err());
        Files.createDirectory(directory.resolve("empty"));
        assertEquals(2, run("lsm", "--store", path("empty")));
        assertTrue(err().contains("it has neither an event log nor a database"), err());
        assertEquals(2, run("lsm", "--manifest", path("empty")));
        assertTrue(err().contains("is not a RocksDB database: it has no file CURRENT"), err());
        threeEvents();
        assertEquals(2, run("lsm", "--store", path("s"), "--table", "cats"));
        assertEquals("sluice: --table cats: nothing happened to such a table; there is pets\n", err());
        assertEquals(2, run("lsm"));
        assertEquals(2, run("lsm", "--store", "a", "--manifest", "b"));
        assertEquals(2, run("lsm", "--manifest", "b", "--table", "cats"));
    }

    /**
     * A store as {@code import} leaves it, drawn from its MANIFEST while the log is missing, and not touched by that.
     */
    @Test
    void aStoreWithoutALogIsDrawnFromItsManifest() throws IOException {
        Files.writeString(directory.resolve("t.sql"), "CREATE TABLE t (a INT8, b STRING, PRIMARY KEY (a));");
        Files.writeString(directory.resolve("t.csv"), "1,one\n2,two\n");
        assertEquals(
                0,
                Sluice.execute(
                        realCommands(),
                        "import",
                        "--quiet",
                        "--memory",
                        "128m",
                        "--schema",
                        path("t.sql"),
                        "--store",
                        path("s"),
                        path("t.csv")),
                this::err);
        Files.deleteIfExists(directory.resolve("s").resolve(LsmEvents.FILE_NAME));
        Set<String> before = tree(directory.resolve("s"));
        assertEquals(0, run("lsm", "--store", path("s")), this::err);
        assertTrue(out().contains("of the MANIFEST"), out());
        assertTrue(out().contains("height 1, 1 file (0 in level 0)"), out());
        assertEquals(0, run("lsm", "--manifest", path("s") + "/db", "--json"), this::err);
        assertEquals(before, tree(directory.resolve("s")));
    }

    @Test
    void thePageHoldsTheWholeHistory() throws IOException {
        SimulatedTree.write(directory, 300, 7);
        assertEquals(0, run("lsm", "--store", directory.toString(), "--html", path("page.html")), this::err);
        String page = Files.readString(directory.resolve("page.html"));
        assertTrue(page.startsWith("<!DOCTYPE html>"));
        assertFalse(
                page.contains("/*DATA*/") || page.contains("/*STYLE*/") || page.contains("{{title}}"), "placeholders");
        assertFalse(
                Pattern.compile("(?:src|href)\\s*=|https?://|@import|url\\(")
                        .matcher(page)
                        .find(),
                "network");
        assertWellFormed(page);

        Matcher found = Pattern.compile("<script type=\"application/json\" id=\"data\">(.*?)</script>", Pattern.DOTALL)
                .matcher(page);
        assertTrue(found.find());
        JsonNode family = JSON.readTree(found.group(1)).get("families").get(0);
        LsmHistory history = Objects.requireNonNull(LsmHistory.ofLog(directory));
        assertEquals(history.entries().size(), family.get("events").size());

        // Taking the differences one by one ends with the live files.
        Set<Integer> live = new HashSet<>();
        for (JsonNode event : family.get("events")) {
            event.path("d").forEach(file -> assertTrue(live.remove(file.asInt())));
            event.path("a").forEach(file -> assertTrue(live.add(file.asInt())));
            assertEquals(live.size(), event.get("f").get(1).asInt());
        }
        Set<String> names = new HashSet<>();
        live.forEach(file -> names.add(family.get("files").get(file).get(0).asText()));
        Set<String> expected = new HashSet<>();
        history.atEnd("t1").files().forEach(file -> expected.add(file.file().name()));
        assertEquals(expected, names);
    }

    @Test
    void textInThePageCannotEndItsScript() throws IOException {
        try (LsmEvents log = log("s")) {
            log.record("t1", "</script><b>", new LsmEvent.Ingest(List.of(file("000001.sst", 63, 1, 2, 10))));
        }
        assertEquals(0, run("lsm", "--store", path("s"), "--html", path("page.html")), this::err);
        assertFalse(Files.readString(directory.resolve("page.html")).contains("</script><b>"));
    }

    /** Elements that are not empty are closed, in order. */
    private static void assertWellFormed(String page) {
        String markup = page.replaceAll("(?s)(<script[^>]*>).*?</script>", "$1</script>")
                .replaceAll("(?s)<style>.*?</style>", "<style></style>");
        List<String> open = new ArrayList<>();
        Matcher tags = Pattern.compile("<(/?)([a-z0-9]+)[^>]*>").matcher(markup);
        while (tags.find()) {
            String name = tags.group(2);
            if (Set.of("meta", "input").contains(name)) {
                continue;
            }
            if (tags.group(1).isEmpty()) {
                open.add(name);
            } else {
                assertEquals(open.remove(open.size() - 1), name);
            }
        }
        assertEquals(List.of(), open);
    }

    private void threeEvents() {
        try (LsmEvents log = log("s")) {
            log.record("t1", "pets", new LsmEvent.Snapshot(List.of()));
            log.record("t1", "pets", new LsmEvent.Ingest(List.of(file("000001.sst", 63, 'a', 'p', 100))));
            log.record("t1", "pets", new LsmEvent.Ingest(List.of(file("000002.sst", 62, 'h', 'z', 200))));
            log.record("t1", "pets", new LsmEvent.Flush(List.of(file("000003.sst", 0, 'h', 't', 50))));
        }
    }

    private LsmEvents log(String store) {
        try {
            Files.createDirectories(directory.resolve(store));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Clock clock = Clock.fixed(Instant.ofEpochSecond(1), ZoneOffset.UTC);
        return LsmEvents.open(directory.resolve(store), clock, LsmLogSettings.defaults());
    }

    private static LsmFile file(String name, int level, int from, int to, long bytes) {
        KeyBounds bounds = new KeyBounds(new byte[] {(byte) from}, new byte[] {(byte) to});
        return new LsmFile(name, level, bounds, LsmFile.UNKNOWN, bytes, 0);
    }

    private static Set<String> tree(Path root) throws IOException {
        Set<String> files = new HashSet<>();
        try (Stream<Path> walk = Files.walk(root)) {
            for (Path file : walk.toList()) {
                files.add(file + " " + Files.getLastModifiedTime(file) + " "
                        + (Files.isDirectory(file) ? 0 : Files.size(file)));
            }
        }
        return files;
    }

    private int run(String... args) {
        out.reset();
        err.reset();
        return Sluice.execute(realCommands(), args);
    }

    private CommandLine realCommands() {
        Console console = console();
        return Sluice.commands(new LocalNodes(console, FaultPoints.none()), console);
    }

    private Console console() {
        return new Console(out, new PrintStream(err, true, StandardCharsets.UTF_8), false);
    }

    private String path(String name) {
        return directory.resolve(name).toString();
    }

    private String out() {
        return out.toString(StandardCharsets.UTF_8);
    }

    private String err() {
        return err.toString(StandardCharsets.UTF_8);
    }
}
