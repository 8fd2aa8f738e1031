package io.sluice.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A request or a statement that the service refused. */
public final class ServiceException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private static final int NOT_FOUND = 404;
    private static final int CONFLICT = 409;
    private static final int BAD_GATEWAY = 502;
    private static final int UNAVAILABLE = 503;
    private static final int GATEWAY_TIMEOUT = 504;
    private static final long USUAL_WAIT_MILLIS = 1_000;

    private final int status;
    private final String code;
    private final String[] errors;
    /** -1 if the service does not say. */
    private final long retryAfterMillis;

    private final boolean isProblem;

    private ServiceException(
            int status, String code, String message, List<String> errors, long retryAfterMillis, boolean isProblem) {
        super(message);
        this.status = status;
        this.code = code;
        this.errors = errors.toArray(new String[0]);
        this.retryAfterMillis = retryAfterMillis;
        this.isProblem = isProblem;
    }

    /** A statement that failed. */
    static ServiceException ofStatement(String code, String message) {
        return new ServiceException(200, code, message, List.of(), -1, true);
    }

    /** A refused request, from the body of the response: a problem (RFC 9457), or what something else sent. */
    static ServiceException of(int status, byte[] body) {
        JsonNode problem;
        try {
            problem = new ObjectMapper().readTree(body);
        } catch (IOException e) {
            problem = new ObjectMapper().nullNode();
        }
        if (!problem.path("detail").isTextual()) {
            String text = new String(body, StandardCharsets.UTF_8);
            return new ServiceException(status, "", "HTTP status " + status + ": " + text, List.of(), -1, false);
        }
        List<String> errors = new ArrayList<>();
        problem.path("errors").forEach(error -> errors.add(error.path("message").asText()));
        return new ServiceException(
                status,
                problem.path("type").asText(),
                problem.path("detail").asText(),
                errors,
                problem.path("retryAfterMillis").asLong(-1),
                true);
    }

    /** The HTTP status; 200 for a statement that failed. */
    public int status() {
        return status;
    }

    /** The type of the problem, or the error code of the statement. */
    public String code() {
        return code;
    }

    /** All that is wrong with the request, where the service says so; the message has the first of these. */
    public List<String> errors() {
        return List.of(errors);
    }

    /** Whether an import service refused the request; false: a proxy, or another server at this address. */
    public boolean isProblem() {
        return isProblem;
    }

    /** Whether the service says that there is no such resource. */
    public boolean isNotFound() {
        return status == NOT_FOUND && isProblem;
    }

    /**
     * Whether a retry may succeed soon: the service is busy or still handles the first request, or a proxy cannot reach
     * it.
     */
    public boolean isBusy() {
        return status == UNAVAILABLE
                || status == BAD_GATEWAY
                || status == GATEWAY_TIMEOUT
                || (status == CONFLICT && retryAfterMillis >= 0);
    }

    /** Time after which to retry, in milliseconds. */
    long retryAfterMillis() {
        return retryAfterMillis < 0 ? USUAL_WAIT_MILLIS : retryAfterMillis;
    }
}
