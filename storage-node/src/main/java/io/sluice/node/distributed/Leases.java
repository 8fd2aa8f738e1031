package io.sluice.node.distributed;

import io.sluice.api.sql.SqlErrorCode;
import io.sluice.api.sql.StatementException;
import java.time.Clock;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/** The snapshots of a node that others read: bounded in number, each until it is not used for some time. */
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
     * A new one.
     *
     * @param maker is told the time
     * @throws StatementException when there are too many
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
     * One that is there.
     *
     * @throws StatementException when it has ended
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
                "a node has given the transaction's snapshot up: it was not used for too long, or the node was restarted;"
                        + " run all of it again");
    }

    /** Takes one out, which is then the caller's to end; null when it has ended. */
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

    /** Ends those that nobody has used for too long. */
    void endIdle() {
        long before = clock.millis() - idleMillis;
        leases.values().stream().filter(lease -> lease.idleSince(before)).forEach(lease -> release(lease.id()));
    }

    void endAll() {
        leases.keySet().forEach(this::release);
    }
}
