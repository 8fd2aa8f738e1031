package io.sluice.node.http;

import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.sluice.api.wire.ApiHeaders;
import io.sluice.api.wire.ApiPaths;
import io.sluice.api.wire.OperationBody;
import io.sluice.api.wire.OperationBody.State;
import io.sluice.api.wire.ProblemKind;
import io.sluice.api.wire.Wire;
import io.sluice.http.Answers;
import io.sluice.http.ApiRequest;
import io.sluice.http.Failures;
import io.sluice.http.ProblemException;
import io.sluice.model.error.TableBusyException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Long-running operations as resources (Google AIP-151). A request starts an operation. If it runs longer than a
 * connection should wait, the answer is 202 with the operation's address. The client chooses the id, so a request
 * repeated after a lost answer finds its operation. Requests with different ids are different operations, even if they
 * are otherwise equal: a later request never gets an earlier result. Thread-safe.
 *
 * <pre>
 *   start ──> RUNNING ──> SUCCEEDED ──┐
 *                │ └────> FAILED ─────┼──> forgotten after {@link #KEPT_MILLIS}; at once if it is to be tried again
 *                └─DELETE> CANCELLED ─┘
 * </pre>
 */
final class Operations {
    /** Time for which the result of an ended operation is kept. */
    static final long KEPT_MILLIS = 600_000;
    /** Limit of operations kept; a new one evicts the oldest ended one. */
    static final int MAX_OPERATIONS = 64;

    private final Executor pool;
    private final long waitMillis;
    private final LongSupplier nanoTime;
    /** Operations in start order. Guarded by itself. */
    private final Map<UUID, Operation> known = new LinkedHashMap<>();

    /**
     * Creates an empty registry.
     *
     * @param pool runs the operations; limits how many run and how many wait
     * @param waitMillis how long a request waits for the end of its operation
     * @param nanoTime the clock, as {@link System#nanoTime}
     */
    Operations(Executor pool, long waitMillis, LongSupplier nanoTime) {
        this.pool = pool;
        this.waitMillis = waitMillis;
        this.nanoTime = nanoTime;
    }

    /** An operation: a task with an id. */
    final class Operation extends FutureTask<Object> {
        private final UUID id;
        private final String question;
        private final CompletableFuture<Object> end = new CompletableFuture<>();
        private volatile long endedNanos;

        private Operation(UUID id, String question, Supplier<?> work) {
            super(work::get);
            this.id = id;
            this.question = question;
        }

        /** Waits until {@link #body} shows the end, which a task's own {@code get} may precede. */
        @Override
        public Object get() throws InterruptedException, ExecutionException {
            return end.get();
        }

        @Override
        protected void done() {
            endedNanos = nanoTime.getAsLong();
            try {
                end.complete(super.get());
            } catch (ExecutionException e) {
                Throwable cause = e.getCause() == null ? e : e.getCause();
                if (isAgain(cause)) {
                    forget(this);
                }
                end.completeExceptionally(cause);
            } catch (CancellationException e) {
                end.completeExceptionally(new ProblemException(
                        ProblemKind.CONFLICT, "operation " + id + " was cancelled; start a new one"));
            } catch (InterruptedException e) {
                // Cannot happen: the task is done, so get() does not wait.
                throw new IllegalStateException(e);
            }
        }

        /** Returns the resource, with the result if the operation succeeded. */
        OperationBody body() {
            return new OperationBody(id, question, state(), state() == State.SUCCEEDED ? end.join() : null);
        }

        private State state() {
            if (!end.isDone()) {
                return State.RUNNING;
            }
            if (isCancelled()) {
                return State.CANCELLED;
            }
            return end.isCompletedExceptionally() ? State.FAILED : State.SUCCEEDED;
        }

        private boolean expired() {
            return end.isDone() && nanoTime.getAsLong() - endedNanos > TimeUnit.MILLISECONDS.toNanos(KEPT_MILLIS);
        }
    }

    /**
     * Starts an operation, or finds the one that the same request started. Answers with its result, or with 202 and its
     * address.
     *
     * @param work computes the body of the answer
     */
    HttpResponse answer(ApiRequest request, Supplier<?> work) {
        String name = request.headers().get(ApiHeaders.OPERATION);
        UUID id = name == null ? UUID.randomUUID() : Wire.uuid(ApiHeaders.OPERATION, name);
        Operation operation = start(id, question(request), work);
        return whenEnded(request.ctx(), operation, Answers::ok);
    }

    /** Identifies the request; a repeated request has the same text. */
    private static String question(ApiRequest request) {
        String attempt = request.headers().get(ApiHeaders.ATTEMPT);
        return request.headers().method() + " " + request.headers().path()
                + (attempt == null ? "" : " by attempt " + attempt);
    }

    /**
     * Starts an operation unless one with this id exists.
     *
     * @throws ProblemException if the id was used for another request, or too many operations run
     */
    Operation start(UUID id, String question, Supplier<?> work) {
        Operation started = new Operation(id, question, work);
        synchronized (known) {
            forgetExpired();
            Operation before = known.get(id);
            if (before != null) {
                if (!before.question.equals(question)) {
                    throw new ProblemException(
                            ProblemKind.KEY_REUSED,
                            ApiHeaders.OPERATION + " " + id + " was used for another request; choose a new id");
                }
                return before;
            }
            makeRoom();
            known.put(id, started);
        }
        try {
            pool.execute(started);
        } catch (RejectedExecutionException e) {
            forget(started);
            throw e;
        }
        return started;
    }

    /** Whether the client tries again after this failure: its next request must run, not find the failure. */
    private static boolean isAgain(Throwable failure) {
        return failure instanceof TableBusyException
                || (failure instanceof ProblemException known
                        && known.problem().kind().status() == ProblemKind.BUSY.status());
    }

    private void forget(Operation operation) {
        synchronized (known) {
            known.remove(operation.id, operation);
        }
    }

    private void forgetExpired() {
        known.values().removeIf(Operation::expired);
    }

    private void makeRoom() {
        if (known.size() < MAX_OPERATIONS) {
            return;
        }
        UUID oldest = known.values().stream()
                .filter(operation -> operation.end.isDone())
                .map(operation -> operation.id)
                .findFirst()
                .orElseThrow(() -> new ProblemException(
                        Failures.busy("the node runs as many operations as it can; try again", "operations")));
        known.remove(oldest);
    }

    /**
     * {@code GET}: waits for the end of an operation for a limited time, and returns the operation. If it failed,
     * answers with its failure.
     */
    HttpResponse show(ApiRequest request) {
        Operation operation = require(request);
        return whenEnded(request.ctx(), operation, result -> Answers.ok(operation.body()));
    }

    /** {@code GET} of the collection: running operations and ended ones that are kept. */
    HttpResponse list(ApiRequest request) {
        return Answers.ok(all());
    }

    List<OperationBody> all() {
        synchronized (known) {
            forgetExpired();
            return known.values().stream()
                    .map(operation -> operation.body().withoutResult())
                    .toList();
        }
    }

    /** {@code DELETE}: cancels an operation by interrupting it. Does not change an ended operation. */
    HttpResponse cancel(ApiRequest request) {
        boolean unused = require(request).cancel(true);
        return Answers.noContent();
    }

    private Operation require(ApiRequest request) {
        UUID id = Wire.uuid("operation", request.path(TableRoutes.OPERATION));
        Operation operation = find(id);
        if (operation == null) {
            throw new ProblemException(
                    ProblemKind.NOT_FOUND,
                    "there is no operation " + id + ": it expired, or the node was restarted; start it again");
        }
        return operation;
    }

    @Nullable
    Operation find(UUID id) {
        synchronized (known) {
            forgetExpired();
            return known.get(id);
        }
    }

    /** Answers when the operation ends, or after the wait time with 202 and the running operation. */
    private HttpResponse whenEnded(
            ServiceRequestContext ctx, Operation operation, Function<Object, HttpResponse> answer) {
        CompletableFuture<HttpResponse> response = new CompletableFuture<>();
        var timer = ctx.eventLoop()
                .withoutContext()
                .schedule(() -> response.complete(accepted(operation)), waitMillis, TimeUnit.MILLISECONDS);
        var unused = operation.end.whenComplete((result, failure) -> {
            timer.cancel(false);
            if (failure != null) {
                response.completeExceptionally(failure);
            } else if (!response.isDone()) {
                response.complete(answer.apply(result));
            }
        });
        return HttpResponse.of(response);
    }

    private static HttpResponse accepted(Operation operation) {
        return Answers.json(HttpStatus.ACCEPTED, operation.body())
                .mapHeaders(headers ->
                        headers.withMutations(all -> all.set(HttpHeaderNames.LOCATION, ApiPaths.operation(operation.id))
                                .set(HttpHeaderNames.RETRY_AFTER, "1")));
    }
}
