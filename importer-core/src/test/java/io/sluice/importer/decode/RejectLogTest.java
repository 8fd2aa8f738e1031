package io.sluice.importer.decode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.importer.decode.RejectLog.SplitRejects;
import io.sluice.importer.source.CsvFraming;
import io.sluice.importer.source.InputFile;
import io.sluice.importer.source.Split;
import io.sluice.importer.source.SplitSource;
import io.sluice.model.error.BadInputException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rejects come out in the order of the input with lines of their files, in whatever order splits are done. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class RejectLogTest {
    /** More than a split may hold back until its turn has come. */
    private static final int VERY_MANY = 25_000;

    @TempDir
    Path directory;

    private final List<String> written = new ArrayList<>();
    private final RejectSink sink = (file, header, line, reject) ->
            written.add(file.name() + " " + line + " " + new String(reject.record(), StandardCharsets.UTF_8));

    /** Splits of one line each: three of the first file, one of the second. */
    private List<SplitRejects> splits(RejectLog log) throws IOException {
        List<InputFile> files = new ArrayList<>();
        for (String content : List.of("1\n2\n3", "4")) {
            Path path = Files.writeString(directory.resolve("f" + files.size()), content);
            files.add(new InputFile(files.size(), "f" + files.size(), path, Files.size(path)));
        }
        List<SplitRejects> splits = new ArrayList<>();
        try (SplitSource source =
                new SplitSource(files, CsvFraming.LINES, new SplitSource.Settings(2, 100, 0, false))) {
            Split split = new Split(2);
            while (source.next(split)) {
                splits.add(log.split(split));
            }
        }
        assertEquals(4, splits.size());
        return splits;
    }

    private static Reject reject(long line, String record) {
        return new Reject(
                new Reject.Place(Reject.Unit.LINE, line, 7),
                new Reject.Problem(0, "c", "syntax", "is bad"),
                record.getBytes(StandardCharsets.UTF_8),
                false);
    }

    @Test
    void splitsMayBeDoneInAnyOrder() throws IOException {
        RejectLog log = new RejectLog(new RejectLimit.Count(100), sink);
        List<SplitRejects> splits = splits(log);
        splits.get(3).accept(reject(0, "d"));
        splits.get(3).finish(5);
        splits.get(2).accept(reject(1, "c"));
        splits.get(2).finish(2);
        assertEquals(0, log.count(), "their turn has not come");
        assertNull(log.first());
        splits.get(0).accept(reject(0, "a"));
        splits.get(0).finish(10);
        splits.get(1).accept(reject(4, "b"));
        splits.get(1).finish(20);
        assertEquals(List.of("f0 1 a", "f0 15 b", "f0 32 c", "f1 1 d"), written);
        assertEquals(4, log.count());
        assertEquals("f0, line 1 (byte 7), column c: is bad\n    a", log.first());
        assertFalse(log.limitExceeded());
    }

    @Test
    void theLimitActionRunsOnceAndNoMoreIsWritten() throws IOException {
        RejectLog log = new RejectLog(new RejectLimit.Count(2), sink);
        AtomicInteger told = new AtomicInteger();
        log.onLimit(told::incrementAndGet);
        SplitRejects split = splits(log).get(0);
        for (int i = 0; i < 5; i++) {
            split.accept(reject(i, "r" + i));
        }
        split.finish(5);
        assertEquals(1, told.get());
        assertTrue(log.limitExceeded());
        assertEquals(3, written.size(), "those allowed and the one too many: " + written);
    }

    @Test
    void aSplitWithVeryManyRejectsWaitsForItsTurnOnly() throws Exception {
        RejectLog log = new RejectLog(RejectLimit.UNLIMITED, sink);
        List<SplitRejects> splits = splits(log);
        Thread later = new Thread(() -> {
            for (int i = 0; i < VERY_MANY; i++) {
                splits.get(1).accept(reject(i, "later"));
            }
            splits.get(1).finish(VERY_MANY);
        });
        later.start();
        splits.get(0).accept(reject(0, "first"));
        splits.get(0).finish(1);
        later.join();
        assertEquals(1 + VERY_MANY, log.count());
        assertEquals("f0 1 first", written.get(0));
        assertEquals("f0 " + (1 + VERY_MANY) + " later", written.get(VERY_MANY));
    }

    @Test
    void nobodyWaitsForASplitThatIsNeverFinished() throws Exception {
        RejectLog log = new RejectLog(RejectLimit.UNLIMITED, sink);
        List<SplitRejects> splits = splits(log);
        Thread later = new Thread(() -> {
            for (int i = 0; i < VERY_MANY; i++) {
                splits.get(1).accept(reject(i, "later"));
            }
        });
        later.start();
        log.abandon();
        later.join(10_000);
        assertFalse(later.isAlive());
    }

    @Test
    void rejectsThatTakeMuchMemoryWaitToo() throws Exception {
        RejectLog log = new RejectLog(RejectLimit.UNLIMITED, sink);
        List<SplitRejects> splits = splits(log);
        String wide = "x".repeat(1 << 20);
        Thread later = new Thread(() -> {
            for (int i = 0; i < 100; i++) {
                splits.get(1).accept(reject(i, wide));
            }
            splits.get(1).finish(100);
        });
        later.start();
        while (later.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
        assertEquals(0, log.count());
        splits.get(0).finish(1);
        later.join();
        assertEquals(100, log.count());
    }

    @Test
    void aShareIsJudgedAtTheEnd() throws IOException {
        for (int bad = 0; bad < 5; bad++) {
            RejectLog log = new RejectLog(RejectLimit.parse("1.5%"), sink);
            int rows = 200 - bad;
            SplitRejects split = log.split(firstSplit(), () -> rows);
            for (int i = 0; i < bad; i++) {
                split.accept(reject(i, "r"));
            }
            split.finish(200);
            assertEquals(bad > 3, log.limitExceeded(), bad + " of 200");
        }
    }

    @Test
    void aShareIsCheckedEarlyOnlyAfterManyRecords() throws IOException {
        for (int rows : List.of(RejectLimit.Share.LEAST_RECORDS - 101, RejectLimit.Share.LEAST_RECORDS - 100)) {
            AtomicInteger told = new AtomicInteger();
            RejectLog log = new RejectLog(RejectLimit.parse("0.49%"), sink);
            log.onLimit(told::incrementAndGet);
            SplitRejects split = log.split(firstSplit(), () -> rows);
            for (int i = 0; i < 100; i++) {
                split.accept(reject(i, "r"));
            }
            split.finish(1);
            assertEquals(rows + 100 >= RejectLimit.Share.LEAST_RECORDS ? 1 : 0, told.get(), rows + " rows");
        }
    }

    private Split firstSplit() throws IOException {
        Path path = Files.writeString(directory.resolve("only"), "1\n");
        Split split = new Split(2);
        try (SplitSource source = new SplitSource(
                List.of(new InputFile(0, "only", path, 2)),
                CsvFraming.LINES,
                new SplitSource.Settings(2, 100, 0, false))) {
            assertTrue(source.next(split));
        }
        return split;
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "-1", "%", "-1%", "100.1%", "1e", "1 %", "NaN%"})
    void limitsThatAreNone(String text) {
        assertThrows(BadInputException.class, () -> RejectLimit.parse(text));
    }
}
