package io.sluice.client;

import com.linecorp.armeria.client.ClientRequestContext;
import com.linecorp.armeria.client.ClientRequestContextCaptor;
import com.linecorp.armeria.client.Clients;
import com.linecorp.armeria.client.RequestOptions;
import com.linecorp.armeria.client.ResponseTimeoutException;
import com.linecorp.armeria.client.ResponseTimeoutMode;
import com.linecorp.armeria.client.UnprocessedRequestException;
import com.linecorp.armeria.client.WebClient;
import com.linecorp.armeria.common.AggregatedHttpResponse;
import com.linecorp.armeria.common.ClosedSessionException;
import com.linecorp.armeria.common.ContentTooLargeException;
import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.RequestHeaders;
import com.linecorp.armeria.common.RequestHeadersBuilder;
import com.linecorp.armeria.common.util.Exceptions;
import com.linecorp.armeria.common.util.TimeoutMode;
import io.netty.handler.ssl.NotSslRecordException;
import io.sluice.api.wire.ApiHeaders;
import io.sluice.api.wire.ApiPaths;
import io.sluice.api.wire.ProblemKind;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.NodeUnreachableException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.error.Reasons;
import io.sluice.model.thread.Backoff;
import java.security.cert.CertificateException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The requests to one node, over connections of its own.
 *
 * <p>A request without an answer is retried until the caller's patience ends. All requests of this API are idempotent.
 * A request that takes longer than the patience is given up if the node does not answer a health check meanwhile: so a
 * stopped process costs a caller twice the patience, and a slow one the time that a request may take.
 */
final class Link implements AutoCloseable {
    private static final long CONNECT_MILLIS = 5_000;
    /** A connection is open after this fraction of a request's time, or fails. */
    private static final int CONNECTS_PER_ANSWER = 5;
    /** The patience of the caller limits the retries. */
    private static final Backoff BACKOFF = new Backoff(100, 5_000, 1);

    /** Least time between two health checks; a node with much work answers one within it. */
    private static final long LEAST_PATIENCE_MILLIS = 2_000;

    private static final long NANOS_PER_SECOND = 1_000_000_000L;
    private static final long NANOS_PER_MILLI = 1_000_000;
    /**
     * Pause between two polls of an operation. It is short, since the node delays its answer until the operation ends.
     */
    private static final long POLL_MILLIS = 100;
    /** Most starts of one operation; a node that restarts more often has another problem. */
    private static final int MOST_STARTS = 10;
    /** Largest answer that is read whole: checkpoint records have 64 MiB at most, a third more in JSON. */
    private static final long MOST_ANSWER_BYTES = 128L << 20;

    private final RemoteSettings settings;
    private final Connections connections;
    private final WebClient client;
    /** Whether the node has ever answered. */
    private volatile boolean heard;
    /** Time of the first failed try since the node's last answer; 0: the node answers. */
    private volatile long silentSinceNanos;
    /** Why the node has put off the last request that is repeated; null if it has taken it. */
    private volatile @Nullable String busy;

    Link(RemoteSettings settings) {
        this.settings = settings;
        long connectMillis = Math.min(CONNECT_MILLIS, settings.patience().answerMillis() / CONNECTS_PER_ANSWER);
        connections = new Connections(settings, connectMillis);
        client = connections.client();
    }

    RemoteSettings settings() {
        return settings;
    }

    /** The node in messages. */
    String node() {
        return settings.described();
    }

    /** A text that the node does not answer and since when, or why it puts a request off; null if it takes requests. */
    @Nullable
    String silent() {
        long since = silentSinceNanos;
        String why = busy;
        if (since == 0 && why != null) {
            return "node " + node() + ": " + why;
        }
        return since == 0
                ? null
                : "node " + node() + ": no answer for " + (System.nanoTime() - since) / NANOS_PER_SECOND + " s";
    }

    /**
     * Starts a long-running operation and polls it until it ends. All tries carry one id, so a retry after a lost
     * answer finds the operation that it started. A restarted node has lost the operation, and this method starts it
     * again.
     */
    Reply operate(HttpMethod method, String path, Map<String, String> headers, long patience) {
        return operate(method, path, headers, null, patience);
    }

    /** Operates as the other method does, with a body that is JSON. */
    Reply operate(HttpMethod method, String path, Map<String, String> headers, byte @Nullable [] json, long patience) {
        UUID id = UUID.randomUUID();
        Map<String, String> named = new HashMap<>(headers);
        named.put(ApiHeaders.OPERATION, id.toString());
        Reply reply = ask(method, path, named, json, patience);
        int starts = 1;
        while (reply.running()) {
            sleep(POLL_MILLIS);
            Reply polled = ask(HttpMethod.GET, ApiPaths.operation(id), Map.of(), null, patience);
            if (polled.is(ProblemKind.NOT_FOUND) && starts < MOST_STARTS) {
                reply = ask(method, path, named, json, patience);
                starts++;
            } else if (polled.succeeded() && !polled.running()) {
                return polled.operationResult();
            } else {
                reply = polled;
            }
        }
        return reply;
    }

