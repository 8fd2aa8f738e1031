package io.sluice.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.Spliterator;
import java.util.Spliterators.AbstractSpliterator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import javax.net.ssl.SSLHandshakeException;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests to one service, with timeouts and retries. Thread-safe.
 *
 * <p>A refused request is a {@link ServiceException}; no whole response is an {@link UncheckedIOException} whose cause
 * is the failure of the connection.
 */
final class Connection {
    /** A page of imports with thousands of inputs each, or the events of a large LSM tree. */
    private static final int MOST_BYTES = 64 << 20;

    private static final int LAST_SUCCESS = 299;
    private static final int MOST_TRIES = 5;
    private static final long FIRST_WAIT_MILLIS = 500;
    private static final long LONGEST_WAIT_MILLIS = 10_000;
    /** 500 ms << 5 is above the longest wait. */
    private static final int MOST_DOUBLINGS = 5;

    private static final ObjectMapper JSON = new ObjectMapper();

    private final HttpClient http;
    private final String service;
    private final @Nullable String token;
    private final Duration timeout;

    Connection(HttpClient http, URI service, @Nullable String token, Duration timeout) {
        this.http = http;
        this.service = service.toString().replaceAll("/+$", "");
        this.token = token;
        this.timeout = timeout;
    }

    /** A request for a path, with what all requests carry. */
    HttpRequest.Builder request(String path) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(service + path)).header("Accept", "application/json");
        return token == null ? request : request.header("Authorization", "Bearer " + token);
    }

    /** Sends a request, and returns the JSON of the response. */
    JsonNode json(HttpRequest request) {
        try {
            return exchange(request);
        } catch (IOException e) {
            throw unchecked(request, e);
        }
    }

    /**
     * As {@link #json}, and sends the request up to five times while the service is busy or connections break. Not if
     * the first connection fails.
     */
    JsonNode jsonWithRetries(HttpRequest request) {
        for (int tries = 1; ; tries++) {
            try {
                return exchange(request);
            } catch (ServiceException e) {
                if (tries == MOST_TRIES || !e.isBusy()) {
                    throw e;
                }
                pause(Math.min(LONGEST_WAIT_MILLIS, e.retryAfterMillis()));
            } catch (IOException e) {
                if (tries == MOST_TRIES || (tries == 1 && isAbsent(e))) {
                    throw unchecked(request, e);
                }
                awaitRetry(tries);
            }
        }
    }

    /**
     * Sends a request, and streams the lines of the response. Closing the stream ends the request.
     *
     * @param silence longest time without a byte
     */
    Stream<String> lines(HttpRequest request, Duration silence) {
        Body body;
        try {
            body = open(request, silence);
        } catch (IOException e) {
            throw unchecked(request, e);
        }
        Spliterator<String> lines = new AbstractSpliterator<>(Long.MAX_VALUE, Spliterator.ORDERED) {
            @Override
            public boolean tryAdvance(Consumer<? super String> each) {
                String line;
                try {
                    line = body.line(MOST_BYTES);
                } catch (IOException e) {
                    throw unchecked(request, e);
                } catch (InterruptedException e) {
                    throw unchecked(request, interrupted(e));
                }
                if (line != null) {
                    each.accept(line);
                }
                return line != null;
            }
        };
        return StreamSupport.stream(lines, false).onClose(body::close);
    }

    private JsonNode exchange(HttpRequest request) throws IOException {
        try (Body body = open(request, timeout)) {
            return JSON.readTree(body.all(MOST_BYTES));
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    /** Returns the body of a success; the caller closes it. */
    private Body open(HttpRequest request, Duration silence) throws IOException {
        HttpResponse<Body> response = send(request, silence);
        if (response.statusCode() <= LAST_SUCCESS) {
            return response.body();
        }
        try (Body body = response.body()) {
            throw ServiceException.of(response.statusCode(), body.all(MOST_BYTES));
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    /** Waits for the head itself: the JDK's timeout of a request ends long bodies, too, in some of its versions. */
    private HttpResponse<Body> send(HttpRequest request, Duration silence) throws IOException {
        CompletableFuture<HttpResponse<Body>> sent = http.sendAsync(request, head -> new Body(silence.toMillis()));
        try {
            return sent.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            sent.cancel(true);
            throw new HttpTimeoutException("no response came for " + timeout.toSeconds() + " s");
        } catch (InterruptedException e) {
            sent.cancel(true);
            throw interrupted(e);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException known ? known : new IOException(e.getCause());
        }
    }

    /** Waits before another try, after that many failures in a row, from 1; a random time, so that clients spread. */
    static void awaitRetry(int failures) {
        long most = Math.min(LONGEST_WAIT_MILLIS, FIRST_WAIT_MILLIS << Math.min(MOST_DOUBLINGS, failures - 1));
        pause(ThreadLocalRandom.current().nextLong(most / 2, most));
    }

    private static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            throw new UncheckedIOException(interrupted(e));
        }
    }

    /** Whether there is no such service, so that a retry gains nothing. */
    private static boolean isAbsent(IOException e) {
        return e instanceof ConnectException || e instanceof HttpTimeoutException || e instanceof SSLHandshakeException;
    }

    private static UncheckedIOException unchecked(HttpRequest request, IOException e) {
        return new UncheckedIOException(request.uri() + ": " + e.getMessage(), e);
    }

    private static InterruptedIOException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        InterruptedIOException failure = new InterruptedIOException("interrupted while waiting for the service");
        failure.initCause(e);
        return failure;
    }
}
