package io.sluice.sql;

import io.sluice.model.error.BadInputException;

/**
 * Limits of background statements.
 *
 * @param threads threads of the node for the statements of all sessions
 * @param queued limit of pending statements per session; at the limit, the session blocks before it takes another
 */
public record ParallelSettings(int threads, int queued) {
    private static final int MAX_THREADS = 256;
    /** One batch of a typical client; with more, finding dependencies costs more than parallelism saves. */
    private static final int DEFAULT_QUEUED = 64;

    private static final int NODE_THREADS = 32;

    /**
     * Validates both.
     *
     * @throws BadInputException if one is out of range
     */
    public ParallelSettings {
        if (threads < 1 || threads > MAX_THREADS || queued < 1) {
            throw new BadInputException("statements in the background: " + threads + " threads and " + queued
                    + " queued in a session; there must be 1 to " + MAX_THREADS + " threads, and at least 1 queued");
        }
    }

    /** 32 threads, because statements wait for other nodes; 64 statements per session. */
    public static ParallelSettings forNodes() {
        return new ParallelSettings(NODE_THREADS, DEFAULT_QUEUED);
    }

    /** Two threads per core, because statements wait for the disk; 64 statements per session. */
    public static ParallelSettings defaults() {
        int cores = Runtime.getRuntime().availableProcessors();
        return new ParallelSettings(Math.min(MAX_THREADS, 2 * cores), DEFAULT_QUEUED);
    }
}
