package io.sluice.importer.encode;

/** Memory for one KV at a time: each is used before the next one is written over it. For one worker. */
public abstract class SingleKvTarget implements KvTarget {
    private static final int FIRST_BYTES = 4 << 10;

    private byte[] buffer = new byte[FIRST_BYTES];

    @Override
    public final byte[] room(int maxBytes) {
        if (maxBytes > buffer.length) {
            buffer = new byte[Math.max(maxBytes, 2 * buffer.length)];
        }
        return buffer;
    }

    @Override
    public final int position() {
        return 0;
    }

    @Override
    public final void added(long lengths) {
        added(buffer, (int) (lengths >>> Integer.SIZE), (int) lengths);
    }

    /**
     * Takes a KV.
     *
     * @param kv the key at its start, and right behind it the value; valid until this method returns
     */
    protected abstract void added(byte[] kv, int keyLength, int valueLength);
}
