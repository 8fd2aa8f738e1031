package io.sluice.importer.encode;

/** Memory that takes the KVs of one index. Used by one worker. */
public interface KvTarget {
    /**
     * Makes room for one more KV.
     *
     * @return the buffer to write key and value into, one behind the other, at {@link #position}
     */
    byte[] room(int maxBytes);

    /** Where in the buffer to write. */
    int position();

    /** Says what was written, as {@code keyLength << 32 | valueLength}. */
    void added(long lengths);
}