    /**
     * Sends a request without a body, or with one that is JSON unless a header says otherwise, and retries until there
     * is an answer.
     */
    Reply ask(HttpMethod method, String path, Map<String, String> headers, byte @Nullable [] json, long patience) {
        return ask(method, path, headers, json, patience, settings.patience().answerMillis());
    }

    /** Asks as the other method does; a try ends after some time. */
    Reply ask(
            HttpMethod method,
            String path,
            Map<String, String> headers,
            byte @Nullable [] json,
            long patience,
            long answerMillis) {
        RequestHeadersBuilder head = headers(method, path, headers);
        if (json != null && head.contentType() == null) {
            head.contentType(MediaType.JSON);
        }
        RequestHeaders built = head.build();
        return patiently(
                patience,
                () -> send(
                        json == null ? HttpRequest.of(built) : HttpRequest.of(built, HttpData.wrap(json)),
                        answerMillis));
    }

    /**
     * Sends the last request of an import, which may follow a failure. The time for which the node has been silent
     * already counts: a node that used up the patience gets one short try.
     */
    Reply askLast(HttpMethod method, String path, Map<String, String> headers, long patience) {
        long since = silentSinceNanos;
        if (since == 0) {
            return ask(method, path, headers, null, patience);
        }
        long left = Math.max(0, patience - (System.nanoTime() - since) / NANOS_PER_MILLI);
        RequestHeaders built = headers(method, path, headers).build();
        long timeout = Math.min(settings.patience().answerMillis(), Math.max(CONNECT_MILLIS, left));
        return patiently(left, () -> send(HttpRequest.of(built), timeout));
    }

    RequestHeadersBuilder headers(HttpMethod method, String path, Map<String, String> headers) {
        RequestHeadersBuilder head = RequestHeaders.builder(method, path);
        headers.forEach(head::set);
        if (settings.token() != null) {
            head.set(HttpHeaderNames.AUTHORIZATION, "Bearer " + settings.token());
        }
        return head;
    }

    /**
     * Retries a request that got no answer or was deferred. A node that has no contact to most nodes of its cluster is
     * waited for as long as a read does at most.
     *
     * @throws NodeUnreachableException when the patience ends without an answer
     */
    private Reply patiently(long patienceMillis, Supplier<Reply> request) {
        long start = System.nanoTime();
        for (int failures = 1; ; failures++) {
            long waited = millisSince(start);
            long wait = BACKOFF.jitteredMillis(failures);
            try {
                Reply reply = request.get();
                // A node without contact to most others is as good as lost, however quick it says so.
                long most = reply.is(ProblemKind.OUTDATED)
                        ? Math.min(patienceMillis, settings.patience().readMillis())
                        : patienceMillis;
                boolean again = reply.deferred() && waited <= most;
                // What to do is to wait, as this does.
                busy = again ? reply.detail().replaceFirst(";.*", "") : null;
                if (!again) {
                    return reply;
                }
                wait = reply.retryAfterMillis(wait);
            } catch (NoAnswer e) {
                // A node that may have worked on the request until it was lost was not silent in that time.
                long silent = e.silent ? millisSince(start) : waited;
                if (silent + wait > patienceMillis) {
                    throw unreachable(e);
                }
            }
            sleep(wait);
        }
    }

    private static long millisSince(long nanos) {
        return (System.nanoTime() - nanos) / NANOS_PER_MILLI;
    }

    /** Waits after that many failures in a row; returns false at once if the wait exceeds the patience. */
    boolean awaitRetry(int failures, long patienceMillis) {
        long wait = BACKOFF.jitteredMillis(failures);
        if (wait > patienceMillis) {
            return false;
        }
        sleep(wait);
        return true;
    }

    private static void sleep(long millis) {
        Backoff.sleep(millis, "waiting for a storage node");
    }

    /** Thrown when there is no answer: no connection, a broken connection, or a timeout. */
    static final class NoAnswer extends RuntimeException {
        private static final long serialVersionUID = 1L;

        /** Whether the node has not worked on the request, as far as is known. */
        private final boolean silent;

        NoAnswer(Throwable failure) {
            super(String.valueOf(cause(failure).getMessage()), cause(failure), false, false);
            Throwable peeled = Exceptions.peel(failure);
            silent = peeled instanceof UnprocessedRequestException || peeled instanceof ResponseTimeoutException;
        }
    }

