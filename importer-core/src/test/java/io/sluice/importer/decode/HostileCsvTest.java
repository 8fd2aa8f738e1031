package io.sluice.importer.decode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.importer.decode.CsvDialect.Trait;
import io.sluice.importer.source.InputFile;
import io.sluice.importer.source.Split;
import io.sluice.importer.source.SplitSource;
import io.sluice.model.error.BadInputException;
import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.TableDef;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Files that were damaged in every way: whatever they hold, decoding ends in rows and in rejects that say truly where
 * they stand, and both are the same wherever the file is cut into splits. {@code -Plong} tries 10,000 files.
 */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class HostileCsvTest {
    private static final int FILES = Integer.getInteger("sluice.hostile.files", 200);
    private static final long SEED = Long.getLong("sluice.seed", System.nanoTime());

    private static final TableDef TABLE = Ddl.parse(
                    "CREATE TABLE t (a INT8 PRIMARY KEY, b STRING, c DECIMAL(8,2), d VARCHAR(5))", "test")
            .get(0);

    private static final Pattern REJECT =
            Pattern.compile("file line (\\d+), of split: byte (\\d+), .*, ([0-9a-f]*)( cut)?", Pattern.DOTALL);

    private static final List<CsvDialect> DIALECTS = List.of(
            CsvDialect.DEFAULT,
            CsvDialect.DEFAULT.with(Trait.STRICT_QUOTES),
            CsvDialect.DEFAULT.with(Trait.EMPTY_LINES),
            CsvDialect.DEFAULT.with(Trait.SURROUNDING_SPACES),
            new CsvDialect(",", '"', '\\', '#', ValueFormat.ofNull("\\N"), Set.of(), CsvDialect.Records.ALL),
            new CsvDialect(",", '\'', null, null, ValueFormat.ofNull("NULL"), Set.of(), CsvDialect.Records.ALL),
            new CsvDialect("||", '"', null, null, ValueFormat.ofNull("", "NULL"), Set.of(), CsvDialect.Records.ALL),
            NamedDialect.POSTGRESQL_TEXT.dialect().withDelimiter(","),
            new CsvDialect(
                    ",", '"', '\\', null, ValueFormat.DEFAULT, Set.of(Trait.MYSQL_ESCAPES), CsvDialect.Records.ALL),
            new CsvDialect(
                    ",", '"', '\\', null, ValueFormat.DEFAULT, Set.of(Trait.QUOTED_ESCAPE), CsvDialect.Records.ALL),
            new CsvDialect(",", null, '\\', null, ValueFormat.ofNull("\\N"), Set.of(), CsvDialect.Records.ALL),
            new CsvDialect(",", '"', null, '#', ValueFormat.DEFAULT, Set.of(), new CsvDialect.Records(true, 1, 0)));

    private static final byte[] SPECIAL = {
        '"', '"', '\'', ',', '\n', '\r', '\\', '#', 0, ' ', (byte) 0xff, (byte) 0xc3, (byte) 0xef, 'x', '7'
    };

    @TempDir
    Path directory;

    private static byte[] goodFile(Random random) {
        StringBuilder text = new StringBuilder(random.nextInt(8) == 0 ? "\ufeff" : "");
        text.append("a,b,c,d\na,b,c,d\n");
        String[] lineEnds = {"\n", "\r\n", "\r"};
        for (int i = 0; i < 12; i++) {
            text.append(i)
                    .append(random.nextBoolean() ? ",text ä" : ",\"quoted\n\"\"text\"\"\"")
                    .append(random.nextBoolean() ? ",1.50," : ",\"-7\",")
                    .append(random.nextBoolean() ? "\"xy\"" : "z")
                    .append(lineEnds[random.nextInt(10) == 0 ? random.nextInt(3) : 0]);
        }
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] mutate(byte[] file, Random random) {
        byte[] mutated = file;
        for (int count = 1 + random.nextInt(6); count > 0; count--) {
            int at = random.nextInt(mutated.length + 1);
            int to = Math.min(mutated.length, at + random.nextInt(20));
            byte[] piece =
                    switch (random.nextInt(6)) {
                        case 0 -> new byte[0];
                        case 1 -> new byte[] {SPECIAL[random.nextInt(SPECIAL.length)]};
                        case 2 -> Arrays.copyOfRange(mutated, 0, Math.min(mutated.length, random.nextInt(80)));
                        case 3 -> new byte[random.nextInt(50)];
                        case 4 -> "\"\"".repeat(random.nextInt(5)).getBytes(StandardCharsets.UTF_8);
                        default -> new byte[] {'\r', '\n', SPECIAL[random.nextInt(SPECIAL.length)]};
                    };
            byte[] next = new byte[at + piece.length + mutated.length - to];
            System.arraycopy(mutated, 0, next, 0, at);
            System.arraycopy(piece, 0, next, at, piece.length);
            System.arraycopy(mutated, to, next, at + piece.length, mutated.length - to);
            mutated = next;
        }
        return mutated;
    }

    @Test
    void mutatedFiles() throws IOException {
        System.out.println("hostile files: " + FILES + ", seed " + SEED);
        for (int i = 0; i < FILES; i++) {
            long seed = SEED + i;
            Random random = new Random(seed);
            byte[] file = mutate(goodFile(random), random);
            CsvDialect dialect = DIALECTS.get(random.nextInt(DIALECTS.size()));
            int maxRecordBytes = random.nextInt(3) == 0 ? 1 << 20 : 20 + random.nextInt(100);
            check(file, dialect, maxRecordBytes, IntStream.of(1 + random.nextInt(200)), "seed " + seed);
        }
    }

    /** Wherever it stands, and whatever part of it fits into a split. */
    @Test
    void commentLongerThanARecordIsPassedOver() throws IOException {
        String[] lines = {"a,b,c,d\n", "a,b,c,d\n", "1,x,1.5,y\n", "2,x,2.5,y\n"};
        for (CsvDialect dialect : DIALECTS) {
            for (int before = 0; before <= lines.length; before++) {
                for (int length = 25; length < 90; length += 9) {
                    List<String> all = new ArrayList<>(List.of(lines));
                    all.add(before, "#" + "x".repeat(length) + "\n");
                    byte[] bytes = String.join("", all).getBytes(StandardCharsets.UTF_8);
                    String what = "a comment of " + length + " before line " + before;
                    check(bytes, dialect, 30, IntStream.iterate(1, split -> split < 120, split -> split + 13), what);
                }
            }
        }
    }

    /** After an unclosed quote, the rest of the file is one record. Its length may be exactly the limit. */
    @Test
    void unclosedLastRecordIsMeasuredToTheEndOfTheFile() throws IOException {
        for (CsvDialect dialect : DIALECTS) {
            for (String lineEnd : List.of("", "\n", "\r", "\r\n")) {
                byte[] bytes = ("1,x,1.5,y\n2,\"quoted\ntext" + lineEnd).getBytes(StandardCharsets.UTF_8);
                for (int most = 10; most < 20; most++) {
                    check(bytes, dialect, most, IntStream.rangeClosed(1, bytes.length), "at most " + most + " bytes");
                }
            }
        }
    }

    @Test
    void truncatedFiles() throws IOException {
        byte[] file = goodFile(new Random(SEED));
        for (int length = 0; length < file.length; length++) {
            byte[] truncated = Arrays.copyOf(file, length);
            for (CsvDialect dialect : List.of(DIALECTS.get(0), DIALECTS.get(4))) {
                for (int most : new int[] {1 << 20, 30}) {
                    String what = "records of " + most + ", first " + length + " bytes";
                    check(truncated, dialect, most, IntStream.of(1 + length / 3), what);
                }
            }
        }
    }

    /** Decodes a file whole, and in splits of each size. */
    private void check(byte[] bytes, CsvDialect dialect, int maxRecordBytes, IntStream splitBytes, String what)
            throws IOException {
        Path file = Files.write(directory.resolve("hostile.csv"), bytes);
        CsvFormat format = new CsvFormat(TABLE, dialect, null, maxRecordBytes);
        Supplier<String> context = () -> what + ", " + dialect + ", records of " + maxRecordBytes + ": "
                + HexFormat.of().formatHex(bytes);
        CsvRun whole;
        try {
            whole = CsvRun.of(file, format, SplitDecoder::of, 1 << 16);
        } catch (BadInputException e) {
            assertTrue(String.valueOf(e.getMessage()).contains("header"), context);
            return;
        }
        for (int size : splitBytes.toArray()) {
            CsvRun cut = CsvRun.of(file, format, SplitDecoder::of, size);
            // Line ends are not compared: no split counts those of an overlong last line.
            assertEquals(whole.rows(), cut.rows(), () -> "splits of " + size + ", " + context.get());
            assertEquals(whole.log(), cut.log(), () -> "splits of " + size + ", " + context.get());
        }
        if (dialect.isPlain()) {
            assertEquals(whole, CsvRun.of(file, format, CommonsCsvDecoder::new, 1 << 16), context);
        }
        for (String reject : whole.log().lines().toList()) {
            checkPlace(reject, bytes, context);
        }
    }

    private static void checkPlace(String reject, byte[] bytes, Supplier<String> context) {
        Matcher parts = REJECT.matcher(reject);
        assertTrue(parts.matches(), reject);
        int offset = Integer.parseInt(parts.group(2));
        byte[] record = HexFormat.of().parseHex(parts.group(3));
        assertTrue(
                Arrays.equals(bytes, offset, offset + record.length, record, 0, record.length),
                () -> "not at its place: " + reject + " of " + context.get());
        assertEquals(
                1 + SplitSource.lineEnds(bytes, 0, offset),
                Integer.parseInt(parts.group(1)),
                () -> "not in its line: " + reject + " of " + context.get());
    }

    @Test
    void emptyLinesTakeNoMemory() throws IOException {
        byte[] lines = new byte[10_000_000];
        Arrays.fill(lines, (byte) '\n');
        Path file = Files.write(directory.resolve("empty.csv"), lines);
        CsvFormat format = new CsvFormat(TABLE, CsvDialect.DEFAULT, null, 4 << 20);
        CsvRun run = CsvRun.of(file, format, SplitDecoder::of, 256 << 10);
        assertEquals(List.of(), run.rows());
        assertEquals(List.of(), run.rejects());
        assertEquals(lines.length, run.lines());
    }

    /** A sparse file: a gigabyte of zeros takes no room on disk. */
    @Test
    void aLineOfAGigabyteTakesTheMemoryOfOneRecord() throws IOException {
        int maxRecordBytes = 4 << 20;
        for (String quote : List.of("", "\"")) {
            Path file = directory.resolve("endless.csv");
            try (RandomAccessFile endless = new RandomAccessFile(file.toFile(), "rw")) {
                endless.setLength(0);
                endless.write(("1,a,,\n2," + quote).getBytes(StandardCharsets.UTF_8));
                endless.setLength(1L << 30);
                endless.seek(1L << 30);
                endless.write("\n3,c,,\n".getBytes(StandardCharsets.UTF_8));
            }
            List<String> rejects = new ArrayList<>();
            List<Long> rows = new ArrayList<>();
            int largest = 0;
            SplitDecoder decoder = SplitDecoder.of(new CsvFormat(TABLE, CsvDialect.DEFAULT, null, maxRecordBytes));
            Split split = new Split(1);
            try (SplitSource source = new SplitSource(
                    List.of(new InputFile(0, "endless.csv", file, Files.size(file))),
                    CsvDialect.DEFAULT.framing(),
                    new SplitSource.Settings(256 << 10, maxRecordBytes, 0, false))) {
                while (source.next(split)) {
                    decoder.decode(
                            split,
                            (row, offset) -> rows.add(offset),
                            reject -> rejects.add(reject.place().byteOffset() + " "
                                    + reject.problem().code() + " " + reject.record().length + " " + reject.cut()));
                    largest = Math.max(largest, split.buffer().length);
                }
            }
            assertEquals(List.of("6 too_long " + maxRecordBytes + " true"), rejects);
            assertEquals(List.of(0L, (1L << 30) + 1), rows);
            assertTrue(largest <= 2 * maxRecordBytes, largest + " bytes");
            Files.delete(file);
        }
    }
}
