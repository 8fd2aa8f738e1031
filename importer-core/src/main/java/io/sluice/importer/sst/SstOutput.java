package io.sluice.importer.sst;

import java.io.Closeable;
import java.io.IOException;

/** The file of one SST while it is written. For one thread at a time. */
interface SstOutput extends Closeable {
    /**
     * Appends a KV. The array is the caller's again afterwards.
     *
     * @param buffer key and value, one after the other
     * @throws IllegalArgumentException if the key is not above the last one
     */
    void add(byte[] buffer, int keyOffset, int keyLength, int valueLength) throws IOException;

    /**
     * Writes what is left, and syncs the file if the format demands it.
     *
     * @return length of the file in bytes
     */
    long finish() throws IOException;

    /** Closes the file, finished or not. */
    @Override
    void close() throws IOException;
}
