package io.sluice.importer.remote;

import com.linecorp.armeria.client.ClientFactory;
import com.linecorp.armeria.client.ClientFactoryBuilder;
import com.linecorp.armeria.client.RequestOptions;
import com.linecorp.armeria.client.ResponseTimeoutMode;
import com.linecorp.armeria.client.UnprocessedRequestException;
import com.linecorp.armeria.client.WebClient;
import com.linecorp.armeria.common.AggregatedHttpResponse;
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
import io.sluice.api.error.BadInputException;
import io.sluice.api.error.NodeUnreachableException;
import io.sluice.api.error.OperationFailedException;
import io.sluice.api.wire.ApiHeaders;
import io.sluice.api.wire.ApiPaths;
import io.sluice.api.wire.ProblemKind;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The connections to one node. HTTP/1.1, so that every upload has a connection of its own: uploads that share one
 * HTTP/2 connection share its window, and a slow one holds the others up. Connections are kept and used again.
 *
 * <p>A request that gets no answer is sent again until the node has been silent for as long as it may. All requests of
 * this API may be repeated.
 */
final class Link implements AutoCloseable {
    private static final long CONNECT_MILLIS = 5_000;
    private static final long NANOS_PER_SECOND = 1_000_000_000L;
    private static final long NANOS_PER_MILLI = 1_000_000;
    /** Below the minute after which a node closes a connection that nothing comes from. */
    private static final long IDLE_MILLIS = 45_000;
    /** Nodes answer small requests at once, and long steps with "still running" after a third of this. */
    private static final long ANSWER_MILLIS = 60_000;

    /** The node waits for the end of an operation before it answers: the client need not. */
    private static final long ASK_AGAIN_MILLIS = 100;
    /** A node that is restarted more often during one operation has another problem. */
    private static final int MOST_STARTS = 10;
    /** Of an answer that is taken whole: the longest are notes, 64 MiB at most, a third longer in JSON. */
    private static final long MOST_ANSWER_BYTES = 128L << 20;

    private final RemoteSettings settings;
    private final ClientFactory connections;
    private final WebClient client;
    private final Backoff backoff;
    /** Whether the node has ever answered. */
    private volatile boolean heard;
    /** When the first of the tries failed that followed its last answer; 0: it answers. */
    private volatile long silentSinceNanos;

    Link(RemoteSettings settings) {
        this.settings = settings;
        backoff = new Backoff(settings.seed());
        ClientFactoryBuilder factory =
                ClientFactory.builder().connectTimeoutMillis(CONNECT_MILLIS).idleTimeoutMillis(IDLE_MILLIS);
        Path trusted = settings.trusted();
        if (trusted != null) {
            factory.tlsCustomizer(tls -> tls.trustManager(trusted.toFile()));
        }
        connections = factory.build();
        client = WebClient.builder((settings.secure() ? "h1://" : "h1c://") + settings.name())
                .factory(connections)
                .writeTimeoutMillis(ANSWER_MILLIS)
                .responseTimeoutMillis(ANSWER_MILLIS)
                .maxResponseLength(MOST_ANSWER_BYTES)
                .build();
    }

    String node() {
        return settings.name();
    }

    /** That the node does not answer, and since when; null when it does. */
    @Nullable
    String silent() {
        long since = silentSinceNanos;
        return since == 0
                ? null
                : "node " + node() + ": no answer for " + (System.nanoTime() - since) / NANOS_PER_SECOND + " s";
    }

    /**
     * Starts a long-running operation and polls it until it ends. All tries carry one id, so that a request whose
     * answer was lost finds the operation that it started. A node that was restarted knows it no more, and starts it
     * again.
     */
    Reply operate(HttpMethod method, String path, Map<String, String> headers, long patience) {
        UUID id = UUID.randomUUID();
        Map<String, String> named = new HashMap<>(headers);
        named.put(ApiHeaders.OPERATION, id.toString());
        Reply reply = ask(method, path, named, null, patience);
        int starts = 1;
        while (reply.running()) {
            Backoff.sleep(ASK_AGAIN_MILLIS);
            Reply polled = ask(HttpMethod.GET, ApiPaths.operation(id), Map.of(), null, patience);
            if (polled.is(ProblemKind.NOT_FOUND) && starts < MOST_STARTS) {
                reply = ask(method, path, named, null, patience);
                starts++;
            } else if (polled.succeeded() && !polled.running()) {
                return polled.operationResult();
            } else {
                reply = polled;
            }
        }
        return reply;
    }

