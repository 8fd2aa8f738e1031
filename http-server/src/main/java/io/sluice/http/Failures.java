package io.sluice.http;

import com.linecorp.armeria.common.AggregatedHttpResponse;
import com.linecorp.armeria.common.ClosedSessionException;
import com.linecorp.armeria.common.ContentTooLargeException;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.RequestHeaders;
import com.linecorp.armeria.common.stream.AbortedStreamException;
import com.linecorp.armeria.common.stream.CancelledSubscriptionException;
import com.linecorp.armeria.common.util.Exceptions;
import com.linecorp.armeria.server.HttpResponseException;
import com.linecorp.armeria.server.HttpStatusException;
import com.linecorp.armeria.server.RequestTimeoutException;
import com.linecorp.armeria.server.Route;
import com.linecorp.armeria.server.ServerErrorHandler;
import com.linecorp.armeria.server.ServiceConfig;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.sluice.api.wire.Problem;
import io.sluice.api.wire.ProblemKind;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.ChangeRefusedException;
import io.sluice.model.error.FencedException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.error.Reasons;
import io.sluice.model.error.TableBusyException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Converts every failure to a problem response, thrown by a service or found by the server itself. A client receives
 * the message of a {@code SluiceException} without the server's paths. Of any other exception a client learns only that
 * there was one.
 */
public final class Failures implements ServerErrorHandler {
    private static final Logger LOG = LoggerFactory.getLogger(Failures.class);
    private static final long BUSY_MILLIS = 1_000;

    private final String name;
    private final @Nullable Path store;
    /** The routes by method, for the header Allow of a 405 (RFC 9110, 15.5.6). */
    private final List<Allowed> allowed = new CopyOnWriteArrayList<>();

    private record Allowed(HttpMethod method, Route path) {}

    Failures(ServerProfile profile) {
        name = profile.name();
        store = profile.store();
    }

    /** Adds a route. */
    void allow(HttpMethod method, String path) {
        allowed.add(new Allowed(method, Route.builder().path(path).build()));
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
        if (cause instanceof ChangeRefusedException refused) {
            Problem problem = Problem.of(ProblemKind.CHANGE_REFUSED, message(cause));
            return refused.frozen() ? problem.inState(Problem.FROZEN) : problem;
        }
        if (cause instanceof FencedException) {
            return Problem.of(ProblemKind.FENCED, message(cause));
        }
        if (cause instanceof OperationFailedException) {
            return Problem.of(ProblemKind.FAILED, message(cause));
        }
        if (cause instanceof RejectedExecutionException) {
            return busy("the " + name + " has as many requests as it can work on; try again later", "requests");
        }
        if (cause instanceof ContentTooLargeException large) {
            return Problem.of(ProblemKind.TOO_LARGE, tooLarge(large.maxContentLength()));
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
                || cause instanceof ChangeRefusedException
                || cause instanceof FencedException
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

    @Override
    public HttpResponse onServiceException(ServiceRequestContext ctx, Throwable thrown) {
        Throwable cause = Exceptions.peel(thrown);
        if (cause instanceof HttpStatusException status) {
            return Answers.problem(ctx, ofStatus(status.httpStatus(), null, ctx.maxRequestLength()));
        }
        if (cause instanceof HttpResponseException response) {
            return response.httpResponse();
        }
        if (cause instanceof RequestTimeoutException) {
            // Closes the connection of a client that was too slow, instead of reading the rest of the body.
            var unused = ctx.initiateConnectionShutdown(0);
        }
        if (unexpected(cause)) {
            LOG.warn("{} {} {} failed", ApiRequest.id(ctx), ctx.method(), ctx.path(), cause);
        }
        return Answers.problem(ctx, problem(cause));
    }

    @Override
    public AggregatedHttpResponse onProtocolViolation(
            ServiceConfig config,
            @Nullable RequestHeaders headers,
            HttpStatus status,
            @Nullable String description,
            @Nullable Throwable cause) {
        return aggregated(config, status, description);
    }

    @Override
    public AggregatedHttpResponse renderStatus(
            @Nullable ServiceRequestContext ctx,
            ServiceConfig config,
            @Nullable RequestHeaders headers,
            HttpStatus status,
            @Nullable String description,
            @Nullable Throwable cause) {
        AggregatedHttpResponse answer = aggregated(config, status, description);
        return ctx == null || !status.equals(HttpStatus.METHOD_NOT_ALLOWED)
                ? answer
                : AggregatedHttpResponse.of(
                        answer.headers().withMutations(said -> said.set(HttpHeaderNames.ALLOW, allowed(ctx))),
                        answer.content());
    }

    private static AggregatedHttpResponse aggregated(
            ServiceConfig config, HttpStatus status, @Nullable String description) {
        Problem problem = ofStatus(status, description, config.maxRequestLength());
        return AggregatedHttpResponse.of(Answers.problemHeaders(problem), Answers.problemBody(problem));
    }

    private static String tooLarge(long limit) {
        return "the body is larger than " + limit + " bytes, the limit of this request";
    }

    /**
     * Creates the problem for a failure that the server reports by status only.
     *
     * @param limit limit of the request's body, in bytes
     */
    private static Problem ofStatus(HttpStatus status, @Nullable String description, long limit) {
        ProblemKind kind =
                switch (status.code()) {
                    case 403 -> ProblemKind.FORBIDDEN;
                    case 404 -> ProblemKind.NOT_FOUND;
                    case 405 -> ProblemKind.METHOD_NOT_ALLOWED;
                    case 413 -> ProblemKind.TOO_LARGE;
                    case 431 -> ProblemKind.HEADERS_TOO_LARGE;
                    case 503 -> ProblemKind.BUSY;
                    default -> status.isServerError() ? ProblemKind.FAILED : ProblemKind.BAD_REQUEST;
                };
        String detail = kind == ProblemKind.TOO_LARGE
                ? tooLarge(limit)
                : description == null || status.isServerError() ? kind.title() : description;
        return Problem.of(kind, detail).withStatus(status.code());
    }

    /** Returns the allowed methods of a request's path, as the value of the header Allow. */
    private String allowed(ServiceRequestContext ctx) {
        return allowed.stream()
                .filter(each -> each.path().apply(ctx.routingContext(), false).isPresent())
                .map(each -> each.method().name())
                .distinct()
                .sorted()
                .collect(Collectors.joining(", "));
    }
}
