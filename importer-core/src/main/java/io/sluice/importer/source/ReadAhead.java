package io.sluice.importer.source;

import io.sluice.importer.source.codec.BlockStream;
import io.sluice.model.thread.Daemons;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * Reads a stream ahead on a separate thread, into a fixed number of chunks that both sides exchange. So decompression
 * and network waits overlap with decoding. One thread reads; any thread may close.
 */
final class ReadAhead extends BlockStream {
    private static final int CHUNKS = 4;
    private static final int MIN_CHUNK_BYTES = 16 << 10;
    private static final int MAX_CHUNK_BYTES = 1 << 20;

    private final InputStream in;
    private final BlockingQueue<Chunk> full = new ArrayBlockingQueue<>(CHUNKS + 1);
    private final BlockingQueue<Chunk> empty = new ArrayBlockingQueue<>(CHUNKS);
    private final Thread thread;
    private @Nullable Chunk current;
    private int position;
    private volatile boolean closed;

    /** A chunk of bytes. The thread that has it outside of a queue owns it. */
    private static final class Chunk {
        final byte[] bytes;
        int length;

        @Nullable
        Throwable failure;

        Chunk(int capacity) {
            bytes = new byte[capacity];
        }
    }

    /**
     * Starts the reading thread.
     *
     * @param in the source stream; the reading thread closes it
     * @param aheadBytes most bytes that are read ahead, about
     */
    ReadAhead(InputStream in, int aheadBytes, String name) {
        this.in = in;
        int chunkBytes = Math.max(MIN_CHUNK_BYTES, Math.min(MAX_CHUNK_BYTES, aheadBytes / CHUNKS));
        for (int i = 0; i < CHUNKS; i++) {
            empty.add(new Chunk(chunkBytes));
        }
        thread = Daemons.thread("sluice-read-" + name, this::readAll);
        thread.start();
    }

    private void readAll() {
        try (in) {
            boolean more = true;
            while (more && !closed) {
                Chunk chunk = empty.take();
                fill(chunk);
                more = chunk.length > 0 && chunk.failure == null;
                full.put(chunk);
            }
        } catch (InterruptedException | IOException e) {
            // The reader is done: the stream was closed, or its end was handed over.
            closed = true;
        }
    }

    private void fill(Chunk chunk) {
        chunk.length = 0;
        try {
            chunk.length = in.readNBytes(chunk.bytes, 0, chunk.bytes.length);
        } catch (Throwable e) {
            // The consuming thread rethrows it.
            chunk.failure = e;
        }
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        Chunk chunk = filled();
        if (chunk.length == position) {
            rethrow(chunk.failure);
            return -1;
        }
        int read = Math.min(length, chunk.length - position);
        System.arraycopy(chunk.bytes, position, buffer, offset, read);
        position += read;
        return read;
    }

    /** The chunk to read from; it is exhausted only if it is the last one. */
    private Chunk filled() throws IOException {
        Chunk chunk = current;
        try {
            if (chunk != null && position == chunk.length && chunk.length > 0 && chunk.failure == null) {
                empty.put(chunk);
                chunk = null;
            }
            if (chunk == null) {
                chunk = full.take();
                position = 0;
                current = chunk;
            }
            return chunk;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("reading was interrupted");
        }
    }

    private static void rethrow(@Nullable Throwable failure) throws IOException {
        if (failure instanceof IOException io) {
            throw io;
        }
        if (failure instanceof RuntimeException unchecked) {
            throw unchecked;
        }
        if (failure instanceof Error error) {
            throw error;
        }
    }

    /** Ends the reading thread without waiting for it, since some blocked reads cannot be interrupted. */
    @Override
    public void close() {
        closed = true;
        thread.interrupt();
        // A waiting reader gets an error instead of a chunk.
        Chunk end = new Chunk(0);
        end.failure = new IOException("reading was stopped");
        full.offer(end);
    }
}
