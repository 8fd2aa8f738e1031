package io.sluice.cli.jobs.client;

import io.sluice.model.error.Backoff;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.error.Reasons;
import java.io.IOException;
import java.net.ConnectException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.security.cert.CertificateException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLHandshakeException;
import org.jspecify.annotations.Nullable;

/** Sends requests to one service, with timeouts and retries. */
final class Connection {
    /** A page of jobs with thousands of inputs each, or the events of a large LSM tree. */
    static final int MOST_BYTES = 64 << 20;

    private static final Duration CONNECT = Duration.ofSeconds(5);
    /** To the head of the answer: a plan reads 16 MiB of input before there is one. */
    private static final long ANSWER_SECONDS = 60;

    /** Timeout between two chunks of an answer. */
    private static final long SILENCE_MILLIS = 30_000;
    /** Between two events; a service sends a comment after 15 s without one. */
    private static final long QUIET_MILLIS = 45_000;

    private static final int MOST_TRIES = 5;
    private static final Backoff BACKOFF = new Backoff(500, 10_000, MOST_TRIES);

    private final ServiceAddress address;
    private final HttpClient http;

    Connection(ServiceAddress address) {
        this.address = address;
        HttpClient.Builder builder = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER)
                .connectTimeout(CONNECT);
        if (address.trusted() != null) {
            builder.sslContext(TrustedCertificates.of(address.trusted()));
        }
        http = builder.build();
    }

    ServiceAddress address() {
        return address;
    }

    /** Waits before another try, after that many failures in a row, from 1. */
    static void awaitRetry(int failures) {
        sleep(BACKOFF.jitteredMillis(failures));
    }

    private static void sleep(long millis) {
        Backoff.sleep(millis, "waiting for the service");
    }

    /** A request for a path, with what all requests carry. */
    HttpRequest.Builder request(String path) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(address.url().resolve(path)).header("Accept", "application/json");
        return address.token() == null ? request : request.header("Authorization", "Bearer " + address.token());
    }

    /** Sends a request, and retries a few times unless the service refuses the first connection. */
    Answer persistently(HttpRequest request) throws IOException {
        for (int tries = 1; ; tries++) {
            try {
                Answer answer = exchange(request);
                if (!answer.busy() || tries == MOST_TRIES) {
                    return answer;
                }
                sleep(answer.retryAfterMillis());
            } catch (IOException e) {
                if (tries == MOST_TRIES || (tries == 1 && isAbsent(e))) {
                    throw e;
                }
                awaitRetry(tries);
            }
        }
    }

    /** Sends a request and reads all of the answer. */
    Answer exchange(HttpRequest request) throws IOException {
        return answer(send(request, SILENCE_MILLIS));
    }

    /** Sends a request with a streamed answer; the caller closes its body. */
    HttpResponse<Body> open(HttpRequest request) throws IOException {
        return send(request, QUIET_MILLIS);
    }

    /** Reads a whole answer. */
    Answer answer(HttpResponse<Body> response) throws IOException {
        try (Body body = response.body()) {
            return new Answer(address, response.statusCode(), body.all(MOST_BYTES));
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    /** Waits for the head itself: the JDK's timeout of a request ends long bodies, too, in some of its versions. */
    private HttpResponse<Body> send(HttpRequest request, long silenceMillis) throws IOException {
        CompletableFuture<HttpResponse<Body>> sent = http.sendAsync(request, head -> new Body(silenceMillis));
        try {
            return sent.get(ANSWER_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            sent.cancel(true);
            throw new HttpTimeoutException("no answer came for " + ANSWER_SECONDS + " s");
        } catch (InterruptedException e) {
            sent.cancel(true);
            throw interrupted(e);
        } catch (ExecutionException e) {
            throw failed(e.getCause());
        }
    }

    /** Maps a failure to an error with the remedy. */
    private IOException failed(@Nullable Throwable cause) {
        if (cause instanceof SSLHandshakeException && isCertificate(cause)) {
            throw new BadInputException(
                    address + ": certificate not trusted: use --tls-trust FILE with its certificate, or that of its"
                            + " issuer (" + cause.getMessage() + ")",
                    cause);
        }
        return cause instanceof IOException known ? known : new IOException(cause);
    }

    private static boolean isCertificate(Throwable e) {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof CertificateException) {
                return true;
            }
        }
        return false;
    }

    private static boolean isAbsent(IOException e) {
        return e instanceof ConnectException || e instanceof HttpTimeoutException;
    }

    private static OperationFailedException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new OperationFailedException("interrupted while waiting for the service", e);
    }

    /** Returns the error for a service that did not answer, with the remedy. */
    OperationFailedException unreachable(IOException e) {
        boolean absent = e instanceof ConnectException;
        String what = absent
                ? "no import service answers at " + address + ": " + Reasons.ofConnection(e)
                : "the import service at " + address + " gave no whole answer: "
                        + (e.getMessage() == null ? e : e.getMessage());
        return new OperationFailedException(
                what + "; start one with 'sluice serve --store DIR', or name another with --server URL", e);
    }
}
