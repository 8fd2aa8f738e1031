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

/** What a request must show to be let in. */
sealed interface Entry {
    /**
     * Why a request is not let in; null: it is.
     *
     * @param server what the server calls itself
     * @param open whether it is one of those that need no token
     */
    @Nullable
    Problem refusal(String server, RequestHeaders headers, boolean open);

    /** The rule for a server with these settings. */
    static Entry of(HttpSettings settings) {
        BearerToken token = settings.token();
        return token != null ? new ByToken(token) : new OfThisMachine(settings.tls() != null ? "https" : "http");
    }

    /** Whoever shows the token. A page of another origin does not have it, and browsers add none of their own. */
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
     * Whoever is on this machine, which the address that is listened on sees to, and is no web page from elsewhere in a
     * browser on this machine. Such a page gives itself away: the host it asks for is its own name, even when that
     * name's owner has it resolve to a loopback address by now; and what it sends to a foreign host, other than plain
     * reading whose answer it is not shown, carries its origin.
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

        /** Whether it says this machine, with or without a port. Names other than localhost are not looked up. */
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
