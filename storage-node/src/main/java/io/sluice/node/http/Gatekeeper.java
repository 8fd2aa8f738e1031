package io.sluice.node.http;

import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.server.DecoratingHttpServiceFunction;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.sluice.api.wire.ApiHeaders;
import io.sluice.api.wire.ApiPaths;
import io.sluice.api.wire.Problem;
import io.sluice.api.wire.ProblemKind;
import org.jspecify.annotations.Nullable;

/**
 * What every request passes first, whatever its path, known or not: it decorates the server as a whole, so that a route
 * cannot be added outside of it. Lets in who shows the token; {@value ApiPaths#HEALTH} alone needs none, because load
 * balancers have none.
 */
final class Gatekeeper implements DecoratingHttpServiceFunction {
    private final @Nullable BearerToken token;
    private final RequestLog log;
    private volatile boolean closing;

    Gatekeeper(@Nullable BearerToken token, RequestLog log) {
        this.token = token;
        this.log = log;
    }

    /** From now on nobody new comes in. */
    void close() {
        closing = true;
    }

    boolean closing() {
        return closing;
    }

    @Override
    public HttpResponse serve(HttpService delegate, ServiceRequestContext ctx, HttpRequest request) throws Exception {
        log.watch(ctx);
        ctx.setAdditionalResponseHeader(ApiHeaders.REQUEST_ID, RequestIds.of(ctx));
        if (exempt(ctx, request)) {
            return delegate.serve(ctx, request);
        }
        if (token != null && !token.shownIn(request.headers().get(HttpHeaderNames.AUTHORIZATION))) {
            return refuse(
                    ctx,
                    request,
                    Problem.of(ProblemKind.UNAUTHORIZED, "send the node's token as Authorization: Bearer TOKEN"));
        }
        if (closing) {
            return refuse(ctx, request, Failures.busy("the node is closing; try again when it is back", "closing"));
        }
        return delegate.serve(ctx, request);
    }

    /** A body that nobody asked for is not read. */
    private static HttpResponse refuse(ServiceRequestContext ctx, HttpRequest request, Problem problem) {
        request.abort();
        return Answers.problem(ctx, problem);
    }

    private static boolean exempt(ServiceRequestContext ctx, HttpRequest request) {
        return request.method() == HttpMethod.GET && ctx.path().equals(ApiPaths.HEALTH);
    }
}
