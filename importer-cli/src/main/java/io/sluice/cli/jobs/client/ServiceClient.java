package io.sluice.cli.jobs.client;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.cli.output.Printable;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.error.Reasons;
import io.sluice.model.error.SluiceException;
import io.sluice.rest.ServiceException;
import io.sluice.rest.SluiceClient;
import io.sluice.service.job.JobState.Action;
import io.sluice.service.spec.ImportSpec;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.http.HttpClient;
import java.security.cert.CertificateException;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An import service for commands: its failures are errors with the option or command that helps. A refused request is a
 * {@link BadInputException} with all that the service says is wrong; what the service could not do, and silence, an
 * {@link OperationFailedException}.
 */
public final class ServiceClient {
    private static final Duration CONNECT = Duration.ofSeconds(5);
    /** A plan reads 16 MiB of input before there is a response. */
    private static final Duration RESPONSE = Duration.ofSeconds(60);

    private static final int UNAUTHORIZED = 401;
    private static final int CONFLICT = 409;
    private static final int TOO_MANY_REQUESTS = 429;
    private static final int SERVER_ERROR = 500;

    private final ServiceAddress address;
    private final SluiceClient service;

    /** A client; nothing is connected before the first request. */
    public ServiceClient(ServiceAddress address) {
        this.address = address;
        HttpClient.Builder http = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER)
                .connectTimeout(CONNECT);
        if (address.trusted() != null) {
            http.sslContext(TrustedCertificates.of(address.trusted()));
        }
        service = new SluiceClient(http.build(), address.url(), address.token(), RESPONSE);
    }

    public ServiceAddress address() {
        return address;
    }

    /** The options by which another command finds this service; empty when it does so without. */
    public String option() {
        return address.isUsual() ? "" : " --server " + address;
    }

    /** Gets the resource at a path. */
    public JsonNode get(String path) {
        return request(() -> service.get(path));
    }

    /**
     * One job.
     *
     * @throws BadInputException when there is none of that id
     */
    public JobView job(String id) {
        return JobView.of(ofJob(id, () -> service.job(id)));
    }

    /** Asks for a change of a job's state; the result shows the job on its way there. */
    public JobView act(String id, Action action) {
        return JobView.of(ofJob(id, () -> service.act(id, SluiceClient.Action.valueOf(action.name()))));
    }

    /** Requests the plan of an import; see {@code docs/how-to/plan.md}. */
    public JsonNode plan(JsonNode spec) {
        return request(() -> service.plan(spec));
    }

    /** Submits an import, once even if connections break. */
    public JobView create(JsonNode spec) {
        String id = spec.path("jobId").asText();
        return JobView.of(request(() -> {
            try {
                return service.submit(spec);
            } catch (ServiceException e) {
                if (e.status() == CONFLICT && !id.isEmpty()) {
                    throw new BadInputException(
                            "there is a job " + id + " already; watch it with 'sluice jobs watch " + id + option()
                                    + "', or take another --job-id",
                            e);
                }
                throw e;
            }
        }));
    }

    /**
     * Follows a job until it is done.
     *
     * @param done gets the job whenever it changes
     * @throws OperationFailedException when the service has not answered for two minutes
     */
    void follow(String id, Predicate<JsonNode> done) {
        ofJob(id, () -> {
            try {
                return service.watchUntil(id, done);
            } catch (UncheckedIOException e) {
                throw silent(id, e);
            } catch (ServiceException e) {
                throw e.isBusy() ? silent(id, e) : e;
            }
        });
    }

    private OperationFailedException silent(String id, RuntimeException e) {
        return new OperationFailedException(
                "the service at " + address + " has not answered for two minutes; its jobs go on when it does: watch"
                        + " this one with 'sluice jobs watch " + id + option() + "'",
                e);
    }

    private JsonNode ofJob(String id, Supplier<JsonNode> request) {
        path(id);
        return request(() -> {
            try {
                return request.get();
            } catch (ServiceException e) {
                if (e.isNotFound()) {
                    throw new BadInputException(
                            "there is no job " + id + "; 'sluice jobs list' shows those that there are", e);
                }
                throw e;
            }
        });
    }

    /** The path of a job, whose id is checked: it must not lead elsewhere. */
    public static String path(String id) {
        if (!ImportSpec.ID.matcher(id).matches()) {
            throw new BadInputException(
                    "'" + Printable.line(id) + "' is no job id; 'sluice jobs list' shows those that there are");
        }
        return "/v1/imports/" + id;
    }

    private JsonNode request(Supplier<JsonNode> request) {
        try {
            return request.get();
        } catch (ServiceException e) {
            throw refused(e);
        } catch (UncheckedIOException e) {
            throw unreachable(Objects.requireNonNull(e.getCause()));
        }
    }

    private SluiceException refused(ServiceException e) {
        if (e.status() == UNAUTHORIZED) {
            return new BadInputException(
                    "the service at " + address + " rejected the request: missing or wrong token; name its file with"
                            + " --token-file, or set SLUICE_TOKEN",
                    e);
        }
        if (!e.isProblem()) {
            return new OperationFailedException(
                    address + " answered with HTTP status " + e.status()
                            + ", not as an import service does; check --server",
                    e);
        }
        // The message has only the first of several errors, and their count.
        String message =
                Printable.text(e.errors().isEmpty() ? String.valueOf(e.getMessage()) : String.join("\n", e.errors()));
        // Too many jobs: not an error of the command line.
        return e.status() >= SERVER_ERROR || e.status() == TOO_MANY_REQUESTS
                ? new OperationFailedException("the service at " + address + ": " + message, e)
                : new BadInputException(message, e);
    }

    private SluiceException unreachable(IOException e) {
        if (isCertificate(e)) {
            return new BadInputException(
                    address + ": certificate not trusted: use --tls-trust FILE with its certificate, or that of its"
                            + " issuer (" + e.getMessage() + ")",
                    e);
        }
        if (e instanceof JsonProcessingException) {
            return new OperationFailedException(
                    address + " answered what is no JSON; is it an import service? Check --server", e);
        }
        String what = e instanceof ConnectException
                ? "no import service answers at " + address + ": " + Reasons.ofConnection(e)
                : "the import service at " + address + " gave no whole answer: "
                        + (e.getMessage() == null ? e : e.getMessage())
                        + (address.toString().startsWith("http:") ? "; if it speaks TLS, it is named https://" : "");
        return new OperationFailedException(
                what + "; start one with 'sluice serve --store DIR', or name another with --server URL", e);
    }

    private static boolean isCertificate(Throwable e) {
        for (@Nullable Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof CertificateException) {
                return true;
            }
        }
        return false;
    }
}
