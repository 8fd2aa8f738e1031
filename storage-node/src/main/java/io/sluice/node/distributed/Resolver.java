package io.sluice.node.distributed;

import io.sluice.api.error.NodeUnreachableException;
import io.sluice.api.error.SluiceException;
import io.sluice.api.transaction.LastAgent;
import io.sluice.api.transaction.Outcome;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks last agents for the outcomes of branches that have been in doubt for too long, so that a coordinator that is
 * gone leaves no rows held for good. A branch that was prepared before the store was opened is asked for at once. Each
 * last agent is asked by a worker of its own, so a slow one delays no other. Also ends idle snapshots.
 */
public final class Resolver implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Resolver.class);
    private static final int ROUNDS_PER_PATIENCE = 4;
    private static final long CLOSE_SECONDS = 10;
    /** Last agents asked at a time: more than a cluster has nodes. */
    private static final int MOST_WORKERS = 64;

    private final TransactionParticipant participation;
    private final Peers peers;
    private final long askAfterMillis;
    private final ScheduledExecutorService rounds;
    private final ExecutorService workers;
    /** Ids of the last agents that are being asked. */
    private final Set<String> asking = ConcurrentHashMap.newKeySet();

    /**
     * Begins to resolve a node's branches.
     *
     * @param peers closed with it
     * @param askAfterMillis how long a branch is in doubt before its last agent is asked
     */
    public Resolver(TransactionParticipant participation, Peers peers, long askAfterMillis) {
        this.participation = participation;
        this.peers = peers;
        this.askAfterMillis = askAfterMillis;
        rounds = Executors.newSingleThreadScheduledExecutor(named("sluice-in-doubt"));
        workers = new ThreadPoolExecutor(
                0, MOST_WORKERS, 1, TimeUnit.SECONDS, new SynchronousQueue<>(), named("sluice-last-agent"));
        long pause = Math.max(1, askAfterMillis / ROUNDS_PER_PATIENCE);
        Future<?> unused = rounds.scheduleWithFixedDelay(this::round, 0, pause, TimeUnit.MILLISECONDS);
    }

    private static ThreadFactory named(String name) {
        return task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        };
    }

    private void round() {
        try {
            participation.endIdle();
            participation.inDoubtFor(askAfterMillis).forEach(this::begin);
        } catch (RuntimeException e) {
            LOG.warn("cannot look for branches of transactions that are in doubt: {}", e.toString());
        }
    }

    /** Unless the last agent is being asked already; what finds no worker is asked in the next round. */
    private void begin(LastAgent lastAgent, List<UUID> transactions) {
        if (!asking.add(lastAgent.id())) {
            return;
        }
        try {
            workers.execute(() -> {
                try {
                    ask(lastAgent, transactions);
                } finally {
                    asking.remove(lastAgent.id());
                }
            });
        } catch (RejectedExecutionException e) {
            asking.remove(lastAgent.id());
        }
    }

    private void ask(LastAgent lastAgent, List<UUID> transactions) {
        int left = transactions.size();
        String reason = "";
        for (UUID transaction : transactions) {
            try {
                Outcome outcome = peers.outcome(lastAgent, transaction);
                if (outcome == Outcome.UNKNOWN) {
                    reason = "it cannot tell before it is started again; see its log";
                    continue;
                }
                boolean commit = outcome == Outcome.COMMITTED;
                participation.decide(transaction, commit);
                left--;
                LOG.info("transaction {} was {}, says {}", transaction, outcome.text(), lastAgent);
                if (commit) {
                    peers.forget(lastAgent, transaction, participation.id());
                }
            } catch (NodeUnreachableException e) {
                // It would not answer about the others either.
                reason = String.valueOf(e.getMessage());
                break;
            } catch (SluiceException e) {
                reason = String.valueOf(e.getMessage());
            } catch (RuntimeException e) {
                reason = e.toString();
            }
        }
        if (left > 0) {
            LOG.warn("{} branches hold rows until {} says what became of them: {}", left, lastAgent, reason);
        }
    }

    /** Stops asking; what is in doubt is asked for when the store is served again. */
    @Override
    public void close() {
        rounds.shutdownNow();
        workers.shutdownNow();
        try {
            boolean unused = rounds.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)
                    && workers.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        peers.close();
    }
}
