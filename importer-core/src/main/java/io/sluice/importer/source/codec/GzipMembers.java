package io.sluice.importer.source.codec;

import java.io.IOException;
import java.io.InputStream;
import org.apache.commons.compress.compressors.gzip.GzipCompressorInputStream;

/**
 * Decompresses the members of a gzip file (RFC 1952). Zero bytes after the last one are padding to the blocks of a tape
 * or a disk, which {@code gzip} passes over, too.
 */
final class GzipMembers extends BlockStream {
    private final InputStream stored;
    private InputStream member;

    /** @param stored supports {@link InputStream#mark}; closed with this stream */
    GzipMembers(InputStream stored) throws IOException {
        this.stored = stored;
        member = nextMember();
    }

    private InputStream nextMember() throws IOException {
        return GzipCompressorInputStream.builder().setInputStream(stored).get();
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
        int bytes = member.read(buffer, offset, length);
        while (bytes < 0) {
            stored.mark(1);
            int next = stored.read();
            if (next <= 0) {
                requireZeros(next);
                return -1;
            }
            stored.reset();
            member = nextMember();
            bytes = member.read(buffer, offset, length);
        }
        return bytes;
    }

    private void requireZeros(int first) throws IOException {
        int next = first;
        while (next == 0) {
            next = stored.read();
        }
        if (next > 0) {
            throw new IOException("other bytes follow zero bytes after a member");
        }
    }

    @Override
    public void close() throws IOException {
        member.close();
    }
}
