package io.sluice.cli.jobs.client;

import io.sluice.api.wire.Loopback;
import io.sluice.model.error.BadInputException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Address and credentials of an import service. Immutable; opens nothing.
 *
 * @param url scheme, host and port
 * @param token to show, or null; never printed
 * @param trusted certificates to trust instead of the system's, in PEM; null: the system's
 */
public record ServiceAddress(
        URI url, @Nullable String token, @Nullable Path trusted) {
    /** Environment variable with the address. */
    public static final String VARIABLE = "SLUICE_SERVER";

    /** The default address of a service. */
    public static final String USUAL = "http://127.0.0.1:8080";

    /**
     * An address as people write it.
     *
     * @param address {@code http://host:port}, {@code https://host:port}, or {@code host:port}
     * @throws BadInputException when it is none of these
     */
    public static ServiceAddress of(String address, @Nullable String token, @Nullable Path trusted) {
        try {
            URI uri = new URI(address.contains("://") ? address : "http://" + address);
            String scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
            if (token != null && scheme.equals("http") && !Loopback.is(String.valueOf(uri.getHost()))) {
                throw new BadInputException(
                        "--server: a token is not sent over a network without TLS; name it https://HOST:PORT");
            }
            boolean known = scheme.equals("http") || scheme.equals("https");
            boolean bare = uri.getRawPath().isEmpty() || uri.getRawPath().equals("/");
            if (known && bare && uri.getHost() != null && uri.getUserInfo() == null && uri.getRawQuery() == null) {
                return new ServiceAddress(
                        new URI(scheme, null, uri.getHost(), uri.getPort(), "", null, null), token, trusted);
            }
        } catch (URISyntaxException e) {
            throw new BadInputException(wrong(), e);
        }
        throw new BadInputException(wrong());
    }

    /** Without the address: it may have a password in it. */
    private static String wrong() {
        return "--server: must be an address of the form http://HOST:PORT or https://HOST:PORT, such as " + USUAL;
    }

    /** Whether it is the default address. */
    boolean isUsual() {
        return url.toString().equals(USUAL);
    }

    /** Omits the token, which must not appear in a log. */
    @Override
    public String toString() {
        return url.toString();
    }
}
