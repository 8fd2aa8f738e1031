package io.sluice.http;

import com.linecorp.armeria.common.AggregatedHttpResponse;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.RequestHeaders;
import com.linecorp.armeria.common.util.Exceptions;
import com.linecorp.armeria.server.HttpResponseException;
import com.linecorp.armeria.server.HttpStatusException;
import com.linecorp.armeria.server.RequestTimeoutException;
import com.linecorp.armeria.server.ServerErrorHandler;
import com.linecorp.armeria.server.ServiceConfig;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.sluice.api.wire.Problem;
import io.sluice.api.wire.ProblemKind;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Converts every failure to a problem response, thrown by a service or found by the server itself. */
final class ErrorAnswers implements ServerErrorHandler {
    private static final Logger LOG = LoggerFactory.getLogger(ErrorAnswers.class);

    private final Failures failures;
    private final AllowedMethods allowed;

    ErrorAnswers(Failures failures, AllowedMethods allowed) {
        this.failures = failures;
        this.allowed = allowed;
    }

    @Override
    public HttpResponse onServiceException(ServiceRequestContext ctx, Throwable thrown) {
        Throwable cause = Exceptions.peel(thrown);
        if (cause instanceof HttpStatusException status) {
            return Answers.problem(ctx, of(status.httpStatus(), null));
        }
        if (cause instanceof HttpResponseException response) {
            return response.httpResponse();
        }
        if (cause instanceof RequestTimeoutException) {
            // Closes the connection of a client that was too slow, instead of reading the rest of the body.
            var unused = ctx.initiateConnectionShutdown(0);
        }
        if (Failures.unexpected(cause)) {
            LOG.warn("{} {} {} failed", RequestIds.of(ctx), ctx.method(), ctx.path(), cause);
        }
        return Answers.problem(ctx, failures.problem(cause));
    }

    @Override
    public AggregatedHttpResponse onProtocolViolation(
            ServiceConfig config,
            @Nullable RequestHeaders headers,
            HttpStatus status,
            @Nullable String description,
            @Nullable Throwable cause) {
        return aggregated(status, description);
    }

    @Override
    public AggregatedHttpResponse renderStatus(
            @Nullable ServiceRequestContext ctx,
            ServiceConfig config,
            @Nullable RequestHeaders headers,
            HttpStatus status,
            @Nullable String description,
            @Nullable Throwable cause) {
        AggregatedHttpResponse answer = aggregated(status, description);
        return ctx == null || !status.equals(HttpStatus.METHOD_NOT_ALLOWED)
                ? answer
                : AggregatedHttpResponse.of(
                        answer.headers().withMutations(said -> said.set(HttpHeaderNames.ALLOW, allowed.of(ctx))),
                        answer.content());
    }

    private static AggregatedHttpResponse aggregated(HttpStatus status, @Nullable String description) {
        Problem problem = of(status, description);
        return AggregatedHttpResponse.of(Answers.problemHeaders(problem), Answers.problemBody(problem));
    }

    /** Creates the problem for a failure that the server reports by status only. */
    private static Problem of(HttpStatus status, @Nullable String description) {
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
        String detail = description == null || status.isServerError() ? kind.title() : description;
        return Problem.of(kind, detail).withStatus(status.code());
    }
}
