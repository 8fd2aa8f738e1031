package io.sluice.node.cluster;

import io.sluice.model.thread.Daemons;
import java.time.Clock;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A member's contact to most members. It asks again and again for all that the cluster has decided. So the node knows
 * for how long at most it may lack something. Connections on which nothing is answered are renewed.
 */
final class Contact implements AutoCloseable {
    /** Number of times that a node makes contact within the limit. */
    private static final int CONTACTS = 5;

    private final RaftNode raft;
    private final long limitMillis;
    private final Thread thread = Daemons.thread("cluster-contact", this::keep);
    private final Clock clock = Clock.systemUTC();
    private volatile @Nullable Last last;

    /**
     * When the last answered question began, by two clocks: the first stands still while the machine is suspended, the
     * second may be set.
     */
    private record Last(long nanos, long millis) {}

    /** @param limitMillis time since the last answered question after which the node may be outdated */
    Contact(RaftNode raft, long limitMillis) {
        this.raft = raft;
        this.limitMillis = limitMillis;
    }

    void start() {
        thread.start();
    }

    /** Whether the node has everything that was decided until that time ago. */
    boolean lasts() {
        Last known = last;
        return known != null
                && System.nanoTime() - known.nanos <= TimeUnit.MILLISECONDS.toNanos(limitMillis)
                && clock.millis() - known.millis <= limitMillis;
    }

    private void keep() {
        long pause = limitMillis / CONTACTS;
        try {
            while (!Thread.currentThread().isInterrupted()) {
                Last start = new Last(System.nanoTime(), clock.millis());
                boolean caughtUp = raft.catchUp(2 * pause);
                if (caughtUp) {
                    last = start;
                }
                raft.reconnect(caughtUp || lasts());
                Thread.sleep(caughtUp ? pause : pause / CONTACTS);
            }
        } catch (InterruptedException e) {
            // Closed.
        }
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
