package io.sluice.bench.gate;

import io.sluice.api.node.SstFile;
import io.sluice.engine.compact.SublevelMap;
import org.jspecify.annotations.Nullable;

/** A node of the experiment. {@link #take}, {@link #get}, {@link #tree} and {@link #putMetadata} run side by side. */
interface Node extends AutoCloseable {
    /**
     * Offers an SST until it is taken, durably.
     *
     * @return nanoseconds for which the node made the sender wait before it let the SST in
     */
    long take(SstFile sst, Deadline patience);

    /** The value of a key of the primary index as far as the node shows it; null when it does not. */
    byte @Nullable [] get(byte[] key);

    /** The tree as it is now. */
    SublevelMap tree();

    /**
     * Writes one metadata KV.
     *
     * @return false if this node does not accept metadata
     */
    boolean putMetadata(byte[] key, byte[] value);

    /** Flushes metadata, if there is any. */
    void flushMetadata();

    /** Waits until everything is in the tree and nothing is left to be merged. */
    void finalizeIngest(Deadline patience);

    /** Bytes written since the node was opened: into the log, by flushes, by merges, by copying SSTs. */
    long bytesWritten();

    /** The tallest height that the node itself has seen; 0 when it does not look. */
    default int tallestSeen() {
        return 0;
    }

    @Override
    void close();
}
