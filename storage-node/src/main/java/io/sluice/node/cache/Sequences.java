package io.sluice.node.cache;

/**
 * What the cache asks of the database it stands above. Every write has a sequence number, larger than those of the
 * writes before it; a snapshot sees the writes up to its own.
 */
public interface Sequences {
    /** The number of the latest write that readers see. */
    long latest();

    /**
     * The least number that an open snapshot reads at; {@link Long#MAX_VALUE} when none is open. A snapshot that is
     * missed costs hits, and never gives a wrong one.
     */
    long oldestSnapshot();
}
