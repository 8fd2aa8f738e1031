package io.sluice.http;

import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.RequestHeaders;
import io.netty.util.NetUtil;
import io.sluice.api.wire.Problem;
import io.sluice.api.wire.ProblemKind;
import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The rule by which the gatekeeper admits requests. */
sealed interface Entry {
    /**
     * Checks a request; returns the problem to refuse it with, or null to admit it.
     *
     * @param server name of the server
     * @param open whether the request needs no token
     */
    @Nullable
    Problem refusal(String server, RequestHeaders headers, boolean open);

    /** Creates the rule for a server with these settings. */
    static Entry of(HttpSettings settings) {
        BearerToken token = settings.token();
        return token != null ? new ByToken(token) : new OfThisMachine(settings.tls() != null ? "https" : "http");
    }

    /** Admits requests with the token. A page of another origin has no token, and browsers do not add one. */
    record ByToken(BearerToken token) implements Entry {
        @Override
        public @Nullable Problem refusal(String server, RequestHeaders headers, boolean open) {
            return open || token.shownIn(headers.get(HttpHeaderNames.AUTHORIZATION))
                    ? null
                    : Problem.of(
                            ProblemKind.UNAUTHORIZED, "send the " + server + "'s token as Authorization: Bearer TOKEN");
        }
    }

    /**
     * Admits requests from this machine, except those of foreign web pages in a browser. The loopback listen address
     * excludes other machines. A foreign page is detected in two ways: its Host header is the page's own name, even if
     * that name now resolves to a loopback address (DNS rebinding); and its requests to a foreign host carry an Origin
     * header, except plain reads, whose response the page cannot see.
     *
     * @param scheme http or https
     */
    record OfThisMachine(String scheme) implements Entry {
        @Override
        public @Nullable Problem refusal(String server, RequestHeaders headers, boolean open) {
            String host = headers.authority();
            if (!loopback(host)) {
                return Problem.of(
                        ProblemKind.FORBIDDEN,
                        "the " + server + " has no token, so it answers only to localhost and to loopback addresses as"
                                + " host; ask for one of those, or give it a token");
            }
            String origin = headers.get(HttpHeaderNames.ORIGIN);
            if (origin != null && !origin.equalsIgnoreCase(scheme + "://" + host)) {
                return Problem.of(
                        ProblemKind.FORBIDDEN,
                        "the " + server + " has no token, so it does not answer to web pages of other origins; give it"
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
}
