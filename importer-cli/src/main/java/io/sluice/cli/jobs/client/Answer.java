package io.sluice.cli.jobs.client;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.sluice.api.wire.FieldError;
import io.sluice.api.wire.Problem;
import io.sluice.cli.output.Printable;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.error.SluiceException;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A service's response to a request. Does not copy the array.
 *
 * @param service address of the service
 * @param status the HTTP status
 * @param body the body
 */
@SuppressWarnings("ArrayRecordComponent")
record Answer(ServiceAddress service, int status, byte[] body) {
    static final JsonMapper JSON = JsonMapper.builder()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();

    private static final int MULTIPLE_CHOICES = 300;
    private static final int UNAUTHORIZED = 401;
    private static final int NOT_FOUND = 404;
    private static final int CONFLICT = 409;
    private static final int TOO_MANY_REQUESTS = 429;
    private static final int SERVER_ERROR = 500;
    private static final int BAD_GATEWAY = 502;
    private static final int UNAVAILABLE = 503;
    private static final int GATEWAY_TIMEOUT = 504;
    private static final long USUAL_WAIT_MILLIS = 1_000;
    private static final long LONGEST_WAIT_MILLIS = 10_000;

    boolean succeeded() {
        return status < MULTIPLE_CHOICES;
    }

    /**
     * Whether a retry may succeed soon: the service is busy or still handles the first request, or a proxy cannot reach
     * it.
     */
    boolean busy() {
        Problem problem = problem();
        return status == UNAVAILABLE
                || status == BAD_GATEWAY
                || status == GATEWAY_TIMEOUT
                || (status == CONFLICT && problem != null && problem.retryAfterMillis() != null);
    }

    /** Whether the service reports that the resource does not exist. */
    boolean missing() {
        return status == NOT_FOUND && problem() != null;
    }

    /** Whether the request conflicts with the state of the resource. */
    boolean conflicts() {
        return status == CONFLICT;
    }

    /** Time after which to retry, in milliseconds. */
    long retryAfterMillis() {
        Problem problem = problem();
        Long told = problem == null ? null : problem.retryAfterMillis();
        return told == null ? USUAL_WAIT_MILLIS : Math.min(LONGEST_WAIT_MILLIS, Math.max(0, told));
    }

    /**
     * Returns the body.
     *
     * @throws SluiceException if the service refused or failed; the message is the service's
     */
    JsonNode orFail() {
        if (!succeeded()) {
            throw failure();
        }
        try {
            return JSON.readTree(body);
        } catch (IOException e) {
            throw new OperationFailedException(
                    service + " answered what is no JSON; is it an import service? Check --server", e);
        }
    }

    /** Returns the problem, or null if the body is not a problem of this API. */
    private @Nullable Problem problem() {
        if (succeeded() || body.length == 0) {
            return null;
        }
        try {
            Problem problem = JSON.readValue(body, Problem.class);
            return problem.detail() == null ? null : problem;
        } catch (IOException e) {
            return null;
        }
    }

    /** Returns the failure as an error for the user. */
    SluiceException failure() {
        if (status == UNAUTHORIZED) {
            return new BadInputException("the service at " + service + " rejected the request: missing or wrong token;"
                    + " name its file with --token-file, or set SLUICE_TOKEN");
        }
        Problem problem = problem();
        if (problem == null) {
            return new OperationFailedException(service + " answered with HTTP status " + status
                    + ", not as an import service does; check --server");
        }
        // Too many jobs: not an error of the command line.
        return status >= SERVER_ERROR || status == TOO_MANY_REQUESTS
                ? new OperationFailedException("the service at " + service + ": " + message(problem))
                : new BadInputException(message(problem));
    }

    /** Returns the detail, or all errors one per line: the detail has only the first one and a count. */
    private static String message(Problem problem) {
        List<FieldError> errors = problem.errors();
        if (errors == null || errors.isEmpty()) {
            return Printable.text(problem.detail());
        }
        return Printable.text(
                String.join("\n", errors.stream().map(FieldError::message).toList()));
    }
}
