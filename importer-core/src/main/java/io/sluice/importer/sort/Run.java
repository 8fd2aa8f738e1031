package io.sluice.importer.sort;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A sorted sequence of KVs of one index. Immutable; any number of cursors may walk it at the same time. */
public interface Run extends AutoCloseable {
    long count();

    /** Bytes of its keys and values, and what it takes to keep them. */
    long bytes();

    byte[] smallestKey();

    byte[] largestKey();

    /** A walk over the keys in {@code [from, to)}; null stands for no bound. */
    RunCursor cursor(byte @Nullable [] from, byte @Nullable [] to) throws IOException;

    /** Shows keys that lie about evenly between the run's bytes, each with the bytes it stands for. */
    void sample(KeySample sample);

    /** Gives back what the run holds: memory, a file. */
    @Override
    void close() throws IOException;

    /** Takes the sampled keys of runs. */
    interface KeySample {
        void key(byte[] key, long bytes);
    }
}
