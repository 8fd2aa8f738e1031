package io.sluice.node.distributed;

import java.time.Clock;
import java.util.UUID;

/**
 * Makes ids of snapshots, which may become ids of transactions: UUIDs of version 7 (RFC 9562), which begin with the
 * time in milliseconds, and of which 74 bits are random. Usable by several threads.
 */
final class TransactionIds {
    private static final int TIME_SHIFT = 16;
    private static final long VERSION = 0x7000;
    private static final long RANDOM_BITS = 0x0FFF;

    private final Clock clock;
    private long latestMillis;

    /** @param after all ids are of a later time, whatever the clock says */
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

    /** When an id was made. */
    static long millis(UUID id) {
        return id.getMostSignificantBits() >>> TIME_SHIFT;
    }
}
