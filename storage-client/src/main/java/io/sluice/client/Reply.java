package io.sluice.client;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.sluice.api.wire.OperationBody;
import io.sluice.api.wire.Problem;
import io.sluice.api.wire.ProblemKind;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.ChangeRefusedException;
import io.sluice.model.error.FencedException;
import io.sluice.model.error.NodeUnreachableException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.error.SluiceException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A node's answer. The array is not copied.
 *
 * @param from settings of the node
 * @param status the HTTP status
 * @param retryAfterSeconds value of the Retry-After header, or -1
 * @param body the body
 */
@SuppressWarnings("ArrayRecordComponent")
record Reply(RemoteSettings from, int status, long retryAfterSeconds, byte[] body) {
    static final JsonMapper JSON = JsonMapper.builder()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();

    private static final int MULTIPLE_CHOICES = 300;
    private static final int ACCEPTED = 202;
    private static final int UNAUTHORIZED = 401;
    private static final int TOO_MANY_REQUESTS = 429;
    private static final int UNAVAILABLE = 503;
    private static final long MILLIS_PER_SECOND = 1000;
    /** Bytes of an unreadable answer that its error shows. */
    private static final int SHOWN_BYTES = 60;

    private static final Pattern UNPRINTABLE = Pattern.compile("[\\p{Cntrl}\\uFFFD]");

    /** The node in messages. */
    String node() {
        return from.described();
    }

    boolean succeeded() {
        return status < MULTIPLE_CHOICES;
    }

    /** Whether the operation is still running. */
    boolean running() {
        return status == ACCEPTED;
    }

    /** The result of a successful operation, in the form of a direct answer to its request. */
    Reply operationResult() {
        return new Reply(from, status, -1, json(as(OperationBody.class).result()));
    }

    /** Whether the node deferred the request; the client may send it again. */
    boolean deferred() {
        return status == TOO_MANY_REQUESTS || status == UNAVAILABLE;
    }

    boolean is(ProblemKind kind) {
        Problem problem = problem();
        return problem != null && kind.type().equals(problem.kind().type());
    }

    /** The problem in the body; null if the body is not a problem of this API. */
    @Nullable
    Problem problem() {
        if (succeeded() || body.length == 0) {
            return null;
        }
        try {
            return JSON.readValue(body, Problem.class);
        } catch (IOException e) {
            return null;
        }
    }

    /** The pause before the next try: from the body, else the header, else {@code otherwise}. */
    long retryAfterMillis(long otherwise) {
        Problem problem = problem();
        Long millis = problem == null ? null : problem.delay().retryAfterMillis();
        if (millis != null) {
            return Math.max(0, millis);
        }
        return retryAfterSeconds >= 0 ? retryAfterSeconds * MILLIS_PER_SECOND : otherwise;
    }

    /** The node's reason for the failure. */
    String detail() {
        Problem problem = problem();
        return problem == null ? "HTTP status " + status : problem.detail();
    }

    /** Whether the node is to be in a cluster, and has not joined it yet. */
    boolean isJoining() {
        Problem problem = problem();
        return problem != null && Problem.JOINING.equals(problem.state());
    }

    /** The exception for the user. */
    SluiceException failure() {
        String message = "node " + node() + ": " + detail();
        if (status == UNAUTHORIZED) {
            return new BadInputException(
                    "node " + node()
                            + " rejected the request: missing or wrong token; name its file with --token-file, or set SLUICE_TOKEN");
        }
        Problem problem = problem();
        if (is(ProblemKind.CHANGE_REFUSED)) {
            return new ChangeRefusedException(message, problem != null && Problem.FROZEN.equals(problem.state()));
        }
        if (is(ProblemKind.FENCED)) {
            return new FencedException(message);
        }
        if (is(ProblemKind.OUTDATED) || isJoining()) {
            // As one that does not answer: another replica may.
            return NodeUnreachableException.outdated(from.name(), node(), message);
        }
        if (is(ProblemKind.MOVED) && problem != null && problem.directory() == null) {
            // A read; with a directory, it is an SST that must be cut again.
            return NodeUnreachableException.moved(from.name(), node(), message);
        }
        boolean callerError = is(ProblemKind.BAD_REQUEST)
                || is(ProblemKind.FORBIDDEN)
                || is(ProblemKind.NOT_FOUND)
                || is(ProblemKind.CONFLICT);
        return callerError ? new BadInputException(message) : new OperationFailedException(message);
    }

    /** This reply if the request succeeded; throws otherwise. */
    Reply orFail() {
        if (succeeded()) {
            return this;
        }
        throw failure();
    }

    <T> T as(Class<T> type) {
        try {
            return present(JSON.readValue(body, type));
        } catch (IOException e) {
            throw notUnderstood(e);
        }
    }

    <T> T as(TypeReference<T> type) {
        try {
            return present(JSON.readValue(body, type));
        } catch (IOException e) {
            throw notUnderstood(e);
        }
    }

    private static <T> T present(@Nullable T value) throws IOException {
        if (value == null) {
            throw new IOException("the answer is null");
        }
        return value;
    }

    private OperationFailedException notUnderstood(IOException e) {
        String text = new String(body, 0, Math.min(body.length, SHOWN_BYTES), StandardCharsets.UTF_8);
        String shown = UNPRINTABLE.matcher(text).replaceAll("?");
        return new OperationFailedException(
                "node " + node() + " answers, but this version cannot read its answer of " + body.length + " bytes"
                        + (body.length == 0 ? "" : ", which begins with '" + shown + "'")
                        + "; is it a storage node, and of the same version?",
                e);
    }

    static byte[] json(@Nullable Object value) {
        try {
            return JSON.writeValueAsBytes(value);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a request that is no JSON", e);
        }
    }
}
