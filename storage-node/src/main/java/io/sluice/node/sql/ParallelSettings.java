package io.sluice.node.sql;

import io.sluice.api.error.BadInputException;

/**
 * Bounds of what runs in the background of transactions.
 *
 * @param threads of the node, for the statements of all sessions
 * @param queued statements of one session that have not ended; a session that has as many waits before it takes another
 */
public record ParallelSettings(int threads, int queued) {
    private static final int MAX_THREADS = 256;
    /** A batch of a careful client; beyond, finding out what depends on what takes longer than it saves. */
    private static final int DEFAULT_QUEUED = 64;

    private static final int NODE_THREADS = 32;

    /**
     * Checks both.
     *
     * @throws BadInputException when one is out of range
     */
    public ParallelSettings {
        if (threads < 1 || threads > MAX_THREADS || queued < 1) {
            throw new BadInputException("statements in the background: " + threads + " threads and " + queued
                    + " queued in a session; there must be 1 to " + MAX_THREADS + " threads, and at least 1 queued");
        }
    }

    /** 32 threads, which wait for other nodes, and 64 statements a session. */
    public static ParallelSettings forNodes() {
        return new ParallelSettings(NODE_THREADS, DEFAULT_QUEUED);
    }

    /** Two threads per core, since statements wait for the disk, and 64 statements a session. */
    public static ParallelSettings defaults() {
        int cores = Runtime.getRuntime().availableProcessors();
        return new ParallelSettings(Math.min(MAX_THREADS, 2 * cores), DEFAULT_QUEUED);
    }
}
