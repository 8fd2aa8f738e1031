package io.sluice.importer.sort;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A sorted sequence of KVs of one index. Immutable; any number of cursors may read it at the same time. */
public interface Run extends AutoCloseable {
    /** Bytes of its entries. */
    long bytes();

    byte[] smallestKey();

    byte[] largestKey();

    /** Opens a cursor over the keys in {@code [from, to)}; null stands for no bound. */
    RunCursor cursor(byte @Nullable [] from, byte @Nullable [] to) throws IOException;

    /** Passes keys at about even distances to the sample, each with the bytes it stands for. */
    void sample(KeySample sample);

    /** Deletes the run's file, if it has one. */
    @Override
    void close() throws IOException;

    /** Takes the sampled keys of runs. */
    interface KeySample {
        void key(byte[] key, long bytes);
    }
}
