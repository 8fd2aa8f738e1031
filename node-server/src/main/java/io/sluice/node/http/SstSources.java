package io.sluice.node.http;

import io.sluice.model.error.BadInputException;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The addresses from which a node may read SSTs: those that begin with an address of the operator, compared by scheme,
 * host, port and path. A client could otherwise make the node ask any server that the node can reach.
 */
public final class SstSources {
    /** No address. */
    public static final SstSources NONE = new SstSources(List.of());

    private static final int HTTP = 80;
    private static final int HTTPS = 443;

    private final List<URI> roots;

    private SstSources(List<URI> roots) {
        this.roots = List.copyOf(roots);
    }

    /**
     * Sources below these addresses.
     *
     * @throws BadInputException if one is not of the form {@code https://HOST[:PORT]/PATH/}
     */
    public static SstSources below(List<String> addresses) {
        List<URI> roots = new ArrayList<>();
        for (String address : addresses) {
            URI root = parsed(address);
            if (root == null || root.getRawQuery() != null || !root.getRawPath().endsWith("/")) {
                throw new BadInputException("--sst-source " + (root == null ? "" : shown(root) + " ")
                        + "must be of the form https://HOST[:PORT]/PATH/, with a slash at its end and without user and"
                        + " query: it is the beginning of the addresses that the node may read");
            }
            roots.add(root);
        }
        return new SstSources(roots);
    }

    /** Whether the node may read from an address. */
    boolean allow(@Nullable URI address) {
        return address != null
                && isPlain(address.getRawPath())
                && roots.stream()
                        .anyMatch(root -> root.getScheme().equals(address.getScheme())
                                && root.getHost().equals(address.getHost())
                                && port(root) == port(address)
                                && address.getRawPath().startsWith(root.getRawPath()));
    }

    private static int port(URI address) {
        return address.getPort() >= 0 ? address.getPort() : address.getScheme().equals("https") ? HTTPS : HTTP;
    }

    /** Whether servers read a path in one way: no step up, no encoded dot, slash, backslash or percent sign. */
    private static boolean isPlain(String path) {
        String lower = path.toLowerCase(Locale.ROOT);
        return !lower.contains("%2e")
                && !lower.contains("%2f")
                && !lower.contains("%5c")
                && !lower.contains("%25")
                && !lower.contains(";")
                && List.of(lower.split("/")).stream().noneMatch(step -> step.equals(".") || step.equals(".."));
    }

    /** An address of http or https with a host, in lower case; null for others. */
    static @Nullable URI parsed(String address) {
        try {
            URI uri = new URI(address);
            if (uri.getScheme() == null || uri.getHost() == null || uri.getRawUserInfo() != null) {
                return null;
            }
            String scheme = uri.getScheme().toLowerCase(Locale.ROOT);
            boolean web = scheme.equals("http") || scheme.equals("https");
            if (!web || uri.getRawFragment() != null) {
                return null;
            }
            String query = uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery();
            String port = uri.getPort() < 0 ? "" : ":" + uri.getPort();
            return new URI(scheme + "://" + uri.getHost().toLowerCase(Locale.ROOT) + port + uri.getRawPath() + query);
        } catch (URISyntaxException e) {
            return null;
        }
    }

    /** The address without its query, which holds a signature. */
    static String shown(URI address) {
        return address.getScheme() + "://" + address.getRawAuthority() + address.getRawPath();
    }
}
