package io.sluice.api.wire;

import com.fasterxml.jackson.annotation.JsonInclude;
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
 * @param requestId what the node's log calls the request
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
        @Nullable String requestId) {
    public static final String MEDIA_TYPE = "application/problem+json";

    public static Problem of(ProblemKind kind, String detail) {
        return new Problem(kind.type(), kind.title(), kind.status(), detail, null, null, null, null);
    }

    public Problem waitingFor(String word) {
        return new Problem(type, title, status, detail, word, retryAfterMillis, directory, requestId);
    }

    public Problem again(long afterMillis) {
        return new Problem(type, title, status, detail, limiter, afterMillis, directory, requestId);
    }

    public Problem withDirectory(DirectoryBody now) {
        return new Problem(type, title, status, detail, limiter, retryAfterMillis, now, requestId);
    }

    public Problem withRequestId(String id) {
        return new Problem(type, title, status, detail, limiter, retryAfterMillis, directory, id);
    }
}
