package io.sluice.api.wire;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The body of an error response: {@code application/problem+json} of RFC 9457, one flat object.
 *
 * @param kind the problem's kind and status
 * @param detail what failed: why; what to do
 * @param delay why to try again later, and when
 * @param directory the current range directory, if the client's one is outdated
 * @param request the request that failed
 * @param state state of the requested resource, if the state caused the failure
 * @param errors errors in single members of the request
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Problem(
        @JsonUnwrapped Kind kind,
        String detail,
        @JsonUnwrapped Delay delay,
        @Nullable DirectoryBody directory,
        @JsonUnwrapped Request request,
        @Nullable String state,
        @Nullable List<FieldError> errors) {
    public static final String MEDIA_TYPE = "application/problem+json";

    /** State of a table that another command has frozen: the same change of the cluster may take effect later. */
    public static final String FROZEN = "frozen";

    /** State of a node that was started as a member of a cluster and has not joined it yet. */
    public static final String JOINING = "joining";

    /**
     * The kind of a problem.
     *
     * @param type its URI, see {@link ProblemKind#type}
     * @param title short description
     * @param status the HTTP status code
     */
    public record Kind(String type, String title, int status) {}

    /**
     * Why to try again later, and when.
     *
     * @param limiter one word for the resource that the node waits for, as in {@code ShipAnswer.Deferred}
     * @param retryAfterMillis delay before a retry in milliseconds; the header {@code Retry-After} is in seconds
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Delay(@Nullable String limiter, @Nullable Long retryAfterMillis) {}

    /**
     * The request that failed.
     *
     * @param requestId its id in the server's log
     * @param instance its path
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Request(
            @Nullable String requestId, @Nullable String instance) {}

    public static Problem of(ProblemKind kind, String detail) {
        Kind shown = new Kind(kind.type(), kind.title(), kind.status());
        return new Problem(shown, detail, new Delay(null, null), null, new Request(null, null), null, null);
    }

    /** Returns a copy with a status that differs from the kind's status. */
    public Problem withStatus(int other) {
        Kind shown = new Kind(kind.type, kind.title, other);
        return new Problem(shown, detail, delay, directory, request, state, errors);
    }

    /** Returns a copy with a limiter. */
    public Problem waitingFor(String word) {
        return new Problem(kind, detail, new Delay(word, delay.retryAfterMillis), directory, request, state, errors);
    }

    /** Returns a copy with a delay before the retry. */
    public Problem again(long afterMillis) {
        return new Problem(kind, detail, new Delay(delay.limiter, afterMillis), directory, request, state, errors);
    }

    /** Returns a copy with the current range directory. */
    public Problem withDirectory(DirectoryBody now) {
        return new Problem(kind, detail, delay, now, request, state, errors);
    }

    /** Returns a copy with the id and path of the request. */
    public Problem about(String id, String path) {
        return new Problem(kind, detail, delay, directory, new Request(id, path), state, errors);
    }

    /** Returns a copy with the state that caused the failure. */
    public Problem inState(String word) {
        return new Problem(kind, detail, delay, directory, request, word, errors);
    }

    /** Returns a copy with errors in members of the request. */
    public Problem because(List<FieldError> wrong) {
        return new Problem(kind, detail, delay, directory, request, state, wrong);
    }
}
