package io.sluice.importer.source.remote;

import io.sluice.importer.source.codec.BlockStream;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.thread.Backoff;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import org.jspecify.annotations.Nullable;

/**
 * Reads an object to its end over as many connections as needed. Each connection requests the bytes that the previous
 * one did not deliver. The number of attempts without progress is limited.
 */
final class ResumingStream extends BlockStream {
    private final String name;
    private final RangeReader reader;
    private final Backoff backoff;
    private final long sizeBytes;
    private @Nullable InputStream in;
    private long position;
    private int failures;

    /** Requests the bytes of one version of an object. */
    interface RangeReader {
        /**
         * Opens the bytes from an offset to the end.
         *
         * @throws TransientException when a retry may help
         * @throws io.sluice.model.error.SluiceException when a retry cannot help
         */
        InputStream from(long offset) throws IOException;
    }

    /**
     * Creates a stream that begins at an offset of the object.
     *
     * @param name the object's name in messages
     * @param sizeBytes length of the object, or -1 if only the end of the transfer tells
     */
    ResumingStream(String name, RangeReader reader, long sizeBytes, Backoff backoff, long offset) {
        position = offset;
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

    /** Offset in the object of the next byte. */
    long position() {
        return position;
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
        TransientException.pause(backoff, failures, e);
    }

    private void drop() {
        if (in != null) {
            try {
                in.close();
            } catch (IOException e) {
                // The connection is dropped anyway.
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
