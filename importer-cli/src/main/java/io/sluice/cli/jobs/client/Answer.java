package io.sluice.cli.jobs.client;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.sluice.api.error.BadInputException;
import io.sluice.api.error.OperationFailedException;
import io.sluice.api.error.SluiceException;
import io.sluice.api.wire.FieldError;
import io.sluice.api.wire.Problem;
import io.sluice.cli.output.Printable;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a service answered. The array is not copied.
 *
 * @param service who answered
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
     * Whether the same request may soon get another answer: the service is busy, still answers the first one, or a
     * proxy does not find it just now.
     */
    boolean busy() {
        Problem problem = problem();
        return status == UNAVAILABLE
                || status == BAD_GATEWAY
                || status == GATEWAY_TIMEOUT
                || (status == CONFLICT && problem != null && problem.retryAfterMillis() != null);
    }

    /** Whether there is no such thing, as a service says it. */
    boolean missing() {
        return status == NOT_FOUND && problem() != null;
    }

    /** Whether what was asked for does not fit what there is. */
    boolean conflicts() {
        return status == CONFLICT;
    }

    /** When to ask again, in milliseconds. */
    long retryAfterMillis() {
        Problem problem = problem();
        Long told = problem == null ? null : problem.retryAfterMillis();
        return told == null ? USUAL_WAIT_MILLIS : Math.min(LONGEST_WAIT_MILLIS, Math.max(0, told));
    }

    /**
     * What was asked for.
     *
     * @throws SluiceException when the service did not do it; the message is the service's
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

    /** What went wrong; null when the answer does not say so in the way of this API. */
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

    /** Why the service did not do it, for the user. */
    SluiceException failure() {
        if (status == UNAUTHORIZED) {
            return new BadInputException("the service at " + service + " wants a token, and has not got the one it"
                    + " knows; name its file with --token-file, or set SLUICE_TOKEN");
        }
        Problem problem = problem();
        if (problem == null) {
            return new OperationFailedException(service + " answered with HTTP status " + status
                    + ", not as an import service does; check --server");
        }
        // Too many jobs is nothing that another command line would change.
        return status >= SERVER_ERROR || status == TOO_MANY_REQUESTS
                ? new OperationFailedException("the service at " + service + ": " + message(problem))
                : new BadInputException(message(problem));
    }

    /** The detail, or all errors one by one: the detail has the first one, and says how many more there are. */
    private static String message(Problem problem) {
        List<FieldError> errors = problem.errors();
        if (errors == null || errors.isEmpty()) {
            return Printable.text(problem.detail());
        }
        return Printable.text(
                String.join("\n", errors.stream().map(FieldError::message).toList()));
    }
}
