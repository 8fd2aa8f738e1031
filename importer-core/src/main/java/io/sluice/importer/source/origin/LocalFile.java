package io.sluice.importer.source.origin;

import io.sluice.importer.source.codec.BlockStream;
import io.sluice.model.error.BadInputException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A local file in the version that was found first, or a named pipe.
 *
 * @param path path of the file
 * @param access opens the file
 * @param found version of the file; null if it is not a regular file
 */
public record LocalFile(Path path, Access access, @Nullable FileVersion found) implements Origin {
    /** Creates an origin for the current version of a file. */
    public LocalFile(Path path, Access access) {
        this(path, access, FileVersion.find(path));
    }

    /** Creates an origin for the current version of a file, without access limits. */
    public LocalFile(Path path) {
        this(path, Access.ALL);
    }

    @Override
    public InputStream open() throws IOException {
        return new ChannelStream(channel());
    }

    @Override
    public SeekableByteChannel openFile() throws IOException {
        ReadableByteChannel channel = channel();
        if (channel instanceof SeekableByteChannel file) {
            return file;
        }
        channel.close();
        return Origin.super.openFile();
    }

    private ReadableByteChannel channel() throws IOException {
        ReadableByteChannel channel = access.open(path);
        try {
            ensureUnchanged();
        } catch (RuntimeException e) {
            channel.close();
            throw e;
        }
        return channel;
    }

    @Override
    public String version() {
        return found == null ? "" : found.toString();
    }

    @Override
    public void ensureUnchanged() {
        if (found != null && !found.equals(FileVersion.find(path))) {
            throw new BadInputException(
                    path + ": the file was changed while it was read; nothing was imported. Import it again");
        }
    }

    @Override
    public boolean repeatable() {
        return found != null;
    }

    @Override
    public boolean remote() {
        return false;
    }

    @Override
    public String toString() {
        return path.toString();
    }

    /**
     * Reads a channel as a stream, through one direct buffer. The JDK's stream would allocate a direct buffer as large
     * as the request.
     */
    private static final class ChannelStream extends BlockStream {
        /**
         * Size of the direct buffer: 256 KiB. It fits the second-level cache, so that the copy into the heap reads what
         * the kernel has just written.
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
}
