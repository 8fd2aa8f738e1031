package io.sluice.node.apply;

import io.sluice.api.error.BadInputException;
import io.sluice.api.error.OperationFailedException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** A log read in batches of lines. For one thread; close it. */
final class LineReader implements AutoCloseable {
    /** The longest line, and the most bytes of a batch. */
    private static final int MOST_BYTES = 8 << 20;

    private final Path log;
    private final RandomAccessFile file;
    private final int mostLines;
    private Position position;
    /** What was read; batches that were cut from it share it. */
    private byte[] buffer = new byte[0];
    /** Where in it the position is. */
    private int from;
    /** Whether nothing of the log lies behind it. */
    private boolean ended;

    private LineReader(Path log, RandomAccessFile file, int mostLines, Position position) {
        this.log = log;
        this.file = file;
        this.mostLines = mostLines;
        this.position = position;
    }

    /**
     * Opens a log at a position.
     *
     * @throws BadInputException when it cannot be read, or another log was read before the position
     */
    static LineReader open(Path log, int mostLines, Position position) {
        if (!Files.isRegularFile(log)) {
            throw new BadInputException(
                    log + ": there is no such file; a change log is a file, so that it can be read again"
                            + " from where it was left");
        }
        try {
            RandomAccessFile file = new RandomAccessFile(log.toFile(), "r");
            LineReader reader = new LineReader(log, file, mostLines, position);
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
        }
        if (!same) {
            throw new BadInputException(log + ": the store has applied " + position.lines()
                    + " lines of a log of this name, and this is another; give it another name with --log-name, or"
                    + " apply all of it with --from-start");
        }
    }

    private static long crc(byte[] bytes, int offset, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, offset, length);
        return crc.getValue();
    }

    /** The next lines, at least one; null at the end. */
    @Nullable
    LineBatch next() {
        try {
            LineBatch batch = cut(ended);
            if (batch == null && !ended) {
                refill();
                batch = cut(true);
            }
            return batch;
        } catch (IOException e) {
            throw new OperationFailedException(log + ": cannot be read any more: " + e.getMessage(), e);
        }
    }

    private void refill() throws IOException {
        int length = buffer.length - from;
        byte[] more = new byte[MOST_BYTES];
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
     * Cuts a batch off what was read; null at its end.
     *
     * @param fewer whether to cut one that is not full; else null stands for that, too
     */
    private @Nullable LineBatch cut(boolean fewer) {
        int[] starts = new int[mostLines];
        int[] lengths = new int[mostLines];
        long[] numbers = new long[mostLines];
        int count = 0;
        int at = from;
        int lastStart = from;
        long line = position.lines();
        while (at < buffer.length && count < mostLines) {
            int newline = at;
            while (newline < buffer.length && buffer[newline] != '\n') {
                newline++;
            }
            if (newline == buffer.length && !ended) {
                // Its end may lie behind the buffer.
                break;
            }
            line++;
            if (!blank(buffer, at, newline)) {
                starts[count] = at;
                lengths[count] = newline - at;
                numbers[count++] = line;
            }
            lastStart = at;
            at = Math.min(newline + 1, buffer.length);
        }
        if ((count < mostLines && !fewer) || from == buffer.length) {
            return null;
        }
        if (at == from) {
            throw new BadInputException(log + ", line " + (line + 1) + ": longer than " + MOST_BYTES
                    + " bytes; one change stands on a line");
        }
        position = new Position(
                line, position.offset() + at - from, at - lastStart, crc(buffer, lastStart, at - lastStart));
        from = at;
        return new LineBatch(
                buffer,
                Arrays.copyOf(starts, count),
                Arrays.copyOf(lengths, count),
                Arrays.copyOf(numbers, count),
                position);
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
