package io.sluice.cli.jobs.client;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.api.error.BadInputException;
import io.sluice.api.error.OperationFailedException;
import io.sluice.api.error.SluiceException;
import io.sluice.service.job.JobState.Action;
import io.sluice.service.spec.ImportSpec;
import java.io.IOException;
import java.net.ConnectException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertificateException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLHandshakeException;
import org.jspecify.annotations.Nullable;

/**
 * A client of an import service, whose contract is its {@code openapi.yaml}. Answers are bounded, and nothing is waited
 * for without end. What the service turns down is a {@link BadInputException} with all that it says is wrong; what it
 * could not do, and silence, an {@link OperationFailedException}.
 */
public final class ServiceClient {
    private static final Duration CONNECT = Duration.ofSeconds(5);
    /** To the first byte: a plan reads 16 MiB of input before there is one. */
    private static final long ANSWER_SECONDS = 60;

    /** Between two pieces of an answer. */
    private static final long SILENCE_MILLIS = 30_000;
    /** Between two events; a service sends a comment after 15 s without one. */
    private static final long QUIET_MILLIS = 45_000;
    /** A page of jobs with thousands of inputs each, or the events of a large LSM tree. */
    private static final int MOST_BYTES = 64 << 20;

    private static final int MOST_TRIES = 5;
    private static final int OK = 200;
    private static final String IMPORTS = "/v1/imports";

    private final ServiceAddress address;
    private final HttpClient http;
    private final Pause pause = new Pause(ProcessHandle.current().pid());

