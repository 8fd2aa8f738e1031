package io.sluice.importer.decode;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.source.Framing;
import io.sluice.importer.source.InputFile;
import io.sluice.importer.source.ReadSpan;
import io.sluice.importer.source.ReadSpans;
import io.sluice.importer.source.Split;
import io.sluice.importer.source.SplitChunks;
import io.sluice.importer.source.SplitSource;
import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.TableDef;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A resumed run reads exactly the records that earlier runs have not read, with the same line numbers. Runs differ in
 * split and chunk sizes.
 */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class ResumedReadingTest {
    private static final int FILES = 150;
    private static final int MOST_ATTEMPTS = 4;
    private static final int MAX_RECORD_BYTES = 300;

    private final long seed = Long.getLong("sluice.seed", System.nanoTime());

    @TempDir
    Path directory;

    @Test
    void gapsAreReadAsTheWholeFileIs() throws IOException {
        Random random = new Random(seed);
        for (int i = 0; i < FILES; i++) {
            boolean header = random.nextBoolean();
            CsvDialect dialect = new CsvDialect(
                    ",",
                    '"',
                    null,
                    null,
                    ValueFormat.DEFAULT,
                    Set.of(),
                    new CsvDialect.Records(header, header ? 2 : random.nextInt(4), rowLimit(random)));
            List<InputFile> inputs = new ArrayList<>();
            for (int f = 0; f < 3; f++) {
                inputs.add(file(i, f, text(random), random.nextBoolean()));
            }
            String context = "seed " + seed + ", files " + i + ", " + dialect;
            List<String> whole = read(inputs, dialect, 1 << 16, ReadSpans.NONE, () -> true, new TreeMap<>());
            Map<Integer, List<ReadSpan>> done = new TreeMap<>();
            List<String> records = new ArrayList<>();
            int attempts = 1 + random.nextInt(MOST_ATTEMPTS);
            for (int attempt = 0; attempt < attempts; attempt++) {
                boolean all = attempt == attempts - 1;
                int splitBytes = 1 + random.nextInt(400);
                records.addAll(read(
                        inputs, dialect, splitBytes, new ReadSpans(done), () -> all || random.nextInt(3) == 0, done));
            }
            assertEquals(
                    whole.stream().sorted().toList(), records.stream().sorted().toList(), context);
            assertEquals(
                    List.of(),
                    read(inputs, dialect, 100, new ReadSpans(done), () -> true, new TreeMap<>()),
                    context + ": all was read");
        }
    }

    private static long rowLimit(Random random) {
        return random.nextInt(3) == 0 ? 1 + random.nextInt(20) : 0;
    }

    /** Lines of all kinds: short and long, quoted with line ends inside, quotes that are not closed, comments. */
    private static String text(Random random) {
        StringBuilder text = new StringBuilder(random.nextInt(4) == 0 ? "\ufeff" : "");
        String lineEnd = List.of("\n", "\r\n", "\r").get(random.nextInt(3));
        text.append("skipped").append(lineEnd).append("also skipped").append(lineEnd);
        text.append("a,b").append(lineEnd);
        int lines = random.nextInt(40);
        for (int i = 0; i < lines; i++) {
            switch (random.nextInt(12)) {
                case 0 -> text.append("no number,x");
                case 1 -> text.append(i).append(",\"two").append(lineEnd).append("lines\"");
                case 2 -> text.append(i).append(",\"never closed");
                case 3 -> text.append(i).append(",").append("long".repeat(random.nextInt(120)));
                case 4 -> text.append("");
                default -> text.append(i).append(",b").append(i);
            }
            text.append(i < lines - 1 || random.nextBoolean() ? lineEnd : "");
        }
        return text.toString();
    }

    private InputFile file(int run, int ordinal, String text, boolean compressed) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (compressed) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
                gzip.write(bytes);
            }
            bytes = out.toByteArray();
        }
        String name = "run-" + run + "-" + ordinal + ".csv" + (compressed ? ".gz" : "");
        Path path = Files.write(directory.resolve(name), bytes);
        return new InputFile(ordinal, name, path, bytes.length);
    }

    /** The outcome of a split that was read. */
    private interface Fate {
        boolean done();
    }

    /** Reads the rest of the inputs. Returns the records of completed splits, and adds their spans to {@code done}. */
    private static List<String> read(
            List<InputFile> inputs,
            CsvDialect dialect,
            int splitBytes,
            ReadSpans before,
            Fate fate,
            Map<Integer, List<ReadSpan>> done) {
        TableDef table = Ddl.parse("CREATE TABLE t (a INT8, b STRING)", "test").get(0);
        Framing framing = dialect.framing();
        SplitDecoder decoder = SplitDecoder.of(new CsvFormat(table, dialect, null, MAX_RECORD_BYTES));
        SplitSource.Settings settings = new InputFormat.Csv(dialect, null).reading(splitBytes, MAX_RECORD_BYTES);
        List<String> kept = new ArrayList<>();
        List<String> ofSplit = new ArrayList<>();
        RejectLog log = new RejectLog(
                RejectLimit.UNLIMITED,
                (file, header, line, reject) -> ofSplit.add(file.name() + ":" + line + " reject "
                        + reject.place().byteOffset() + " " + reject.problem().code() + " " + reject.excerpt()));
        try (SplitSource source = new SplitSource(inputs, framing, settings, SplitSource.Readers.ONE, before)) {
            Split split = new Split(splitBytes);
            SplitChunks chunks = new SplitChunks(Math.max(1, splitBytes / 3));
            while (source.next(split)) {
                RejectLog.SplitRejects rejects = log.split(split);
                long lines = 0;
                chunks.begin(split);
                List<ReadSpan> spans = new ArrayList<>();
                long storedBytes = 0;
                for (Split chunk = chunks.next(0); chunk != null; chunk = chunks.next(lines)) {
                    lines = chunk.passedOver()
                            ? chunk.linesSkipped()
                            : decoder.decode(
                                    chunk,
                                    (row, offset) -> ofSplit.add(split.file().name() + " row at " + offset),
                                    rejects);
                    spans.add(chunk.span(lines));
                    storedBytes += chunk.storedBytes();
                }
                rejects.finish(lines);
                assertEquals(split.storedBytes(), storedBytes);
                assertEquals(List.of(split.span(lines)), joined(spans));
                if (fate.done()) {
                    kept.addAll(ofSplit);
                    done.computeIfAbsent(split.file().ordinal(), file -> new ArrayList<>())
                            .addAll(spans);
                }
                ofSplit.clear();
            }
        }
        return kept;
    }

    private static List<ReadSpan> joined(List<ReadSpan> spans) {
        return List.copyOf(new ReadSpans(Map.of(0, spans)).byInput().getOrDefault(0, List.of()));
    }
}
