package io.sluice.sql.distributed;

import io.sluice.api.transaction.LastAgent;
import io.sluice.api.transaction.Outcome;
import io.sluice.model.error.NodeUnreachableException;
import io.sluice.model.error.SluiceException;
import java.util.List;
import java.util.Map;
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
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks last agents for the outcomes of branches long in doubt, so that a crashed coordinator does not block rows
 * forever. Asks at once about branches that were prepared before the store was opened. Each last agent has its own
 * worker, so a slow one delays no other. Also ends idle snapshots.
 */
public final class Resolver implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Resolver.class);
    private static final int ROUNDS_PER_ASK_DELAY = 4;
    private static final long CLOSE_SECONDS = 10;
    /** Limit of last agents asked in parallel: more than a cluster has nodes. */
    private static final int MAX_WORKERS = 64;

    private final TransactionParticipant participant;
    private final Peers peers;
    private final Consumer<String> lost;
    private final ScheduledExecutorService rounds;
    private final ExecutorService workers;
    /** Name of the work on branches whose last agents are lost. */
    private static final String AGREEMENT = "agreement";

    /** Ids of the last agents with a request in progress, and {@link #AGREEMENT}. */
    private final Set<String> asking = ConcurrentHashMap.newKeySet();

    /**
     * Starts to resolve a node's branches in the background.
     *
     * @param lost receives the id of a last agent that does not answer, if the others can go on without it
     */
    public Resolver(TransactionParticipant participant, Peers peers, Consumer<String> lost) {
        this.participant = participant;
        this.peers = peers;
        this.lost = lost;
        rounds = Executors.newSingleThreadScheduledExecutor(named("sluice-in-doubt"));
        workers = new ThreadPoolExecutor(
                0, MAX_WORKERS, 1, TimeUnit.SECONDS, new SynchronousQueue<>(), named("sluice-last-agent"));
        long pause = Math.max(1, participant.askAfterMillis() / ROUNDS_PER_ASK_DELAY);
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
            participant.endIdle();
            Map<UUID, List<LastAgent>> orphaned = participant.branches().orphaned();
            if (!orphaned.isEmpty()) {
                begin(AGREEMENT, () -> agree(orphaned));
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

    /** Ends the branches whose last agent is lost, if all other participants answer or one has committed. */
    private void agree(Map<UUID, List<LastAgent>> orphaned) {
        orphaned.forEach((transaction, others) -> {
            Outcome outcome = agreed(transaction, others);
            if (outcome != Outcome.UNKNOWN && participant.settle(transaction, outcome == Outcome.COMMITTED, true)) {
                LOG.info(
                        "transaction {} was {}: its last agent is lost, and the other nodes agree",
                        transaction,
                        outcome.text());
            }
        });
    }

    private Outcome agreed(UUID transaction, List<LastAgent> others) {
        boolean all = true;
        for (LastAgent other : others) {
            try {
                Outcome outcome = peers.branchOutcome(other, transaction);
                if (outcome == Outcome.COMMITTED) {
                    return outcome;
                }
                all &= outcome == Outcome.ABORTED;
            } catch (RuntimeException e) {
                LOG.warn(
                        "transaction {} stays in doubt: its last agent is lost, and {} does not say what became of its"
                                + " branch: {}",
                        transaction,
                        other,
                        e.getMessage());
                all = false;
            }
        }
        return all ? Outcome.ABORTED : Outcome.UNKNOWN;
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
                if (!participant.settle(transaction, commit, false)) {
                    continue;
                }
                left--;
                LOG.info("transaction {} was {}, says {}", transaction, outcome.text(), lastAgent);
                if (commit) {
                    peers.forget(lastAgent, transaction, participant.id());
                }
            } catch (NodeUnreachableException e) {
                // It would not answer for the other transactions either.
                reason = String.valueOf(e.getMessage());
                reportLost(lastAgent);
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

    private void reportLost(LastAgent lastAgent) {
        try {
            if (participant.branches().dispensable(lastAgent.id())) {
                lost.accept(lastAgent.id());
            }
        } catch (SluiceException e) {
            LOG.warn("the cluster cannot go on without {} now: {}", lastAgent, e.getMessage());
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
