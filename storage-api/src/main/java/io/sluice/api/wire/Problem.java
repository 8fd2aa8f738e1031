package io.sluice.api.wire;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The body of an error response: {@code application/problem+json} of RFC 9457.
 *
 * @param type URI of the problem's kind, see {@link ProblemKind#type}
 * @param title short description of the kind
 * @param status the HTTP status code
 * @param detail what failed: why; what to do
 * @param limiter one word for the resource that the node waits for, as in {@code ShipAnswer.Deferred}
 * @param retryAfterMillis delay before a retry in milliseconds; the header {@code Retry-After} is in seconds
 * @param directory the current range directory, if the client's one is outdated
 * @param requestId id of the request in the server's log
 * @param instance path of the request
 * @param state state of the requested resource, if the state caused the failure
 * @param errors errors in single members of the request
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

    /** State of a table that another command has frozen: the same change of the cluster may take effect later. */
    public static final String FROZEN = "frozen";

    /** State of a node that was started as a member of a cluster and has not joined it yet. */
    public static final String JOINING = "joining";

    public static Problem of(ProblemKind kind, String detail) {
        return new Problem(kind.type(), kind.title(), kind.status(), detail, null, null, null, null, null, null, null);
    }

    /** Returns a copy with a status that differs from the kind's status. */
    public Problem withStatus(int other) {
        return new Problem(
                type, title, other, detail, limiter, retryAfterMillis, directory, requestId, instance, state, errors);
    }

    /** Returns a copy with a limiter. */
    public Problem waitingFor(String word) {
        return new Problem(
                type, title, status, detail, word, retryAfterMillis, directory, requestId, instance, state, errors);
    }

    /** Returns a copy with a delay before the retry. */
    public Problem again(long afterMillis) {
        return new Problem(
                type, title, status, detail, limiter, afterMillis, directory, requestId, instance, state, errors);
    }

    /** Returns a copy with the current range directory. */
    public Problem withDirectory(DirectoryBody now) {
        return new Problem(
                type, title, status, detail, limiter, retryAfterMillis, now, requestId, instance, state, errors);
    }

    /** Returns a copy with the id and path of the request. */
    public Problem about(String id, String path) {
        return new Problem(type, title, status, detail, limiter, retryAfterMillis, directory, id, path, state, errors);
    }

    /** Returns a copy with the state that caused the failure. */
    public Problem inState(String word) {
        return new Problem(
                type, title, status, detail, limiter, retryAfterMillis, directory, requestId, instance, word, errors);
    }

    /** Returns a copy with errors in members of the request. */
    public Problem because(List<FieldError> wrong) {
        return new Problem(
                type, title, status, detail, limiter, retryAfterMillis, directory, requestId, instance, state, wrong);
    }
}
