package io.sluice.node.http;

import io.sluice.http.LineStream.Lines;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Streams the event log up to its length at the request, without a last incomplete line. */
final class LogLines implements Lines {
    private static final int CHUNK_BYTES = 16 << 10;

    private final InputStream in;
    private long left;

    private LogLines(InputStream in, long left) {
        this.in = in;
        this.left = left;
    }

    static LogLines open(Path log) {
        try {
            long whole = wholeLines(log);
            return new LogLines(Files.newInputStream(log), whole);
        } catch (NoSuchFileException e) {
            return new LogLines(InputStream.nullInputStream(), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the length up to the last line feed. */
    private static long wholeLines(Path log) throws IOException {
        try (var channel = Files.newByteChannel(log)) {
            ByteBuffer one = ByteBuffer.allocate(CHUNK_BYTES);
            long end = channel.size();
            while (end > 0) {
                long from = Math.max(0, end - CHUNK_BYTES);
                one.clear().limit((int) (end - from));
                channel.position(from);
                while (one.hasRemaining() && channel.read(one) >= 0) {
                    // until the chunk is full
                }
                for (int i = one.position() - 1; i >= 0; i--) {
                    if (one.get(i) == '\n') {
                        return from + i + 1;
                    }
                }
                end = from;
            }
            return 0;
        }
    }

    @Override
    public boolean more(ByteArrayOutputStream into) throws IOException {
        byte[] chunk = in.readNBytes((int) Math.min(CHUNK_BYTES, left));
        into.writeBytes(chunk);
        left = chunk.length == 0 ? 0 : left - chunk.length;
        return left > 0;
    }

    @Override
    public void close() {
        try {
            in.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
