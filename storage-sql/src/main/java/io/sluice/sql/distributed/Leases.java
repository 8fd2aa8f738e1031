package io.sluice.sql.distributed;

import io.sluice.engine.store.StoreView;
import io.sluice.grammar.SqlErrorCode;
import io.sluice.grammar.StatementException;
import io.sluice.sql.transaction.SpanSet;
import java.time.Clock;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** This node's snapshots that remote coordinators read: limited in number, each ended when idle. Thread-safe. */
final class Leases {
    private final int most;
    private final long idleMillis;
    private final Clock clock;
    private final Map<UUID, Lease> leases = new ConcurrentHashMap<>();

    /** A snapshot that a remote coordinator reads. Closing it waits for the reads in progress. */
    static final class Lease implements AutoCloseable {
        private final UUID id;
        private final Includes includes;
        private final StoreView view;
        private volatile long lastUsedMillis;

        /**
         * Commits that the view includes, and those that it may lack.
         *
         * @param since see {@link io.sluice.sql.transaction.Intent#since}
         * @param publications see {@link io.sluice.sql.transaction.Intent#publications}
         * @param late keys written by transactions that were late in doubt when the view was taken, by transaction
         */
        record Includes(long since, long publications, Map<UUID, SpanSet> late) {}

        Lease(UUID id, Includes includes, StoreView view) {
            this.id = id;
            this.includes = includes;
            this.view = view;
        }

        UUID id() {
            return id;
        }

        /** See {@link io.sluice.sql.transaction.Intent#since}. */
        long since() {
            return includes.since();
        }

        /** See {@link io.sluice.sql.transaction.Intent#publications}. */
        long publications() {
            return includes.publications();
        }

        Map<UUID, SpanSet> late() {
            return includes.late();
        }

        StoreView view() {
            return view;
        }

        @Override
        public void close() {
            view.close();
        }
    }

    Leases(int most, long idleMillis, Clock clock) {
        this.most = most;
        this.idleMillis = idleMillis;
        this.clock = clock;
    }

    /**
     * Opens a lease.
     *
     * @param maker makes the lease, if the limit allows it
     * @throws StatementException if the limit is reached
     */
    Lease open(Supplier<Lease> maker) {
        if (leases.size() >= most) {
            endIdle();
        }
        if (leases.size() >= most) {
            throw new StatementException(
                    SqlErrorCode.SESSION,
                    "the node keeps " + most + " snapshots already; try again when one has ended");
        }
        Lease lease = maker.get();
        lease.lastUsedMillis = clock.millis();
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
        lease.lastUsedMillis = clock.millis();
        return lease;
    }

    static StatementException ended() {
        return new StatementException(
                SqlErrorCode.CONFLICT,
                "the transaction's snapshot has ended on a node: it was idle for too long, or the node was restarted;"
                        + " run all of it again");
    }

    /** Removes a lease, which the caller must close; returns null if it has ended already. */
    @Nullable
    Lease take(UUID id) {
        return leases.remove(id);
    }

    void release(UUID id) {
        Lease lease = leases.remove(id);
        if (lease != null) {
            lease.close();
        }
    }

    int size() {
        return leases.size();
    }

    /** Ends all leases that have been idle for too long. */
    void endIdle() {
        long before = clock.millis() - idleMillis;
        leases.values().stream().filter(lease -> lease.lastUsedMillis <= before).forEach(lease -> release(lease.id()));
    }

    void endAll() {
        leases.keySet().forEach(this::release);
    }
}
