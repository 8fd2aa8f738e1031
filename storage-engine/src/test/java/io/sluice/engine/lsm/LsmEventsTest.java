package io.sluice.engine.lsm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.engine.store.KeyBounds;
import io.sluice.engine.store.LsmFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class LsmEventsTest {
    private static final Clock CLOCK = Clock.fixed(Instant.ofEpochMilli(1000), ZoneOffset.UTC);

    @TempDir
    Path store;

    @Test
    void noFileIsCreatedBeforeTheFirstEvent() {
        open(LsmLogSettings.defaults()).close();
        assertNull(LsmHistory.ofLog(store));
    }

    @Test
    void everyKindOfEventReadsBackAsItWasWritten() {
        LsmFile a = file("000001.sst", 63, 10, 20, 100);
        LsmFile b = file("000002.sst", 62, 15, 30, 200);
        List<LsmEvent> events = List.of(
                new LsmEvent.Snapshot(List.of()),
                new LsmEvent.Ingest(List.of(a)),
                new LsmEvent.Ingest(List.of(b)),
                new LsmEvent.Put(7, 70),
                new LsmEvent.SmallSstFlush(7, List.of(file("000003.sst", 63, 40, 50, 80))),
                new LsmEvent.Flush(List.of(file("000004.sst", 0, 1, 90, 50))),
                new LsmEvent.CompactionBegin(1, List.of("000001.sst", "000002.sst"), 63),
                new LsmEvent.Failure(1, "compaction", "disk \"full\"\n"),
                new LsmEvent.CompactionEnd(
                        2, List.of("000001.sst", "000002.sst"), List.of(file("000005.sst", 63, 10, 30, 290))),
                new LsmEvent.Removal(List.of("000003.sst")),
                new LsmEvent.Publish());
        try (LsmEvents log = open(LsmLogSettings.defaults())) {
            events.forEach(event -> log.record("t1", "stock", event));
        }
        LsmHistory history = history();
        assertEquals(events, history.entries().stream().map(LsmEntry::event).toList());
        assertEquals(List.of(), history.notes());
        LsmEntry last = history.entries().get(history.entries().size() - 1);
        assertEquals("stock", last.table());
        assertEquals(1000, last.atMillis());
        // Arrived: 100 + 200 + 70 + 50. Written: the same, plus small-SST flushes and compactions.
        assertEquals(new LsmFigures(2, 2, 1, 340, 420, 420 + 80 + 290), last.after());
        assertEquals(last.after(), history.atEnd("t1").figures());
        assertEquals(2, history.entries().get(2).after().height());
    }

    @Test
    void lineNamesAFileWithItsLevelKeysAndSize() throws IOException {
        try (LsmEvents log = open(LsmLogSettings.defaults())) {
            log.record("t1", "stock", new LsmEvent.Ingest(List.of(file("000001.sst", 63, 10, 0xfe, 100))));
            log.record("t1", new LsmEvent.CompactionEnd(4, List.of("000001.sst"), List.of()));
        }
        assertEquals("""
                {"seq":1,"atMillis":1000,"family":"t1","table":"stock","event":{"kind":"ingest","files":[\
                {"name":"000001.sst","level":63,"smallest":"0a","largest":"fe","bytes":100,"entries":-1}]},\
                "after":{"height":1,"files":1,"l0Files":0,"bytes":100,"bytesIngested":100,"bytesWritten":100}}
                {"seq":2,"atMillis":1000,"family":"t1","event":{"kind":"compaction","job":4,\
                "inputs":["000001.sst"],"outputs":[]},\
                "after":{"height":0,"files":0,"l0Files":0,"bytes":0,"bytesIngested":100,"bytesWritten":100}}
                """, Files.readString(store.resolve(LsmEvents.FILE_NAME)));
    }

    @Test
    void filesWithoutUsableKeysAreSkippedAndReported() throws IOException {
        StringBuilder lines = new StringBuilder();
        for (String keys : List.of(
                "\"smallest\":\"x\",\"largest\":\"y\"",
                "\"smallest\":\"0a\",\"largest\":\"09\"",
                "\"largest\":\"09\"")) {
            lines.append(
                            "{\"seq\":1,\"atMillis\":1,\"family\":\"t1\",\"event\":{\"kind\":\"ingest\",\"files\":[{\"name\":\"a\",")
                    .append(keys)
                    .append("}]},\"after\":{}}\n");
        }
        Files.writeString(store.resolve(LsmEvents.FILE_NAME), lines);
        assertEquals(List.of(), history().entries());
        assertEquals(
                List.of("3 lines of the log are no events that this version knows; they were left out"),
                history().notes());
    }

    @Test
    void movedFileIsNotCountedAsWrittenAndKeepsItsOrigin() {
        LsmState state = new LsmState();
        state.apply(1, new LsmEvent.Flush(List.of(file("a", 0, 1, 2, 100))));
        state.apply(2, new LsmEvent.CompactionEnd(1, List.of("a"), List.of(file("a", 63, 1, 2, 100))));
        assertEquals(new LsmFigures(1, 1, 0, 100, 100, 100), state.figures());
        TreeFile moved = state.files().iterator().next();
        assertEquals(new TreeFile(file("a", 63, 1, 2, 100), Origin.FLUSHED, 1), moved);
    }

    @Test
    void logContinuesAtItsEnd() throws IOException {
        try (LsmEvents log = open(LsmLogSettings.defaults())) {
            log.record("t1", new LsmEvent.Ingest(List.of(file("a", 63, 1, 2, 100))));
        }
        Path file = store.resolve(LsmEvents.FILE_NAME);
        Files.writeString(file, "{\"seq\":2,\"half of", StandardOpenOption.APPEND);
        assertTrue(
                history().notes().get(0).contains("last line is incomplete"),
                history().notes().toString());
        try (LsmEvents log = open(LsmLogSettings.defaults())) {
            log.record("t1", new LsmEvent.Ingest(List.of(file("b", 62, 2, 3, 10))));
        }
        LsmHistory history = history();
        assertEquals(List.of(), history.notes());
        assertEquals(2, history.entries().get(1).seq());
        assertEquals(new LsmFigures(2, 2, 0, 110, 110, 110), history.atEnd("t1").figures());
    }

    @Test
    void linesOfALaterVersionAreSkippedAndReported() throws IOException {
        try (LsmEvents log = open(LsmLogSettings.defaults())) {
            log.record("t1", new LsmEvent.Publish());
        }
        Path file = store.resolve(LsmEvents.FILE_NAME);
        Files.writeString(
                file,
                "{\"seq\":2,\"atMillis\":1,\"family\":\"t1\",\"event\":{\"kind\":\"sing\"},\"after\":{}}\n{}\n",
                StandardOpenOption.APPEND);
        assertEquals(1, history().entries().size());
        assertEquals(
                "2 lines of the log are no events that this version knows; they were left out",
                history().notes().get(0));
    }

    /** Random changes over several families, truncated many times: a replay of the rest gets the same files. */
    @Test
    void truncatedLogReplaysToTheSameState() throws IOException {
        long seed = Long.getLong("sluice.seed", System.nanoTime());
        Random random = new Random(seed);
        long cap = 20_000;
        List<LsmState> models = List.of(new LsmState(), new LsmState());
        try (LsmEvents log = open(new LsmLogSettings(cap, 10_000, 1000))) {
            for (int i = 0; i < 2000; i++) {
                int family = random.nextInt(2);
                LsmEvent event = change(models.get(family), random, i);
                models.get(family).apply(i, event);
                log.record("t" + family, event);
            }
        }
        LsmHistory history = history();
        assertTrue(Files.size(store.resolve(LsmEvents.FILE_NAME)) <= cap, "seed " + seed);
        assertFalse(Files.exists(store.resolve(LsmEvents.FILE_NAME + ".part")));
        assertTrue(history.notes().get(0).contains("older half was dropped"), "seed " + seed);
        for (int family = 0; family < 2; family++) {
            LsmState replayed = history.atEnd("t" + family);
            assertEquals(shapes(models.get(family)), shapes(replayed), "seed " + seed);
            assertEquals(models.get(family).figures(), replayed.figures(), "seed " + seed);
        }
        for (LsmEntry entry : history.entries()) {
            if (!(entry.event() instanceof LsmEvent.Gap)) {
                assertEquals(
                        entry.after(), stateAfter(history, entry).figures(), "seed " + seed + ", event " + entry.seq());
            }
        }
    }

    @Test
    void diskErrorEndsOnlyTheLog() throws IOException {
        Files.createDirectory(store.resolve(LsmEvents.FILE_NAME));
        try (LsmEvents log = open(new LsmLogSettings(1 << 20, 2, 1000))) {
            for (int i = 0; i < 100; i++) {
                log.record("t1", new LsmEvent.Publish());
            }
        }
        try (var left = Files.list(store)) {
            assertEquals(List.of(store.resolve(LsmEvents.FILE_NAME)), left.toList(), "something else was written");
        }
        Files.delete(store.resolve(LsmEvents.FILE_NAME));
        try (LsmEvents log = open(new LsmLogSettings(1 << 20, 2, 1000))) {
            log.record("t1", new LsmEvent.Publish());
        }
        assertEquals(1, history().entries().size(), "the next log does not work");
    }

    @Test
    void heightsCountFilesThatShareAKey() {
        assertEquals(0, maxHeight(List.of()));
        assertEquals(1, maxHeight(List.of(file("a", 1, 1, 2, 1), file("b", 1, 3, 4, 1))));
        assertEquals(2, maxHeight(List.of(file("a", 1, 1, 2, 1), file("b", 2, 2, 4, 1))));
        assertEquals(2, maxHeight(List.of(file("a", 1, 1, 9, 1), file("b", 2, 2, 4, 1), file("c", 2, 5, 6, 1))));
    }

    private static int maxHeight(List<LsmFile> files) {
        return KeyBounds.maxHeight(files.stream().map(LsmFile::bounds).toList());
    }

    private static LsmState stateAfter(LsmHistory history, LsmEntry last) {
        LsmState state = new LsmState();
        for (LsmEntry entry : history.of(last.family()).entries()) {
            state.apply(entry);
            if (entry.equals(last)) {
                break;
            }
        }
        return state;
    }

    private static LsmEvent change(LsmState state, Random random, int number) {
        List<String> live = new ArrayList<>(
                state.files().stream().map(file -> file.file().name()).toList());
        int from = random.nextInt(200);
        LsmFile fresh = file("f" + number, random.nextInt(5), from, from + random.nextInt(50), random.nextInt(1000));
        if (live.size() < 3 || (live.size() < 15 && random.nextBoolean())) {
            return random.nextBoolean()
                    ? new LsmEvent.Ingest(List.of(fresh))
                    : new LsmEvent.SmallSstFlush(1, List.of(fresh));
        }
        return new LsmEvent.CompactionEnd(number, live.subList(0, 2), List.of(fresh));
    }

    private static Set<LsmFile> shapes(LsmState state) {
        Collection<TreeFile> files = state.files();
        return new HashSet<>(files.stream().map(TreeFile::file).toList());
    }

    private static LsmFile file(String name, int level, int from, int to, long bytes) {
        KeyBounds bounds = new KeyBounds(new byte[] {(byte) from}, new byte[] {(byte) to});
        return new LsmFile(name, level, bounds, LsmFile.UNKNOWN, bytes, 0);
    }

    private LsmEvents open(LsmLogSettings settings) {
        return LsmEvents.open(store, CLOCK, settings);
    }

    private LsmHistory history() {
        return Objects.requireNonNull(LsmHistory.ofLog(store));
    }
}
