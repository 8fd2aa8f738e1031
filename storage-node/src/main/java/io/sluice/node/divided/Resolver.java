package io.sluice.node.divided;

import io.sluice.api.error.SluiceException;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks for the decisions that parts of transactions wait for, when nobody has brought them in time: so that a
 * coordinator that is gone leaves nothing held for good. One that was prepared before the store was opened is asked for
 * at once. Looks after idle snapshots on the way.
 */
public final class Resolver implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Resolver.class);
    private static final int LOOKS_PER_PATIENCE = 4;
    private static final long CLOSE_SECONDS = 10;

    private final Participation participation;
    private final Peers peers;
    private final long askAfterMillis;
    private final ScheduledExecutorService thread;

    /**
     * Begins to look after a node's parts.
     *
     * @param peers closed with it
     * @param askAfterMillis how long a part waits for its decision before it is asked for
     */
    public Resolver(Participation participation, Peers peers, long askAfterMillis) {
        this.participation = participation;
        this.peers = peers;
        this.askAfterMillis = askAfterMillis;
        thread = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread made = new Thread(task, "sluice-decisions");
            made.setDaemon(true);
            return made;
        });
        long pause = Math.max(1, askAfterMillis / LOOKS_PER_PATIENCE);
        Future<?> unused = thread.scheduleWithFixedDelay(this::look, 0, pause, TimeUnit.MILLISECONDS);
    }

    private void look() {
        try {
            participation.endIdle();
            for (Map.Entry<UUID, Participation.Asked> late :
                    participation.waitingFor(askAfterMillis).entrySet()) {
                ask(late.getKey(), late.getValue().decider());
            }
        } catch (RuntimeException e) {
            LOG.warn("cannot look after transactions of other nodes: {}", e.toString());
        }
    }

    private void ask(UUID transaction, String decider) {
        try {
            boolean commit = peers.outcome(decider, transaction);
            participation.decide(transaction, commit);
            LOG.info("transaction {} was {}: so says {}", transaction, commit ? "committed" : "not committed", decider);
            if (commit) {
                peers.forget(decider, transaction, participation.id());
            }
        } catch (SluiceException e) {
            LOG.warn(
                    "transaction {} holds rows until {} says what became of it: {}",
                    transaction,
                    decider,
                    e.getMessage());
        }
    }

    /** Stops asking; what waits is asked for when the store is served again. */
    @Override
    public void close() {
        thread.shutdownNow();
        try {
            boolean unused = thread.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        peers.close();
    }
}