    /** A client; nothing is connected before the first request. */
    public ServiceClient(ServiceAddress address) {
        this.address = address;
        HttpClient.Builder builder = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER)
                .connectTimeout(CONNECT);
        if (address.trusted() != null) {
            builder.sslContext(Trust.of(address.trusted()));
        }
        http = builder.build();
    }

    /** Where the service is. */
    public ServiceAddress address() {
        return address;
    }

    /** The options by which another command finds this service; empty when it does so without. */
    public String option() {
        return address.isUsual() ? "" : " --server " + address;
    }

    /** What is at a path. */
    public JsonNode get(String path) {
        try {
            return exchange(request(path).GET().build()).orFail();
        } catch (IOException e) {
            throw unreachable(e);
        }
    }

    /** How long those wait who ask it again. */
    Pause pause() {
        return pause;
    }

    /**
     * One job.
     *
     * @throws BadInputException when there is none of that id
     */
    public JobView job(String id) {
        try {
            return JobView.of(known(id, exchange(request(path(id)).GET().build())));
        } catch (IOException e) {
            throw unreachable(e);
        }
    }

    private static JsonNode known(String id, Answer answer) {
        if (answer.missing()) {
            throw new BadInputException("there is no job " + id + "; 'sluice jobs list' shows those that there are");
        }
        return answer.orFail();
    }

    /**
     * A job, for who has asked for it before and knows what to do when nothing answers.
     *
     * @throws IOException when there is no answer, or one that says that the service is busy
     */
    JobView tryJob(String id) throws IOException {
        Answer answer = exchange(request(path(id)).GET().build());
        if (answer.busy()) {
            throw new IOException("the service is busy");
        }
        return JobView.of(known(id, answer));
    }

    /** Asks for a change of a job's state; the answer shows the job on its way there. */
    public JobView act(String id, Action action) {
        HttpRequest request = request(path(id) + ":" + action.label())
                .POST(BodyPublishers.noBody())
                .build();
        try {
            // Asked twice it does what it does when asked once.
            return JobView.of(known(id, persistently(request)));
        } catch (IOException e) {
            throw unreachable(e);
        }
    }

    /** What an import would do, as {@code docs/plan.md} has it. */
    public JsonNode plan(JsonNode spec) {
        try {
            return exchange(post(IMPORTS + "?dryRun=true", spec).build()).orFail();
        } catch (IOException e) {
            throw unreachable(e);
        }
    }

    /**
     * Submits an import. If the connection breaks it is sent again with the same key, by which the service knows that
     * it is the same import.
     */
    public JobView create(JsonNode spec) {
        String key = UUID.randomUUID().toString();
        HttpRequest request = post(IMPORTS, spec).header("Idempotency-Key", key).build();
        try {
            Answer answer = persistently(request);
            if (answer.conflicts()) {
                throw taken(answer, spec.path("jobId").asText());
            }
            return JobView.of(answer.orFail());
        } catch (IOException e) {
            throw unreachable(e);
        }
    }

    private SluiceException taken(Answer answer, String id) {
        SluiceException failure = answer.failure();
        return id.isEmpty()
                ? failure
                : new BadInputException(
                        "there is a job " + id + " already; watch it with 'sluice jobs watch " + id + option()
                                + "', or take another --job-id",
                        failure);
    }

    /**
     * The events of one job; the caller closes them.
     *
     * @throws IOException when there is no answer, or the service has too many watchers
     */
    ServerEvents events(String id) throws IOException {
        HttpRequest request = request(path(id) + "/events")
                .setHeader("Accept", "text/event-stream")
                .GET()
                .build();
        HttpResponse<Body> response = send(request, QUIET_MILLIS);
        if (response.statusCode() == OK) {
            return new ServerEvents(response.body(), MOST_BYTES);
        }
        Answer answer = answer(response);
        if (!answer.busy()) {
            answer.orFail();
        }
        throw new IOException("the service is busy");
    }

    /** The path of a job, whose id is checked: it must not lead elsewhere. */
    public static String path(String id) {
        if (!ImportSpec.ID.matcher(id).matches()) {
            throw new BadInputException(
                    "'" + Printable.line(id) + "' is no job id; 'sluice jobs list' shows those that there are");
        }
        return IMPORTS + "/" + id;
    }

    private HttpRequest.Builder request(String path) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(address.url().resolve(path)).header("Accept", "application/json");
        return address.token() == null ? request : request.header("Authorization", "Bearer " + address.token());
    }

    private HttpRequest.Builder post(String path, JsonNode body) {
        return request(path)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(body.toString(), StandardCharsets.UTF_8));
    }

    /** Sends again what may be sent again, a few times, unless nobody is there to begin with. */
    private Answer persistently(HttpRequest request) throws IOException {
        for (int tries = 1; ; tries++) {
            try {
                Answer answer = exchange(request);
                if (!answer.busy() || tries == MOST_TRIES) {
                    return answer;
                }
                Pause.sleep(answer.retryAfterMillis());
            } catch (IOException e) {
                if (tries == MOST_TRIES || (tries == 1 && isAbsent(e))) {
                    throw e;
                }
                pause.before(tries);
            }
        }
    }

    private Answer exchange(HttpRequest request) throws IOException {
        return answer(send(request, SILENCE_MILLIS));
    }

    private Answer answer(HttpResponse<Body> response) throws IOException {
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

    /** Why there was no answer, as what is to be done about it. */
    private IOException failed(@Nullable Throwable cause) {
        if (cause instanceof SSLHandshakeException && isCertificate(cause)) {
            throw new BadInputException(
                    "the certificate of " + address + " is not trusted: " + cause.getMessage()
                            + "; name the file with those to trust with --tls-trust",
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

    /** That there was no answer, and what to do about it. */
    OperationFailedException unreachable(IOException e) {
        boolean absent = e instanceof ConnectException;
        String what = absent
                ? "no import service answers at " + address + reason(e)
                : "the import service at " + address + " gave no whole answer: "
                        + (e.getMessage() == null ? e : e.getMessage());
        return new OperationFailedException(
                what + "; start one with 'sluice serve --store DIR', or name another with --server URL", e);
    }

    private static String reason(IOException e) {
        Throwable cause = e;
        while (cause != null && !(cause instanceof UnresolvedAddressException)) {
            cause = cause.getCause();
        }
        @Nullable String message = e.getMessage();
        return cause != null ? " (there is no such host)" : message == null ? "" : " (" + message + ")";
    }
}
