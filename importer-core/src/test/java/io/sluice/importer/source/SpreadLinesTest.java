package io.sluice.importer.source;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class SpreadLinesTest {
    private static final int LINES = 10_000;

    @TempDir
    Path directory;

    private static String lines() {
        StringBuilder text = new StringBuilder("header\n");
        IntStream.range(0, LINES)
                .forEach(i ->
                        text.append(1_000_000 + i).append(",x".repeat(i % 7)).append('\n'));
        return text.toString();
    }

    private InputFile file(String name, byte[] bytes) throws IOException {
        Path path = Files.write(directory.resolve(name), bytes);
        return new InputFile(3, name, path, bytes.length);
    }

    private static List<String> sampled(InputFile sample) throws IOException {
        try (InputStream text = sample.origin().open()) {
            return new String(text.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
        }
    }

    @Test
    void linesAreWholeAndFromAllOverTheFile() throws IOException {
        InputFile file = file("lines.csv", lines().getBytes(StandardCharsets.UTF_8));
        InputFile sample = SpreadLines.of(file, 10, 200);
        assertNotNull(sample);
        List<String> lines = sampled(sample);
        assertEquals("header", lines.get(0));
        assertTrue(lines().lines().toList().containsAll(lines), lines.toString());
        for (int place = 1; place < 10; place++) {
            int tenth = place;
            assertTrue(
                    lines.stream()
                            .skip(1)
                            .mapToInt(line -> Integer.parseInt(line.substring(0, 7)) - 1_000_000)
                            .anyMatch(number -> Math.abs(number - LINES / 10 * tenth) < LINES / 50),
                    "place " + place + ": " + lines);
        }
        assertEquals(lines.size(), lines.stream().distinct().count(), "lines that come twice");
        assertEquals(List.of(3, "lines.csv"), List.of(sample.ordinal(), sample.name()));
    }

    @Test
    void placesWithoutALineEndAreLeftOut() throws IOException {
        byte[] text = ("a\n" + "b".repeat(1000) + "\nc\n").getBytes(StandardCharsets.UTF_8);
        InputFile sample = SpreadLines.of(file("long.csv", text), 5, 50);
        assertNotNull(sample);
        assertEquals(List.of("a"), sampled(sample));
    }

    @Test
    void filesThatCannotBeReadFromTheirMiddleHaveNoSample() throws IOException {
        byte[] text = lines().getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream compressed = new ByteArrayOutputStream();
        try (OutputStream gzip = new GZIPOutputStream(compressed)) {
            gzip.write(text);
        }
        assertNull(SpreadLines.of(file("lines.csv.gz", compressed.toByteArray()), 5, 200), "compressed");
        assertNull(SpreadLines.of(file("wide.csv", lines().getBytes(StandardCharsets.UTF_16)), 5, 200), "UTF-16");
        assertNull(SpreadLines.of(new InputFile(0, "standard input", null, text.length), 5, 200), "standard input");
        InputFile changed = file("changed.csv", text);
        Files.write(directory.resolve("changed.csv"), new byte[] {'a', '\n'});
        assertNull(SpreadLines.of(changed, 5, 200), "changed");
    }
}
