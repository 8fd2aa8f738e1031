package io.sluice.api.wire;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What went wrong with a request: what clients branch on, besides the status. */
public enum ProblemKind {
    /** The request makes no sense; sent again it makes none either. */
    BAD_REQUEST(400, "The request cannot be understood"),
    UNAUTHORIZED(401, "A bearer token is needed"),
    /** The request comes from where the server lets nobody in: a web page of another origin, most likely. */
    FORBIDDEN(403, "The request is not let in"),
    /** No such table, index or path. */
    NOT_FOUND(404, "There is no such thing"),
    /** No import of that id is under way: it was never begun, or is published, or undone. */
    UNKNOWN_IMPORT(404, "There is no such import"),
    METHOD_NOT_ALLOWED(405, "The method does not fit the path"),
    /** The table exists, is being imported, is a parent of others; or a step does not fit the import's state. */
    CONFLICT(409, "The state of things does not allow it"),
    /** Somebody began the import after the sender did. */
    FENCED(409, "A later attempt at the import is under way"),
    /** The keys are divided in another way; {@link Problem#directory} has it. */
    MOVED(409, "The directory has moved on"),
    LENGTH_REQUIRED(411, "The length of the body must be known"),
    /** It is not any more what the request's {@code If-Match} says. */
    PRECONDITION_FAILED(412, "It has changed since"),
    TOO_LARGE(413, "The body is too large"),
    UNSUPPORTED_MEDIA_TYPE(415, "The body is of another type than is expected"),
    /** The request names another node: the address that it came by leads to the wrong one. */
    WRONG_NODE(421, "The request is for another node"),
    /** What arrived is not what was sent or announced; it may be sent again. */
    DAMAGED(422, "What arrived is not what was announced"),
    /** The node will not take it, now or later; {@link Problem#limiter} says why. */
    REFUSED(422, "The node does not take it"),
    /** The idempotency key came with another request before. */
    KEY_REUSED(422, "The key was used for another request"),
    /** The tree cannot bear it now; {@link Problem#limiter} and {@link Problem#retryAfterMillis} tell. */
    DEFERRED(429, "Not now"),
    HEADERS_TOO_LARGE(431, "The headers are too large"),
    FAILED(500, "The node could not do it"),
    /** The node cannot take more work now. */
    BUSY(503, "The node is busy"),
    TIMEOUT(503, "It took too long"),
    DISK_FULL(507, "The node's disk is full");

    private static final String PREFIX = "urn:sluice:problem:";

    private final int status;
    private final String title;

    ProblemKind(int status, String title) {
        this.status = status;
        this.title = title;
    }

    /** The HTTP status that goes with it. */
    public int status() {
        return status;
    }

    public String title() {
        return title;
    }

    /** The URI that names it. */
    public String type() {
        return PREFIX + name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The kind a URI names, or null. */
    public static @Nullable ProblemKind ofType(@Nullable String type) {
        for (ProblemKind kind : values()) {
            if (kind.type().equals(type)) {
                return kind;
            }
        }
        return null;
    }
}
