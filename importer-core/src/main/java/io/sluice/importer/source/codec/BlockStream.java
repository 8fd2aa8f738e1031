package io.sluice.importer.source.codec;

import java.io.IOException;
import java.io.InputStream;

/** A stream that is read in blocks; single bytes are possible, and slow. */
public abstract class BlockStream extends InputStream {
    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public abstract int read(byte[] buffer, int offset, int length) throws IOException;
}
