package io.sluice.importer.cluster;

import io.sluice.api.error.NodeUnreachableException;
import io.sluice.api.error.OperationFailedException;
import io.sluice.api.error.SluiceException;
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

/** The members of a cluster, and the threads that ask several of them at once. */
final class NodePool implements AutoCloseable {
    /** Fetching rows by key asks this many nodes, or one node this many times, at once. */
    private static final int THREADS_PER_MEMBER = 4;

    private final List<Member> members;
    private final ExecutorService threads;

    NodePool(List<Member> members) {
        this.members = List.copyOf(members);
        threads = Executors.newFixedThreadPool(THREADS_PER_MEMBER * members.size(), task -> {
            Thread thread = new Thread(task, "sluice-cluster");
            thread.setDaemon(true);
            return thread;
        });
    }

    List<Member> members() {
        return members;
    }

    /**
     * The outcome of asking one of several.
     *
     * @param value what it answered, or null when it failed
     * @param failure what it failed with, or null
     */
    record Outcome<T>(@Nullable T value, @Nullable RuntimeException failure) {}

    /** Asks all at once and waits for all; the outcomes are in their order. */
    <A, T> List<Outcome<T>> tryAll(List<A> asked, Function<A, T> question) {
        List<Future<T>> running = new ArrayList<>();
        for (A each : asked) {
            running.add(threads.submit(() -> question.apply(each)));
        }
        List<Outcome<T>> outcomes = new ArrayList<>();
        for (Future<T> future : running) {
            Outcome<T> outcome = outcome(future);
            if (Thread.currentThread().isInterrupted()) {
                // Nobody is there for the answers any more.
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

    /** Asks all at once and waits for all; fails with what the first of them failed with. */
    <A, T> List<T> all(List<A> asked, Function<A, T> question) {
        List<T> values = new ArrayList<>();
        RuntimeException first = null;
        for (Outcome<T> outcome : tryAll(asked, question)) {
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

    /** Does something with all at once and waits for all; fails with what the first of them failed with. */
    <A> void each(List<A> asked, Consumer<A> action) {
        all(asked, one -> {
            action.accept(one);
            return true;
        });
    }

    /**
     * What members answer that can be reached.
     *
     * @throws NodeUnreachableException when none can
     */
    <T> Map<Member, T> reachable(Function<Member, T> question) {
        Map<Member, T> answers = new LinkedHashMap<>();
        List<Outcome<T>> outcomes = tryAll(members, question);
        RuntimeException unreachable = null;
        for (int i = 0; i < outcomes.size(); i++) {
            RuntimeException failure = outcomes.get(i).failure();
            if (failure == null) {
                answers.put(members.get(i), outcomes.get(i).value());
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

    /** Stops the threads and closes all members; a failure does not keep the others open. */
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
