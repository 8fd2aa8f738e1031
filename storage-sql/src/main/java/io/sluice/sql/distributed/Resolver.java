package io.sluice.sql.distributed;

import io.sluice.api.transaction.LastAgent;
import io.sluice.api.transaction.Outcome;
import io.sluice.model.error.NodeUnreachableException;
import io.sluice.model.error.SluiceException;
import io.sluice.model.thread.Daemons;
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
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends branches in doubt, so that a crashed coordinator does not block rows forever: by the log of the cluster, or by
 * the last agents, which it asks about branches long in doubt. Asks at once about branches that were prepared before
 * the store was opened. Each last agent has its own worker, so a slow one delays no other. Also ends idle snapshots.
 */
public final class Resolver implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Resolver.class);
    private static final int ROUNDS_PER_ASK_DELAY = 4;
    private static final long CLOSE_SECONDS = 10;
    /** Limit of last agents asked in parallel: more than a cluster has nodes. */
    private static final int MAX_WORKERS = 64;

    private final TransactionParticipant participant;
    private final Peers peers;
    private final @Nullable DecisionLog log;
    private final ScheduledExecutorService rounds;
    private final ExecutorService workers;
    /** Name of the work on branches that the log of the cluster decides. */
    private static final String DECISIONS = "decisions";

    /** Ids of the last agents with a request in progress, and {@link #DECISIONS}. */
    private final Set<String> asking = ConcurrentHashMap.newKeySet();

    /** Whether the log has a warning since decisions could be written. Used by the work on decisions only. */
    private volatile boolean warned;

    /**
     * Starts to resolve a node's branches in the background.
     *
     * @param log null: the node is in no cluster
     */
    public Resolver(TransactionParticipant participant, Peers peers, @Nullable DecisionLog log) {
        this.participant = participant;
        this.peers = peers;
        this.log = log;
        rounds = Executors.newSingleThreadScheduledExecutor(Daemons.named("sluice-in-doubt"));
        workers = new ThreadPoolExecutor(
                0, MAX_WORKERS, 1, TimeUnit.SECONDS, new SynchronousQueue<>(), Daemons.named("sluice-last-agent"));
        long pause = Math.max(1, participant.askAfterMillis() / ROUNDS_PER_ASK_DELAY);
        Future<?> unused = rounds.scheduleWithFixedDelay(this::round, 0, pause, TimeUnit.MILLISECONDS);
    }

    private void round() {
        try {
            participant.endIdle();
            DecisionLog decisions = log;
            if (decisions != null) {
                begin(DECISIONS, () -> settle(decisions));
            }
            participant.lateByLastAgent().forEach((agent, late) -> begin(agent.id(), () -> ask(agent, late)));
        } catch (RuntimeException e) {
            LOG.warn("cannot find the branches in doubt; trying again: {}", e.toString());
        }
    }

    /**
     * Works on branches in a worker. If it does so already, or no worker is free, leaves them to the next round.
     *
     * @param work name of the work
     */
    private void begin(String work, Runnable task) {
        if (!asking.add(work)) {
            return;
        }
        try {
            workers.execute(() -> {
                try {
                    task.run();
                } finally {
                    asking.remove(work);
                }
            });
        } catch (RejectedExecutionException e) {
            asking.remove(work);
        }
    }

    private void settle(DecisionLog decisions) {
        try {
            participant.settle(decisions);
            warned = false;
        } catch (SluiceException e) {
            if (!warned) {
                LOG.warn("branches in doubt block rows until most nodes of the cluster answer: {}", e.getMessage());
            }
            warned = true;
        } catch (RuntimeException e) {
            LOG.warn("cannot end branches that the cluster has decided; trying again: {}", e.toString());
        }
    }

    private void ask(LastAgent lastAgent, List<UUID> transactions) {
        int left = transactions.size();
        String reason = "";
        for (UUID transaction : transactions) {
            try {
                Outcome outcome = peers.outcome(lastAgent, transaction);
                if (outcome == Outcome.UNKNOWN) {
                    reason = "it cannot tell before it is restarted; see its log";
                    continue;
                }
                boolean commit = outcome == Outcome.COMMITTED;
                participant.decide(transaction, commit);
                left--;
                LOG.info("transaction {} was {}, says {}", transaction, outcome.text(), lastAgent);
                if (commit) {
                    peers.forget(lastAgent, transaction, participant.id());
                }
            } catch (NodeUnreachableException e) {
                // It would not answer for the other transactions either.
                reason = String.valueOf(e.getMessage());
                break;
            } catch (SluiceException e) {
                reason = String.valueOf(e.getMessage());
            } catch (RuntimeException e) {
                reason = e.toString();
            }
        }
        if (left > 0) {
            LOG.warn("{} branches in doubt block rows until {} reports their outcome: {}", left, lastAgent, reason);
        }
    }

    /** Stops asking. The next resolver of the store asks about branches that are still in doubt. */
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
    }
}
