package io.sluice.importer.remote;

import io.sluice.api.error.BadInputException;
import io.sluice.api.wire.Loopback;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * How to speak to one node. A value: it opens nothing.
 *
 * @param name what messages call the node: host and port
 * @param secure whether to speak TLS
 * @param token what the node wants to see before it answers, or null; never printed
 * @param trusted certificates to trust instead of the system's, in PEM; null: the system's
 * @param uploads most SSTs under way to the node at a time
 * @param readPatienceMillis how long a node may be silent before a reader gives up on it; another replica may have the
 *     rows
 * @param importPatienceMillis the same in an import, which no other node can take over
 * @param seed of the waits between tries, which are spread so that many clients do not come at once
 */
public record RemoteSettings(
        String name,
        boolean secure,
        @Nullable String token,
        @Nullable Path trusted,
        int uploads,
        long readPatienceMillis,
        long importPatienceMillis,
        long seed) {
    /** Enough to keep a disk busy while the next SST is verified; a node takes 16 of all importers together. */
    public static final int DEFAULT_UPLOADS = 3;

    public static final long DEFAULT_READ_PATIENCE_MILLIS = 5_000;
    public static final long DEFAULT_IMPORT_PATIENCE_MILLIS = 600_000;

    private static final int MAX_UPLOADS = 16;
    private static final int MAX_PORT = 65_535;

    /**
     * Checks the settings.
     *
     * @throws BadInputException when one is out of its range
     */
    public RemoteSettings {
        if (uploads < 1 || uploads > MAX_UPLOADS || readPatienceMillis < 0 || importPatienceMillis < 0) {
            throw new BadInputException(
                    "node " + name + ": uploads must be from 1 to " + MAX_UPLOADS + ", and waiting times not negative");
        }
        if (token != null && !secure && !Loopback.is(name.substring(0, Math.max(0, name.lastIndexOf(':'))))) {
            throw new BadInputException(
                    "node " + name + ": a token is not sent over a network without TLS; name it" + " https://" + name);
        }
    }

    /**
     * The usual settings for an address.
     *
     * @param address {@code host:port}, {@code http://host:port} or {@code https://host:port}
     * @throws BadInputException when it is none of these
     */
    public static RemoteSettings of(String address) {
        String url = address.contains("://") ? address : "http://" + address;
        try {
            URI uri = new URI(url);
            String scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
            boolean known = scheme.equals("http") || scheme.equals("https");
            boolean bare = uri.getRawPath().isEmpty() || uri.getRawPath().equals("/");
            if (known
                    && bare
                    && uri.getHost() != null
                    && uri.getPort() > 0
                    && uri.getPort() <= MAX_PORT
                    && uri.getUserInfo() == null) {
                return new RemoteSettings(
                        uri.getHost() + ":" + uri.getPort(),
                        scheme.equals("https"),
                        null,
                        null,
                        DEFAULT_UPLOADS,
                        DEFAULT_READ_PATIENCE_MILLIS,
                        DEFAULT_IMPORT_PATIENCE_MILLIS,
                        address.hashCode());
            }
        } catch (URISyntaxException e) {
            throw new BadInputException("node " + address + ": must be HOST:PORT or https://HOST:PORT", e);
        }
        throw new BadInputException("node " + address + ": must be HOST:PORT or https://HOST:PORT");
    }

    /** With a token to show. */
    public RemoteSettings withToken(@Nullable String newToken) {
        return new RemoteSettings(
                name, secure, newToken, trusted, uploads, readPatienceMillis, importPatienceMillis, seed);
    }

    /** With certificates to trust. */
    public RemoteSettings withTrusted(@Nullable Path certificates) {
        return new RemoteSettings(
                name, secure, token, certificates, uploads, readPatienceMillis, importPatienceMillis, seed);
    }

    /** With other waiting times. */
    public RemoteSettings withPatience(long readMillis, long importMillis) {
        return new RemoteSettings(name, secure, token, trusted, uploads, readMillis, importMillis, seed);
    }

    /** Without the token, which must not get into a log. */
    @Override
    public String toString() {
        return (secure ? "https://" : "http://") + name;
    }
}
