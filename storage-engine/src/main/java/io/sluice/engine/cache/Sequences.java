package io.sluice.engine.cache;

/**
 * The database's sequence numbers, for the cache. Every write has a sequence number, larger than those of earlier
 * writes; a snapshot sees the writes up to its own.
 */
public interface Sequences {
    /** The sequence number of the latest visible write. */
    long latest();

    /**
     * The least sequence number of an open snapshot; {@link Long#MAX_VALUE} when none is open. A missed snapshot costs
     * hits, but never returns a wrong value.
     */
    long oldestSnapshot();
}
