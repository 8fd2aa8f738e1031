package io.sluice.http;

import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.RequestHeaders;
import com.linecorp.armeria.server.DecoratingHttpServiceFunction;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.netty.util.NetUtil;
import io.sluice.api.wire.ApiHeaders;
import io.sluice.api.wire.Problem;
import io.sluice.api.wire.ProblemKind;
import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Authorizes every request before routing, for known and unknown paths. It decorates the whole server, so no route can
 * bypass it. A server with tokens admits the requests that carry one, and a route then checks its role; one without a
 * token admits requests from this machine. The requests that the server's profile names as open need no token, for
 * example those of load balancers.
 */
final class Gatekeeper implements DecoratingHttpServiceFunction {
    private final ServerProfile profile;
    private final @Nullable Tokens tokens;
    /** http or https. */
    private final String scheme;

    private final RequestLog log;
    private volatile boolean closing;

    Gatekeeper(ServerProfile profile, HttpSettings settings, RequestLog log) {
        this.profile = profile;
        tokens = settings.tokens();
        scheme = settings.tls() != null ? "https" : "http";
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
        ctx.setAdditionalResponseHeader(ApiHeaders.REQUEST_ID, ApiRequest.id(ctx));
        boolean open = profile.open().test(request.method(), ctx.path());
        Problem refusal = tokens == null
                ? refusalByOrigin(request.headers())
                : refusalByToken(tokens, ctx, request.headers(), open);
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

    /** Admits requests with the token. A page of another origin has no token, and browsers do not add one. */
    private @Nullable Problem refusalByToken(
            Tokens known, ServiceRequestContext ctx, RequestHeaders headers, boolean open) {
        Caller caller = known.shownIn(headers.get(HttpHeaderNames.AUTHORIZATION));
        if (caller != null && !open) {
            caller.sends(ctx);
        }
        return open || caller != null
                ? null
                : Problem.of(
                        ProblemKind.UNAUTHORIZED,
                        "send the " + profile.name() + "'s token as Authorization: Bearer TOKEN");
    }

    /**
     * Admits requests from this machine, except those of foreign web pages in a browser. The loopback listen address
     * excludes other machines. A foreign page is detected in two ways: its Host header is the page's own name, even if
     * that name now resolves to a loopback address (DNS rebinding); and its requests to a foreign host carry an Origin
     * header, except plain reads, whose response the page cannot see.
     */
    private @Nullable Problem refusalByOrigin(RequestHeaders headers) {
        String host = headers.authority();
        if (!loopback(host)) {
            return Problem.of(
                    ProblemKind.FORBIDDEN,
                    "the " + profile.name()
                            + " has no token, so it answers only to localhost and to loopback addresses as"
                            + " host; ask for one of those, or give it a token");
        }
        String origin = headers.get(HttpHeaderNames.ORIGIN);
        if (origin != null && !origin.equalsIgnoreCase(scheme + "://" + host)) {
            return Problem.of(
                    ProblemKind.FORBIDDEN,
                    "the " + profile.name()
                            + " has no token, so it does not answer to web pages of other origins; give it"
                            + " a token");
        }
        return null;
    }

    /** Whether the authority is a loopback host, with or without a port. Does not resolve names. */
    private static boolean loopback(@Nullable String authority) {
        if (authority == null) {
            return false;
        }
        String host;
        try {
            URI uri = new URI("//" + authority);
            host = uri.getRawUserInfo() == null && uri.getRawPath().isEmpty() ? uri.getHost() : null;
        } catch (URISyntaxException e) {
            return false;
        }
        if (host == null) {
            return false;
        }
        if (host.toLowerCase(Locale.ROOT).equals("localhost")) {
            return true;
        }
        InetAddress literal = NetUtil.createInetAddressFromIpAddressString(
                host.startsWith("[") ? host.substring(1, host.length() - 1) : host);
        return literal != null && literal.isLoopbackAddress();
    }
}
