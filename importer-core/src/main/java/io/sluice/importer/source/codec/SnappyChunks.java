package io.sluice.importer.source.codec;

import java.io.IOException;
import java.io.InputStream;

/**
 * Refuses the chunks of a framed Snappy stream that decoders may skip. The framing format reserves the types 0x80 to
 * 0xfd for chunks that a decoder which does not know them skips; no writer makes them. One flipped bit turns a chunk of
 * data (0x00 or 0x01) into such a chunk, and its rows would be lost without an error.
 *
 * <p>Source: "Snappy framing format description", sections 3 and 4, of google/snappy.
 */
final class SnappyChunks extends BlockStream {
    /** A type, and the length of the body, least significant byte first. */
    private static final int HEADER_BYTES = 4;

    private static final int FIRST_SKIPPABLE = 0x80;
    private static final int LAST_SKIPPABLE = 0xfd;

    private final InputStream in;
    private final byte[] header = new byte[HEADER_BYTES];
    /** Bytes of {@link #header} that are read but not handed out are those from here to {@link #headerEnd}. */
    private int headerAt;

    private int headerEnd;
    private int bodyLeft;

    /** @param stored closed with this stream */
    SnappyChunks(InputStream stored) {
        in = stored;
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        if (headerAt == headerEnd && bodyLeft == 0) {
            nextChunk();
        }
        if (headerAt < headerEnd) {
            int n = Math.min(length, headerEnd - headerAt);
            System.arraycopy(header, headerAt, buffer, offset, n);
            headerAt += n;
            return n;
        }
        if (bodyLeft == 0) {
            return -1;
        }
        int n = in.read(buffer, offset, Math.min(length, bodyLeft));
        bodyLeft -= Math.max(n, 0);
        return n;
    }

    private void nextChunk() throws IOException {
        headerAt = 0;
        headerEnd = in.readNBytes(header, 0, HEADER_BYTES);
        if (headerEnd < HEADER_BYTES) {
            return;
        }
        int type = header[0] & 0xff;
        if (type >= FIRST_SKIPPABLE && type <= LAST_SKIPPABLE) {
            throw new IOException(String.format("chunk type 0x%02x is reserved; it may be damaged data", type));
        }
        bodyLeft = (header[1] & 0xff) | ((header[2] & 0xff) << 8) | ((header[3] & 0xff) << 16);
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
