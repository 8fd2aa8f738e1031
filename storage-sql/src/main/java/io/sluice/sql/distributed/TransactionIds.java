package io.sluice.sql.distributed;

import java.time.Clock;
import java.util.UUID;

/**
 * Generates ids of snapshots, which also serve as ids of transactions: UUIDs of version 7 (RFC 9562). They begin with
 * the time in milliseconds and have 74 random bits. Thread-safe.
 */
final class TransactionIds {
    private static final int TIME_SHIFT = 16;
    private static final long VERSION = 0x7000;
    private static final long RANDOM_BITS = 0x0FFF;

    private final Clock clock;
    private long latestMillis;

    /** @param after lower bound: all ids have a later time, even if the clock is behind */
    TransactionIds(Clock clock, long after) {
        this.clock = clock;
        latestMillis = after + 1;
    }

    synchronized UUID next() {
        latestMillis = Math.max(latestMillis, clock.millis());
        UUID random = UUID.randomUUID();
        return new UUID(
                latestMillis << TIME_SHIFT | VERSION | (random.getMostSignificantBits() & RANDOM_BITS),
                random.getLeastSignificantBits());
    }

    /** Returns the creation time of an id, in milliseconds since the epoch. */
    static long millis(UUID id) {
        return id.getMostSignificantBits() >>> TIME_SHIFT;
    }
}
