package io.sluice.sql.apply;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** All lines of a log, once, with their numbers, in batches of any size and from any position. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class LineReaderTest {
    private static final long SEED = Long.getLong("sluice.seed", System.nanoTime());
    private static final int MIB = 1 << 20;

    @TempDir
    Path directory;

    private Path log(String text) throws IOException {
        return Files.writeString(directory.resolve("log.jsonl"), text);
    }

    /** Lines as "number:text"; the positions behind each batch are added to a list. */
    private static List<String> read(Path log, int maxLines, Position from, List<Position> ends) {
        List<String> lines = new ArrayList<>();
        try (LineReader reader = LineReader.open(log, maxLines, from)) {
            for (LineReader.Batch batch = reader.next(); batch != null; batch = reader.next()) {
                assertTrue(batch.size() <= maxLines);
                for (int i = 0; i < batch.size(); i++) {
                    lines.add(batch.numbers()[i] + ":"
                            + new String(
                                    batch.buffer(), batch.starts()[i], batch.lengths()[i], StandardCharsets.UTF_8));
                }
                ends.add(batch.end());
            }
        }
        return lines;
    }

    private static List<String> wanted(String text) {
        List<String> lines = new ArrayList<>();
        String[] all = text.split("\n", -1);
        for (int i = 0; i < all.length; i++) {
            if (!all[i].isBlank()) {
                lines.add((i + 1) + ":" + all[i]);
            }
        }
        return lines;
    }

    private static String text(Random random, int lines, int mostLetters) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < lines; i++) {
            text.append(random.nextInt(5) == 0 ? "" : i + "x".repeat(random.nextInt(mostLetters)))
                    .append(i < lines - 1 || random.nextBoolean() ? "\n" : "");
        }
        return text.toString();
    }

    @Test
    void linesComeOnceFromEveryPosition() throws IOException {
        Random random = new Random(SEED);
        for (int run = 0; run < 40; run++) {
            String text = text(random, random.nextInt(30), 20);
            Path log = log(text);
            for (int maxLines : new int[] {1, 2, 7, 100}) {
                List<Position> ends = new ArrayList<>();
                List<String> lines = read(log, maxLines, Position.START, ends);
                String context = "seed " + SEED + ", run " + run + ", " + maxLines + " lines";
                assertEquals(wanted(text), lines, context);
                for (Position end : ends) {
                    List<String> rest = read(log, maxLines, end, new ArrayList<>());
                    assertEquals(lines.subList(lines.size() - rest.size(), lines.size()), rest, context);
                    assertTrue(rest.stream().allMatch(line -> number(line) > end.lines()), context + " from " + end);
                }
            }
        }
    }

    /** The writer of a log may end a line with the next one. */
    @Test
    void lineEndThatComesLaterIsNoLine() throws IOException {
        for (String more : List.of("\ntwo\n", "\n\nthree\n", "\n", "two\n", "")) {
            List<Position> ends = new ArrayList<>();
            assertEquals(List.of("1:one"), read(log("one"), 10, Position.START, ends));
            Path grown = log("one" + more);
            List<String> whole = wanted("one\n" + (more.startsWith("\n") ? more.substring(1) : more));
            assertEquals(whole.subList(1, whole.size()), read(grown, 10, ends.get(0), ends));
            assertEquals(List.of(), read(grown, 10, ends.get(ends.size() - 1), new ArrayList<>()));
        }
    }

    private static long number(String line) {
        return Long.parseLong(line.substring(0, line.indexOf(':')));
    }

    @Test
    void aLogThatIsLongerThanWhatIsReadAtOnce() throws IOException {
        String text = text(new Random(SEED), 60_000, 700);
        assertTrue(text.length() > 16 * MIB);
        assertEquals(wanted(text), read(log(text), 8192, Position.START, new ArrayList<>()), "seed " + SEED);
    }

    @Test
    void aLineThatIsTooLongIsNamed() throws IOException {
        Path log = log("1\n" + "x".repeat(9 * MIB) + "\n3\n");
        LineException refused =
                assertThrows(LineException.class, () -> read(log, 100, Position.START, new ArrayList<>()));
        assertEquals(2, refused.line());
        assertTrue(String.valueOf(refused.getMessage()).startsWith("longer than"), refused.getMessage());
    }

    @Test
    void aLogThatHasGrownGoesOn() throws IOException {
        List<Position> ends = new ArrayList<>();
        assertEquals(List.of("1:a", "2:b"), read(log("a\nb\n"), 100, Position.START, ends));
        assertEquals(List.of("3:c"), read(log("a\nb\nc"), 100, ends.get(ends.size() - 1), new ArrayList<>()));
    }
}
