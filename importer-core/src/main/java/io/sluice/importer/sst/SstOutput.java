package io.sluice.importer.sst;

import io.sluice.api.node.SstBytes;
import java.io.Closeable;
import java.io.IOException;

/** The bytes of one SST while it is written. For one thread at a time. */
interface SstOutput extends Closeable {
    /**
     * A complete SST.
     *
     * @param length in bytes
     */
    record Finished(SstBytes bytes, long length) {}

    /**
     * Appends a KV. The array is the caller's again afterwards.
     *
     * @param buffer key and value, one after the other
     * @throws IllegalArgumentException if the key is not above the last one
     */
    void add(byte[] buffer, int keyOffset, int keyLength, int valueLength) throws IOException;

    /** Writes what is left, and syncs a file if the format demands it. The caller becomes the owner of the result. */
    Finished finish() throws IOException;

    /** Closes the file, if there is one, and removes it if it is not finished. */
    @Override
    void close() throws IOException;
}
