package io.sluice.importer.journal;

import io.sluice.importer.source.ReadSpan;
import io.sluice.testing.Script;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests by scripts what a journal file holds, and what a resumed import reads of it.
 *
 * <pre>
 * unit             begins a checkpoint unit
 * kvs INDEX TEXT   adds KVs of an index
 * chunk FROM TO    they come from these bytes of the input
 * drop             they do not count
 * done             ends the unit: its file is free for the next one
 * crash            the process ends, and another opens the journal
 * tear BYTE        cuts the file off there, and opens the journal again
 * flip BYTE        changes a bit of this byte, and opens the journal again
 * of TABLE         opens the journal for another table
 * file             the good frames of the file, with their offsets
 * read             what is good of it
 * </pre>
 */
class JournalScriptTest implements Script.Subject {
    private static final UUID IMPORT = new UUID(1, 2);
    private static final int INDEXES = 2;

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    Path temp;

    @SuppressWarnings("NullAway.Init") // opened before each test
    private Journal journal;

    @SuppressWarnings("NullAway.Init") // created before each test
    private JournalWriter writer;

    private @Nullable JournalFile unit;

    @BeforeEach
    void open() {
        open(1);
    }

    @AfterEach
    void close() {
        journal.close();
    }

    @Test
    void scriptAnswersAreAsWritten() throws Exception {
        Script.check(JournalScriptTest.class, "journal.txt", this);
    }

    private void open(long table) {
        journal = Journal.open(directory(), IMPORT, table, 1, failure -> {
            throw new IllegalStateException(failure);
        });
        writer = journal.writer();
    }

    private Path directory() {
        return temp.resolve("journal");
    }

    private Path file() {
        return directory().resolve("0.kvs");
    }

    @Override
    public String answer(String command, List<String> args) throws Exception {
        switch (command) {
            case "unit" -> unit = Objects.requireNonNull(writer.begin(), "no file is free");
            case "kvs" -> {
                byte[] kvs = args.get(1).getBytes(StandardCharsets.UTF_8);
                writer.add(Integer.parseInt(args.get(0)), kvs, 0, kvs.length);
            }
            case "chunk" -> {
                long from = Long.parseLong(args.get(0));
                writer.chunk(0, new ReadSpan(from, Long.parseLong(args.get(1)), 1, 0, 0, from == 0, false), 1);
            }
            case "drop" -> writer.drop();
            case "done" -> Objects.requireNonNull(unit).release();
            case "crash" -> reopen(1);
            case "of" -> reopen(Long.parseLong(args.get(0)));
            case "tear" -> {
                Files.write(file(), Arrays.copyOf(Files.readAllBytes(file()), Integer.parseInt(args.get(0))));
                reopen(1);
            }
            case "flip" -> flip(Integer.parseInt(args.get(0)));
            case "file" -> {
                return frames();
            }
            case "read" -> {
                return read();
            }
            default -> throw new IllegalArgumentException("no such command: " + command);
        }
        return "";
    }

    private void reopen(long table) {
        journal.close();
        open(table);
        unit = journal.left().isEmpty() ? null : journal.left().get(0);
    }

    private void flip(int at) throws IOException {
        byte[] bytes = Files.readAllBytes(file());
        bytes[at] ^= 1;
        Files.write(file(), bytes);
        reopen(1);
    }

    /** The frames one after the other, up to the first that is not good. */
    private String frames() throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file()));
        List<String> lines = new ArrayList<>(List.of(line(0, "head, table " + bytes.getLong(20))));
        long number = bytes.getLong(Frames.HEAD_BYTES - Long.BYTES);
        int at = Frames.HEAD_BYTES;
        while (bytes.capacity() - at >= Frames.FRAME_HEAD_BYTES) {
            int length = bytes.getInt(at + Frames.FRAME_HEAD_BYTES - Integer.BYTES);
            if (length < 0
                    || length > bytes.capacity() - at - Frames.FRAME_HEAD_BYTES
                    || Frames.checksum(bytes, at, length, number, new CRC32C()) != bytes.getInt(at)) {
                break;
            }
            lines.add(line(at, describe(bytes, at, length)));
            at += Frames.FRAME_HEAD_BYTES + length;
        }
        lines.add(line(at, bytes.capacity() == at ? "end" : "no frame of this use"));
        return String.join("\n", lines);
    }

    private static String line(int at, String text) {
        return String.format("%4d %s", at, text);
    }

    private static String describe(ByteBuffer bytes, int at, int length) {
        byte type = bytes.get(at + Integer.BYTES);
        int from = at + Frames.FRAME_HEAD_BYTES;
        String kvs = StandardCharsets.UTF_8.decode(bytes.slice(from, length)).toString();
        return switch (type) {
            case Frames.KVS -> "KVS of index " + bytes.getShort(at + Integer.BYTES + 2) + ": " + kvs;
            case Frames.CHUNK ->
                "CHUNK " + span(Frames.getChunk(bytes.duplicate().position(from), new byte[0][]));
            default -> "DROP";
        };
    }

    private static String span(JournaledChunk chunk) {
        return chunk.span().start() + " to " + chunk.span().end();
    }

    private String read() throws IOException, InterruptedException {
        List<String> lines = new ArrayList<>();
        for (JournalFile file : journal.left()) {
            file.read(
                    INDEXES,
                    chunk -> lines.add(
                            span(chunk) + ": " + text(chunk.entries()[0]) + " | " + text(chunk.entries()[1])));
        }
        return lines.isEmpty() ? "nothing" : String.join("\n", lines);
    }

    private static String text(byte[] kvs) {
        return kvs.length == 0 ? "none" : new String(kvs, StandardCharsets.UTF_8);
    }
}
