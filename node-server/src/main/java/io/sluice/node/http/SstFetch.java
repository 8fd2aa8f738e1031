package io.sluice.node.http;

import io.sluice.api.wire.ProblemKind;
import io.sluice.http.ProblemException;
import io.sluice.model.thread.Backoff;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.zip.CRC32C;

/**
 * Reads one SST from an object store into a new file. After a broken connection it requests the rest. It follows no
 * redirect, since that could lead to an address that the operator did not name. For one thread.
 */
final class SstFetch {
    private static final int CHUNK_BYTES = 64 << 10;
    private static final int CONNECT_MILLIS = 10_000;
    private static final int OK = 200;
    private static final int PARTIAL = 206;
    private static final int SERVER_ERROR = 500;
    private static final int TOO_MANY_REQUESTS = 429;
    /** Four tries in a row without progress, within some two seconds. */
    private static final Backoff BACKOFF = new Backoff(300, 2_000, 4);

    private final URI source;
    private final long bytes;
    private final int stallMillis;
    private final long endNanos;
    private final CRC32C crc = new CRC32C();
    private final byte[] chunk = new byte[CHUNK_BYTES];
    private long position;

    /**
     * A fetch that has not begun.
     *
     * @param bytes length that the object must have
     * @param stallMillis longest wait for the next bytes
     * @param longest longest time for the whole
     */
    SstFetch(URI source, long bytes, long stallMillis, Duration longest) {
        this.source = source;
        this.bytes = bytes;
        this.stallMillis = (int) Math.min(Integer.MAX_VALUE, stallMillis);
        endNanos = System.nanoTime() + longest.toNanos();
    }

    /**
     * Writes the file and syncs it; the caller deletes it after a failure.
     *
     * @throws ProblemException of kind {@code SOURCE_NOT_READ} if the object cannot be read
     * @throws IOException if the file cannot be written
     */
    FileSink.Received to(Path file) throws IOException {
        try (FileChannel out = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            int failures = 0;
            while (position < bytes) {
                long before = position;
                String failure = read(out);
                failures = position > before ? 1 : failures + 1;
                if (position < bytes && (failures >= BACKOFF.attempts() || System.nanoTime() > endNanos)) {
                    throw notRead(failure + ", at byte " + position);
                }
                if (position < bytes) {
                    Backoff.sleep(BACKOFF.jitteredMillis(failures), "waiting for the object store");
                }
            }
            out.force(true);
        }
        return new FileSink.Received(bytes, (int) crc.getValue());
    }

    /** Reads until the end, or until the connection breaks; returns why it did. */
    private String read(FileChannel out) throws IOException {
        HttpURLConnection connection = (HttpURLConnection) source.toURL().openConnection();
        try {
            connection.setInstanceFollowRedirects(false);
            connection.setConnectTimeout(CONNECT_MILLIS);
            connection.setReadTimeout(stallMillis);
            connection.setRequestProperty("Range", "bytes=" + position + "-");
            return copy(connection, out);
        } finally {
            connection.disconnect();
        }
    }

    private String copy(HttpURLConnection connection, FileChannel out) throws IOException {
        int read;
        try {
            int status = connection.getResponseCode();
            if (status >= SERVER_ERROR || status == TOO_MANY_REQUESTS) {
                return "the object store answers " + status;
            }
            if (status != PARTIAL && !(status == OK && position == 0)) {
                throw notRead("the object store answers " + status);
            }
            long length = connection.getContentLengthLong();
            if (length >= 0 && length != bytes - position) {
                throw notRead("the object has " + (position + length) + " bytes, not " + bytes);
            }
            InputStream in = connection.getInputStream();
            while ((read = next(in)) > 0) {
                crc.update(chunk, 0, read);
                position += read;
                write(out, read);
            }
            return "the connection ended early";
        } catch (Unwritten e) {
            throw e.cause;
        } catch (IOException e) {
            return "the connection broke (" + e.getClass().getSimpleName() + ")";
        }
    }

    private int next(InputStream in) throws IOException {
        if (System.nanoTime() > endNanos) {
            throw new IOException("too slow");
        }
        return position == bytes ? -1 : in.read(chunk, 0, (int) Math.min(chunk.length, bytes - position));
    }

    private void write(FileChannel out, int length) throws Unwritten {
        try {
            ByteBuffer buffer = ByteBuffer.wrap(chunk, 0, length);
            while (buffer.hasRemaining()) {
                out.write(buffer);
            }
        } catch (IOException e) {
            throw new Unwritten(e);
        }
    }

    private ProblemException notRead(String why) {
        return new ProblemException(
                ProblemKind.SOURCE_NOT_READ, SstSources.shown(source) + ": " + why + "; send the bytes");
    }

    /** A failure of this node's disk, not of the object store. */
    private static final class Unwritten extends IOException {
        private static final long serialVersionUID = 1L;
        private final IOException cause;

        Unwritten(IOException cause) {
            super(cause);
            this.cause = cause;
        }
    }
}
