package io.sluice.client.cluster;

import io.sluice.model.error.NodeUnreachableException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.error.SluiceException;
import io.sluice.model.thread.Daemons;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The members of a cluster, and the threads for parallel requests to them. */
final class NodePool implements AutoCloseable {
    /** Parallel requests per member; fetching rows by key may send all of them to one node. */
    private static final int THREADS_PER_MEMBER = 4;

    private final List<Member> members;
    private final ExecutorService threads;

    NodePool(List<Member> members) {
        this.members = List.copyOf(members);
        threads = Executors.newFixedThreadPool(THREADS_PER_MEMBER * members.size(), Daemons.named("sluice-cluster"));
    }

    List<Member> members() {
        return members;
    }

    /**
     * The outcome of one of several requests.
     *
     * @param value the answer, or null after a failure
     * @param failure the failure, or null
     */
    record Outcome<T>(@Nullable T value, @Nullable RuntimeException failure) {}

    /** Sends all requests in parallel and waits for all; outcomes are in the order of the items. */
    <A, T> List<Outcome<T>> tryAll(List<A> items, Function<A, T> request) {
        List<Future<T>> running = new ArrayList<>();
        for (A each : items) {
            running.add(threads.submit(() -> request.apply(each)));
        }
        List<Outcome<T>> outcomes = new ArrayList<>();
        for (Future<T> future : running) {
            Outcome<T> outcome = outcome(future);
            if (Thread.currentThread().isInterrupted()) {
                // The caller is interrupted, so the answers are not needed.
                running.forEach(each -> each.cancel(true));
            }
            outcomes.add(outcome);
        }
        return outcomes;
    }

    private static <T> Outcome<T> outcome(Future<T> future) {
        try {
            return new Outcome<>(future.get(), null);
        } catch (ExecutionException e) {
            return new Outcome<>(
                    null, e.getCause() instanceof RuntimeException known ? known : new IllegalStateException(e));
        } catch (CancellationException e) {
            return new Outcome<>(null, interrupted(e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Outcome<>(null, interrupted(e));
        }
    }

    private static OperationFailedException interrupted(Exception cause) {
        return new OperationFailedException("interrupted while storage nodes were asked", cause);
    }

    /** Sends all requests in parallel and waits for all; throws the first failure. */
    <A, T> List<T> all(List<A> items, Function<A, T> request) {
        List<T> values = new ArrayList<>();
        RuntimeException first = null;
        for (Outcome<T> outcome : tryAll(items, request)) {
            RuntimeException failure = outcome.failure();
            if (failure == null) {
                values.add(outcome.value());
            } else if (first == null) {
                first = failure;
            } else {
                first.addSuppressed(failure);
            }
        }
        if (first != null) {
            throw first;
        }
        return values;
    }

    /** Runs an action for all in parallel and waits for all; throws the first failure. */
    <A> void each(List<A> items, Consumer<A> action) {
        all(items, one -> {
            action.accept(one);
            return true;
        });
    }

    /**
     * Returns the answers of the reachable members.
     *
     * @throws NodeUnreachableException when no member is reachable
     */
    <T> Map<Member, T> reachable(Function<Member, T> request) {
        return reachable(members, request);
    }

    /** As the other method, of some members. */
    <T> Map<Member, T> reachable(List<Member> asked, Function<Member, T> request) {
        Map<Member, T> answers = new LinkedHashMap<>();
        List<Outcome<T>> outcomes = tryAll(asked, request);
        RuntimeException unreachable = null;
        for (int i = 0; i < outcomes.size(); i++) {
            RuntimeException failure = outcomes.get(i).failure();
            if (failure == null) {
                answers.put(asked.get(i), outcomes.get(i).value());
            } else if (failure instanceof NodeUnreachableException) {
                unreachable = failure;
            } else {
                throw failure;
            }
        }
        if (unreachable != null && answers.isEmpty()) {
            throw unreachable;
        }
        return answers;
    }

    /** Stops the threads and closes all members, even if one of them fails. */
    @Override
    public void close() {
        threads.shutdownNow();
        SluiceException first = null;
        for (Member member : members) {
            try {
                member.client().close();
            } catch (SluiceException e) {
                if (first == null) {
                    first = e;
                } else {
                    first.addSuppressed(e);
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }
}
