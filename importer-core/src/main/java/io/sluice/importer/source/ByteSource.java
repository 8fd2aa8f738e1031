package io.sluice.importer.source;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.StandardOpenOption;

/** The bytes of one input, read once from its beginning. Used by one thread at a time. */
final class ByteSource implements Closeable {
    /** Fits the second-level cache, so that the copy into the heap reads what the kernel has just written. */
    private static final int TRANSFER_BYTES = 256 << 10;

    private final ReadableByteChannel channel;
    private final ByteBuffer transfer = ByteBuffer.allocateDirect(TRANSFER_BYTES);

    private ByteSource(ReadableByteChannel channel) {
        this.channel = channel;
    }

    static ByteSource open(InputFile file) throws IOException {
        return new ByteSource(
                file.path() == null
                        ? Channels.newChannel(System.in)
                        : FileChannel.open(file.path(), StandardOpenOption.READ));
    }

    /** Reads until the range is full or the input ends; returns the bytes read, less than asked for only at the end. */
    int fill(byte[] buffer, int offset, int length) throws IOException {
        int done = 0;
        while (done < length) {
            transfer.clear().limit(Math.min(TRANSFER_BYTES, length - done));
            int read = channel.read(transfer);
            if (read < 0) {
                break;
            }
            transfer.flip().get(buffer, offset + done, read);
            done += read;
        }
        return done;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
