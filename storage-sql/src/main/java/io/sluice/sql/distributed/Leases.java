package io.sluice.sql.distributed;

import io.sluice.grammar.SqlErrorCode;
import io.sluice.grammar.StatementException;
import java.time.Clock;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/** This node's snapshots that remote coordinators read: limited in number, each ended when idle. Thread-safe. */
final class Leases {
    private final int most;
    private final long idleMillis;
    private final Clock clock;
    private final Map<UUID, Lease> leases = new ConcurrentHashMap<>();

    Leases(int most, long idleMillis, Clock clock) {
        this.most = most;
        this.idleMillis = idleMillis;
        this.clock = clock;
    }

    /**
     * Opens a lease.
     *
     * @param maker makes the lease, given the current time in milliseconds
     * @throws StatementException if the limit is reached
     */
    Lease open(LongFunction<Lease> maker) {
        if (leases.size() >= most) {
            endIdle();
        }
        if (leases.size() >= most) {
            throw new StatementException(
                    SqlErrorCode.SESSION,
                    "the node keeps " + most + " snapshots already; try again when one has ended");
        }
        Lease lease = maker.apply(clock.millis());
        leases.put(lease.id(), lease);
        return lease;
    }

    /**
     * Returns an open lease and marks it as used now.
     *
     * @throws StatementException if it has ended
     */
    Lease use(UUID id) {
        Lease lease = leases.get(id);
        if (lease == null) {
            throw ended();
        }
        lease.used(clock.millis());
        return lease;
    }

    static StatementException ended() {
        return new StatementException(
                SqlErrorCode.CONFLICT,
                "the transaction's snapshot has ended on a node: it was idle for too long, or the node was restarted;"
                        + " run all of it again");
    }

    /** Removes a lease, which the caller must end; returns null if it has ended already. */
    @Nullable
    Lease take(UUID id) {
        return leases.remove(id);
    }

    void release(UUID id) {
        Lease lease = leases.remove(id);
        if (lease != null) {
            lease.end();
        }
    }

    int size() {
        return leases.size();
    }

    /** Ends all leases that have been idle for too long. */
    void endIdle() {
        long before = clock.millis() - idleMillis;
        leases.values().stream().filter(lease -> lease.idleSince(before)).forEach(lease -> release(lease.id()));
    }

    void endAll() {
        leases.keySet().forEach(this::release);
    }
}
