package io.sluice.importer.source.origin;

import io.sluice.importer.source.codec.BlockStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.SeekableByteChannel;

/**
 * Reads a channel as a stream, through one direct buffer. The JDK's stream would allocate a direct buffer as large as
 * the request.
 */
final class ChannelStream extends BlockStream {
    /**
     * Size of the direct buffer: 256 KiB. It fits the second-level cache, so that the copy into the heap reads what the
     * kernel has just written.
     */
    private static final int TRANSFER_BYTES = 256 << 10;

    private final ReadableByteChannel channel;
    private final ByteBuffer transfer = ByteBuffer.allocateDirect(TRANSFER_BYTES);

    ChannelStream(ReadableByteChannel channel) {
        this.channel = channel;
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        transfer.clear().limit(Math.min(TRANSFER_BYTES, length));
        int read = channel.read(transfer);
        if (read > 0) {
            transfer.flip().get(buffer, offset, read);
        }
        return read;
    }

    /** Moves a file's position without reading. */
    @Override
    public long skip(long bytes) throws IOException {
        if (!(channel instanceof SeekableByteChannel file)) {
            return super.skip(bytes);
        }
        long position = file.position();
        long skipped = Math.max(0, Math.min(bytes, file.size() - position));
        file.position(position + skipped);
        return skipped;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