    NodeUnreachableException unreachable(NoAnswer failure) {
        Throwable cause = Objects.requireNonNullElse(failure.getCause(), failure);
        // Netty's message has the bytes of the answer in hexadecimal.
        String why = cause instanceof NotSslRecordException
                ? "it does not speak TLS"
                // Also what Armeria says of an answer that is no HTTP.
                : cause instanceof ClosedSessionException
                        ? "the connection was closed without an HTTP answer"
                        : Reasons.ofConnection(cause);
        String scheme =
                heard || settings.secure() ? "" : " A node that speaks TLS is named https://" + settings.name() + ".";
        return new NodeUnreachableException(
                settings.name(),
                node(),
                "node " + node() + " does not answer: " + why + "; is it running, and is this its address?" + scheme,
                cause);
    }

    /**
     * Sends a request once.
     *
     * @throws NoAnswer when there is no answer
     * @throws BadInputException when the node's certificate is not trusted
     */
    Reply send(HttpRequest request, long timeoutMillis) {
        HttpResponse response = client.execute(request, options(timeoutMillis, MOST_ANSWER_BYTES));
        try {
            AggregatedHttpResponse whole = whole(response);
            heard = true;
            silentSinceNanos = 0;
            return new Reply(
                    settings,
                    whole.status().code(),
                    whole.headers().getLong(HttpHeaderNames.RETRY_AFTER, -1),
                    whole.content().array());
        } catch (ExecutionException e) {
            Throwable cause = cause(e);
            if (cause instanceof ContentTooLargeException) {
                throw new OperationFailedException(
                        "node " + node() + " answered with more than " + MOST_ANSWER_BYTES + " bytes; is it one?", e);
            }
            throw noAnswer(e);
        } catch (InterruptedException e) {
            response.abort();
            Thread.currentThread().interrupt();
            throw new OperationFailedException("interrupted while node " + node() + " was asked", e);
        }
    }

    private AggregatedHttpResponse whole(HttpResponse response) throws ExecutionException, InterruptedException {
        CompletableFuture<AggregatedHttpResponse> answer = response.aggregate();
        long patience = Math.max(LEAST_PATIENCE_MILLIS, settings.patience().readMillis());
        while (true) {
            try {
                return answer.get(patience, TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                Throwable silence = checkHealth(patience);
                if (silence != null) {
                    response.abort(silence);
                }
            }
        }
    }

    /** The reason why the node does not answer a health check in some time; null if it does, healthy or not. */
    private @Nullable Throwable checkHealth(long millis) throws InterruptedException {
        try {
            AggregatedHttpResponse unused = client.execute(
                            HttpRequest.of(HttpMethod.GET, ApiPaths.HEALTH), options(millis, MOST_ANSWER_BYTES))
                    .aggregate()
                    .get();
            return null;
        } catch (ExecutionException e) {
            return Exceptions.peel(e);
        }
    }

    /** The exception for a missing answer. A certificate error is not retried. */
    RuntimeException noAnswer(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof CertificateException) {
                return new BadInputException(
                        "node " + node()
                                + ": certificate not trusted: use --tls-trust FILE with its certificate, or that"
                                + " of its issuer, and name the node as the certificate does (" + cause.getMessage()
                                + ")",
                        failure);
            }
        }
        if (silentSinceNanos == 0) {
            silentSinceNanos = System.nanoTime();
        }
        return new NoAnswer(failure);
    }

    /**
     * Sends a request whose answer is streamed, and sets a limit of time.
     *
     * @param each takes what begins that time anew
     */
    HttpResponse open(HttpRequest request, long timeoutMillis, Consumer<Runnable> each) {
        try (ClientRequestContextCaptor captor = Clients.newContextCaptor()) {
            HttpResponse response = client.execute(request, options(timeoutMillis, 0));
            ClientRequestContext ctx = captor.get();
            each.accept(() -> ctx.setResponseTimeout(TimeoutMode.SET_FROM_NOW, Duration.ofMillis(timeoutMillis)));
            return response;
        }
    }

    /** Sends a request whose answer is streamed. */
    HttpResponse open(HttpRequest request) {
        return client.execute(request, options(0, 0));
    }

    private static RequestOptions options(long timeoutMillis, long mostBytes) {
        return RequestOptions.builder()
                .maxResponseLength(mostBytes)
                .responseTimeoutMillis(timeoutMillis)
                .responseTimeoutMode(ResponseTimeoutMode.FROM_START)
                .build();
    }

    /** The root cause, without Armeria's wrapper that the request was not processed. */
    static Throwable cause(Throwable failure) {
        Throwable peeled = Exceptions.peel(failure);
        return peeled instanceof UnprocessedRequestException && peeled.getCause() != null ? peeled.getCause() : peeled;
    }

    @Override
    public void close() {
        connections.close();
    }
}
