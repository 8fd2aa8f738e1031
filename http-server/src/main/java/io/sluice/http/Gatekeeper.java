package io.sluice.http;

import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.server.DecoratingHttpServiceFunction;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.sluice.api.wire.ApiHeaders;
import io.sluice.api.wire.Problem;

/**
 * Authorizes every request before routing, for known and unknown paths. It decorates the whole server, so no route can
 * bypass it. It admits requests by the server's {@link Entry} rule. The requests that the server's profile names as
 * open need no token, for example those of load balancers.
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

    /** Refuses all new requests from now on. */
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
            // Any client may send an open request, so it does not authenticate the connection.
            log.admitted(ctx);
        }
        return delegate.serve(ctx, request);
    }

    /** Sends the problem without reading the request's body. */
    private static HttpResponse refuse(ServiceRequestContext ctx, HttpRequest request, Problem problem) {
        request.abort();
        return Answers.problem(ctx, problem);
    }
}
