package io.sluice.api.wire;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A failure as HTTP tells it: {@code application/problem+json} of RFC 9457.
 *
 * @param type what went wrong, see {@link ProblemKind#type}
 * @param title the same for people
 * @param status the HTTP status once more
 * @param detail what happened and what to do
 * @param limiter what the node waits for, in one word as in {@code ShipAnswer.Deferred}
 * @param retryAfterMillis when to try again; finer than the header {@code Retry-After}, which is in seconds
 * @param directory how the keys are divided, if the sender believed otherwise
 * @param requestId what the server's log calls the request
 * @param instance the path of the request
 * @param state of the thing that the request was about, where that is why
 * @param errors what is wrong with single members of the request
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Problem(
        String type,
        String title,
        int status,
        String detail,
        @Nullable String limiter,
        @Nullable Long retryAfterMillis,
        @Nullable DirectoryBody directory,
        @Nullable String requestId,
        @Nullable String instance,
        @Nullable String state,
        @Nullable List<FieldError> errors) {
    public static final String MEDIA_TYPE = "application/problem+json";

    public static Problem of(ProblemKind kind, String detail) {
        return new Problem(kind.type(), kind.title(), kind.status(), detail, null, null, null, null, null, null, null);
    }

    /** The same with a status that is not its kind's own. */
    public Problem withStatus(int other) {
        return new Problem(
                type, title, other, detail, limiter, retryAfterMillis, directory, requestId, instance, state, errors);
    }

    /** The same, waiting for something. */
    public Problem waitingFor(String word) {
        return new Problem(
                type, title, status, detail, word, retryAfterMillis, directory, requestId, instance, state, errors);
    }

    /** The same, to be tried again. */
    public Problem again(long afterMillis) {
        return new Problem(
                type, title, status, detail, limiter, afterMillis, directory, requestId, instance, state, errors);
    }

    /** The same with the directory as it is. */
    public Problem withDirectory(DirectoryBody now) {
        return new Problem(
                type, title, status, detail, limiter, retryAfterMillis, now, requestId, instance, state, errors);
    }

    /** The same about one request. */
    public Problem about(String id, String path) {
        return new Problem(type, title, status, detail, limiter, retryAfterMillis, directory, id, path, state, errors);
    }

    /** The same, because of a state. */
    public Problem inState(String word) {
        return new Problem(
                type, title, status, detail, limiter, retryAfterMillis, directory, requestId, instance, word, errors);
    }

    /** The same, because of members of the request. */
    public Problem because(List<FieldError> wrong) {
        return new Problem(
                type, title, status, detail, limiter, retryAfterMillis, directory, requestId, instance, state, wrong);
    }
}
