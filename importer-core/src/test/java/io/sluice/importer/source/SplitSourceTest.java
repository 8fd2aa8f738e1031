package io.sluice.importer.source;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.model.error.OperationFailedException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ConcurrentSkipListSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Splits hold whole records, all of them, once, in order, with the positions they have in their files. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class SplitSourceTest {
    private static final CsvFraming CSV = new CsvFraming(new byte[] {','}, '"', CsvFraming.NONE, CsvFraming.NONE);
    private static final int MAX_RECORD_BYTES = 64;
    private static final long SEED = Long.getLong("sluice.seed", System.nanoTime());

    @TempDir
    Path directory;

    /** A split as text: file, offset, lines skipped, whether oversized, content. */
    private record Seen(String file, long offset, long linesSkipped, boolean oversized, String text) {}

    private List<Seen> read(SplitSource.Settings settings, String... contents) throws IOException {
        List<Seen> seen = new ArrayList<>();
        try (SplitSource source = new SplitSource(files(contents), CSV, settings)) {
            Split split = new Split(1);
            long ordinal = 0;
            while (source.next(split)) {
                assertEquals(ordinal, split.ordinal());
                ordinal = split.nextOrdinal();
                assertTrue(split.lastOfFile() || split.start() < split.end(), "an empty split goes on");
                if (split.start() < split.end()) {
                    seen.add(seen(split));
                }
            }
        }
        return seen;
    }

    private static Seen seen(Split split) {
        String text = new String(split.buffer(), split.start(), split.end() - split.start(), StandardCharsets.UTF_8);
        return new Seen(
                split.file().name(), split.fileOffset(split.start()), split.linesSkipped(), split.oversized(), text);
    }

    private List<InputFile> files(String... contents) throws IOException {
        List<InputFile> files = new ArrayList<>();
        for (int i = 0; i < contents.length; i++) {
            Path path = Files.writeString(directory.resolve("f" + i), contents[i]);
            files.add(new InputFile(i, "f" + i, path, Files.size(path)));
        }
        return files;
    }

    private static SplitSource.Settings plain(int splitBytes) {
        return new SplitSource.Settings(splitBytes, MAX_RECORD_BYTES, 0, false);
    }

    private static SplitSource.Settings withHead(int splitBytes, long skip, boolean header) {
        return new SplitSource.Settings(splitBytes, MAX_RECORD_BYTES, skip, header);
    }

    @ParameterizedTest
    @ValueSource(strings = {"\n", "\r\n", "\r"})
    void whateverTheSplitSizeTheRecordsAreTheSame(String lineEnd) throws IOException {
        String[] contents = {
            String.join(lineEnd, "1,a", "2,\"b" + lineEnd + "b\"", "", "3,\"\"\"" + lineEnd + "\"", "4,c", ""),
            "",
            "\ufeff5,d" + lineEnd + "6,e",
            "\ufeff",
            lineEnd
        };
        for (int splitBytes = 1; splitBytes < 60; splitBytes++) {
            List<Seen> splits = read(plain(splitBytes), contents);
            for (int file = 0; file < contents.length; file++) {
                StringBuilder whole = new StringBuilder();
                String content = contents[file];
                boolean marked = content.startsWith("\ufeff");
                long offset = marked ? 3 : 0;
                for (Seen split : splits) {
                    if (split.file().equals("f" + file)) {
                        assertEquals(offset, split.offset(), "splits of " + splitBytes);
                        offset += split.text().length();
                        whole.append(split.text());
                        boolean endsRecord =
                                split.text().endsWith("\n") || split.text().endsWith("\r");
                        boolean endsFile = offset == content.length() + (marked ? 2 : 0);
                        assertTrue(endsRecord || endsFile, "splits of " + splitBytes + " cut a record: " + split);
                        assertEquals(0, quotes(split.text()) % 2, "splits of " + splitBytes + " cut a quoted field");
                    }
                }
                assertEquals(marked ? content.substring(1) : content, whole.toString(), "splits of " + splitBytes);
            }
        }
    }

    private static long quotes(String text) {
        return text.chars().filter(c -> c == '"').count();
    }

    @Test
    void aCarriageReturnInTheLastPlaceIsNotCutFromItsNewline() throws IOException {
        for (int splitBytes = 1; splitBytes < 12; splitBytes++) {
            for (Seen split : read(plain(splitBytes), "ab\r\ncd\r\nef\r\n")) {
                assertFalse(split.text().startsWith("\n"), "splits of " + splitBytes + ": " + split);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 7, 20, 1000})
    void headAndHeaderAreTakenOffEveryFile(int splitBytes) throws IOException {
        String[] contents = {"\ufeffskip\n\"me\n\"\nh,i\n1\n2\n", "skip\nme\nj,k\n", "skip\n", "a\nb\nl\n3"};
        List<Seen> splits = read(withHead(splitBytes, 2, true), contents);
        assertEquals("1\n2\n3", String.join("", splits.stream().map(Seen::text).toList()));
        assertEquals(new Seen("f0", 18, 4, false, splits.get(0).text()), splits.get(0));
        Seen last = splits.get(splits.size() - 1);
        assertEquals(new Seen("f3", 6, 3, false, "3"), last);
    }

    @Test
    void splitsComeWithTheHeaderOfTheirFile() throws IOException {
        List<InputFile> files = files("h,i\n1\n", "j\n2\n");
        try (SplitSource source = new SplitSource(files, CSV, withHead(100, 0, true))) {
            Split split = new Split(100);
            assertTrue(source.next(split));
            assertArrayEquals("h,i\n".getBytes(StandardCharsets.UTF_8), split.header());
            assertTrue(split.lastOfFile());
            assertTrue(source.next(split));
            assertArrayEquals("j\n".getBytes(StandardCharsets.UTF_8), split.header());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"\n", "\r\n", "\r"})
    void readingContinuesAfterTheFirstLineOfAnOversizedRecord(String lineEnd) throws IOException {
        String first = "1,a" + lineEnd;
        for (int length = MAX_RECORD_BYTES - 4; length < 3 * MAX_RECORD_BYTES; length++) {
            String tooLong = "2,\"" + "x".repeat(length) + lineEnd;
            // The quote closes far behind, so that the record as a whole is too long whatever the line is.
            String rest = ("3,b" + lineEnd).repeat(40);
            for (int splitBytes : List.of(1, 5, MAX_RECORD_BYTES, MAX_RECORD_BYTES + 1)) {
                List<Seen> splits = read(plain(splitBytes), first + tooLong + rest);
                String context = "splits of " + splitBytes + ", line of " + tooLong.length();
                List<Seen> oversized = splits.stream().filter(Seen::oversized).toList();
                assertEquals(1, oversized.size(), context);
                assertEquals(first.length(), oversized.get(0).offset(), context);
                assertEquals(
                        first + rest,
                        String.join(
                                "",
                                splits.stream()
                                        .filter(split -> !split.oversized())
                                        .map(Seen::text)
                                        .toList()),
                        context);
                long lines = splits.stream()
                        .mapToLong(split -> split.linesSkipped() + lineEnds(split.text()))
                        .sum();
                assertEquals(42, lines, context);
            }
        }
    }

    private static int lineEnds(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return SplitSource.lineEnds(bytes, 0, bytes.length);
    }

    @Test
    void aFileOfOneEndlessLineIsOneOversizedSplit() throws IOException {
        List<Seen> splits = read(plain(16), "x".repeat(10 * MAX_RECORD_BYTES), "1\n");
        assertEquals(2, splits.size());
        assertTrue(splits.get(0).oversized());
        assertTrue(splits.get(0).text().length() > MAX_RECORD_BYTES);
        assertEquals(new Seen("f1", 0, 0, false, "1\n"), splits.get(1));
    }

    @Test
    void aSourceThatWasStoppedGivesNoMore() throws IOException {
        try (SplitSource source = new SplitSource(files("1\n2\n3\n"), CSV, plain(2))) {
            Split split = new Split(2);
            assertTrue(source.next(split));
            source.stop();
            assertFalse(source.next(split));
            assertEquals("1\n", seen(split).text());
        }
    }

    @Test
    void aFileThatVanishedIsNamed() {
        InputFile gone = new InputFile(0, "gone.csv", directory.resolve("gone.csv"), 1);
        try (SplitSource source = new SplitSource(List.of(gone), CSV, plain(2))) {
            OperationFailedException failed =
                    assertThrows(OperationFailedException.class, () -> source.next(new Split(2)));
            assertTrue(String.valueOf(failed.getMessage()).contains("gone.csv"), failed.toString());
        }
    }

    @Test
    void manyReadersShareTheInputWithoutLossOrRepetition() throws Exception {
        StringBuilder content = new StringBuilder();
        Random random = new Random(SEED);
        for (int i = 0; i < 5000; i++) {
            content.append(i).append(random.nextInt(4) == 0 ? ",\"a\nb\"\n" : ",c\n");
        }
        ConcurrentSkipListMap<Long, String> texts = new ConcurrentSkipListMap<>();
        ConcurrentSkipListSet<Long> following = new ConcurrentSkipListSet<>(List.of(0L));
        try (SplitSource source = new SplitSource(files(content.toString(), content.toString()), CSV, plain(100))) {
            List<Thread> readers = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                Thread reader = new Thread(() -> {
                    Split split = new Split(100);
                    while (source.next(split)) {
                        texts.put(split.ordinal(), seen(split).text());
                        following.add(split.nextOrdinal());
                    }
                });
                readers.add(reader);
                reader.start();
            }
            for (Thread reader : readers) {
                reader.join();
            }
        }
        assertEquals(content.toString() + content, String.join("", texts.values()), "seed " + SEED);
        following.remove(following.last());
        assertEquals(following, texts.keySet(), "ordinals have gaps");
    }
}
