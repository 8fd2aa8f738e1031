package io.sluice.sql.apply;

import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** Reads a log in batches of lines. Not thread-safe; the caller closes it. */
final class LineReader implements AutoCloseable {
    /** Limit of the bytes of a line, and of a batch. */
    private static final int MAX_BYTES = 8 << 20;

    private static final byte[] NULL = {'n', 'u', 'l', 'l'};

    private final Path log;
    private final RandomAccessFile file;
    private final int maxLines;
    private Position position;
    /** The bytes read last; the batches cut from it share it. */
    private byte[] buffer = new byte[0];
    /** Offset of the position in the buffer. */
    private int from;
    /** Whether the buffer ends at the end of the log. */
    private boolean ended;

    /**
     * Consecutive lines of a log. Batches may share a buffer, which must not be modified.
     *
     * @param buffer contains the lines
     * @param starts offset of each line in the buffer
     * @param lengths length of each line without its line end
     * @param numbers number of each line, from 1; empty lines and those of {@code null} are left out
     * @param end position after the batch
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Batch(byte[] buffer, int[] starts, int[] lengths, long[] numbers, Position end) {
        int size() {
            return starts.length;
        }
    }

    private LineReader(Path log, RandomAccessFile file, int maxLines, Position position) {
        this.log = log;
        this.file = file;
        this.maxLines = maxLines;
        this.position = position;
    }

    /**
     * Opens a log at a position.
     *
     * @throws BadInputException if the log cannot be read, or the position belongs to another log
     */
    static LineReader open(Path log, int maxLines, Position position) {
        if (!Files.isRegularFile(log)) {
            throw new BadInputException(
                    log + ": there is no such file; a change log is a file, so that it can be read again"
                            + " from where it was left");
        }
        try {
            RandomAccessFile file = new RandomAccessFile(log.toFile(), "r");
            LineReader reader = new LineReader(log, file, maxLines, position);
            try {
                reader.seek();
            } catch (IOException | RuntimeException e) {
                file.close();
                throw e;
            }
            return reader;
        } catch (IOException e) {
            throw new BadInputException(log + ": cannot be read: " + e.getMessage(), e);
        }
    }

    private void seek() throws IOException {
        byte[] last = new byte[position.lastLength()];
        boolean same = file.length() >= position.offset();
        if (same) {
            file.seek(position.offset() - last.length);
            file.readFully(last);
            same = last.length == 0 || crc(last, 0, last.length) == position.lastCrc();
            passLineEnd(last);
        }
        if (!same) {
            throw new BadInputException(log + ": the store has applied " + position.lines()
                    + " lines of a log of this name, but this is a different log; give it another name with --log-name, or"
                    + " apply all of it with --from-start");
        }
    }

    /** Passes the end of the last line, if it was written after the line was read. */
    private void passLineEnd(byte[] last) throws IOException {
        if (last.length == 0 || last[last.length - 1] == '\n' || file.read() != '\n') {
            file.seek(position.offset());
            return;
        }
        byte[] whole = Arrays.copyOf(last, last.length + 1);
        whole[last.length] = '\n';
        position = new Position(position.lines(), position.offset() + 1, whole.length, crc(whole, 0, whole.length));
    }

    private static long crc(byte[] bytes, int offset, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, offset, length);
        return crc.getValue();
    }

    /**
     * Returns the next batch of at least one line, or null at the end.
     *
     * @throws LineException if a line is too long
     */
    @Nullable
    Batch next() {
        try {
            Batch batch = cut(ended);
            if (batch == null && !ended) {
                refill();
                batch = cut(true);
            }
            return batch;
        } catch (IOException e) {
            throw new OperationFailedException(log + ": cannot be read: " + e.getMessage(), e);
        }
    }

    private void refill() throws IOException {
        int length = buffer.length - from;
        byte[] more = new byte[MAX_BYTES];
        System.arraycopy(buffer, from, more, 0, length);
        while (length < more.length && !ended) {
            int read = file.read(more, length, more.length - length);
            ended = read < 0;
            length += Math.max(0, read);
        }
        buffer = length < more.length ? Arrays.copyOf(more, length) : more;
        from = 0;
    }

    /**
     * Cuts the next batch from the buffer, or returns null if the buffer is used up.
     *
     * @param fewer whether to return a batch that is not full; if false, returns null instead
     */
    private @Nullable Batch cut(boolean fewer) {
        int[] starts = new int[maxLines];
        int[] lengths = new int[maxLines];
        long[] numbers = new long[maxLines];
        int count = 0;
        int at = from;
        int lastStart = from;
        long line = position.lines();
        while (at < buffer.length && count < maxLines) {
            int newline = at;
            while (newline < buffer.length && buffer[newline] != '\n') {
                newline++;
            }
            if (newline == buffer.length && !ended) {
                // The line may continue after the buffer.
                break;
            }
            line++;
            if (!isEmpty(buffer, at, newline)) {
                starts[count] = at;
                lengths[count] = newline - at;
                numbers[count++] = line;
            }
            lastStart = at;
            at = Math.min(newline + 1, buffer.length);
        }
        if ((count < maxLines && !fewer) || from == buffer.length) {
            return null;
        }
        if (at == from) {
            throw new LineException(line + 1, "longer than " + MAX_BYTES + " bytes; write one change per line");
        }
        position = new Position(
                line, position.offset() + at - from, at - lastStart, crc(buffer, lastStart, at - lastStart));
        from = at;
        return new Batch(
                buffer,
                Arrays.copyOf(starts, count),
                Arrays.copyOf(lengths, count),
                Arrays.copyOf(numbers, count),
                position);
    }

    /** Whether a line has no change: a blank one, or the {@code null} that Debezium sends after a delete. */
    private static boolean isEmpty(byte[] buffer, int from, int to) {
        return blank(buffer, from, to)
                || (to - from >= NULL.length
                        && Arrays.equals(buffer, from, from + NULL.length, NULL, 0, NULL.length)
                        && blank(buffer, from + NULL.length, to));
    }

    private static boolean blank(byte[] buffer, int from, int to) {
        for (int i = from; i < to; i++) {
            if (buffer[i] != ' ' && buffer[i] != '\r' && buffer[i] != '\t') {
                return false;
            }
        }
        return true;
    }

    @Override
    public void close() {
        try {
            file.close();
        } catch (IOException e) {
            throw new OperationFailedException(log + ": cannot be closed: " + e.getMessage(), e);
        }
    }
}
