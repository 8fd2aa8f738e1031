package io.sluice.http;

import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.server.DecoratingHttpServiceFunction;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.sluice.api.wire.ApiHeaders;
import io.sluice.api.wire.Problem;

/**
 * What every request passes first, whatever its path, known or not: it decorates the server as a whole, so that a route
 * cannot be added outside of it. Lets in who shows what the server's {@link Entry} wants; the requests that the
 * server's profile names are open, because load balancers, say, have no token.
 */
final class Gatekeeper implements DecoratingHttpServiceFunction {
    private final ServerProfile profile;
    private final Entry entry;
    private final RequestLog log;
    private volatile boolean closing;

    Gatekeeper(ServerProfile profile, Entry entry, RequestLog log) {
        this.profile = profile;
        this.entry = entry;
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
        boolean open = profile.open().open(request.method(), ctx.path());
        Problem refusal = entry.refusal(profile.name(), request.headers(), open);
        if (refusal != null) {
            return refuse(ctx, request, refusal);
        }
        if (closing && !open) {
            return refuse(
                    ctx,
                    request,
                    Failures.busy("the " + profile.name() + " is closing; try again when it is back", "closing"));
        }
        if (!open) {
            // Anyone may send an open request, so it says nothing about who holds the connection.
            log.admitted(ctx);
        }
        return delegate.serve(ctx, request);
    }

    /** A body that nobody asked for is not read. */
    private static HttpResponse refuse(ServiceRequestContext ctx, HttpRequest request, Problem problem) {
        request.abort();
        return Answers.problem(ctx, problem);
    }
}
