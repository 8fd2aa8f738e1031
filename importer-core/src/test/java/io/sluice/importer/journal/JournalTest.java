package io.sluice.importer.journal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.importer.source.ReadSpan;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A journal holds all completed chunks and nothing else after a crash. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class JournalTest {
    private static final UUID IMPORT = new UUID(1, 2);
    private static final long TABLE = 100;
    private static final int INDEXES = 2;
    private static final long SEED = Long.getLong("sluice.seed", System.nanoTime());

    @TempDir
    Path directory;

    private final List<String> failures = new ArrayList<>();

    private Journal open() {
        return Journal.open(directory.resolve("journal"), IMPORT, TABLE, 2, failures::add);
    }

    private static ReadSpan span(int piece) {
        return new ReadSpan(10L * piece, 10L * piece + 10, piece, 0, 0, piece == 0, false);
    }

    private static byte[] entries(Random random, int mostBytes) {
        byte[] entries = new byte[random.nextInt(mostBytes)];
        random.nextBytes(entries);
        return entries;
    }

    /** Writes chunks and drops some of them at random; returns the others as text. */
    private static List<String> write(JournalWriter writer, Random random, int pieces, int mostBytes) {
        List<String> written = new ArrayList<>();
        for (int i = 0; i < pieces; i++) {
            byte[][] entries = {entries(random, mostBytes), entries(random, mostBytes)};
            boolean counts = random.nextInt(4) > 0;
            for (int index = 0; index < INDEXES; index++) {
                int half = entries[index].length / 2;
                writer.add(index, entries[index], 0, half);
                writer.add(index, entries[index], half, entries[index].length);
            }
            if (counts) {
                writer.chunk(i, span(i), i);
                written.add(text(new JournaledChunk(i, span(i), i, entries)));
            } else {
                writer.drop();
            }
        }
        return written;
    }

    /** The same into a journal that is closed then. */
    private List<String> write(Random random, int pieces, int mostBytes) {
        try (Journal journal = open()) {
            JournalWriter writer = journal.writer();
            assertNotNull(writer.begin());
            return write(writer, random, pieces, mostBytes);
        }
    }

    private static String text(JournaledChunk piece) {
        return piece.input() + " " + piece.span() + " " + piece.rows() + " " + Arrays.hashCode(piece.entries()[0]) + " "
                + Arrays.hashCode(piece.entries()[1]);
    }

    private static List<String> read(JournalFile file) throws IOException, InterruptedException {
        List<String> read = new ArrayList<>();
        file.read(INDEXES, piece -> read.add(text(piece)));
        return read;
    }

    private List<String> left() throws IOException, InterruptedException {
        try (Journal journal = open()) {
            List<String> read = new ArrayList<>();
            for (JournalFile file : journal.left()) {
                read.addAll(read(file));
            }
            return read;
        }
    }

    @Test
    void piecesOfAnySizeComeBack() throws Exception {
        Random random = new Random(SEED);
        for (int mostBytes : new int[] {1, 100, 10_000, 700_000}) {
            List<String> written = write(random, 30, mostBytes);
            assertEquals(written, left(), "seed " + SEED + ", up to " + mostBytes + " bytes");
            Journal.delete(directory.resolve("journal"));
        }
    }

    @Test
    void aFileThatIsWrittenOverHoldsTheLatestAlone() throws Exception {
        Random random = new Random(SEED);
        List<String> written = List.of();
        try (Journal journal = open()) {
            JournalWriter writer = journal.writer();
            for (int pieces = 40; pieces > 13; pieces -= 13) {
                JournalFile file = Objects.requireNonNull(writer.begin());
                written = write(writer, random, pieces, 1_000);
                if (pieces > 14) {
                    file.release();
                }
            }
        }
        assertEquals(written, left(), "seed " + SEED);
    }

    @Test
    void ofATornFileWhatCameBeforeIsGood() throws Exception {
        List<String> written = write(new Random(SEED), 12, 60);
        Path file = directory.resolve("journal").resolve("0.kvs");
        byte[] whole = Files.readAllBytes(file);
        int least = 0;
        for (int length = 0; length <= whole.length; length++) {
            Files.write(file, Arrays.copyOf(whole, length));
            List<String> read = left();
            assertEquals(written.subList(0, read.size()), read, "torn off at " + length);
            assertTrue(read.size() >= least, "torn off at " + length);
            least = read.size();
        }
        assertEquals(written.size(), least);
    }

    @Test
    void ofADamagedFileWhatCameBeforeIsGood() throws Exception {
        List<String> written = write(new Random(SEED), 12, 60);
        Path file = directory.resolve("journal").resolve("0.kvs");
        byte[] whole = Files.readAllBytes(file);
        for (int at = 0; at < whole.length; at++) {
            byte[] damaged = whole.clone();
            damaged[at] ^= 0x10;
            Files.write(file, damaged);
            List<String> read = left();
            assertEquals(written.subList(0, read.size()), read, "damaged at " + at);
            assertTrue(read.size() < written.size(), "damaged at " + at);
        }
    }

    @Test
    void whatBelongsToAnotherTableIsForgotten() throws Exception {
        write(new Random(SEED), 3, 60);
        try (Journal other = Journal.open(directory.resolve("journal"), IMPORT, TABLE + 1, 2, failures::add)) {
            assertEquals(List.of(), other.left());
        }
    }

    @Test
    void thereAreOnlySoManyFiles() {
        try (Journal journal = open()) {
            JournalWriter one = journal.writer();
            JournalFile first = Objects.requireNonNull(one.begin());
            assertNotNull(journal.writer().begin());
            assertNull(journal.writer().begin());
            first.release();
            assertNotNull(journal.writer().begin());
        }
    }

    @Test
    void anUnwritableJournalWarnsOnceAndDoesNotStopTheImport() {
        Journal journal = open();
        JournalWriter writer = journal.writer();
        assertNotNull(writer.begin());
        journal.close();
        write(writer, new Random(SEED), 20, 100_000);
        assertEquals(1, failures.size(), failures.toString());
        assertTrue(failures.get(0).contains("cannot be written"), failures.toString());
        assertNull(writer.begin());
        Journal.delete(directory.resolve("journal"));
        assertFalse(Files.exists(directory.resolve("journal")));
    }
}
