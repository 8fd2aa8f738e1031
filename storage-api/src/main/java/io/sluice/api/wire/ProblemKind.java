package io.sluice.api.wire;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The kind of a failed request, on which clients branch in addition to the status. */
public enum ProblemKind {
    /** The request is malformed; a retry fails too. */
    BAD_REQUEST(400, "The request is malformed"),
    UNAUTHORIZED(401, "A bearer token is required"),
    /**
     * The origin of the request is rejected, such as a web page of another one; or the role of its token is too low.
     */
    FORBIDDEN(403, "The request is forbidden"),
    /** No such table, index or path. */
    NOT_FOUND(404, "The resource does not exist"),
    /** No import of that id is running: it was never opened, or is published or undone. */
    UNKNOWN_IMPORT(404, "The import does not exist"),
    METHOD_NOT_ALLOWED(405, "The path does not allow the method"),
    /** The table exists, is being imported or is a parent of others; or the import's state does not allow the step. */
    CONFLICT(409, "The state does not allow the request"),
    /** A later attempt at the import, or a later copy of the table, has fenced the sender. */
    FENCED(409, "A later attempt is running"),
    /** The range directory has changed; {@link Problem#directory} has the current one, except for a read. */
    MOVED(409, "The range directory has changed"),
    /** The change contradicts an earlier one of the cluster's log; a retry fails, too, unless it is {@code frozen}. */
    CHANGE_REFUSED(409, "The cluster's log refuses the change"),
    LENGTH_REQUIRED(411, "The length of the body is required"),
    /** The resource no longer matches the request's {@code If-Match}. */
    PRECONDITION_FAILED(412, "The resource has changed"),
    TOO_LARGE(413, "The body is too large"),
    UNSUPPORTED_MEDIA_TYPE(415, "The media type is not supported"),
    /** The request names another node, so its address leads to the wrong node. */
    WRONG_NODE(421, "The request is for another node"),
    /** The body differs from its headers; the client may send it again. */
    DAMAGED(422, "The body differs from its headers"),
    /** The node will never take the SST; {@link Problem#limiter} says why. */
    REFUSED(422, "The node refuses the SST"),
    /** The node does not read from the source, or it cannot; the client sends the bytes. */
    SOURCE_NOT_READ(422, "The node does not read the source"),
    /** The client used the idempotency key for a different request before. */
    KEY_REUSED(422, "The idempotency key was used for another request"),
    /** The server cannot take the request now; see {@link Problem#limiter} and {@link Problem#retryAfterMillis}. */
    DEFERRED(429, "The server cannot take the request now"),
    HEADERS_TOO_LARGE(431, "The headers are too large"),
    FAILED(500, "The request failed"),
    /** The node cannot take more work now. */
    BUSY(503, "The node is busy"),
    /** The node has no contact with most nodes of its cluster, so that its rows may be outdated; ask another one. */
    OUTDATED(503, "The node may be outdated"),
    TIMEOUT(503, "The request timed out"),
    DISK_FULL(507, "The node's disk is full");

    private static final String PREFIX = "urn:sluice:problem:";

    private final int status;
    private final String title;

    ProblemKind(int status, String title) {
        this.status = status;
        this.title = title;
    }

    /** The HTTP status of this kind. */
    public int status() {
        return status;
    }

    public String title() {
        return title;
    }

    /** The URI of this kind. */
    public String type() {
        return PREFIX + name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Finds a kind by its URI; null if unknown. */
    public static @Nullable ProblemKind ofType(@Nullable String type) {
        for (ProblemKind kind : values()) {
            if (kind.type().equals(type)) {
                return kind;
            }
        }
        return null;
    }
}
