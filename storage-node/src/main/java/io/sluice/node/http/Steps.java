package io.sluice.node.http;

import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.ResponseHeaders;
import com.linecorp.armeria.server.ServiceRequestContext;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Work that may take longer than connections live. Whoever asks first begins it; who asks for the same while it runs
 * waits for the same. After a while the answer is 202, and the client asks again; what became of the work is kept until
 * somebody has been told. Usable by several threads.
 */
final class Steps {
    /** Results that nobody came back for are forgotten, the oldest first, when there are so many. */
    private static final int MAX_KNOWN = 64;

    private static final HttpData RUNNING = HttpData.ofUtf8("{\"state\":\"running\"}");

    private final Executor pool;
    private final long waitMillis;
    /** Guarded by itself; in the order in which they began. */
    private final Map<Object, CompletableFuture<?>> known = new LinkedHashMap<>();

    Steps(Executor pool, long waitMillis) {
        this.pool = pool;
        this.waitMillis = waitMillis;
    }

    /**
     * Begins a step, or goes on waiting for it.
     *
     * @param key equal for requests that ask for the same
     * @param answer makes the response; only of a step that went well
     */
    <T> HttpResponse answer(ServiceRequestContext ctx, Object key, Supplier<T> step, Function<T, HttpResponse> answer) {
        CompletableFuture<T> running = begin(key, step);
        CompletableFuture<HttpResponse> response = new CompletableFuture<>();
        var timer = ctx.eventLoop()
                .withoutContext()
                .schedule(() -> response.complete(stillRunning()), waitMillis, TimeUnit.MILLISECONDS);
        var unused = running.whenComplete((result, failure) -> {
            timer.cancel(false);
            boolean told =
                    failure == null ? complete(response, answer, result) : response.completeExceptionally(failure);
            if (told) {
                forget(key, running);
            }
        });
        return HttpResponse.of(response);
    }

    private static <T> boolean complete(
            CompletableFuture<HttpResponse> response, Function<T, HttpResponse> answer, T result) {
        return !response.isDone() && response.complete(answer.apply(result));
    }

    /** Unchecked: a key stands for one kind of step, and so for one type of result. */
    @SuppressWarnings("unchecked")
    private <T> CompletableFuture<T> begin(Object key, Supplier<T> step) {
        synchronized (known) {
            CompletableFuture<?> before = known.get(key);
            if (before != null) {
                return (CompletableFuture<T>) before;
            }
            makeRoom();
            CompletableFuture<T> begun = CompletableFuture.supplyAsync(step, pool);
            known.put(key, begun);
            return begun;
        }
    }

    /** The pool bounds what runs; this bounds what is remembered. */
    private void makeRoom() {
        Iterator<CompletableFuture<?>> oldest = known.values().iterator();
        while (known.size() >= MAX_KNOWN && oldest.hasNext()) {
            if (oldest.next().isDone()) {
                oldest.remove();
            }
        }
    }

    private void forget(Object key, CompletableFuture<?> done) {
        synchronized (known) {
            known.remove(key, done);
        }
    }

    private static HttpResponse stillRunning() {
        return HttpResponse.of(
                ResponseHeaders.of(
                        HttpStatus.ACCEPTED,
                        HttpHeaderNames.CONTENT_TYPE,
                        MediaType.JSON_UTF_8,
                        HttpHeaderNames.RETRY_AFTER,
                        "1"),
                RUNNING);
    }
}
