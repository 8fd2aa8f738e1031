package io.sluice.importer.source.codec;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Counts the stored bytes read from a stream, and keeps the I/O failure: decompressors report a failed disk like
 * damaged data. One thread reads, any thread may call the getters.
 */
public final class CountingStream extends FilterInputStream {
    private final AtomicLong count = new AtomicLong();
    private @Nullable IOException failure;

    public CountingStream(InputStream in) {
        super(in);
    }

    /** Number of bytes read. */
    public long count() {
        return count.get();
    }

    /** The failure of the last read, or null. */
    @Nullable
    IOException failure() {
        return failure;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
        try {
            int read = in.read(buffer, offset, length);
            if (read > 0) {
                count.addAndGet(read);
            }
            return read;
        } catch (IOException e) {
            failure = e;
            throw e;
        }
    }

    @Override
    public boolean markSupported() {
        return false;
    }

    @Override
    public long skip(long bytes) throws IOException {
        try {
            long skipped = in.skip(bytes);
            count.addAndGet(skipped);
            return skipped;
        } catch (IOException e) {
            failure = e;
            throw e;
        }
    }
}
