package io.sluice.importer.source;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.importer.source.codec.Codec;
import io.sluice.importer.source.codec.Compressed;
import io.sluice.model.error.BadInputException;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Inputs that take more than copying: read beside each other, and handed out as if they were plain. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class CompressedInputsTest {
    private static final CsvFraming CSV = new CsvFraming(new byte[] {','}, '"', CsvFraming.NONE, CsvFraming.NONE);
    private static final SplitSource.Settings SETTINGS = new SplitSource.Settings(1000, 1 << 16, 0, false);

    @TempDir
    Path directory;

    private InputFile file(int ordinal, String name, byte[] bytes) throws IOException {
        Path path = Files.write(directory.resolve(name), bytes);
        return new InputFile(ordinal, name, path, bytes.length);
    }

    private static String text(int from, int lines) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < lines; i++) {
            text.append(from + i).append(i % 7 == 0 ? ",\"a\nb\"\n" : ",c\n");
        }
        return text.toString();
    }

    private static String readAll(List<InputFile> files) {
        StringBuilder all = new StringBuilder();
        try (SplitSource source = new SplitSource(files, CSV, SETTINGS)) {
            Split split = new Split(100);
            while (source.next(split)) {
                all.append(
                        new String(split.buffer(), split.start(), split.end() - split.start(), StandardCharsets.UTF_8));
            }
        }
        return all.toString();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5})
    void manyReadersOfManyFilesMissNothing(int readers) throws Exception {
        List<InputFile> files = new ArrayList<>();
        List<Codec> codecs = List.of(Codec.values());
        StringBuilder expected = new StringBuilder();
        long storedBytes = 0;
        for (int i = 0; i < 20; i++) {
            Codec codec = codecs.get(i % codecs.size());
            String text = i % 5 == 3 ? "" : text(1000 * i, 40 * i);
            byte[] plain = text.getBytes(StandardCharsets.UTF_8);
            files.add(file(i, "f" + i, i % 4 == 0 ? plain : Compressed.by(codec, plain)));
            storedBytes += files.get(i).sizeBytes();
            expected.append(text);
        }
        ConcurrentSkipListMap<Long, String> texts = new ConcurrentSkipListMap<>();
        ConcurrentSkipListMap<Long, Long> following = new ConcurrentSkipListMap<>();
        AtomicLong seenBytes = new AtomicLong();
        try (SplitSource source =
                new SplitSource(files, CSV, SETTINGS, new SplitSource.Readers(readers, 1 << 16), ReadSpans.NONE)) {
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < readers; i++) {
                Thread thread = new Thread(() -> {
                    Split split = new Split(100);
                    while (source.next(split)) {
                        texts.put(
                                split.ordinal(),
                                new String(
                                        split.buffer(),
                                        split.start(),
                                        split.end() - split.start(),
                                        StandardCharsets.UTF_8));
                        following.put(split.ordinal(), split.nextOrdinal());
                        seenBytes.addAndGet(split.storedBytes());
                    }
                });
                threads.add(thread);
                thread.start();
            }
            for (Thread thread : threads) {
                thread.join();
            }
        }
        assertEquals(expected.toString(), String.join("", texts.values()));
        assertEquals(storedBytes, seenBytes.get());
        long turn = 0;
        for (long ordinal : following.keySet()) {
            assertEquals(turn, ordinal, "ordinals have gaps");
            turn = following.getOrDefault(ordinal, -1L);
        }
    }

    /** All readers but one may hold splits of later inputs, and wait with them, as rejects wait for their turn. */
    @Test
    void oneReaderAlwaysStaysWithTheFirstInput() throws Exception {
        List<InputFile> files = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            files.add(file(
                    i, "f" + i + ".gz", Compressed.by(Codec.GZIP, text(0, 5000).getBytes(StandardCharsets.UTF_8))));
        }
        try (SplitSource source =
                new SplitSource(files, CSV, SETTINGS, new SplitSource.Readers(2, 1 << 16), ReadSpans.NONE)) {
            Split waiting = new Split(100);
            Split working = new Split(100);
            assertTrue(source.next(waiting));
            // While one reader waits with what it has, the other must be given all of the first input.
            int firsts = 0;
            while (source.next(working) && working.file().ordinal() == 0) {
                firsts++;
            }
            assertTrue(firsts > 10, "splits of the first input: " + firsts);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"UTF-16", "UTF-16LE", "UTF-16BE", "UTF-32", "ISO-8859-1", "windows-1252", "UTF-8"})
    void textOfOtherCharsets(String name) throws IOException {
        Charset charset = Charset.forName(name);
        String text = "1,\u00e4\u00d6\n2,\"\u00e9\n\"\n".repeat(20_000);
        Path path = Files.write(directory.resolve("t"), text.getBytes(charset));
        Encoding encoding = new Encoding(Encoding.DEFAULT.compression(), charset);
        InputFile plain = new InputFile(0, "t", new io.sluice.importer.source.origin.LocalFile(path), -1, encoding);
        assertEquals(text, readAll(List.of(plain)));
    }

    @Test
    void byteOrderMarksAreEnough() throws IOException {
        String text = "1,\u00e4\n2,\ud83d\ude00\n";
        for (String name : List.of("UTF-8", "UTF-16LE", "UTF-16BE")) {
            byte[] marked = ("\ufeff" + text).getBytes(Charset.forName(name));
            assertEquals(text, readAll(List.of(file(0, "t", marked))), name);
            assertEquals(text, readAll(List.of(file(0, "t", Compressed.by(Codec.ZSTD, marked)))), name);
        }
    }

    @Test
    void bytesThatAreNoTextAreNamedWithTheirPlace() throws IOException {
        byte[] utf16 = "\ufeff1,a\n2,b\n".getBytes(StandardCharsets.UTF_16LE);
        utf16[7] = (byte) 0xdc;
        assertSays(file(0, "t", utf16), "t: byte 6 of the text begins no character of UTF-16");
    }

    @Test
    void damageIsNamedWithItsPlace() throws IOException {
        byte[] stored = Compressed.by(Codec.GZIP, text(0, 5000).getBytes(StandardCharsets.UTF_8));
        assertSays(file(0, "a.gz", Arrays.copyOf(stored, stored.length / 2)), "a.gz: the gzip data is");
        assertSays(
                file(0, "b.gz", text(0, 2).getBytes(StandardCharsets.UTF_8)),
                "b.gz: named as a gzip file, but it does");
        assertSays(file(0, "c.gz", new byte[0]), "c.gz: named as a gzip file, but it is empty");
    }

    private static void assertSays(InputFile file, String text) {
        for (SplitSource.Readers readers : List.of(SplitSource.Readers.ONE, new SplitSource.Readers(2, 1 << 16))) {
            BadInputException refused = assertThrows(BadInputException.class, () -> {
                try (SplitSource source = new SplitSource(List.of(file), CSV, SETTINGS, readers, ReadSpans.NONE)) {
                    Split split = new Split(100);
                    while (source.next(split)) {
                        assertEquals(file, split.file());
                    }
                }
            });
            assertTrue(String.valueOf(refused.getMessage()).contains(text), refused.toString());
        }
    }
}
