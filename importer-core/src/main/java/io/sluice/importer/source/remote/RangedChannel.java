package io.sluice.importer.source.remote;

import io.sluice.importer.source.remote.ResumingStream.RangeReader;
import io.sluice.model.thread.Backoff;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.SeekableByteChannel;
import org.jspecify.annotations.Nullable;

/**
 * One version of a remote object, read at any position by ranged requests. A request asks for all bytes from a position
 * on, and serves every read that follows closely; a read elsewhere drops its connection. Requests are retried as those
 * of a {@link ResumingStream}. For one thread.
 */
final class RangedChannel implements SeekableByteChannel {
    /** 256 KiB: to read as much and drop it takes less time than another request. */
    private static final int SKIPPED_BYTES = 256 << 10;

    private static final int TRANSFER_BYTES = 64 << 10;

    private final String name;
    private final RangeReader reader;
    private final Backoff backoff;
    private final long sizeBytes;
    private final byte[] transfer = new byte[TRANSFER_BYTES];
    private long position;
    private @Nullable ResumingStream stream;
    private boolean closed;

    /**
     * Creates a channel at the first byte without a request.
     *
     * @param name the object's name in messages
     * @param sizeBytes length of the object
     */
    RangedChannel(String name, RangeReader reader, long sizeBytes, Backoff backoff) {
        this.name = name;
        this.reader = reader;
        this.sizeBytes = sizeBytes;
        this.backoff = backoff;
    }

    @Override
    public int read(ByteBuffer to) throws IOException {
        if (closed) {
            throw new ClosedChannelException();
        }
        if (position >= sizeBytes) {
            return -1;
        }
        ResumingStream from = at(position);
        int read = from.read(transfer, 0, Math.min(to.remaining(), transfer.length));
        if (read > 0) {
            to.put(transfer, 0, read);
            position += read;
        }
        return read;
    }

    /** The stream of the last request if it soon comes to the position, or else that of another one. */
    private ResumingStream at(long wanted) throws IOException {
        ResumingStream open = stream;
        if (open != null && (open.position() > wanted || open.position() + SKIPPED_BYTES < wanted)) {
            open.close();
            open = null;
        }
        if (open == null) {
            open = new ResumingStream(name, reader, sizeBytes, backoff, wanted);
            stream = open;
        }
        open.skipNBytes(wanted - open.position());
        return open;
    }

    @Override
    public int write(ByteBuffer from) {
        throw new NonWritableChannelException();
    }

    @Override
    public long position() {
        return position;
    }

    @Override
    public SeekableByteChannel position(long newPosition) {
        if (newPosition < 0) {
            throw new IllegalArgumentException("position " + newPosition);
        }
        position = newPosition;
        return this;
    }

    @Override
    public long size() {
        return sizeBytes;
    }

    @Override
    public SeekableByteChannel truncate(long size) {
        throw new NonWritableChannelException();
    }

    @Override
    public boolean isOpen() {
        return !closed;
    }

    @Override
    public void close() {
        closed = true;
        if (stream != null) {
            stream.close();
            stream = null;
        }
    }
}
