package io.sluice.http;

import com.linecorp.armeria.common.ClosedSessionException;
import com.linecorp.armeria.common.ContentTooLargeException;
import com.linecorp.armeria.common.stream.AbortedStreamException;
import com.linecorp.armeria.common.stream.CancelledSubscriptionException;
import com.linecorp.armeria.common.util.Exceptions;
import com.linecorp.armeria.server.RequestTimeoutException;
import io.sluice.api.wire.Problem;
import io.sluice.api.wire.ProblemKind;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.error.Reasons;
import io.sluice.model.error.TableBusyException;
import java.nio.file.Path;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Converts exceptions to problems. A client receives the message of a {@code SluiceException} without the server's
 * paths. Of any other exception a client learns only that there was one.
 */
public final class Failures {
    private static final long BUSY_MILLIS = 1_000;

    private final String name;
    private final @Nullable Path store;

    Failures(ServerProfile profile) {
        name = profile.name();
        store = profile.store();
    }

    /** Converts an exception to the problem for the client. */
    Problem problem(Throwable thrown) {
        Throwable cause = Exceptions.peel(thrown);
        if (cause instanceof ProblemException known) {
            return known.problem();
        }
        if (cause instanceof BadInputException) {
            return Problem.of(ProblemKind.BAD_REQUEST, message(cause));
        }
        if (cause instanceof TableBusyException) {
            return busy(message(cause), "transactions");
        }
        if (cause instanceof OperationFailedException) {
            return Problem.of(ProblemKind.FAILED, message(cause));
        }
        if (cause instanceof RejectedExecutionException) {
            return busy("the " + name + " has as many requests as it can work on; try again later", "requests");
        }
        if (cause instanceof ContentTooLargeException) {
            return Problem.of(ProblemKind.TOO_LARGE, "the body is larger than this request may have");
        }
        if (cause instanceof RequestTimeoutException) {
            return Problem.of(ProblemKind.TIMEOUT, "the request took too long, or its body came too slowly");
        }
        return Problem.of(ProblemKind.FAILED, "an unexpected error; the " + name + "'s log tells more");
    }

    /**
     * Creates the problem of an overloaded server; the client retries after a second.
     *
     * @param limiter one word for the exhausted resource
     */
    public static Problem busy(String detail, String limiter) {
        return Problem.of(ProblemKind.BUSY, detail).waitingFor(limiter).again(BUSY_MILLIS);
    }

    /** Whether the failure is the server's own, so that its log must explain it. */
    static boolean unexpected(Throwable thrown) {
        Throwable cause = Exceptions.peel(thrown);
        return !(cause instanceof ProblemException
                || cause instanceof BadInputException
                || cause instanceof TableBusyException
                || cause instanceof RejectedExecutionException
                || cause instanceof ContentTooLargeException
                || cause instanceof RequestTimeoutException
                || gone(cause));
    }

    /** Whether the client closed the connection. */
    static boolean gone(Throwable cause) {
        return cause instanceof ClosedSessionException
                || cause instanceof AbortedStreamException
                || cause instanceof CancelledSubscriptionException;
    }

    private String message(Throwable cause) {
        String message = Reasons.withoutClasses(String.valueOf(cause.getMessage()));
        return store == null ? message : message.replace(store.toString(), "(store)");
    }
}
