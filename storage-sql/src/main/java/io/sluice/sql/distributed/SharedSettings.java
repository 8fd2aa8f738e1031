package io.sluice.sql.distributed;

import io.sluice.model.error.BadInputException;

/**
 * Limits of a node as a participant in distributed transactions.
 *
 * @param snapshots limit of concurrent snapshots that remote coordinators read
 * @param askAfterMillis time that a branch is in doubt before the node asks its last agent
 */
public record SharedSettings(int snapshots, long askAfterMillis) {
    private static final int DEFAULT_SNAPSHOTS = 1024;
    /** Far longer than the time from prepare to decision, yet short for a client that waits for the rows. */
    private static final long DEFAULT_ASK_AFTER_MILLIS = 5_000;

    /**
     * Validates both.
     *
     * @throws BadInputException if one is below 1
     */
    public SharedSettings {
        if (snapshots < 1 || askAfterMillis < 1) {
            throw new BadInputException("snapshots for others, and the time after which a node asks for a decision,"
                    + " must be at least 1");
        }
    }

    /** 1,024 snapshots; last agents are asked after 5 s. */
    public static SharedSettings defaults() {
        return new SharedSettings(DEFAULT_SNAPSHOTS, DEFAULT_ASK_AFTER_MILLIS);
    }
}
