package io.sluice.importer.source.remote;

import io.sluice.importer.source.origin.Access;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.thread.Backoff;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Resolves addresses to remote objects; creates each client when the first address needs it. Thread-safe. */
public final class RemoteInputs {
    /** Five attempts within some four seconds: enough for a restarted server, short enough for a precheck. */
    public static final Backoff BACKOFF = new Backoff(300, 10_000, 5);

    private static final Pattern MARKER =
            Pattern.compile("_SUCCESS|_committed_.*|_started_.*|_metadata|_common_metadata");

    private final S3Settings s3Settings;
    private final Backoff backoff;
    private final Access access;
    private @Nullable HttpRequests http;
    private @Nullable S3Store s3;

    /** @param access which addresses may be asked */
    public RemoteInputs(S3Settings s3Settings, Backoff backoff, Access access) {
        this.s3Settings = s3Settings;
        this.backoff = backoff;
        this.access = access;
    }

    /** Whether an argument is an address, not a path. */
    public static boolean isRemote(String argument) {
        return isHttp(argument) || startsWith(argument, "s3://");
    }

    /** Whether a file of this name tells Hadoop, Spark or Databricks that a directory is complete, and has no rows. */
    public static boolean isMarker(String name) {
        return MARKER.matcher(name).matches();
    }

    /** An argument for messages: an address without user name, password and query; a path unchanged. */
    public static String shown(String argument) {
        if (!isRemote(argument)) {
            return argument;
        }
        try {
            return name(new URI(argument));
        } catch (URISyntaxException e) {
            return argument.substring(0, argument.indexOf(':')) + "://…";
        }
    }

    private static boolean isHttp(String argument) {
        return startsWith(argument, "http://") || startsWith(argument, "https://");
    }

    private static boolean startsWith(String argument, String scheme) {
        return argument.regionMatches(true, 0, scheme, 0, scheme.length());
    }

    /**
     * Asks the server for the objects of an address.
     *
     * @throws BadInputException when there is no object, or this user may not read it
     * @throws OperationFailedException when the server does not answer
     */
    public List<Remote> find(String address) {
        if (!isHttp(address)) {
            return s3().find("s3://" + address.substring("s3://".length()));
        }
        URI uri = uri(address);
        try {
            return List.of(HttpObject.find(http(), uri, backoff));
        } catch (IOException e) {
            throw new OperationFailedException(name(uri) + ": cannot be read: " + e.getMessage(), e);
        }
    }

    private static URI uri(String address) {
        String scheme = address.substring(0, address.indexOf(':')).toLowerCase(Locale.ROOT);
        try {
            URI uri = new URI(address);
            if (uri.getHost() != null && uri.getFragment() == null) {
                return uri;
            }
        } catch (URISyntaxException e) {
            // Reported below without the cause, which holds the full address.
        }
        throw new BadInputException(scheme + "://…: not an address of the form " + scheme
                + "://HOST/PATH; write special characters as %XX");
    }

    private synchronized HttpRequests http() {
        if (http == null) {
            http = new HttpRequests(access);
        }
        return http;
    }

    private synchronized S3Store s3() {
        if (s3 == null) {
            s3 = new S3Store(s3Settings, backoff);
        }
        return s3;
    }

    /** An address for messages, without user name, password, and query, which may be a signature. */
    static String name(URI uri) {
        String authority = uri.getRawAuthority();
        // A bucket name may be invalid as a host name; then the URI has no host.
        String place = authority == null ? "" : authority.substring(authority.lastIndexOf('@') + 1);
        return uri.getScheme() + "://" + place + uri.getRawPath() + (uri.getRawQuery() == null ? "" : "?…");
    }
}