    /** Sends a request without a body, or with JSON, until there is an answer. */
    Reply ask(HttpMethod method, String path, Map<String, String> headers, byte @Nullable [] json, long patience) {
        RequestHeadersBuilder head = headers(method, path, headers);
        if (json != null) {
            head.contentType(MediaType.JSON);
        }
        RequestHeaders built = head.build();
        return patiently(
                patience,
                () -> send(
                        json == null ? HttpRequest.of(built) : HttpRequest.of(built, HttpData.wrap(json)),
                        ANSWER_MILLIS));
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
        long timeout = Math.min(ANSWER_MILLIS, Math.max(CONNECT_MILLIS, left));
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
     * Sends again what got no answer, or was deferred.
     *
     * @throws NodeUnreachableException when there was no answer for as long as the patience lasts
     */
    private Reply patiently(long patienceMillis, Supplier<Reply> request) {
        long start = System.nanoTime();
        for (int failures = 1; ; failures++) {
            long waited = (System.nanoTime() - start) / 1_000_000;
            long wait = backoff.millis(failures);
            try {
                Reply reply = request.get();
                if (!reply.deferred() || waited > patienceMillis) {
                    return reply;
                }
                wait = reply.retryAfterMillis(wait);
            } catch (NoAnswer e) {
                if (waited + wait > patienceMillis) {
                    throw unreachable(e);
                }
            }
            Backoff.sleep(wait);
        }
    }

    /** There was no answer: nothing listens, the connection broke, or it took too long. */
    static final class NoAnswer extends RuntimeException {
        private static final long serialVersionUID = 1L;

        NoAnswer(Throwable cause) {
            super(String.valueOf(cause.getMessage()), cause, false, false);
        }
    }

    NodeUnreachableException unreachable(NoAnswer failure) {
        Throwable cause = Objects.requireNonNullElse(failure.getCause(), failure);
        String why = cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
        String scheme = heard || settings.secure() ? "" : " A node that speaks TLS is named https://" + node() + ".";
        return new NodeUnreachableException(
                node(),
                "node " + node() + " does not answer: " + why + "; is it running, and is this its address?" + scheme,
                cause);
    }

    /**
     * Sends a request once.
     *
     * @throws NoAnswer when there is none
     * @throws BadInputException when the node's certificate is not trusted
     */
    Reply send(HttpRequest request, long timeoutMillis) {
        HttpResponse response = client.execute(request, options(timeoutMillis, MOST_ANSWER_BYTES));
        try {
            AggregatedHttpResponse whole = response.aggregate().get();
            heard = true;
            silentSinceNanos = 0;
            return new Reply(
                    node(),
                    whole.status().code(),
                    whole.headers().getLong(HttpHeaderNames.RETRY_AFTER, -1),
                    whole.content().array());
        } catch (ExecutionException e) {
            Throwable cause = cause(e);
            if (cause instanceof ContentTooLargeException) {
                throw new OperationFailedException(
                        "node " + node() + " answered with more than " + MOST_ANSWER_BYTES + " bytes; is it one?", e);
            }
            throw noAnswer(cause);
        } catch (InterruptedException e) {
            response.abort();
            Thread.currentThread().interrupt();
            throw new OperationFailedException("interrupted while node " + node() + " was asked", e);
        }
    }

    /** What to throw when there is no answer: trying again does not make a certificate a better one. */
    RuntimeException noAnswer(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof CertificateException) {
                return new BadInputException(
                        "node " + node() + ": its certificate is not trusted: " + cause.getMessage()
                                + "; if it is the right node, name a file with its certificate, or with that of who signed"
                                + " it, with --tls-trust, and the node as the certificate does",
                        failure);
            }
        }
        if (silentSinceNanos == 0) {
            silentSinceNanos = System.nanoTime();
        }
        return new NoAnswer(failure);
    }

    /** Sends a request whose answer is read as it comes. */
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

    /** What really happened: Armeria says first that the request was not processed. */
    static Throwable cause(Throwable failure) {
        Throwable peeled = Exceptions.peel(failure);
        return peeled instanceof UnprocessedRequestException && peeled.getCause() != null ? peeled.getCause() : peeled;
    }

    @Override
    public void close() {
        connections.close();
    }
}
