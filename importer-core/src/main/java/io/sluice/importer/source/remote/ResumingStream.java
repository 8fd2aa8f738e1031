package io.sluice.importer.source.remote;

import io.sluice.api.error.OperationFailedException;
import io.sluice.importer.source.codec.BlockStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import org.jspecify.annotations.Nullable;

/**
 * An object read from its beginning to its end over as many connections as it takes. Each is asked for what the one
 * before did not deliver; the attempts without a byte of progress are limited.
 */
final class ResumingStream extends BlockStream {
    private final String name;
    private final RangeReader reader;
    private final Backoff backoff;
    private final long sizeBytes;
    private @Nullable InputStream in;
    private long position;
    private int failures;

    /** Asks for the bytes of one object, of one version of it. */
    interface RangeReader {
        /**
         * Bytes from an offset to the end.
         *
         * @throws TransientException when it is worth asking again
         * @throws io.sluice.api.error.SluiceException when it is not
         */
        InputStream from(long offset) throws IOException;
    }

    /**
     * A stream at the first byte.
     *
     * @param name how messages call the object
     * @param sizeBytes how many bytes there are, or -1 when only the end of the transfer can tell
     */
    ResumingStream(String name, RangeReader reader, long sizeBytes, Backoff backoff) {
        this.name = name;
        this.reader = reader;
        this.sizeBytes = sizeBytes;
        this.backoff = backoff;
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        while (position != sizeBytes) {
            try {
                if (in == null) {
                    in = reader.from(position);
                }
                int read = in.read(buffer, offset, length);
                if (read > 0) {
                    position += read;
                    failures = 0;
                    return read;
                }
                if (sizeBytes < 0) {
                    return -1;
                }
                throw new TransientException("the connection ended early", 0, null);
            } catch (InterruptedIOException e) {
                if (Thread.currentThread().isInterrupted()) {
                    throw e;
                }
                retry(e);
            } catch (IOException e) {
                retry(e);
            }
        }
        return -1;
    }

    private void retry(IOException e) throws IOException {
        drop();
        failures++;
        if (failures >= backoff.attempts()) {
            throw new OperationFailedException(
                    name + ": " + String.valueOf(e.getMessage()) + ", at byte " + position + ", " + failures
                            + " times in a row; nothing was imported. Try again later",
                    e);
        }
        backoff.pause(failures, e instanceof TransientException known ? known.afterMillis() : 0);
    }

    private void drop() {
        if (in != null) {
            try {
                in.close();
            } catch (IOException e) {
                // The connection is given up; that it also fails to close changes nothing.
                in = null;
            }
            in = null;
        }
    }

    @Override
    public void close() {
        drop();
    }
}
