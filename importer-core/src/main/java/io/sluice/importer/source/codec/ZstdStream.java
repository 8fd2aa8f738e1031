package io.sluice.importer.source.codec;

import com.github.luben.zstd.ZstdDecompressCtx;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;

/**
 * Decompresses zstd frames (RFC 8878) to the end of the stored bytes, which must be the end of a frame. The library's
 * own stream takes a frame that is cut off for none, if its first bytes came in one read with the end of the frame
 * before.
 */
final class ZstdStream extends InputStream {
    private static final int BUFFER_BYTES = 128 << 10;

    private final InputStream stored;
    private final ZstdDecompressCtx decompressor = new ZstdDecompressCtx();
    private final byte[] block = new byte[BUFFER_BYTES];
    private final ByteBuffer in = ByteBuffer.allocateDirect(BUFFER_BYTES).flip();
    private final ByteBuffer out = ByteBuffer.allocateDirect(BUFFER_BYTES).flip();
    /** Whether bytes of a frame were taken whose end has not come. */
    private boolean withinFrame;

    /** Takes the stored bytes; they are closed with this stream. */
    ZstdStream(InputStream stored) {
        this.stored = stored;
    }

    @Override
    public synchronized int read() throws IOException {
        return fill() ? out.get() & 0xff : -1;
    }

    @Override
    public synchronized int read(byte[] buffer, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        if (!fill()) {
            return -1;
        }
        int bytes = Math.min(length, out.remaining());
        out.get(buffer, offset, bytes);
        return bytes;
    }

    /** Decompresses until there are bytes; returns false at the end. */
    private boolean fill() throws IOException {
        while (!out.hasRemaining()) {
            if (!in.hasRemaining() && !more() && !withinFrame) {
                return false;
            }
            boolean atEnd = !in.hasRemaining();
            out.clear();
            boolean frameEnds = decompressor.decompressDirectByteBufferStream(out, in);
            out.flip();
            withinFrame = !frameEnds;
            if (atEnd && withinFrame && !out.hasRemaining()) {
                throw new EOFException("the last frame has no end");
            }
        }
        return true;
    }

    private boolean more() throws IOException {
        int bytes = stored.read(block, 0, block.length);
        if (bytes < 0) {
            return false;
        }
        in.clear();
        in.put(block, 0, bytes).flip();
        return true;
    }

    @Override
    public synchronized void close() throws IOException {
        decompressor.close();
        stored.close();
    }
}
