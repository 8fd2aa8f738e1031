package io.sluice.importer.encode;

/** Memory for the KVs of one index. For one worker. */
public interface KvTarget {
    /**
     * Makes room for one more KV.
     *
     * @return the buffer; write the key and right after it the value at {@link #position}
     */
    byte[] room(int maxBytes);

    /** Offset in the buffer to write at. */
    int position();

    /** Completes the KV just written, with its lengths as {@code keyLength << 32 | valueLength}. */
    void added(long lengths);
}
