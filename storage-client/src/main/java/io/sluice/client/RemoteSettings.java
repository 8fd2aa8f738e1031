package io.sluice.client;

import io.sluice.api.wire.Loopback;
import io.sluice.model.error.BadInputException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Settings of the connections to one node. A plain value that opens no resources.
 *
 * @param name host and port
 * @param described the node in messages: its name and address if it is in a cluster, else its address
 * @param secure whether to use TLS
 * @param token the token that the node requires, or null; never printed
 * @param trusted certificates to trust instead of the system's, in PEM; null: the system's
 * @param uploads most SSTs under way to the node at a time
 * @param patience how long an answer is waited for
 */
public record RemoteSettings(
        String name,
        String described,
        boolean secure,
        @Nullable String token,
        @Nullable Path trusted,
        int uploads,
        Patience patience) {
    /**
     * Times for which an answer is waited for.
     *
     * @param readMillis how long a node may not answer before a read fails; another replica may have the rows
     * @param importMillis how long a node may not answer before an import fails; no other node can take over
     * @param answerMillis how long a request may take before it is repeated
     */
    public record Patience(long readMillis, long importMillis, long answerMillis) {}

    /**
     * Default of uploads: enough to keep a disk busy while the next SST is verified. A node takes 16 from all importers
     * together.
     */
    public static final int DEFAULT_UPLOADS = 3;

    public static final long DEFAULT_READ_PATIENCE_MILLIS = 5_000;
    public static final long DEFAULT_IMPORT_PATIENCE_MILLIS = 600_000;

    /** Nodes answer small requests at once, and long-running operations with "still running" after a third of this. */
    private static final long DEFAULT_ANSWER_MILLIS = 60_000;

    private static final Patience DEFAULT_PATIENCE =
            new Patience(DEFAULT_READ_PATIENCE_MILLIS, DEFAULT_IMPORT_PATIENCE_MILLIS, DEFAULT_ANSWER_MILLIS);
    private static final int MAX_UPLOADS = 16;
    private static final int MAX_PORT = 65_535;

    /**
     * Checks the settings.
     *
     * @throws BadInputException when one is out of its range
     */
    public RemoteSettings {
        if (uploads < 1 || uploads > MAX_UPLOADS || patience.readMillis() < 0 || patience.importMillis() < 0) {
            throw new BadInputException(
                    "node " + name + ": uploads must be from 1 to " + MAX_UPLOADS + ", and waiting times not negative");
        }
        if (token != null && !secure && !Loopback.is(name.substring(0, Math.max(0, name.lastIndexOf(':'))))) {
            throw new BadInputException(
                    "node " + name + ": a token is not sent over a network without TLS; name it" + " https://" + name);
        }
    }

    /**
     * The default settings for an address.
     *
     * @param address {@code host:port}, {@code http://host:port} or {@code https://host:port}
     * @throws BadInputException for any other form
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
                String name = uri.getHost() + ":" + uri.getPort();
                return new RemoteSettings(
                        name, name, scheme.equals("https"), null, null, DEFAULT_UPLOADS, DEFAULT_PATIENCE);
            }
        } catch (URISyntaxException e) {
            throw new BadInputException("node " + address + ": must be HOST:PORT or https://HOST:PORT", e);
        }
        throw new BadInputException("node " + address + ": must be HOST:PORT or https://HOST:PORT");
    }

    /** Returns a copy with the node's name in its cluster. */
    public RemoteSettings named(String node) {
        String both = node.equals(name) ? name : node + " (" + name + ")";
        return new RemoteSettings(name, both, secure, token, trusted, uploads, patience);
    }

    /** Returns a copy with a token. */
    public RemoteSettings withToken(@Nullable String newToken) {
        return new RemoteSettings(name, described, secure, newToken, trusted, uploads, patience);
    }

    /** Returns a copy with trusted certificates. */
    public RemoteSettings withTrusted(@Nullable Path certificates) {
        return new RemoteSettings(name, described, secure, token, certificates, uploads, patience);
    }

    /** Returns a copy with other waiting times. */
    public RemoteSettings withPatience(long readMillis, long importMillis) {
        return with(new Patience(readMillis, importMillis, patience.answerMillis()));
    }

    /** Returns a copy with another limit of a request's time. */
    public RemoteSettings withAnswerMillis(long millis) {
        return with(new Patience(patience.readMillis(), patience.importMillis(), millis));
    }

    private RemoteSettings with(Patience other) {
        return new RemoteSettings(name, described, secure, token, trusted, uploads, other);
    }

    /** The address without the token, which must not appear in a log. */
    @Override
    public String toString() {
        return (secure ? "https://" : "http://") + name;
    }
}
