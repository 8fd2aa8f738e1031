package io.sluice.node.distributed;

import io.sluice.api.error.BadInputException;

/**
 * Bounds of what a node does for transactions on several nodes.
 *
 * @param snapshots how many others may read at a time
 * @param askAfterMillis how long a branch is in doubt before the node asks its last agent
 */
public record SharedSettings(int snapshots, long askAfterMillis) {
    private static final int DEFAULT_SNAPSHOTS = 1024;
    /** Far above the time between prepare and decision, and short for a client that waits for the rows. */
    private static final long DEFAULT_ASK_AFTER_MILLIS = 5_000;

    /**
     * Checks both.
     *
     * @throws BadInputException when one is out of range
     */
    public SharedSettings {
        if (snapshots < 1 || askAfterMillis < 1) {
            throw new BadInputException("snapshots for others, and the time after which a node asks for a decision,"
                    + " must be at least 1");
        }
    }

    /** 1,024 snapshots, and decisions asked for after 5 s. */
    public static SharedSettings defaults() {
        return new SharedSettings(DEFAULT_SNAPSHOTS, DEFAULT_ASK_AFTER_MILLIS);
    }
}
