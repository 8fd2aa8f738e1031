package io.sluice.importer.sort;

import java.io.IOException;

/** Takes KVs in ascending order of their keys. */
public interface KvSink {
    /**
     * Takes one KV. The bytes are valid during the call only.
     *
     * @param buffer holds key and value, the value right after the key
     */
    void add(byte[] buffer, int keyOffset, int keyLength, int valueLength) throws IOException;
}
