package io.sluice.node.cluster;

import io.sluice.api.transaction.Decision;
import io.sluice.api.transaction.Outcome;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.thread.Daemons;
import io.sluice.sql.distributed.Decisions;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Writes decisions to the replicated log. Decisions that come while an entry is on its way are in the next one (group
 * commit): each entry costs syncs on most members. Thread-safe.
 */
final class DecisionWriter implements AutoCloseable {
    /** Requests that wait; there are fewer threads that serve them. */
    private static final int MAX_WAITING = 1_024;
    /** More than an entry takes at most, twice: one may be on its way. */
    private static final long WAIT_SECONDS = 2 * RaftNode.CHANGE_SECONDS;

    private static final long POLL_MILLIS = 100;

    private final RaftNode raft;
    private final Runnable ensureContact;
    private final BlockingQueue<Request> waiting = new ArrayBlockingQueue<>(MAX_WAITING);
    private final Thread thread = Daemons.thread("cluster-decisions", this::write);

    private record Request(List<Decision> decisions, CompletableFuture<List<Outcome>> outcomes) {}

    /** @param ensureContact throws an exception if this node has no contact to most members */
    DecisionWriter(RaftNode raft, Runnable ensureContact) {
        this.raft = raft;
        this.ensureContact = ensureContact;
    }

    void start() {
        thread.start();
    }

    /**
     * See {@link io.sluice.sql.distributed.DecisionLog#decide}. Waits for an entry only as long as this node has
     * contact to most members: if it has not, others take the decision meanwhile.
     */
    Map<UUID, Outcome> decide(List<Decision> decisions) {
        ensureContact.run();
        Request request = new Request(decisions, new CompletableFuture<>());
        if (!waiting.offer(request)) {
            throw new OperationFailedException(
                    MAX_WAITING + " decisions wait for the log of the cluster; most of its nodes must be up");
        }
        try {
            List<Outcome> outcomes = await(request);
            Map<UUID, Outcome> byTransaction = new HashMap<>();
            for (int i = 0; i < decisions.size(); i++) {
                byTransaction.put(decisions.get(i).transaction(), outcomes.get(i));
            }
            return byTransaction;
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            throw new OperationFailedException(cause == null ? e.toString() : String.valueOf(cause.getMessage()), e);
        } catch (TimeoutException e) {
            throw new OperationFailedException(
                    "the log of the cluster takes no decisions; most of its nodes must be up", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new OperationFailedException("interrupted while waiting for the log of the cluster", e);
        }
    }

    private List<Outcome> await(Request request) throws ExecutionException, InterruptedException, TimeoutException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(WAIT_SECONDS);
        while (true) {
            try {
                return request.outcomes().get(POLL_MILLIS, TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                ensureContact.run();
                if (System.nanoTime() - end > 0) {
                    throw e;
                }
            }
        }
    }

    private void write() {
        List<Request> batch = new ArrayList<>();
        try {
            while (!Thread.currentThread().isInterrupted()) {
                batch.add(waiting.take());
                waiting.drainTo(batch);
                write(batch);
                batch.clear();
            }
        } catch (InterruptedException e) {
            // Closed.
        }
    }

    private void write(List<Request> batch) {
        List<Decision> all =
                batch.stream().flatMap(each -> each.decisions().stream()).toList();
        try {
            List<Outcome> outcomes = raft.decide(new Decisions.Entry(all, null));
            int from = 0;
            for (Request each : batch) {
                int to = from + each.decisions().size();
                each.outcomes().complete(outcomes.subList(from, to));
                from = to;
            }
        } catch (IOException | RuntimeException e) {
            OperationFailedException failure = new OperationFailedException(
                    "the log of the cluster did not take a decision; most of its nodes must be up: " + e.getMessage(),
                    e);
            batch.forEach(each -> each.outcomes().completeExceptionally(failure));
        }
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
