package io.sluice.node.http;

import com.linecorp.armeria.common.ClosedSessionException;
import com.linecorp.armeria.common.ContentTooLargeException;
import com.linecorp.armeria.common.stream.AbortedStreamException;
import com.linecorp.armeria.common.stream.CancelledSubscriptionException;
import com.linecorp.armeria.common.util.Exceptions;
import com.linecorp.armeria.server.RequestTimeoutException;
import io.sluice.api.error.BadInputException;
import io.sluice.api.error.OperationFailedException;
import io.sluice.api.wire.Problem;
import io.sluice.api.wire.ProblemKind;
import java.nio.file.Path;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Exceptions as problems. What a client reads is what a user may read: messages of {@code SluiceException}s go out with
 * the store's own paths left out; of all other exceptions only that there was one.
 */
final class Failures {
    private static final long BUSY_MILLIS = 1_000;

    private final String storePath;

    /** @param store whose path must not leave the node; null: has none */
    Failures(@Nullable Path store) {
        storePath = String.valueOf(store);
    }

    /** What to tell a client. */
    Problem problem(Throwable thrown) {
        Throwable cause = Exceptions.peel(thrown);
        if (cause instanceof ProblemException known) {
            return known.problem();
        }
        if (cause instanceof BadInputException) {
            return Problem.of(ProblemKind.BAD_REQUEST, message(cause));
        }
        if (cause instanceof OperationFailedException) {
            return Problem.of(ProblemKind.FAILED, message(cause));
        }
        if (cause instanceof RejectedExecutionException) {
            return busy("the node has as many requests as it can work on; try again later", "requests");
        }
        if (cause instanceof ContentTooLargeException) {
            return Problem.of(ProblemKind.TOO_LARGE, "the body is larger than this request may have");
        }
        if (cause instanceof RequestTimeoutException) {
            return Problem.of(ProblemKind.TIMEOUT, "the request took too long, or its body came too slowly");
        }
        return Problem.of(ProblemKind.FAILED, "an unexpected error; the node's log tells more");
    }

    /** The node has too much to do just now. */
    static Problem busy(String detail, String limiter) {
        return Problem.of(ProblemKind.BUSY, detail).waitingFor(limiter).again(BUSY_MILLIS);
    }

    /** Whether it is the node's own failure, which its log must explain. */
    static boolean unexpected(Throwable thrown) {
        Throwable cause = Exceptions.peel(thrown);
        return !(cause instanceof ProblemException
                || cause instanceof BadInputException
                || cause instanceof RejectedExecutionException
                || cause instanceof ContentTooLargeException
                || cause instanceof RequestTimeoutException
                || gone(cause));
    }

    /** Whether the client has gone away. */
    static boolean gone(Throwable cause) {
        return cause instanceof ClosedSessionException
                || cause instanceof AbortedStreamException
                || cause instanceof CancelledSubscriptionException;
    }

    private String message(Throwable cause) {
        return String.valueOf(cause.getMessage()).replace(storePath, "(store)");
    }
}
